/* own_profiles.c - see own_profiles.h. docs/format.md describes the bytes. */
#include "gen/write/own_profiles.h"

#include <stdlib.h>
#include <string.h>

#include "core/format/table_profile.h"
#include "gen/compress/coder.h"
#include "gen/compress/huffman.h"
#include "gen/write/profile_numbers.h"

enum {
    VALUES = PROFILE_MORE + 1,
    /* Larger blocks waste fewer bytes, but on average half of a block is read for a profile. */
    BLOCK_BYTES = 200,
    GAP_WORDS = CODER_BLOCK_CELLS / PROFILE_MORE + 1 /* a gap has at most so many */
};

typedef struct Word {
    uint32_t bits;
    uint8_t length;
} Word;

struct OwnProfiles {
    const Profiles *lists;
    uint64_t used[TABLE_SIDE_CODES][VALUES];
    Word word[TABLE_SIDE_CODES][VALUES];
    uint64_t cells, last; /* number of cells so far, and the last of them */
    unsigned words, most; /* words of a profile, and the most that one has */
    Word *kept;           /* the words of a cell */
    uint8_t *block;       /* that is being filled, */
    uint64_t first;       /* its first cell */
    uint32_t bits;        /* its bits so far */
    unsigned block_bytes;
};

OwnProfiles *own_profiles_new(const Profiles *lists)
{
    OwnProfiles *own = calloc(1, sizeof *own);
    if (own != NULL) own->lists = lists;
    return own;
}

void own_profiles_free(OwnProfiles *own)
{
    if (own == NULL) return;
    free(own->kept);
    free(own->block);
    free(own);
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* Takes a word: a value by one of the codes. */
typedef void TakeWord(OwnProfiles *own, unsigned code, unsigned value);

static void take_number(OwnProfiles *own, TakeWord *take, unsigned code, unsigned number)
{
    for (; number >= PROFILE_MORE; number -= PROFILE_MORE) take(own, code, PROFILE_MORE);
    take(own, code, number);
}

/* Whether the gap before a cell is a word. If it is long a block begins instead. */
static bool has_gap(const OwnProfiles *own, uint64_t cell)
{
    return own->cells > 0 && cell - own->last <= CODER_BLOCK_CELLS;
}

static void take_profile(OwnProfiles *own, TakeWord *take, uint32_t list)
{
    TableProfileClass of;
    TableProfile step[PROFILE_STEPS_MAX];
    const unsigned steps = profile_numbers_steps(own->lists, list, step, &of);
    unsigned within = of.dtm - of.dtz, before = 0;
    if (step[0].within != TABLE_PROFILE_START) take_number(own, take, table_profile_code(0), 0);
    for (unsigned i = 0; i < steps; i++) {
        take_number(own, take, table_profile_code(before), step[i].extra / 2u + 1);
        before = step[i].extra;
        if (step[i].within == TABLE_PROFILE_START) continue;
        take_number(own, take, PROFILE_CODE_WITHIN, within - step[i].within);
        within = step[i].within;
    }
    if (before > 0) take_number(own, take, table_profile_code(before), 0);
}

/* ---- Counting -------------------------------------------------------------------------------- */

/* A TakeWord. */
static void count_word(OwnProfiles *own, unsigned code, unsigned value)
{
    own->used[code][value]++;
    own->words++;
}

void own_profiles_count(OwnProfiles *own, uint64_t cell, uint32_t list)
{
    if (has_gap(own, cell)) take_number(own, count_word, PROFILE_CODE_GAP, (unsigned)(cell - own->last - 1));
    own->cells++;
    own->last = cell;
    own->words = 0;
    take_profile(own, count_word, list);
    if (own->words > own->most) own->most = own->words;
}

/* Appends a code to that of a side. */
static bool append_code(TableCode *code, const Huffman *huffman)
{
    unsigned symbols = 0;
    while (symbols < huffman->count && huffman->length[huffman->symbol[symbols]] > 0) symbols++;
    const size_t size = huffman_head_size(huffman) + CODER_SYMBOL_SIZE * (size_t)symbols;
    uint8_t *bytes = realloc(code->bytes, code->size + size);
    if (bytes == NULL) return false;
    code->bytes = bytes;
    uint8_t *at = huffman_put_head(huffman, symbols, bytes + code->size);
    for (unsigned s = 0; s < symbols; s++) at = huffman_put16(huffman_put16(at, huffman->symbol[s]), CODE_LEAF);
    code->size += size;
    return true;
}

/* Makes one of the codes. One that nothing uses has a word as well. */
static bool make_code(OwnProfiles *own, unsigned number, Huffman *huffman, TableCode *code)
{
    uint64_t *used = own->used[number], all = 0;
    for (unsigned v = 0; v < VALUES; v++) all += used[v];
    used[0] += all == 0;
    if (!huffman_make(huffman, used, VALUES)) return false;
    for (unsigned v = 0; v < VALUES; v++) own->word[number][v] = (Word){huffman->word[v], huffman->length[v]};
    return append_code(code, huffman);
}

/* Returns one more than the last code that is used. */
static unsigned used_codes(const OwnProfiles *own)
{
    unsigned codes = PROFILE_CODE_PLIES + 1;
    for (unsigned c = codes; c < TABLE_SIDE_CODES; c++)
        for (unsigned v = 0; v < VALUES; v++)
            if (own->used[c][v] > 0) codes = c + 1;
    return codes;
}

treb_status own_profiles_code(OwnProfiles *own, TableSide *side, treb_error *error)
{
    unsigned longest = 0;
    side->stored = own->cells > 0;
    if (!side->stored) return TREB_OK;
    Huffman *huffman = malloc(sizeof *huffman);
    bool enough = huffman != NULL;
    side->code.count = used_codes(own);
    for (unsigned c = 0; c < side->code.count && enough; c++) {
        enough = make_code(own, c, huffman, &side->code);
        if (enough && huffman->longest > longest) longest = huffman->longest;
    }
    free(huffman);
    const unsigned bytes = (own->most * longest + 7) / 8;
    own->block_bytes = side->code.block_bytes = bytes > BLOCK_BYTES ? bytes : (unsigned)BLOCK_BYTES;
    if (bytes > CODER_BLOCK_MOST)
        return fail(error, TREB_ERR_ARGUMENT, "a DTM50 table cannot have a profile of %u words", own->most);
    own->block = calloc(own->block_bytes, 1);
    own->kept = calloc(own->most + GAP_WORDS, sizeof *own->kept);
    own->cells = 0;
    return enough && own->block != NULL && own->kept != NULL ? TREB_OK : fail_memory(error);
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* A TakeWord. */
static void keep_word(OwnProfiles *own, unsigned code, unsigned value)
{
    own->kept[own->words++] = own->word[code][value];
}

static unsigned bits_of(const Word *word, unsigned count)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < count; i++) bits += word[i].length;
    return bits;
}

treb_status own_profiles_finish(OwnProfiles *own, TableWriter *writer, treb_error *error)
{
    if (own->cells == 0) return TREB_OK;
    const treb_status status = table_writer_add_profiles(writer, own->block, own->first, error);
    memset(own->block, 0, own->block_bytes);
    own->bits = 0;
    return status;
}

treb_status own_profiles_add(OwnProfiles *own, TableWriter *writer, uint64_t cell, uint32_t list, treb_error *error)
{
    treb_status status = TREB_OK;
    unsigned first = 0; /* of the words that are written */
    own->words = 0;
    if (has_gap(own, cell)) take_number(own, keep_word, PROFILE_CODE_GAP, (unsigned)(cell - own->last - 1));
    const unsigned gap = own->words;
    take_profile(own, keep_word, list);
    if (gap == 0 || own->bits + bits_of(own->kept, own->words) > 8 * own->block_bytes) {
        status = own_profiles_finish(own, writer, error);
        own->first = cell;
        first = gap;
    }
    for (unsigned i = first; i < own->words; i++) {
        huffman_put_word(own->block, own->bits, own->kept[i].bits, own->kept[i].length);
        own->bits += own->kept[i].length;
    }
    own->cells++;
    own->last = cell;
    return status;
}
