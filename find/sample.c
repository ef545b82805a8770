/* sample.c - see sample.h. */
#include "find/sample.h"

#include <stdlib.h>
#include <string.h>

#include "core/chess/material.h"
#include "core/system/error.h"
#include "core/system/hash.h"
#include "find/scan.h"
#include "find/search.h"

enum { IMAGES = 8 };

/* An ending, and the numbers of its positions among those of all endings: image + images *
 * (side + sides * cell). Most cells have positions, and most images are positions of their own. */
typedef struct Ending {
    Search search;
    uint64_t first, numbers;
    unsigned sides, images; /* images: 1 if the full board does not count */
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
    uint64_t *seen; /* a hash table of the numbers that were drawn, plus 1; 0 is an empty place */
    size_t places;
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

/* ---- Random numbers -------------------------------------------------------------------------- */

/* What random numbers are for: they must not depend on each other. */
enum { FOR_DRAWS = 1, FOR_IMAGES, FOR_KEYS /* and one more for each ending */ };

/* Returns the state of a generator for purpose and number. */
static uint64_t random_state(const Sampler *s, uint64_t purpose, uint64_t number)
{
    return hash_mix(hash_mix(s->query->seed * HASH_FACTOR + purpose) + number * HASH_FACTOR_2);
}

static uint64_t random_below(uint64_t *state, uint64_t below)
{
    const uint64_t fair = UINT64_MAX - UINT64_MAX % below;
    uint64_t number;
    do number = splitmix64(state);
    while (number >= fair);
    return number % below;
}

/* ---- Symmetries ------------------------------------------------------------------------------ */

static unsigned symmetries(const Ending *e) { return e->search.index.pawns ? 2 : IMAGES; }

static void turn_board(const treb_position *pos, int symmetry, treb_position *out)
{
    *out = *pos;
    for (int c = 0; c < 2; c++) out->by_color[c] = index_symmetry_board(symmetry, pos->by_color[c]);
    for (int t = 0; t < TREB_TYPES; t++)
        out->by_type[t] = index_symmetry_board(symmetry, pos->by_type[t]);
}

/* Whether a smaller symmetry turns the position into the same image, so that this one does not
 * count. */
static bool is_repeated(const treb_position *pos, unsigned image)
{
    treb_position turned, other;
    turn_board(pos, (int)image, &turned);
    for (unsigned i = 0; i < image; i++) {
        turn_board(pos, (int)i, &other);
        if (position_equal(&turned, &other)) return true;
    }
    return false;
}

static Move turn_move(Move m, int symmetry)
{
    if (m == 0) return 0;
    return move_make(index_symmetry_square(symmetry, move_from(m)),
                     index_symmetry_square(symmetry, move_to(m)), move_promo(m));
}

static void exchange_colors(Found *found)
{
    const Move m = found->move;
    position_swap_colors(&found->pos, &found->pos);
    if (m != 0) found->move = move_make(move_from(m) ^ 56, move_to(m) ^ 56, move_promo(m));
    found->loser = !found->loser;
}

/* Gives a position of the sample its orientation and colours. */
static void orient(const Sampler *s, Drawn *d)
{
    const SampleQuery *q = s->query;
    uint64_t state = random_state(s, FOR_IMAGES, d->key);
    const bool pawns = d->found.pos.by_type[TREB_PAWN] != 0;
    if (!q->random) return;
    const int image = q->board ? d->image : (int)random_below(&state, pawns ? 2 : IMAGES);
    treb_position turned;
    turn_board(&d->found.pos, image, &turned);
    d->found.pos = turned;
    d->found.move = turn_move(d->found.move, image);
    const bool exchange = q->find.turn == FIND_EITHER ? random_below(&state, 2) == 1
                                                      : d->found.pos.turn != q->find.turn;
    if (exchange) exchange_colors(&d->found);
}

/* ---- What a thread does ---------------------------------------------------------------------- */

static const Ending *ending_of(const Sampler *s, uint64_t number)
{
    const Ending *e = s->ending;
    while (number >= e->first + e->numbers) e++;
    return e;
}

/* Returns the number that a draw chose. */
static uint64_t drawn_number(const Sampler *s, uint64_t draw)
{
    uint64_t state = random_state(s, FOR_DRAWS, draw);
    return random_below(&state, s->numbers);
}

static bool draw(void *context, uint64_t number, treb_position *pos)
{
    const Sampler *s = context;
    const uint64_t drawn = drawn_number(s, number);
    const Ending *e = ending_of(s, drawn);
    const uint64_t rest = drawn - e->first, place = rest / e->images, cell = place / e->sides;
    const int turn = s->find.turn;
    IndexMen men;
    if (!index_to_men(&e->search.index, cell, &men)) return false;
    int side = (int)(place % e->sides);
    if (!e->search.symmetric && turn != FIND_EITHER) side = turn;
    index_men_to_position(&e->search.index, &men, side, pos);
    if (square_attacked(pos, position_king(pos, !side), side)) return false;
    if (is_repeated(pos, (unsigned)(rest % e->images))) return false;
    if (e->search.symmetric && turn == TREB_BLACK) position_swap_colors(pos, pos);
    return true;
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
    drawn.image = (uint8_t)((number - e->first) % e->images);
    t->looked++;
    if (search_finds(&e->search, t->script, info, &drawn.found)) keep(t, info, &drawn);
    return t->count < s->query->size;
}

/* Keeps a position once for each of its images whose key is small enough. */
static bool visit_all(void *context, void *own, PositionInfo *info)
{
    Sampler *s = context;
    const Ending *e = s->scanned;
    const unsigned images = e->images;
    const uint64_t limit = atomic_load_explicit(&s->limit, memory_order_relaxed);
    const treb_position pos = info->pos;
    const uint64_t number = info->number * IMAGES;
    ThreadDrawn *t = own;
    Drawn drawn;
    bool known = false;
    t->looked++;
    for (unsigned image = 0; image < images; image++) {
        /* Different numbers have different keys. */
        const uint64_t key =
            random_state(s, FOR_KEYS + (uint64_t)(e - s->ending), number + image);
        if (key >= limit || is_repeated(&pos, image)) continue;
        if (!known && !search_finds(&e->search, t->script, info, &drawn.found)) break;
        known = true;
        drawn.key = key;
        drawn.image = (uint8_t)image;
        keep(t, info, &drawn);
    }
    return true;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Whether a number is new; it is then noted. */
static bool is_new(Sampler *s, uint64_t number)
{
    size_t at = (size_t)hash_mix(number) & (s->places - 1);
    while (s->seen[at] != 0) {
        if (s->seen[at] == number + 1) return false;
        at = (at + 1) & (s->places - 1);
    }
    s->seen[at] = number + 1;
    return true;
}

static bool stopped(const Sampler *s)
{
    return s->find.stop != NULL && atomic_load(s->find.stop);
}

/* Whether it is likely that the rest of the draws is not enough. */
static bool draws_in_vain(const Sampler *s)
{
    const double found = s->count > 0 ? (double)s->count : 1;
    const double left = (double)s->query->size - (double)s->count, done = (double)s->done;
    return left * done / found > (double)s->draws - done;
}

static bool collect_draws(void *context, void *own)
{
    Sampler *s = context;
    ThreadDrawn *t = own;
    const uint64_t size = s->query->size;
    s->looked += t->looked;
    s->done += SCAN_DRAWS;
    for (size_t i = 0; i < t->count && s->count < size; i++)
        if (is_new(s, drawn_number(s, t->drawn[i].key)) &&
            !append(&s->drawn, &s->count, &s->capacity, &t->drawn[i]))
            s->full = true;
    t->count = 0;
    t->looked = 0;
    return !s->full && s->count < size && !draws_in_vain(s);
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
    for (s->places = 64; s->places / 2 < most;) s->places *= 2;
    s->seen = calloc(s->places, sizeof *s->seen);
    if (s->seen == NULL) return fail_memory(error);
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
    e->sides = e->search.symmetric || s->find.turn != FIND_EITHER ? 1 : 2;
    e->images = q->board ? symmetries(e) : 1;
    e->first = s->numbers;
    if (__builtin_mul_overflow(e->search.index.size, (uint64_t)e->sides * e->images,
                               &e->numbers) ||
        __builtin_add_overflow(s->numbers, e->numbers, &s->numbers))
        return fail(error, TREB_ERR_MEN, "%s has too many positions", q->material[i]);
    return TREB_OK;
}

/* Sets how many draws are made at most. A position that is drawn takes longer than one that is
 * gone to, and most of all where the tables are read. */
static void set_draws(Sampler *s)
{
    const bool reads = s->find.condition != NULL || s->find.kinds != 0;
    const uint64_t most = UINT64_C(1) << 32, draws = s->numbers / (reads ? 64 : 8) + (1 << 16);
    s->draws = draws < most ? draws : most;
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
        set_draws(&s);
        status = draw_all(&s, error);
    }
    if (status == TREB_OK && s.count < query->size && !stopped(&s))
        status = scan_instead(&s, error);
    if (status == TREB_OK) status = emit(&s, out, error);
    free(s.drawn);
    free(s.seen);
    free(s.ending);
    return status;
}
