/* encode.c - see encode.h. */
#include "export/encode.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "export/huffman.h"
#include "export/pairs.h"
#include "export/parse.h"
#include "export/runs.h"
#include "syzygy/file.h"

enum {
    SLICE = 1 << 21,        /* cells that a thread takes at a time; no symbol goes over its end */
    CHUNK = 1 << 13,        /* cells of a stretch of the sample */
    SAMPLE_RUNS = 500000,   /* about how many runs it has */
    LEAST = 4,              /* times that a pair must be in the sample to be a symbol */
    REFINEMENTS = 2,        /* times that the sample is cut into symbols, to see which are of use */
    BLOCK_VALUES = 65536,   /* at most */
    BLOCK_BITS_LEAST = 4,   /* log2 of the bytes */
    BLOCK_BITS_USUAL = 6,
    SYMBOL_BITS = 24,       /* that a symbol takes in the file */
    NEIGHBOURS = 4          /* log2 of the blocks in a step of the index */
};

/* Symbols of a slice. */
typedef struct Slice {
    uint8_t *cells;
    size_t size;
    uint64_t runs;
    uint16_t *token;
    size_t tokens;
} Slice;

typedef struct Encoder {
    uint8_t *cells;
    uint64_t size;
    const EncodeOptions *options;
    Ledger *ledger;
    Slice *slice;
    size_t slices;
    uint64_t runs;
    uint64_t times[256]; /* that a cell is in the array */
    bool present[ENCODE_VALUES];
    Pairs pairs;
    uint32_t cost[SYZYGY_SYMBOLS_MAX];
    Huffman huffman;
    Parser *parser;
} Encoder;

/* ---- Values ---------------------------------------------------------------------------------- */

static void count_cells(const Slice *slice, uint64_t times[256])
{
    for (size_t at = 0; at < slice->size;) {
        size_t next = runs_end(slice->cells, at, slice->size);
        times[slice->cells[at]] += next - at;
        at = next;
    }
}

static void fill_cells(Encoder *encoder)
{
    uint8_t best[32] = {0};
    uint64_t *times = encoder->times;
    ptrdiff_t slices = (ptrdiff_t)encoder->slices;
#pragma omp parallel num_threads(encoder->options->threads)
    {
        uint64_t mine[256] = {0};
#pragma omp for schedule(dynamic)
        for (ptrdiff_t i = 0; i < slices; i++) count_cells(&encoder->slice[i], mine);
#pragma omp critical
        for (int v = 0; v < 256; v++) times[v] += mine[v];
    }
    /* Without any of its own, an array holds zeros. */
    unsigned most = 0;
    for (unsigned v = 0; v < ENCODE_VALUES; v++) {
        if (times[v] > times[most]) most = v;
        if (v < 32) best[v] = times[most] != 0 ? (uint8_t)most : 0;
    }
    best[31] = (uint8_t)most;
#pragma omp parallel for schedule(dynamic) num_threads(encoder->options->threads)
    for (ptrdiff_t i = 0; i < slices; i++)
        encoder->slice[i].runs = runs_fill(encoder->slice[i].cells, encoder->slice[i].size, best);
    for (ptrdiff_t i = 0; i < slices; i++) encoder->runs += encoder->slice[i].runs;
    for (unsigned v = 0; v < ENCODE_VALUES; v++) encoder->present[v] = times[v] != 0;
    for (unsigned v = 0; v < 32; v++)
        if (times[ENCODE_UP_TO | v] != 0) encoder->present[best[v]] = true;
}

static bool is_constant(const Encoder *encoder)
{
    for (size_t i = 0; i < encoder->slices; i++)
        if (encoder->slice[i].runs != 1 || encoder->slice[i].cells[0] != encoder->cells[0])
            return false;
    return !encoder->options->only_zero || encoder->cells[0] == 0;
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

/* Marks symbols that save less than they take in the file. One in `part` cells is in the sample. */
static void judge_symbols(const Encoder *encoder, uint64_t part, bool *drop)
{
    const Pairs *pairs = &encoder->pairs;
    memset(drop, 0, SYZYGY_SYMBOLS_MAX * sizeof *drop);
    for (unsigned s = pairs->values; s < pairs->count; s++) {
        int64_t saved = (int64_t)encoder->cost[pairs->left[s]] + encoder->cost[pairs->right[s]] -
                        encoder->cost[s];
        drop[s] = saved * (int64_t)(pairs->used[s] * part) < SYMBOL_BITS * PARSE_BIT;
    }
}

/* ---- Learning -------------------------------------------------------------------------------- */

typedef struct Sample {
    Stretch *stretch;
    size_t count;
    uint64_t part; /* one in so many cells is in it */
} Sample;

/* Stretches at equal distances, so many that the sample has enough runs. */
static bool take_sample(const Encoder *encoder, Sample *sample)
{
    uint64_t part = (encoder->runs + SAMPLE_RUNS - 1) / SAMPLE_RUNS;
    uint64_t chunks = (encoder->size + CHUNK - 1) / CHUNK;
    sample->part = part;
    sample->count = 0;
    sample->stretch = malloc((chunks / part + 1) * sizeof *sample->stretch);
    if (sample->stretch == NULL) return false;
    if (part == 1) {
        for (size_t i = 0; i < encoder->slices; i++)
            sample->stretch[sample->count++] =
                (Stretch){encoder->slice[i].cells, encoder->slice[i].size};
        return true;
    }
    for (uint64_t c = part / 2; c < chunks; c += part) {
        uint64_t at = c * CHUNK, left = encoder->size - at;
        sample->stretch[sample->count++] =
            (Stretch){encoder->cells + at, left < CHUNK ? (size_t)left : CHUNK};
    }
    return true;
}

typedef struct Counts {
    uint64_t used[SYZYGY_SYMBOLS_MAX];
} Counts;

/* Cuts the sample into symbols, and counts those. */
static bool count_sample(Encoder *encoder, const Sample *sample)
{
    Pairs *pairs = &encoder->pairs;
    size_t most = 0;
    bool done = true;
    for (size_t i = 0; i < sample->count; i++)
        if (sample->stretch[i].size > most) most = sample->stretch[i].size;
    Parser *parser = parser_make(pairs, encoder->cost);
    if (parser == NULL) return false;
    memset(pairs->used, 0, sizeof pairs->used);
#pragma omp parallel num_threads(encoder->options->threads)
    {
        Counts *mine = calloc(1, sizeof *mine);
        uint16_t *token = malloc(most * sizeof *token);
        ParseRoom *room = parse_room_make();
        bool ready = mine != NULL && token != NULL && room != NULL;
#pragma omp for schedule(dynamic)
        for (ptrdiff_t i = 0; i < (ptrdiff_t)sample->count; i++) {
            size_t count = ready ? parse_stretch(parser, room, sample->stretch[i], token) : 0;
            for (size_t t = 0; t < count; t++) mine->used[token[t]]++;
        }
#pragma omp critical
        {
            done &= ready;
            for (unsigned s = 0; ready && s < pairs->count; s++) pairs->used[s] += mine->used[s];
        }
        free(mine);
        free(token);
        parse_room_free(room);
    }
    parser_free(parser);
    return done;
}

static bool learn_sample(Encoder *encoder, const Sample *sample)
{
    Pairs *pairs = &encoder->pairs;
    bool drop[SYZYGY_SYMBOLS_MAX];
    if (!pairs_learn(pairs, sample->stretch, sample->count, encoder->present, LEAST)) return false;
    set_costs(encoder);
    for (int i = 0; i < REFINEMENTS; i++) {
        if (!count_sample(encoder, sample)) return false;
        set_costs(encoder);
        judge_symbols(encoder, sample->part, drop);
        pairs_drop(pairs, drop);
        set_costs(encoder);
    }
    return true;
}

static bool learn(Encoder *encoder)
{
    Sample sample;
    bool done = take_sample(encoder, &sample) && learn_sample(encoder, &sample);
    free(sample.stretch);
    return done;
}

/* ---- Cutting --------------------------------------------------------------------------------- */

static bool cut_slice(Encoder *encoder, Slice *slice, ParseRoom *room, uint16_t *token)
{
    slice->tokens =
        parse_stretch(encoder->parser, room, (Stretch){slice->cells, slice->size}, token);
    slice->token = ledger_alloc(encoder->ledger, slice->tokens * sizeof *token);
    if (slice->token == NULL) return false;
    memcpy(slice->token, token, slice->tokens * sizeof *token);
    return true;
}

static bool cut_all(Encoder *encoder)
{
    bool done = true;
    size_t most = encoder->size < SLICE ? (size_t)encoder->size : SLICE;
    encoder->parser = parser_make(&encoder->pairs, encoder->cost);
    if (encoder->parser == NULL) return false;
#pragma omp parallel num_threads(encoder->options->threads)
    {
        uint16_t *token = ledger_alloc(encoder->ledger, most * sizeof *token);
        ParseRoom *room = parse_room_make();
        bool mine = token != NULL && room != NULL;
#pragma omp for schedule(dynamic)
        for (ptrdiff_t i = 0; i < (ptrdiff_t)encoder->slices; i++)
            mine = mine && cut_slice(encoder, &encoder->slice[i], room, token);
#pragma omp critical
        done &= mine;
        ledger_free(token);
        parse_room_free(room);
    }
    return done;
}

static bool make_code(Encoder *encoder)
{
    uint64_t *used = encoder->pairs.used;
    memset(used, 0, sizeof encoder->pairs.used);
    for (size_t i = 0; i < encoder->slices; i++)
        for (size_t t = 0; t < encoder->slice[i].tokens; t++) used[encoder->slice[i].token[t]]++;
    return huffman_make(&encoder->huffman, used, encoder->pairs.count);
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

static void put16(uint8_t *at, unsigned n)
{
    at[0] = (uint8_t)n;
    at[1] = (uint8_t)(n >> 8);
}

static void put32(uint8_t *at, uint32_t n)
{
    put16(at, n & 0xffff);
    put16(at + 2, n >> 16);
}

static void put_word(uint8_t *block, uint32_t at, uint32_t word, unsigned length)
{
    uint64_t bits = (uint64_t)word << (64 - length) >> (at & 7);
    for (uint8_t *byte = block + at / 8; bits != 0; bits <<= 8) *byte++ |= (uint8_t)(bits >> 56);
}

static void end_block(Packer *packer)
{
    if (packer->lengths != NULL) put16(packer->lengths + 2 * packer->blocks, packer->values - 1);
    packer->blocks++;
    packer->bits = packer->values = 0;
}

static void pack_token(Packer *packer, uint16_t symbol)
{
    const Huffman *huffman = &packer->encoder->huffman;
    uint32_t length = huffman->length[symbol], values = packer->encoder->pairs.length[symbol];
    if (packer->bits + length > 8u << packer->block_bits ||
        packer->values + values > BLOCK_VALUES)
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
    for (size_t i = 0; i < encoder->slices; i++)
        for (size_t t = 0; t < encoder->slice[i].tokens; t++)
            pack_token(packer, encoder->slice[i].token[t]);
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
    return (plan->blocks << plan->block_bits) + 2 * plan->lengths + 6 * plan->steps;
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
        put32(sparse + 6 * i, (uint32_t)block);
        put16(sparse + 6 * i + 4, (unsigned)(middle - first));
    }
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static void put_symbols(const Encoder *encoder, uint8_t *at)
{
    const Pairs *pairs = &encoder->pairs;
    const Huffman *huffman = &encoder->huffman;
    for (unsigned n = 0; n < pairs->count; n++, at += 3) {
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
    out->code_size = 10 + 2 * (size_t)words + 2 + 3 * (size_t)encoder->pairs.count;
    uint8_t *at = out->code = malloc(out->code_size);
    if (at == NULL) return false;
    at[0] = 0;
    at[1] = (uint8_t)plan->block_bits;
    at[2] = (uint8_t)plan->sparse_bits;
    at[3] = (uint8_t)(plan->lengths - plan->blocks);
    put32(at + 4, (uint32_t)plan->blocks);
    at[8] = (uint8_t)huffman->longest;
    at[9] = (uint8_t)huffman->shortest;
    at += 10;
    for (unsigned l = huffman->shortest; l <= huffman->longest; l++, at += 2)
        put16(at, huffman->first[l]);
    put16(at, encoder->pairs.count);
    put_symbols(encoder, at + 2);
    return true;
}

static bool put_blocks(const Encoder *encoder, Encoded *out)
{
    Blocks plan = plan_blocks(encoder);
    out->sparse_size = 6 * (size_t)plan.steps;
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

static bool make_slices(Encoder *encoder)
{
    encoder->slices = (size_t)((encoder->size + SLICE - 1) / SLICE);
    encoder->slice = calloc(encoder->slices, sizeof *encoder->slice);
    for (size_t i = 0; encoder->slice != NULL && i < encoder->slices; i++) {
        uint64_t at = (uint64_t)i * SLICE, left = encoder->size - at;
        encoder->slice[i].cells = encoder->cells + at;
        encoder->slice[i].size = left < SLICE ? (size_t)left : SLICE;
    }
    return encoder->slice != NULL;
}

static bool encode(Encoder *encoder, Encoded *out)
{
    if (!make_slices(encoder)) return false;
    fill_cells(encoder);
    if (is_constant(encoder)) return put_constant(encoder->cells[0], out);
    return learn(encoder) && cut_all(encoder) && make_code(encoder) && put_blocks(encoder, out);
}

treb_status encode_array(uint8_t *cells, uint64_t size, const EncodeOptions *options, Encoded *out,
                         treb_error *error)
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
        for (size_t i = 0; encoder->slice != NULL && i < encoder->slices; i++)
            ledger_free(encoder->slice[i].token);
        parser_free(encoder->parser);
        free(encoder->slice);
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

/* ---- An estimate ----------------------------------------------------------------------------- */

uint64_t encode_estimate(uint8_t *cells, size_t runs, size_t length)
{
    uint64_t found = 0, times[256] = {0};
    uint8_t best[32] = {0};
    for (size_t i = 0; i < runs * length; i++) times[cells[i]]++;
    unsigned most = 0;
    for (unsigned v = 0; v < ENCODE_VALUES; v++) {
        if (times[v] > times[most]) most = v;
        if (v < 32) best[v] = (uint8_t)most;
    }
    for (size_t i = 0; i < runs; i++) found += runs_fill(cells + i * length, length, best);
    return found;
}
