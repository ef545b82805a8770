/* array_encode.c - see array_encode.h. */
#include "gen/syzygy/array_encode.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/compress/huffman.h"
#include "gen/compress/learn.h"
#include "gen/compress/sample.h"
#include "probe/syzygy/format.h"
#include "probe/syzygy/syzygy.h"

const CodeLimits array_limits = {.symbols = SYZYGY_SYMBOLS_MAX,
                                 .symbol_bits = 8 * SYZYGY_SYMBOL_SIZE};

enum {
    LEAST = 4,            /* how often a pair must occur in the sample to become a symbol */
    RANGE = 1 << 21,      /* cells that a thread takes at a time; no symbol crosses its end */
    BLOCK_VALUES = 65536, /* maximum number of cells in a block */
    BLOCK_BITS_LEAST = 4, /* log2 of the bytes of a block: the minimum, */
    BLOCK_BITS_USUAL = 6, /* and the default */
    NEIGHBOURS = 4        /* log2 of the minimum number of blocks for each entry of the index */
};

typedef struct Encoder {
    Stretch cells;
    const EncodeOptions *options;
    MemoryBudget *budget;
    uint64_t times[256]; /* number of cells, by value */
    Learned learned;
    CellRanges all;
    Huffman huffman;
} Encoder;

/* ---- Values ---------------------------------------------------------------------------------- */

static void find_values(Encoder *encoder)
{
    ptrdiff_t count = (ptrdiff_t)encoder->all.count;
#pragma omp parallel num_threads(encoder->options->threads)
    {
        uint64_t mine[256] = {0};
#pragma omp for schedule(dynamic)
        for (ptrdiff_t i = 0; i < count; i++) learn_count(encoder->all.range[i].cells, mine);
#pragma omp critical
        for (int v = 0; v < 256; v++) encoder->times[v] += mine[v];
    }
    learn_values(&encoder->learned, encoder->times);
}

/* Returns whether one value is valid for all cells and may be stored as a constant; sets *value to it. */
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

/* ---- Symbols --------------------------------------------------------------------------------- */

/* Learns the symbols from a sample. Returns false if memory runs out. */
static bool learn_array(Encoder *encoder)
{
    CellRanges sample = {0};
    RunList list = {0};
    Learned *learned = &encoder->learned;
    LearnOptions options = {
        .budget = encoder->budget, .threads = encoder->options->threads, .least = LEAST};
    bool claimed = budget_claim(encoder->budget, SAMPLE_BYTES);
    bool done =
        claimed &&
        sample_take(encoder->cells, &learned->values, RANGE, &sample, &list, &options.part) &&
        learn(learned, &sample, &list, &options);
    free(list.run);
    cell_ranges_free(&sample);
    if (claimed) budget_release(encoder->budget, SAMPLE_BYTES);
    return done;
}

/* Cuts all cells into symbols. Returns false if memory runs out. */
static bool cut_array(Encoder *encoder)
{
    return learned_cut(&encoder->learned, &encoder->all, encoder->budget,
                       encoder->options->threads);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* How an array is divided into blocks. */
typedef struct Blocks {
    unsigned block_bits;             /* log2 of the bytes of a block */
    unsigned sparse_bits;            /* log2 of the number of cells for each index entry */
    uint64_t blocks, lengths, steps; /* number of blocks, of their lengths, and of index entries */
} Blocks;

/* Packs code words into blocks, or only counts the blocks. */
typedef struct Packer {
    const Encoder *encoder;
    unsigned block_bits;
    uint64_t blocks;  /* number of complete blocks */
    uint32_t bits;    /* used in the current block */
    uint32_t values;  /* cells in the current block */
    uint8_t *lengths; /* output: lengths of the blocks; NULL: only count */
    uint8_t *bytes;   /* output: the blocks; NULL: only count */
} Packer;

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
    uint32_t length = huffman->length[symbol],
             values = packer->encoder->learned.pairs.length[symbol];
    if (packer->bits + length > 8u << packer->block_bits || packer->values + values > BLOCK_VALUES)
        end_block(packer);
    if (packer->bytes != NULL)
        huffman_put_word(packer->bytes + (packer->blocks << packer->block_bits), packer->bits,
                         huffman->word[symbol], length);
    packer->bits += length;
    packer->values += values;
}

static void pack(Packer *packer)
{
    const Encoder *encoder = packer->encoder;
    for (size_t i = 0; i < encoder->all.count; i++)
        for (size_t t = 0; t < encoder->all.range[i].tokens; t++)
            pack_token(packer, encoder->all.range[i].token[t]);
    end_block(packer);
}

/* Chooses the number of cells for each index entry: 16 to 32 blocks of average length. Computes the
 * number of index entries and of lengths. */
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

/* Chooses the block size with which the array takes the fewest bytes. */
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
        plan_index(&plan, encoder->cells.size);
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
    const Pairs *pairs = &encoder->learned.pairs;
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
    out->code_size =
        10 + 2 * (size_t)words + 2 + SYZYGY_SYMBOL_SIZE * (size_t)encoder->learned.pairs.count;
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
    syzygy_put16(at, encoder->learned.pairs.count);
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
    if (!cell_ranges_make(&encoder->all, encoder->cells, RANGE, 1)) return false;
    find_values(encoder);
    if (is_constant(encoder, &value)) return put_constant(value, out);
    const Pairs *pairs = &encoder->learned.pairs;
    return learn_array(encoder) && cut_array(encoder) &&
           huffman_make(&encoder->huffman, pairs->used, pairs->count) && put_blocks(encoder, out);
}

treb_status encode_array(const uint8_t *cells, uint64_t size, const EncodeOptions *options,
                         Encoded *out, treb_error *error)
{
    MemoryBudget unbound;
    Encoder *encoder = calloc(1, sizeof *encoder);
    bool done = false;
    *out = (Encoded){0};
    if (encoder != NULL) {
        budget_init(&unbound, UINT64_MAX);
        encoder->cells = (Stretch){cells, size};
        encoder->learned.limits = array_limits;
        encoder->learned.effort = PARSE_BEST;
        encoder->options = options;
        encoder->budget = options->budget != NULL ? options->budget : &unbound;
        done = encode(encoder, out);
        cell_ranges_free(&encoder->all);
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
    return SAMPLE_BYTES + size / CELLS_A_TOKEN * sizeof(uint16_t) +
           (uint64_t)threads * THREAD_BYTES;
}
