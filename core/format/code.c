/* code.c - see code.h. */
#include "core/format/code.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/hash.h"

const char code_no_memory[] = "out of memory";

/* ---- Making ---------------------------------------------------------------------------------- */

static inline unsigned get16(const uint8_t *at) { return at[0] | (unsigned)at[1] << 8; }

static inline unsigned left_of(const Code *code, unsigned symbol)
{
    if (code->wide) return get16(code->pairs + 4 * (size_t)symbol);
    const uint8_t *pair = code->pairs + 3 * (size_t)symbol;
    return pair[0] | (pair[1] & 15u) << 8;
}

static inline unsigned right_of(const Code *code, unsigned symbol)
{
    if (code->wide) return get16(code->pairs + 4 * (size_t)symbol + 2);
    const uint8_t *pair = code->pairs + 3 * (size_t)symbol;
    return pair[1] >> 4 | (unsigned)pair[2] << 4;
}

static bool is_leaf(const Code *code, unsigned symbol)
{
    return right_of(code, symbol) == (code->wide ? CODE_LEAF : 0xfff);
}

/* Computes the number of values of a symbol, less 1, and of the symbols below it. A symbol stands
 * for at most CODE_VALUES_MAX values, which also bounds the depth. */
static bool measure(const Code *code, unsigned symbol, unsigned depth, uint8_t *state)
{
    enum { UNKNOWN, UNDER_WAY, KNOWN };
    if (state[symbol] != UNKNOWN || depth >= CODE_VALUES_MAX) return state[symbol] == KNOWN;
    state[symbol] = UNDER_WAY;
    if (!is_leaf(code, symbol)) {
        unsigned left = left_of(code, symbol), right = right_of(code, symbol);
        if (left >= code->symbols || right >= code->symbols) return false;
        if (!measure(code, left, depth + 1, state) || !measure(code, right, depth + 1, state))
            return false;
        unsigned more = code->more[left] + code->more[right] + 1u;
        if (more >= CODE_VALUES_MAX) return false;
        code->more[symbol] = (uint8_t)more;
    }
    state[symbol] = KNOWN;
    return true;
}

static const char *measure_all(Code *code)
{
    const char *wrong = NULL;
    code->more = (uint8_t *)calloc(code->symbols + 1, 1);
    uint8_t *state = (uint8_t *)calloc(code->symbols + 1, 1);
    if (code->more == NULL || state == NULL) wrong = code_no_memory;
    for (unsigned s = 0; s < code->symbols && wrong == NULL; s++)
        if (!measure(code, s, 0, state)) wrong = "its symbols contradict each other";
    free(state);
    return wrong;
}

/* base[l] is the first word of length l, in the top bits of 64; symbol[l] is its symbol. */
static void read_lengths(Code *code, const CodeParts *parts)
{
    uint64_t base = 0;
    for (unsigned l = parts->longest + 1; l-- > parts->shortest;) {
        code->symbol[l] = (uint16_t)get16(parts->first + 2 * (size_t)(l - parts->shortest));
        if (l < parts->longest) base = (base + code->symbol[l] - code->symbol[l + 1]) / 2;
        code->base[l] = base << (64 - l);
    }
    for (unsigned top = 0; top < 256; top++) {
        unsigned l = parts->shortest;
        uint64_t most = (uint64_t)top << 56 | (UINT64_MAX >> 8);
        while (most < code->base[l]) l++;
        code->first_length[top] = (uint8_t)l;
    }
}

/* ---- Reading --------------------------------------------------------------------------------- */

static inline uint32_t big32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static inline uint64_t big64(const uint8_t *at)
{
    return (uint64_t)big32(at) << 32 | big32(at + 4);
}

enum { LOADED = 57 }; /* 64 less the most that `at` is beyond a byte */

/* Returns the bits of a block from number `at` on, at least LOADED of them; behind the end they are
 * zeros. */
static inline uint64_t bits_from(CodeBlock block, size_t at)
{
    const size_t size = (size_t)(block.end - block.start), byte = at / 8;
    if (byte + 8 <= size) return big64(block.start + byte) << at % 8;
    const size_t behind = byte + 8 - size;
    return behind < 8 ? big64(block.end - 8) << 8 * behind << at % 8 : 0;
}

/* The bits of a block, read from number `at` on. */
typedef struct Bits {
    CodeBlock block;
    size_t at;
    uint64_t next;  /* the highest bit is number `at` */
    unsigned words; /* whole words in `next`, at least */
} Bits;

/* Returns the next symbol; -1 if no word matches. */
static inline int next_symbol(const Code *code, Bits *bits)
{
    if (bits->words == 0) {
        bits->next = bits_from(bits->block, bits->at);
        bits->words = code->loaded;
    }
    bits->words--;
    /* If most words have the shortest length, the processor predicts this branch and need not wait
     * for the table. */
    unsigned l = code->shortest;
    if (bits->next < code->base[l]) {
        l = code->first_length[bits->next >> 56];
        while (bits->next < code->base[l]) l++;
    }
    uint64_t symbol = code->symbol[l] + ((bits->next - code->base[l]) >> (64 - l));
    bits->next <<= l;
    bits->at += l;
    return symbol < code->symbols ? (int)symbol : -1;
}

/* Returns value number `place` of a symbol, which has at least place + 1 values. */
static inline int descend(const Code *code, unsigned symbol, unsigned place)
{
    while (code->more[symbol] >= code->fit) {
        if (code->more[symbol] == 0) return (int)left_of(code, symbol);
        unsigned left = left_of(code, symbol);
        if (place <= code->more[left]) {
            symbol = left;
        } else {
            place -= code->more[left] + 1u;
            symbol = right_of(code, symbol);
        }
    }
    uint64_t mask = (UINT64_C(1) << code->bits) - 1;
    return (int)(code->piece[symbol] >> place * code->bits & mask);
}

int code_only(const Code *code) { return (int)left_of(code, 0); }

/* Returns the marks of a block. Marks of another block that are in their place are dropped. */
static CodeMarks *marks_of(CodeMemo *memo, const uint8_t *block)
{
    if (memo == NULL) return NULL;
    const size_t place = (size_t)((uintptr_t)block * HASH_FACTOR >> 32) % CODE_MARKED;
    if (memo->block[place] != block) memo->of[place].count = 0;
    memo->block[place] = block;
    return &memo->of[place];
}

/* Moves to the last mark that is not behind value number `place`. Returns the number of values before
 * it. */
static unsigned go_to_mark(const CodeMarks *marks, unsigned place, Bits *bits)
{
    unsigned i = marks->count;
    while (i > 0 && marks->mark[i - 1].values > place) i--;
    if (i == 0) return 0;
    bits->at = marks->mark[i - 1].bits;
    return marks->mark[i - 1].values;
}

/* The bit from which on the next mark is due. */
static size_t due_mark(const CodeMarks *marks)
{
    if (marks == NULL || marks->count == CODE_MARKS) return SIZE_MAX;
    return (marks->count + (size_t)1) * CODE_MARK_BITS;
}

int code_value(const Code *code, CodeBlock block, unsigned place, CodeMemo *memo)
{
    CodeMarks *marks = marks_of(memo, block.start);
    Bits bits = {.block = block};
    unsigned before = marks != NULL ? go_to_mark(marks, place, &bits) : 0;
    size_t due = due_mark(marks);
    for (;;) {
        if (bits.at >= due) {
            marks->mark[marks->count++] = (CodeMark){(uint16_t)bits.at, (uint16_t)before};
            due = due_mark(marks);
        }
        int symbol = next_symbol(code, &bits);
        if (symbol < 0) return -1;
        unsigned values = code->more[symbol] + 1u;
        if (place - before < values) return descend(code, (unsigned)symbol, place - before);
        before += values;
    }
}

int code_next(const Code *code, CodeWords *words)
{
    Bits bits = {.block = words->block, .at = words->at};
    const int symbol = next_symbol(code, &bits);
    if (symbol < 0 || code->more[symbol] > 0) return -1;
    words->at = bits.at;
    const size_t size = (size_t)(words->block.end - words->block.start);
    return bits.at <= 8 * size ? (int)left_of(code, (unsigned)symbol) : -1;
}

/* Takes `count` values of a symbol, from number `from` on. */
typedef void TakeValues(const Code *code, unsigned symbol, unsigned from, unsigned count, void *to);

/* Takes the values of a symbol from number `from` on, at most `room`, by symbols of at most `most`
 * values. Returns how many. Inlined, as are all functions below that have a parameter of type
 * TakeValues. */
static inline size_t take_symbol(const Code *code, unsigned symbol, unsigned from, size_t room,
                                 unsigned most, TakeValues *take, void *to)
{
    uint16_t later[CODE_VALUES_MAX]; /* symbols still to be taken; each has at least one value */
    unsigned depth = 0;
    size_t count = 0;
    for (;;) {
        unsigned values = code->more[symbol] + 1u;
        if (from >= values) {
            from -= values;
        } else if (values > most) {
            later[depth++] = (uint16_t)right_of(code, symbol);
            symbol = left_of(code, symbol);
            continue;
        } else {
            size_t part = values - from < room - count ? values - from : room - count;
            take(code, symbol, from, (unsigned)part, to);
            from = 0;
            count += part;
            if (count == room) return count;
        }
        if (depth == 0) return count;
        symbol = later[--depth];
    }
}

/* Takes the values of a block that has `values` of them, from number `place` on. Returns how many,
 * or -1 if a word matches no symbol. */
static inline int take_block(const Code *code, CodeBlock block, unsigned values, unsigned place,
                             size_t room, unsigned most, TakeValues *take, void *to)
{
    Bits bits = {.block = block};
    size_t count = 0, wanted = place < values ? values - place : 0;
    if (wanted > room) wanted = room;
    while (count < wanted) {
        int symbol = next_symbol(code, &bits);
        if (symbol < 0) return -1;
        unsigned own = code->more[symbol] + 1u;
        if (place >= own) {
            place -= own;
            continue;
        }
        /* The last symbol of a block may have more values than the block has left. */
        count += take_symbol(code, (unsigned)symbol, place, wanted - count, most, take, to);
        place = 0;
    }
    return (int)count;
}

/* Writes the value of a symbol with one value. */
static inline void put_value(const Code *code, unsigned symbol, unsigned from, unsigned count,
                             void *to)
{
    uint16_t **out = (uint16_t **)to;
    (void)from, (void)count;
    *(*out)++ = (uint16_t)left_of(code, symbol);
}

int code_values(const Code *code, CodeBlock block, unsigned values, unsigned place, size_t room,
                uint16_t *out)
{
    return take_block(code, block, values, place, room, 1, put_value, &out);
}

/* ---- Packed values --------------------------------------------------------------------------- */

static const char *make_pieces(Code *code)
{
    uint16_t value[CODE_VALUES_MAX];
    const unsigned fit = 64u / code->bits;
    code->piece = (uint64_t *)calloc(code->symbols + 1, sizeof *code->piece);
    if (code->piece == NULL) return code_no_memory;
    for (unsigned s = 0; s < code->symbols; s++) {
        if (is_leaf(code, s) && left_of(code, s) >> code->bits != 0)
            return "a value of its symbols is too large";
        if (code->more[s] >= fit) continue;
        uint16_t *end = value;
        size_t count = take_symbol(code, s, 0, fit, 1, put_value, &end);
        for (size_t i = 0; i < count; i++) code->piece[s] |= (uint64_t)value[i] << i * code->bits;
    }
    code->fit = (uint8_t)fit;
    return NULL;
}

/* Writes the lowest `bits` bits (1 to 64) of `piece`; the bits above may have any value. */
static inline void put_bits(CodePack *pack, uint64_t piece, unsigned bits)
{
    if (bits < 64) piece &= (UINT64_C(1) << bits) - 1;
    pack->word |= piece << pack->used;
    if (pack->used + bits < 64) {
        pack->used += bits;
        return;
    }
    for (int i = 0; i < 8; i++) pack->out[i] = (uint8_t)(pack->word >> 8 * i);
    pack->out += 8;
    pack->word = pack->used > 0 ? piece >> (64 - pack->used) : 0;
    pack->used = pack->used + bits - 64;
}

static inline void put_piece(const Code *code, unsigned symbol, unsigned from, unsigned count,
                             void *to)
{
    put_bits((CodePack *)to, code->piece[symbol] >> from * code->bits, count * code->bits);
}

int code_pack(const Code *code, CodeBlock block, unsigned values, unsigned place, size_t room,
              CodePack *pack)
{
    return take_block(code, block, values, place, room, code->fit, put_piece, pack);
}

void code_pack_end(CodePack *pack)
{
    for (; pack->used > 0; pack->used = pack->used > 8 ? pack->used - 8 : 0, pack->word >>= 8)
        *pack->out++ = (uint8_t)pack->word;
    pack->word = 0;
}

/* ---- A code ---------------------------------------------------------------------------------- */

const char *code_init(Code *code, const CodeParts *parts)
{
    memset(code, 0, sizeof *code);
    if (parts->shortest < 1 || parts->shortest > parts->longest || parts->longest > CODE_WORD_MAX)
        return "its code words have no possible length";
    if (parts->symbols > (parts->wide ? CODE_SYMBOLS_MAX : 0xfff)) return "it has too many symbols";
    code->pairs = parts->pairs;
    code->symbols = parts->symbols;
    code->shortest = (uint8_t)parts->shortest;
    code->loaded = (uint8_t)(LOADED / parts->longest);
    code->wide = parts->wide;
    code->bits = (uint8_t)parts->bits;
    read_lengths(code, parts);
    const char *wrong = measure_all(code);
    return wrong == NULL && parts->bits > 0 ? make_pieces(code) : wrong;
}

void code_free(Code *code)
{
    free(code->more);
    free(code->piece);
    code->more = NULL;
    code->piece = NULL;
}
