/* coder.c - see coder.h. */
#include "gen/compress/coder.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/compress/huffman.h"
#include "gen/compress/learn.h"

const CodeLimits coder_limits = {.symbols = CODE_SYMBOLS_MAX, .symbol_bits = 8 * CODER_SYMBOL_SIZE};

static const ParseEffort parse_effort[] = {
    [CODER_FAST] = PARSE_FASTEST, [CODER_NORMAL] = PARSE_GOOD, [CODER_SMALL] = PARSE_BEST};

enum {
    CHUNK = 1 << 13, /* cells of a chunk of the sample */
    /* Approximate number of runs to learn from. With half as many, files are 3 % larger and learning
     * takes half the time. With twice as many, files are 1 % smaller and it takes twice the time. */
    LEARN_RUNS = 250000,
    LEARN_RUNS_FAST = LEARN_RUNS / 2,
    LEAST = 3, /* a pair becomes a symbol only if it occurs this often in the sample */
    /* See LearnOptions.chance. With 2, codes are a tenth smaller than with 0, and the size of files does
     * not change. */
    CHANCE = 2,
    LEARN_BYTES = 108 << 20, /* memory to claim for learning */
    CODER_BYTES = 4 << 20,   /* memory to claim for a coder */
    BUFFER_BYTES = 1 << 20,  /* memory to claim for a buffer, without its tokens */
    PIECE = 1 << 18          /* cells that are parsed at a time; no symbol extends over their end */
};

struct Coder {
    MemoryBudget *budget, unbound;
    uint64_t claimed;
    Learned learned;
    Huffman huffman;
    Parser *parser;
};

struct CoderBuffer {
    MemoryBudget *budget;
    ParseBuffer *parse;
    uint16_t *token;
};

/* ---- The sample ------------------------------------------------------------------------------ */

static void count_values(Coder *coder, const CoderSample *sample)
{
    uint64_t times[256] = {0}, all = 0;
    for (unsigned v = 0; v < ENCODE_VALUES; v++) times[v] = sample->present[v];
    for (size_t i = 0; i < sample->count; i++)
        learn_count((Stretch){sample->stretch[i].cells, sample->stretch[i].size}, times);
    for (unsigned v = 0; v < 256; v++) all += times[v];
    if (all == 0) times[0] = 1; /* a code needs at least one value */
    learn_values(&coder->learned, times);
}

/* Splits the whole sample into chunks of `length` cells. Returns false if memory runs out. */
static bool make_chunks(const CoderSample *sample, size_t length, CellRanges *all)
{
    size_t count = 0;
    for (size_t i = 0; i < sample->count; i++)
        count += (sample->stretch[i].size + length - 1) / length;
    all->count = 0;
    all->range = calloc(count + 1, sizeof *all->range);
    if (all->range == NULL) return false;
    for (size_t i = 0; i < sample->count; i++) {
        CoderCells from = sample->stretch[i];
        for (size_t at = 0; at < from.size; at += length) {
            size_t left = from.size - at;
            all->range[all->count++].cells =
                (Stretch){from.cells + at, left < length ? left : length};
        }
    }
    return true;
}

/* Keeps `count` of the chunks, at equal distances. */
static void thin_out(CellRanges *chunks, uint64_t count)
{
    size_t all = chunks->count, left = 0;
    for (size_t i = 0; i < all; i++)
        if ((i + 1) * count / all != i * count / all)
            chunks->range[left++].cells = chunks->range[i].cells;
    chunks->count = left;
}

/* Takes the whole sample if it has at most `wanted` runs; otherwise takes chunks of it that have about
 * `wanted` runs together. Returns false if memory runs out. */
static bool take_chunks(const Coder *coder, const CoderSample *sample, unsigned wanted,
                        CellRanges *chunks)
{
    if (!make_chunks(sample, PIECE, chunks)) return false;
    size_t runs = cell_ranges_count_runs(chunks, &coder->learned.values);
    if (runs <= wanted) return true;
    cell_ranges_free(chunks);
    if (!make_chunks(sample, CHUNK, chunks)) return false;
    thin_out(chunks, (uint64_t)((double)chunks->count * wanted / (double)runs) + 1);
    return true;
}

/* ---- The code -------------------------------------------------------------------------------- */

/* Makes code words for all symbols, also for those that the sample does not use: other cells may need
 * them. */
static bool make_words(Coder *coder)
{
    Pairs *pairs = &coder->learned.pairs;
    for (unsigned s = 0; s < pairs->count; s++)
        if (pairs->used[s] == 0) pairs->used[s] = 1;
    return huffman_make(&coder->huffman, pairs->used, pairs->count);
}

/* Makes the parser for encoding. The cost of each symbol is the length of its code word. */
static bool make_parser(Coder *coder)
{
    Learned *learned = &coder->learned;
    for (unsigned s = 0; s < learned->pairs.count; s++)
        learned->cost[s] = (uint32_t)coder->huffman.length[s] * PARSE_BIT;
    coder->parser = parser_make(&learned->pairs, &learned->values, learned->cost, learned->effort);
    return coder->parser != NULL;
}

static bool learn_sample(Coder *coder, const CoderSample *sample, const CoderOptions *how)
{
    CellRanges chunks = {0};
    RunList list = {0};
    LearnOptions options = {.budget = coder->budget,
                            .threads = how->threads,
                            .part = 1,
                            .least = LEAST,
                            .stop = how->stop};
    count_values(coder, sample);
    unsigned runs = how->effort == CODER_FAST ? LEARN_RUNS_FAST : LEARN_RUNS;
    bool done = take_chunks(coder, sample, runs, &chunks) &&
                cell_ranges_runs(&chunks, &coder->learned.values, &list);
    if (done) {
        uint64_t cells = cell_ranges_cells(&chunks) + 1;
        options.part = sample->size > cells ? (sample->size + cells / 2) / cells : 1;
        if (options.part > 1) options.chance = CHANCE;
        done = learn(&coder->learned, &chunks, &list, &options) &&
               learned_cut(&coder->learned, &chunks, coder->budget, how->threads);
    }
    free(list.run);
    cell_ranges_free(&chunks);
    return done;
}

static bool claim(Coder *coder, uint64_t bytes)
{
    if (!budget_claim(coder->budget, bytes)) return false;
    coder->claimed += bytes;
    return true;
}

static void release(Coder *coder, uint64_t bytes)
{
    budget_release(coder->budget, bytes);
    coder->claimed -= bytes;
}

static bool make(Coder *coder, const CoderSample *sample, const CoderOptions *options)
{
    if (!claim(coder, CODER_BYTES) || !claim(coder, LEARN_BYTES)) return false;
    if (!learn_sample(coder, sample, options) || !make_words(coder) || !make_parser(coder))
        return false;
    release(coder, LEARN_BYTES);
    return true;
}

Coder *coder_learn(const CoderSample *sample, const CoderOptions *options, treb_error *error)
{
    Coder *coder = calloc(1, sizeof *coder);
    if (coder == NULL) {
        fail_memory(error);
        return NULL;
    }
    budget_init(&coder->unbound, UINT64_MAX);
    coder->budget = options->budget != NULL ? options->budget : &coder->unbound;
    coder->learned.limits = coder_limits;
    coder->learned.limits.up_to = sample->up_to;
    coder->learned.effort = parse_effort[options->effort];
    if (options->symbols != 0 && options->symbols < CODE_SYMBOLS_MAX)
        coder->learned.limits.symbols = options->symbols;
    if (make(coder, sample, options)) return coder;
    coder_free(coder);
    if (stop_check(options->stop, error) == TREB_OK) fail_memory(error);
    return NULL;
}

void coder_free(Coder *coder)
{
    if (coder == NULL) return;
    release(coder, coder->claimed);
    parser_free(coder->parser);
    free(coder);
}

unsigned coder_longest(const Coder *coder) { return coder->huffman.longest; }

/* ---- The bytes of the code ------------------------------------------------------------------- */

static void put_symbols(const Coder *coder, uint8_t *at)
{
    const Pairs *pairs = &coder->learned.pairs;
    const Huffman *huffman = &coder->huffman;
    for (unsigned n = 0; n < pairs->count; n++) {
        unsigned s = huffman->symbol[n];
        bool value = s < pairs->values;
        at = huffman_put16(at, value ? pairs->left[s] : huffman->number[pairs->left[s]]);
        at = huffman_put16(at, value ? CODE_LEAF : huffman->number[pairs->right[s]]);
    }
}

size_t coder_code(const Coder *coder, uint8_t *out)
{
    const Huffman *huffman = &coder->huffman;
    unsigned symbols = coder->learned.pairs.count;
    if (out != NULL) put_symbols(coder, huffman_put_head(huffman, symbols, out));
    return huffman_head_size(huffman) + CODER_SYMBOL_SIZE * (size_t)symbols;
}

/* ---- Coding ---------------------------------------------------------------------------------- */

CoderBuffer *coder_buffer_make(const Coder *coder)
{
    CoderBuffer *buffer = calloc(1, sizeof *buffer);
    if (buffer == NULL) return NULL;
    if (budget_claim(coder->budget, BUFFER_BYTES)) {
        buffer->budget = coder->budget;
        buffer->parse = parse_buffer_make();
        buffer->token = budget_alloc(coder->budget, PIECE * sizeof *buffer->token);
    }
    if (buffer->parse != NULL && buffer->token != NULL) return buffer;
    coder_buffer_free(buffer);
    return NULL;
}

void coder_buffer_free(CoderBuffer *buffer)
{
    if (buffer == NULL) return;
    if (buffer->budget != NULL) budget_release(buffer->budget, BUFFER_BYTES);
    parse_buffer_free(buffer->parse);
    budget_free(buffer->token);
    free(buffer);
}

/* Packs code words into blocks. */
typedef struct Packer {
    const Coder *coder;
    CodedBlocks *out;
    uint32_t bits, cells; /* number of bits and cells in the last block */
} Packer;

static bool begin_block(Packer *packer)
{
    CodedBlocks *out = packer->out;
    if (out->count == out->capacity) {
        size_t capacity = 2 * out->capacity + 64;
        uint8_t *bytes = realloc(out->bytes, capacity * out->block_bytes);
        if (bytes != NULL) out->bytes = bytes;
        uint16_t *cells = realloc(out->cells, capacity * sizeof *cells);
        if (cells != NULL) out->cells = cells;
        if (bytes == NULL || cells == NULL) return false;
        out->capacity = capacity;
    }
    memset(out->bytes + out->count * out->block_bytes, 0, out->block_bytes);
    out->cells[out->count++] = 0;
    packer->bits = packer->cells = 0;
    return true;
}

static bool pack(Packer *packer, const uint16_t *token, size_t count)
{
    const Huffman *huffman = &packer->coder->huffman;
    const uint16_t *cells = packer->coder->learned.pairs.length;
    CodedBlocks *out = packer->out;
    for (size_t t = 0; t < count; t++) {
        uint32_t length = huffman->length[token[t]], more = cells[token[t]];
        bool full = packer->bits + length > 8 * out->block_bytes;
        if ((full || packer->cells + more > CODER_BLOCK_CELLS) && !begin_block(packer))
            return false;
        uint8_t *block = out->bytes + (out->count - 1) * out->block_bytes;
        huffman_put_word(block, packer->bits, huffman->word[token[t]], length);
        packer->bits += length;
        packer->cells += more;
        out->cells[out->count - 1] = (uint16_t)packer->cells;
    }
    return true;
}

/* Returns the value that a cell gets if no neighbour decides. */
static unsigned value_of(const Coder *coder, unsigned cell)
{
    return cell < ENCODE_UP_TO ? cell : coder->learned.values.best[cell - ENCODE_UP_TO];
}

/* Whether the code can express all cells: each has a value with a symbol, or allows one. */
static bool all_known(const Coder *coder, const uint8_t *cells, size_t size)
{
    bool strange[256], any = false, limits = false;
    unsigned known = 0; /* the values below are known */
    for (unsigned c = 0; c < 256; c++) strange[c] = !coder->learned.present[value_of(coder, c)];
    while (known < ENCODE_UP_TO && !strange[known]) known++;
    for (unsigned c = ENCODE_UP_TO; c < 256; c++) limits |= strange[c];
    /* Mostly there are no gaps between the values, and many cells are compared at once. */
    uint8_t others = 0;
    for (size_t i = 0; i < size; i++)
        others |= (uint8_t)(cells[i] - known) < (uint8_t)(ENCODE_UP_TO - known);
    if (others == 0 && !limits) return true;
    for (size_t i = 0; i < size; i++) any |= strange[cells[i]];
    return !any;
}

treb_status coder_encode(const Coder *coder, CoderBuffer *buffer, const uint8_t *cells, size_t size,
                         unsigned block_bytes, CodedBlocks *out, treb_error *error)
{
    if (block_bytes < CODER_BLOCK_LEAST || block_bytes > CODER_BLOCK_MOST)
        return fail(error, TREB_ERR_ARGUMENT, "blocks have %d to %d bytes, not %u",
                    CODER_BLOCK_LEAST, CODER_BLOCK_MOST, block_bytes);
    if (!all_known(coder, cells, size))
        return fail(error, TREB_ERR_ARGUMENT, "a cell has a value that the code cannot express");
    if (out->block_bytes != block_bytes) coder_blocks_free(out);
    out->block_bytes = block_bytes;
    out->count = 0;
    Packer packer = {coder, out, 8 * block_bytes, 0};
    for (size_t at = 0; at < size; at += PIECE) {
        Stretch piece = {cells + at, size - at < PIECE ? size - at : PIECE};
        size_t tokens = parse_stretch(coder->parser, buffer->parse, piece, buffer->token);
        if (!pack(&packer, buffer->token, tokens)) return fail_memory(error);
    }
    return TREB_OK;
}

void coder_blocks_free(CodedBlocks *blocks)
{
    free(blocks->bytes);
    free(blocks->cells);
    *blocks = (CodedBlocks){0};
}

uint64_t coder_memory(int coders, int buffers)
{
    uint64_t buffer = BUFFER_BYTES + budget_cost(PIECE * sizeof(uint16_t));
    return (uint64_t)coders * CODER_BYTES + (uint64_t)buffers * buffer;
}

uint64_t coder_learn_memory(void) { return LEARN_BYTES; }
