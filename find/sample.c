/* sample.c - see sample.h. */
#include "find/sample.h"

#include <stdlib.h>
#include <string.h>

#include "core/format/draw.h"
#include "core/system/error.h"
#include "find/scan.h"
#include "find/search.h"

/* An ending, and the numbers of its positions among those of all endings. */
typedef struct Ending {
    Search search;
    Draw draw;
    uint64_t first;
} Ending;

/* A position of the sample. The smaller key comes first. */
typedef struct Drawn {
    uint64_t key;
    uint8_t image; /* the symmetry that makes it the position of the full board */
    Found found;
} Drawn;

typedef struct Sampler {
    const SampleQuery *query;
    FindQuery find;
    Ending *ending;
    const Ending *scanned; /* the ending that is gone through */
    uint64_t numbers, draws, done, looked; /* draws: at most; done: so many of them */
    Drawn *drawn;
    size_t count, capacity;
    DrawSeen seen;
    _Atomic uint64_t limit; /* keys from here on are not needed */
    bool full;              /* out of memory */
} Sampler;

/* What one thread found in a part. */
typedef struct ThreadDrawn {
    Script *script;
    Drawn *drawn;
    size_t count, capacity;
    uint64_t looked;
} ThreadDrawn;

/* ---- Symmetries ------------------------------------------------------------------------------ */

static Move turn_move(Move m, int symmetry)
{
    if (m == 0) return 0;
    return move_make(index_symmetry_square(symmetry, move_from(m)),
                     index_symmetry_square(symmetry, move_to(m)), move_promo(m));
}

/* Gives a position of the sample its orientation and colours. */
static void orient(const Sampler *s, Drawn *d)
{
    const SampleQuery *q = s->query;
    Found *found = &d->found;
    if (!q->random) return;
    const DrawTurning turning =
        draw_turning(q->seed, d->key, &found->pos, q->board ? d->image : -1, q->find.turn);
    const Move m = found->move = turn_move(found->move, turning.symmetry);
    draw_turn(&found->pos, turning, &found->pos);
    if (!turning.exchange) return;
    if (m != 0) found->move = move_make(move_from(m) ^ 56, move_to(m) ^ 56, move_promo(m));
    found->loser = !found->loser;
}

/* ---- What a thread does ---------------------------------------------------------------------- */

static const Ending *ending_of(const Sampler *s, uint64_t number)
{
    const Ending *e = s->ending;
    while (number >= e->first + e->draw.numbers) e++;
    return e;
}

/* Returns the number that a draw chose. */
static uint64_t drawn_number(const Sampler *s, uint64_t draw)
{
    return draw_number(s->query->seed, s->numbers, draw);
}

static bool draw(void *context, uint64_t number, treb_position *pos)
{
    const Sampler *s = context;
    const uint64_t drawn = drawn_number(s, number);
    const Ending *e = ending_of(s, drawn);
    return draw_position(&e->draw, drawn - e->first, pos);
}

static void begin(void *context, void *own, PositionInfo *info)
{
    search_begin(&((const Sampler *)context)->find, &((ThreadDrawn *)own)->script, info);
}

static void end(void *own)
{
    ThreadDrawn *t = own;
    script_free(t->script);
    free(t->drawn);
}

static bool append(Drawn **list, size_t *count, size_t *capacity, const Drawn *drawn)
{
    if (*count == *capacity) {
        const size_t more = *capacity ? 2 * *capacity : 64;
        Drawn *grown = realloc(*list, more * sizeof *grown);
        if (grown == NULL) return false;
        *list = grown;
        *capacity = more;
    }
    (*list)[(*count)++] = *drawn;
    return true;
}

static void keep(ThreadDrawn *t, PositionInfo *info, const Drawn *drawn)
{
    if (info->status == TREB_OK && !append(&t->drawn, &t->count, &t->capacity, drawn))
        info->status = fail_memory(&info->error);
}

static bool visit_draw(void *context, void *own, PositionInfo *info)
{
    const Sampler *s = context;
    ThreadDrawn *t = own;
    Drawn drawn = {.key = info->number};
    const uint64_t number = drawn_number(s, info->number);
    const Ending *e = ending_of(s, number);
    drawn.image = (uint8_t)draw_image(&e->draw, number - e->first);
    t->looked++;
    if (search_finds(&e->search, t->script, info, &drawn.found)) keep(t, info, &drawn);
    return t->count < s->query->size;
}

/* Keeps a position once for each of its images whose key is small enough. */
static bool visit_all(void *context, void *own, PositionInfo *info)
{
    Sampler *s = context;
    const Ending *e = s->scanned;
    const unsigned images = e->draw.images;
    const uint64_t limit = atomic_load_explicit(&s->limit, memory_order_relaxed);
    const treb_position pos = info->pos;
    ThreadDrawn *t = own;
    Drawn drawn;
    bool known = false;
    t->looked++;
    for (unsigned image = 0; image < images; image++) {
        const uint64_t key =
            draw_key(s->query->seed, (uint64_t)(e - s->ending), info->number, image);
        if (key >= limit || draw_is_repeated(&pos, image)) continue;
        if (!known && !search_finds(&e->search, t->script, info, &drawn.found)) break;
        known = true;
        drawn.key = key;
        drawn.image = (uint8_t)image;
        keep(t, info, &drawn);
    }
    return true;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static bool stopped(const Sampler *s)
{
    return s->find.stop != NULL && atomic_load(s->find.stop);
}

static bool collect_draws(void *context, void *own)
{
    Sampler *s = context;
    ThreadDrawn *t = own;
    const uint64_t size = s->query->size;
    s->looked += t->looked;
    s->done += DRAW_PART;
    for (size_t i = 0; i < t->count && s->count < size; i++)
        if (draw_seen_add(&s->seen, drawn_number(s, t->drawn[i].key)) &&
            !append(&s->drawn, &s->count, &s->capacity, &t->drawn[i]))
            s->full = true;
    t->count = 0;
    t->looked = 0;
    return !s->full && s->count < size && !draw_in_vain(size, s->count, s->done, s->draws);
}

static void draw_progress(void *context, uint64_t done, uint64_t total)
{
    const Sampler *s = context;
    (void)done, (void)total;
    if (s->query->progress != NULL)
        s->query->progress(s->query->context, s->count, s->query->size);
}

static treb_status run_job(Sampler *s, ScanJob *job, treb_error *error)
{
    job->tables = s->find.tables;
    job->turn = s->find.turn;
    job->threads = s->find.threads;
    job->stop = s->find.stop;
    job->own = sizeof(ThreadDrawn);
    job->begin = begin;
    job->end = end;
    job->context = s;
    const treb_status status = scan_run(job, error);
    return status == TREB_OK && s->full ? fail_memory(error) : status;
}

/* Draws until there are enough positions, or until that would take too long. */
static treb_status draw_all(Sampler *s, treb_error *error)
{
    ScanJob job = {.draws = s->draws,
                   .draw = draw,
                   .visit = visit_draw,
                   .collect = collect_draws,
                   .progress = draw_progress,
                   .progress_context = s};
    const uint64_t most = s->query->size < s->draws ? s->query->size : s->draws;
    if (!draw_seen_init(&s->seen, most)) return fail_memory(error);
    return run_job(s, &job, error);
}

/* ---- Going through the endings --------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
    const Drawn *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* Keeps only the smallest keys. */
static void select_smallest(Sampler *s)
{
    const size_t size = (size_t)s->query->size;
    qsort(s->drawn, s->count, sizeof *s->drawn, compare_keys);
    if (s->count < size) return;
    s->count = size;
    atomic_store(&s->limit, s->drawn[size - 1].key);
}

static bool collect_all(void *context, void *own)
{
    Sampler *s = context;
    ThreadDrawn *t = own;
    const size_t size = (size_t)s->query->size;
    s->looked += t->looked;
    for (size_t i = 0; i < t->count && !s->full; i++) {
        if (t->drawn[i].key >= atomic_load(&s->limit)) continue;
        if (!append(&s->drawn, &s->count, &s->capacity, &t->drawn[i])) s->full = true;
        if (s->count >= size + size / 4 + 256) select_smallest(s);
    }
    t->count = 0;
    t->looked = 0;
    return !s->full;
}

static treb_status scan_all(Sampler *s, treb_error *error)
{
    treb_status status = TREB_OK;
    s->looked = 0;
    atomic_store(&s->limit, UINT64_MAX);
    for (size_t i = 0; i < s->query->materials && status == TREB_OK && !stopped(s); i++) {
        s->scanned = &s->ending[i];
        ScanJob job = {.material = s->scanned->search.material,
                       .visit = visit_all,
                       .collect = collect_all,
                       .progress = s->query->progress,
                       .progress_context = s->query->context};
        status = run_job(s, &job, error);
    }
    select_smallest(s);
    return status;
}

/* Goes through the endings. If that is stopped, what was drawn before is the sample: what was found
 * is only of the first part of the endings. */
static treb_status scan_instead(Sampler *s, treb_error *error)
{
    const Sampler before = *s;
    s->drawn = NULL;
    s->count = s->capacity = 0;
    const treb_status status = scan_all(s, error);
    if (status != TREB_OK || !stopped(s)) {
        free(before.drawn);
        return status;
    }
    free(s->drawn);
    s->drawn = before.drawn;
    s->count = before.count;
    s->looked = before.looked;
    return TREB_OK;
}

/* ---- The sample ------------------------------------------------------------------------------ */

static treb_status add_ending(Sampler *s, size_t i, treb_error *error)
{
    const SampleQuery *q = s->query;
    Ending *e = &s->ending[i];
    treb_table_info info;
    treb_status status = search_init(&e->search, &s->find, q->material[i], error);
    if (status == TREB_OK)
        status = treb_tables_find(q->find.tables, q->material[i], TREB_WDL, &info, error);
    if (status != TREB_OK) return status;
    e->search.both_sides = q->random && q->find.turn != FIND_EITHER;
    e->first = s->numbers;
    if (!draw_init(&e->draw, &e->search.index.material, s->find.turn, q->board) ||
        __builtin_add_overflow(s->numbers, e->draw.numbers, &s->numbers))
        return fail(error, TREB_ERR_MEN, "%s has too many positions", q->material[i]);
    return TREB_OK;
}

static treb_status emit(Sampler *s, Sample *out, treb_error *error)
{
    out->found = s->count > 0 ? malloc(s->count * sizeof *out->found) : NULL;
    if (s->count > 0 && out->found == NULL) return fail_memory(error);
    for (size_t i = 0; i < s->count; i++) {
        orient(s, &s->drawn[i]);
        out->found[i] = s->drawn[i].found;
    }
    out->count = s->count;
    out->looked = s->looked;
    out->all = s->count < s->query->size && !stopped(s);
    return TREB_OK;
}

treb_status sample_draw(const SampleQuery *query, Sample *out, treb_error *error)
{
    Sampler s = {.query = query, .find = query->find};
    treb_status status = TREB_OK;
    *out = (Sample){.found = NULL};
    s.find.plies = false;
    s.find.first = 0;
    s.find.floor = NULL;
    if (query->random) s.find.turn = FIND_EITHER;
    s.ending = calloc(query->materials, sizeof *s.ending);
    if (s.ending == NULL) return fail_memory(error);
    for (size_t i = 0; i < query->materials && status == TREB_OK; i++)
        status = add_ending(&s, i, error);
    if (status == TREB_OK && query->size < s.numbers) {
        s.draws = draw_most(s.numbers, s.find.condition != NULL || s.find.kinds != 0);
        status = draw_all(&s, error);
    }
    if (status == TREB_OK && s.count < query->size && !stopped(&s))
        status = scan_instead(&s, error);
    if (status == TREB_OK) status = emit(&s, out, error);
    free(s.drawn);
    free(s.seen.place);
    free(s.ending);
    return status;
}
