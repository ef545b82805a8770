/* walk_sample.c - treb_sample_positions: positions of an ending that are drawn at random. */
#include <stdlib.h>

#include "core/format/draw.h"
#include "core/system/error.h"
#include "probe/walk.h"

/* A position that may be in the sample. */
typedef struct Drawn {
    uint64_t key;
    unsigned image;
    treb_position pos;
} Drawn;

typedef struct Sampler {
    Draw draw;
    uint64_t seed;
    bool board, turned;
    treb_position *out;
    size_t size, count;
    /* Where the ending is gone through. */
    Drawn *drawn;
    size_t room;
    uint64_t limit, number; /* keys from here on are not needed; number of the next position */
} Sampler;

static void sample_put(Sampler *s, const Drawn *drawn)
{
    treb_position *to = &s->out[s->count++];
    *to = drawn->pos;
    if (!s->turned) return;
    const int image = s->board ? (int)drawn->image : -1;
    draw_turn(to, draw_turning(s->seed, drawn->key, to, image, DRAW_EITHER), to);
}

/* Draws until there are enough positions, or until that would take too long. */
static treb_status sample_draw_all(Sampler *s, treb_error *error)
{
    const uint64_t most = draw_most(s->draw.numbers, false);
    DrawSeen seen;
    if (!draw_seen_init(&seen, s->size < most ? s->size : most)) return fail_memory(error);
    for (uint64_t i = 0; i < most && s->count < s->size; i++) {
        const uint64_t number = draw_number(s->seed, s->draw.numbers, i);
        Drawn drawn = {.key = i, .image = draw_image(&s->draw, number)};
        if (i > 0 && i % DRAW_PART == 0 && draw_in_vain(s->size, s->count, i, most)) break;
        if (draw_position(&s->draw, number, &drawn.pos) && draw_seen_add(&seen, number))
            sample_put(s, &drawn);
    }
    free(seen.place);
    return TREB_OK;
}

static int sample_compare(const void *a, const void *b)
{
    const Drawn *x = (const Drawn *)a, *y = (const Drawn *)b;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* Keeps only the smallest keys, in order. */
static void sample_select(Sampler *s)
{
    if (s->count > 0) qsort(s->drawn, s->count, sizeof *s->drawn, sample_compare);
    if (s->count < s->size) return;
    s->count = s->size;
    s->limit = s->drawn[s->size - 1].key;
}

/* A treb_visit: keeps a position once for each of its images whose key is small enough. */
static int sample_visit(void *context, const treb_position *pos)
{
    Sampler *s = (Sampler *)context;
    const uint64_t number = s->number++;
    for (unsigned image = 0; image < s->draw.images; image++) {
        const uint64_t key = draw_key(s->seed, 0, number, image);
        if (key >= s->limit || draw_is_repeated(pos, image)) continue;
        if (s->count == s->room) sample_select(s);
        if (key < s->limit) s->drawn[s->count++] = (Drawn){key, image, *pos};
    }
    return 1;
}

/* Goes through the whole ending. */
static treb_status sample_scan(Sampler *s, const treb_tables *tables, const char *material,
                               treb_error *error)
{
    const uint64_t parts = s->draw.index.size / DRAW_SCAN_CELLS + 1;
    const uint64_t most = s->size < s->draw.numbers ? s->size : s->draw.numbers;
    treb_status status = TREB_OK;
    s->room = (size_t)most + (size_t)most / 4 + 256;
    s->drawn = (Drawn *)calloc(s->room, sizeof *s->drawn);
    if (s->drawn == NULL) return fail_memory(error);
    s->limit = UINT64_MAX;
    s->count = 0;
    for (uint64_t part = 0; part < parts && status == TREB_OK; part++) {
        s->number = part << DRAW_SCAN_BITS;
        status = treb_each_position(tables, material, part, parts, sample_visit, s, error);
    }
    sample_select(s);
    const size_t count = s->count;
    s->count = 0;
    for (size_t i = 0; i < count; i++) sample_put(s, &s->drawn[i]);
    free(s->drawn);
    return status;
}

treb_status treb_sample_positions(const treb_tables *tables, const char *material, uint64_t seed,
                                  unsigned how, treb_position *out, size_t size, size_t *count,
                                  treb_error *error)
{
    Material m;
    Sampler s = {.seed = seed,
                 .board = (how & TREB_SAMPLE_BOARD) != 0,
                 .turned = (how & TREB_SAMPLE_TURNED) != 0,
                 .out = out,
                 .size = size};
    if (!material_parse(material, &m))
        return fail(error, TREB_ERR_ARGUMENT, "%s: no such material", material);
    material_canonical(&m);
    if (material_men(&m) > TREB_MEN_MAX || !draw_init(&s.draw, &m, DRAW_EITHER, s.board))
        return fail(error, TREB_ERR_MEN, "%s: no table has so many men", material);
    treb_status status = TREB_OK;
    if (size < s.draw.numbers) status = sample_draw_all(&s, error);
    if (status == TREB_OK && s.count < size) status = sample_scan(&s, tables, material, error);
    if (status == TREB_OK) *count = s.count;
    return status;
}
