/* encode.c - see encode.h. */
#include "gen/code/encode.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "gen/code/huffman.h"
#include "gen/code/pairs.h"
#include "gen/code/parse.h"
#include "gen/code/runs.h"
#include "syzygy/format.h"

enum {
    SLICE = 1 << 21,        /* cells that a thread takes at a time; no symbol goes over its end */
    CHUNK = 1 << 13,        /* cells of a stretch of the sample */
    SAMPLE_RUNS = 250000,   /* about how many runs it has */
    PROBES = 128,           /* chunks in which runs are counted, to know how many there are */
    LEARN_BYTES = 96 << 20, /* claimed for learning */
    LESSONS = 2,           /* times that symbols are learned: then cells without a value have one */
    LEAST = 4,             /* times that a pair must be in the sample to be a symbol */
    REFINEMENTS = 1,       /* times that the sample is cut, to see which symbols are of use */
    REFINEMENTS_WHOLE = 2, /* the same if all cells are in it: there are few */
    BLOCK_VALUES = 65536,  /* at most */
    BLOCK_BITS_LEAST = 4,  /* log2 of the bytes */
    BLOCK_BITS_USUAL = 6,
    SYMBOL_BITS = 8 * SYZYGY_SYMBOL_SIZE, /* that a symbol takes in the file */
    NEIGHBOURS = 4                        /* log2 of the blocks in a step of the index */
};

/* Some cells, and the symbols that they are cut into. */
typedef struct Slice {
    Stretch cells;
    uint16_t *token;
    size_t tokens;
} Slice;

typedef struct Slices {
    Slice *slice;
    size_t count;
} Slices;

typedef struct Encoder {
    const uint8_t *cells;
    uint64_t size;
    const EncodeOptions *options;
    Ledger *ledger;
    Slices all;
    Slices sample;
    Slices tried;        /* where what was learned from the sample is judged */
    uint64_t part;       /* one in so many cells is in the sample */
    uint64_t times[256]; /* that a cell is in the array */
    bool present[ENCODE_VALUES];
    RunValues values;
    Pairs pairs;
    uint32_t cost[SYZYGY_SYMBOLS_MAX];
    Huffman huffman;
} Encoder;

/* ---- Values ---------------------------------------------------------------------------------- */

static void count_cells(Stretch cells, uint64_t times[256])
{
    /* Four of each, as counting the same again at once takes longer. */
    uint32_t count[4][256] = {{0}};
    size_t at = 0;
    for (; at + 4 <= cells.size; at += 4)
        for (int i = 0; i < 4; i++) count[i][cells.cells[at + i]]++;
    for (; at < cells.size; at++) count[0][cells.cells[at]]++;
    for (int v = 0; v < 256; v++)
        times[v] += (uint64_t)count[0][v] + count[1][v] + count[2][v] + count[3][v];
}

/* Which values there are, and which are the most frequent. */
static void choose_values(Encoder *encoder)
{
    uint64_t *times = encoder->times;
    unsigned most = 0;
    for (unsigned v = 0; v < ENCODE_VALUES; v++) {
        if (times[v] > times[most]) most = v;
        if (v < 32) encoder->values.best[v] = (uint8_t)most;
        encoder->present[v] = times[v] != 0;
    }
    encoder->values.best[31] = (uint8_t)most;
    for (unsigned v = 0; v < 32; v++)
        if (times[ENCODE_UP_TO | v] != 0) encoder->present[encoder->values.best[v]] = true;
}

static void find_values(Encoder *encoder)
{
    ptrdiff_t count = (ptrdiff_t)encoder->all.count;
#pragma omp parallel num_threads(encoder->options->threads)
    {
        uint64_t mine[256] = {0};
#pragma omp for schedule(dynamic)
        for (ptrdiff_t i = 0; i < count; i++) count_cells(encoder->all.slice[i].cells, mine);
#pragma omp critical
        for (int v = 0; v < 256; v++) encoder->times[v] += mine[v];
    }
    choose_values(encoder);
}

/* Whether one value will do for all cells. */
static bool is_constant(const Encoder *encoder, uint8_t *value)
{
    unsigned values = 0, least = 31;
    *value = 0;
    for (unsigned v = 0; v < ENCODE_VALUES; v++) {
        if (encoder->times[v] == 0) continue;
        values++;
        *value = (uint8_t)v;
    }
    for (unsigned v = 31; v-- > 0;)
        if (encoder->times[ENCODE_UP_TO | v] != 0) least = v;
    if (values > 1 || (*value > least && least < 31)) return false;
    return !encoder->options->only_zero || *value == 0;
}

/* ---- Costs ----------------------------------------------------------------------------------- */

/* log2 in bits / PARSE_BIT, of 1 or more. */
static uint32_t log_of(uint64_t n)
{
    uint32_t whole = 63 - (uint32_t)__builtin_clzll(n), log = whole;
    uint64_t x = whole >= 31 ? n >> (whole - 31) : n << (31 - whole); /* 1 to 2, times 2^31 */
    for (unsigned bit = 1; bit < PARSE_BIT; bit *= 2) {
        x = x * x >> 31;
        log = 2 * log + (x >> 32 != 0);
        if (x >> 32) x >>= 1;
    }
    return log;
}

/* What symbols would cost with a perfect code. Those not used might be after all. */
static void set_costs(Encoder *encoder)
{
    const Pairs *pairs = &encoder->pairs;
    uint64_t all = 1;
    for (unsigned s = 0; s < pairs->count; s++) all += pairs->used[s];
    for (unsigned s = 0; s < pairs->count; s++) {
        uint32_t cost = log_of(2 * all) - log_of(pairs->used[s] ? 2 * pairs->used[s] : 1);
        encoder->cost[s] = cost < PARSE_BIT / 4 ? PARSE_BIT / 4 : cost;
    }
}

/* Marks symbols that save less than they take in the file. */
static void judge_symbols(const Encoder *encoder, bool *drop)
{
    const Pairs *pairs = &encoder->pairs;
    memset(drop, 0, SYZYGY_SYMBOLS_MAX * sizeof *drop);
    for (unsigned s = pairs->values; s < pairs->count; s++) {
        int64_t saved = (int64_t)encoder->cost[pairs->left[s]] + encoder->cost[pairs->right[s]] -
                        encoder->cost[s];
        drop[s] = saved * (int64_t)(pairs->used[s] * encoder->part) < SYMBOL_BITS * PARSE_BIT;
    }
}

/* ---- Cutting --------------------------------------------------------------------------------- */

static bool cut_slice(Encoder *encoder, const Parser *parser, Slice *slice, ParseRoom *room,
                      uint16_t *token)
{
    slice->tokens = parse_stretch(parser, room, slice->cells, token);
    ledger_free(slice->token);
    slice->token = ledger_alloc(encoder->ledger, slice->tokens * sizeof *token);
    if (slice->token == NULL) return false;
    memcpy(slice->token, token, slice->tokens * sizeof *token);
    return true;
}

static void count_used(Encoder *encoder, const Slices *slices)
{
    uint64_t *used = encoder->pairs.used;
    memset(used, 0, sizeof encoder->pairs.used);
    for (size_t i = 0; i < slices->count; i++)
        for (size_t t = 0; t < slices->slice[i].tokens; t++) used[slices->slice[i].token[t]]++;
}

/* Cuts cells into symbols, and counts how often each is used. */
static bool cut(Encoder *encoder, const Parser *parser, Slices *slices)
{
    bool done = true;
    size_t most = 0;
    for (size_t i = 0; i < slices->count; i++)
        if (slices->slice[i].cells.size > most) most = slices->slice[i].cells.size;
#pragma omp parallel num_threads(encoder->options->threads)
    {
        uint16_t *token = ledger_alloc(encoder->ledger, most * sizeof *token);
        ParseRoom *room = parse_room_make();
        bool mine = token != NULL && room != NULL;
#pragma omp for schedule(dynamic)
        for (ptrdiff_t i = 0; i < (ptrdiff_t)slices->count; i++)
            mine = mine && cut_slice(encoder, parser, &slices->slice[i], room, token);
#pragma omp critical
        done &= mine;
        ledger_free(token);
        parse_room_free(room);
    }
    if (done) count_used(encoder, slices);
    return done;
}

/* ---- The sample ------------------------------------------------------------------------------ */

/* Slices of `length` cells, one in `part` of those that there are. */
static bool make_slices(const Encoder *encoder, Slices *slices, uint64_t length, uint64_t part)
{
    uint64_t end = (encoder->size + length - 1) / length;
    slices->count = 0;
    slices->slice = calloc((size_t)(end / part + 1), sizeof *slices->slice);
    if (slices->slice == NULL) return false;
    for (uint64_t i = part / 2 < end ? part / 2 : 0; i < end; i += part) {
        uint64_t at = i * length, left = encoder->size - at;
        slices->slice[slices->count++].cells =
            (Stretch){encoder->cells + at, (size_t)(left < length ? left : length)};
    }
    return true;
}

static void free_slices(Slices *slices)
{
    for (size_t i = 0; slices->slice != NULL && i < slices->count; i++)
        ledger_free(slices->slice[i].token);
    free(slices->slice);
    *slices = (Slices){0};
}

/* Runs that are listed one by one. */
typedef struct RunList {
    Run *run;
    size_t count, room;
} RunList;

static bool list_reserve(RunList *list, size_t more)
{
    if (list->count + more <= list->room) return true;
    size_t room = 2 * list->room + more + 4096;
    Run *run = realloc(list->run, room * sizeof *run);
    if (run == NULL) return false;
    list->run = run;
    list->room = room;
    return true;
}

/* As long as they can be, with a break behind each slice. */
static bool list_runs(const Encoder *encoder, const Slices *slices, RunList *list)
{
    list->count = 0;
    for (size_t i = 0; i < slices->count; i++) {
        Stretch cells = slices->slice[i].cells;
        for (size_t at = 0, end; at < cells.size; at = end) {
            uint8_t value;
            end = runs_end(cells.cells, at, cells.size, &encoder->values, &value);
            if (!list_reserve(list, 2)) return false;
            list->run[list->count++] = (Run){(uint32_t)(end - at), value};
        }
        list->run[list->count++] = (Run){0, 0};
    }
    return true;
}

/* As the symbols have them that the slices were cut into. */
static bool list_cut_runs(const Parser *parser, const Slices *slices, RunList *list)
{
    list->count = 0;
    for (size_t i = 0; i < slices->count; i++) {
        const Slice *s = &slices->slice[i];
        size_t count = parser_runs(parser, s->token, s->tokens, NULL);
        if (!list_reserve(list, count + 1)) return false;
        parser_runs(parser, s->token, s->tokens, list->run + list->count);
        list->count += count;
        list->run[list->count++] = (Run){0, 0};
    }
    return true;
}

/* Stretches at equal distances, so many that the sample has enough runs. */
static bool take_sample(Encoder *encoder, RunList *list)
{
    uint64_t chunks = (encoder->size + CHUNK - 1) / CHUNK;
    uint64_t part = chunks / PROBES + 1;
    if (!make_slices(encoder, &encoder->sample, CHUNK, part)) return false;
    if (!list_runs(encoder, &encoder->sample, list)) return false;
    uint64_t runs = list->count * part;
    free_slices(&encoder->sample);
    encoder->part = (runs + SAMPLE_RUNS - 1) / SAMPLE_RUNS;
    bool whole = encoder->part == 1;
    return make_slices(encoder, &encoder->sample, whole ? SLICE : CHUNK, encoder->part) &&
           list_runs(encoder, &encoder->sample, list);
}

/* ---- Learning -------------------------------------------------------------------------------- */

static bool cut_sample(Encoder *encoder, RunList *list)
{
    Parser *parser = parser_make(&encoder->pairs, &encoder->values, encoder->cost);
    bool done = parser != NULL && cut(encoder, parser, &encoder->sample);
    if (done && list != NULL) done = list_cut_runs(parser, &encoder->sample, list);
    parser_free(parser);
    set_costs(encoder);
    return done;
}

static bool learn_runs(Encoder *encoder, RunList *list)
{
    Pairs *pairs = &encoder->pairs;
    bool drop[SYZYGY_SYMBOLS_MAX];
    for (int i = 0; i < LESSONS; i++) {
        if (!pairs_learn(pairs, list->run, list->count, encoder->present, LEAST)) return false;
        set_costs(encoder);
        if (i + 1 < LESSONS && !cut_sample(encoder, list)) return false;
    }
    int refinements = encoder->part == 1 ? REFINEMENTS_WHOLE : REFINEMENTS;
    for (int i = 0; i < refinements; i++) {
        if (!cut_sample(encoder, NULL)) return false;
        judge_symbols(encoder, drop);
        pairs_drop(pairs, drop);
        set_costs(encoder);
    }
    return true;
}

static bool learn(Encoder *encoder)
{
    RunList list = {0};
    bool claimed = ledger_claim(encoder->ledger, LEARN_BYTES);
    bool done = claimed && take_sample(encoder, &list) && learn_runs(encoder, &list);
    free(list.run);
    free_slices(&encoder->sample);
    if (claimed) ledger_give_back(encoder->ledger, LEARN_BYTES);
    return done;
}

/* Cuts all of some slices. */
static bool cut_all(Encoder *encoder, Slices *slices)
{
    Parser *parser = parser_make(&encoder->pairs, &encoder->values, encoder->cost);
    bool done = parser != NULL && cut(encoder, parser, slices);
    parser_free(parser);
    return done;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* How an array is cut into blocks. */
typedef struct Blocks {
    unsigned block_bits, sparse_bits;
    uint64_t blocks, lengths, steps;
} Blocks;

typedef struct Packer {
    const Encoder *encoder;
    unsigned block_bits;
    uint64_t blocks;  /* begun */
    uint32_t bits;    /* of the last block */
    uint32_t values;  /* of it */
    uint8_t *lengths; /* NULL: only counted */
    uint8_t *bytes;
} Packer;

static void put_word(uint8_t *block, uint32_t at, uint32_t word, unsigned length)
{
    uint64_t bits = (uint64_t)word << (64 - length) >> (at & 7);
    for (uint8_t *byte = block + at / 8; bits != 0; bits <<= 8) *byte++ |= (uint8_t)(bits >> 56);
}

static void end_block(Packer *packer)
{
    if (packer->lengths != NULL)
        syzygy_put16(packer->lengths + 2 * packer->blocks, packer->values - 1);
    packer->blocks++;
    packer->bits = packer->values = 0;
}

static void pack_token(Packer *packer, uint16_t symbol)
{
    const Huffman *huffman = &packer->encoder->huffman;
    uint32_t length = huffman->length[symbol], values = packer->encoder->pairs.length[symbol];
    if (packer->bits + length > 8u << packer->block_bits || packer->values + values > BLOCK_VALUES)
        end_block(packer);
    if (packer->bytes != NULL)
        put_word(packer->bytes + (packer->blocks << packer->block_bits), packer->bits,
                 huffman->word[symbol], length);
    packer->bits += length;
    packer->values += values;
}

static void pack(Packer *packer)
{
    const Encoder *encoder = packer->encoder;
    for (size_t i = 0; i < encoder->all.count; i++)
        for (size_t t = 0; t < encoder->all.slice[i].tokens; t++)
            pack_token(packer, encoder->all.slice[i].token[t]);
    end_block(packer);
}

/* The step of the index: some blocks, as most of them are. */
static void plan_index(Blocks *plan, uint64_t size)
{
    uint64_t average = size / plan->blocks;
    plan->sparse_bits = NEIGHBOURS;
    for (; average != 0; average >>= 1) plan->sparse_bits++;
    while (plan->sparse_bits > 1 && UINT64_C(1) << (plan->sparse_bits - 1) > size)
        plan->sparse_bits--;
    uint64_t step = UINT64_C(1) << plan->sparse_bits;
    plan->steps = (size + step - 1) / step;
    uint64_t middle = (plan->steps - 1) * step + step / 2;
    plan->lengths = plan->blocks;
    if (middle >= size) plan->lengths += (middle - size) / BLOCK_VALUES + 1;
}

static uint64_t plan_bytes(const Blocks *plan)
{
    return (plan->blocks << plan->block_bits) + 2 * plan->lengths +
           SYZYGY_SPARSE_SIZE * plan->steps;
}

static Blocks plan_blocks(const Encoder *encoder)
{
    Blocks best = {0};
    unsigned most = encoder->options->block_bits, longest = encoder->huffman.longest;
    if (most == 0) most = BLOCK_BITS_USUAL;
    for (unsigned bits = most; bits >= BLOCK_BITS_LEAST; bits--) {
        if (8u << bits < longest) break;
        Packer packer = {.encoder = encoder, .block_bits = bits};
        pack(&packer);
        Blocks plan = {.block_bits = bits, .blocks = packer.blocks};
        plan_index(&plan, encoder->size);
        if (bits == most || plan_bytes(&plan) < plan_bytes(&best)) best = plan;
    }
    return best;
}

static void put_index(const Blocks *plan, const uint8_t *lengths, uint8_t *sparse)
{
    uint64_t block = 0, first = 0, step = UINT64_C(1) << plan->sparse_bits;
    for (uint64_t i = 0; i < plan->steps; i++) {
        uint64_t middle = i * step + step / 2;
        while (first + syzygy_get16(lengths + 2 * block) < middle)
            first += syzygy_get16(lengths + 2 * block++) + 1;
        syzygy_put32(sparse + SYZYGY_SPARSE_SIZE * i, (uint32_t)block);
        syzygy_put16(sparse + SYZYGY_SPARSE_SIZE * i + 4, (unsigned)(middle - first));
    }
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static void put_symbols(const Encoder *encoder, uint8_t *at)
{
    const Pairs *pairs = &encoder->pairs;
    const Huffman *huffman = &encoder->huffman;
    for (unsigned n = 0; n < pairs->count; n++, at += SYZYGY_SYMBOL_SIZE) {
        unsigned s = huffman->symbol[n];
        bool value = s < pairs->values;
        unsigned left = value ? pairs->left[s] : huffman->number[pairs->left[s]];
        unsigned right = value ? SYZYGY_LEAF : huffman->number[pairs->right[s]];
        at[0] = (uint8_t)left;
        at[1] = (uint8_t)(left >> 8 | right << 4);
        at[2] = (uint8_t)(right >> 4);
    }
}

static bool put_code(const Encoder *encoder, const Blocks *plan, Encoded *out)
{
    const Huffman *huffman = &encoder->huffman;
    unsigned words = huffman->longest - huffman->shortest + 1;
    out->code_size = 10 + 2 * (size_t)words + 2 + SYZYGY_SYMBOL_SIZE * (size_t)encoder->pairs.count;
    uint8_t *at = out->code = malloc(out->code_size);
    if (at == NULL) return false;
    at[0] = 0;
    at[1] = (uint8_t)plan->block_bits;
    at[2] = (uint8_t)plan->sparse_bits;
    at[3] = (uint8_t)(plan->lengths - plan->blocks);
    syzygy_put32(at + 4, (uint32_t)plan->blocks);
    at[8] = (uint8_t)huffman->longest;
    at[9] = (uint8_t)huffman->shortest;
    at += 10;
    for (unsigned l = huffman->shortest; l <= huffman->longest; l++, at += 2)
        syzygy_put16(at, huffman->first[l]);
    syzygy_put16(at, encoder->pairs.count);
    put_symbols(encoder, at + 2);
    return true;
}

static bool put_blocks(const Encoder *encoder, Encoded *out)
{
    Blocks plan = plan_blocks(encoder);
    out->sparse_size = SYZYGY_SPARSE_SIZE * (size_t)plan.steps;
    out->lengths_size = 2 * (size_t)plan.lengths;
    out->blocks_size = plan.blocks << plan.block_bits;
    out->sparse = malloc(out->sparse_size);
    out->lengths = malloc(out->lengths_size);
    out->blocks = calloc(out->blocks_size, 1);
    if (out->sparse == NULL || out->lengths == NULL || out->blocks == NULL) return false;
    memset(out->lengths, 0xff, out->lengths_size);
    Packer packer = {.encoder = encoder,
                     .block_bits = plan.block_bits,
                     .lengths = out->lengths,
                     .bytes = out->blocks};
    pack(&packer);
    put_index(&plan, out->lengths, out->sparse);
    return put_code(encoder, &plan, out);
}

static bool put_constant(uint8_t value, Encoded *out)
{
    out->code = malloc(2);
    if (out->code == NULL) return false;
    out->code_size = 2;
    out->code[0] = SYZYGY_CONSTANT;
    out->code[1] = value;
    return true;
}

/* ---- An array -------------------------------------------------------------------------------- */

static bool encode(Encoder *encoder, Encoded *out)
{
    uint8_t value;
    if (!make_slices(encoder, &encoder->all, SLICE, 1)) return false;
    find_values(encoder);
    if (is_constant(encoder, &value)) return put_constant(value, out);
    return learn(encoder) && cut_all(encoder, &encoder->all) &&
           huffman_make(&encoder->huffman, encoder->pairs.used, encoder->pairs.count) &&
           put_blocks(encoder, out);
}

treb_status encode_array(const uint8_t *cells, uint64_t size, const EncodeOptions *options,
                         Encoded *out, treb_error *error)
{
    Ledger unbound;
    Encoder *encoder = calloc(1, sizeof *encoder);
    bool done = false;
    *out = (Encoded){0};
    if (encoder != NULL) {
        ledger_init(&unbound, UINT64_MAX);
        encoder->cells = cells;
        encoder->size = size;
        encoder->options = options;
        encoder->ledger = options->ledger != NULL ? options->ledger : &unbound;
        done = encode(encoder, out);
        free_slices(&encoder->all);
        free_slices(&encoder->sample);
        free(encoder);
    }
    if (done) return TREB_OK;
    encode_free(out);
    return fail_memory(error);
}

void encode_free(Encoded *encoded)
{
    free(encoded->code);
    free(encoded->sparse);
    free(encoded->lengths);
    free(encoded->blocks);
    *encoded = (Encoded){0};
}

uint64_t encoded_bytes(const Encoded *e)
{
    return e->code_size + e->sparse_size + e->lengths_size + e->blocks_size;
}

uint64_t encode_memory(uint64_t size, int threads)
{
    enum { CELLS_A_TOKEN = 4, THREAD_BYTES = 4 << 20 };
    return LEARN_BYTES + size / CELLS_A_TOKEN * sizeof(uint16_t) + (uint64_t)threads * THREAD_BYTES;
}

/* ---- An estimate ----------------------------------------------------------------------------- */

/* Of what was cut into symbols, or of what they were learned from. */
static uint64_t count_bits(const Encoder *encoder)
{
    const Pairs *pairs = &encoder->pairs;
    uint64_t bits = 0;
    for (unsigned s = 0; s < pairs->count; s++) bits += pairs->used[s] * encoder->cost[s];
    return bits / PARSE_BIT;
}

/* Bytes of `to` cells of which `from` were looked at. */
static uint64_t scaled_bytes(const Encoder *encoder, uint64_t from, uint64_t to)
{
    double bits = (double)count_bits(encoder) * (double)to / (double)from;
    return ((uint64_t)bits + (uint64_t)SYMBOL_BITS * encoder->pairs.count + 8) / 8;
}

static void look_at(Encoder *encoder, const uint8_t *cells, uint64_t size)
{
    encoder->cells = cells;
    encoder->size = size;
    count_cells((Stretch){cells, size}, encoder->times);
    choose_values(encoder);
}

/* Symbols of the sample, once and as they come. */
static bool learn_list(Encoder *encoder, const RunList *list)
{
    bool done = pairs_learn(&encoder->pairs, list->run, list->count, encoder->present, LEAST);
    if (done) set_costs(encoder);
    return done;
}

static bool learn_once(Encoder *encoder)
{
    RunList list = {0};
    bool done = list_runs(encoder, &encoder->sample, &list) && learn_list(encoder, &list);
    free(list.run);
    return done;
}

uint64_t encode_estimate(const uint8_t *cells, size_t runs, size_t length, uint64_t size)
{
    Encoder *encoder = calloc(1, sizeof *encoder);
    uint64_t bytes = 0;
    if (encoder == NULL) return 0;
    look_at(encoder, cells, runs * length);
    if (make_slices(encoder, &encoder->sample, length, 1) && learn_once(encoder))
        bytes = scaled_bytes(encoder, runs * length, size);
    free_slices(&encoder->sample);
    free(encoder);
    return bytes;
}

uint64_t encode_estimate_all(const uint8_t *cells, uint64_t size, Ledger *ledger)
{
    Encoder *encoder = calloc(1, sizeof *encoder);
    RunList list = {0};
    uint64_t bytes = 0, sampled = 0;
    if (encoder == NULL) return 0;
    look_at(encoder, cells, size);
    bool claimed = ledger_claim(ledger, LEARN_BYTES);
    bool done = claimed && take_sample(encoder, &list) && learn_list(encoder, &list);
    for (size_t i = 0; i < encoder->sample.count; i++)
        sampled += encoder->sample.slice[i].cells.size;
    if (done) bytes = scaled_bytes(encoder, sampled, size);
    free(list.run);
    free_slices(&encoder->sample);
    if (claimed) ledger_give_back(ledger, LEARN_BYTES);
    free(encoder);
    return bytes;
}

/* Puts every other slice of `all` into the sample, the rest aside. */
static bool halve(Encoder *encoder, size_t length)
{
    if (!make_slices(encoder, &encoder->all, length, 1) ||
        !make_slices(encoder, &encoder->sample, length, 1) ||
        !make_slices(encoder, &encoder->tried, length, 1))
        return false;
    encoder->sample.count = encoder->tried.count = 0;
    for (size_t i = 0; i < encoder->all.count; i++) {
        Slices *half = i % 2 ? &encoder->tried : &encoder->sample;
        half->slice[half->count++].cells = encoder->all.slice[i].cells;
    }
    return true;
}

uint64_t encode_measure(const uint8_t *cells, size_t runs, size_t length, uint64_t size)
{
    Ledger unbound;
    EncodeOptions options = {.threads = 1};
    Encoder *encoder = calloc(1, sizeof *encoder);
    uint64_t bytes = 0;
    if (encoder == NULL) return 0;
    ledger_init(&unbound, UINT64_MAX);
    encoder->options = &options;
    encoder->ledger = &unbound;
    look_at(encoder, cells, runs * length);
    if (halve(encoder, length) && learn_once(encoder) && cut_all(encoder, &encoder->tried))
        bytes = scaled_bytes(encoder, encoder->tried.count * length, size);
    free_slices(&encoder->all);
    free_slices(&encoder->sample);
    free_slices(&encoder->tried);
    free(encoder);
    return bytes;
}
