/* test_code.c - codes of symbols: single values, runs of values and packed values must agree with
 * the block; for any bytes of a code, reading must stay in bounds and end. Arrays have exactly the
 * size needed, so that sanitizers notice a read beyond. */
#define _DEFAULT_SOURCE
#define _FILE_OFFSET_BITS 64
#include "tests/support/part.h"
#include "tests/support/symbols.h"
#include "tests/support/table_sample.h"

enum { CODES = 600, WILD = 60000, VALUES = 400, BLOCK_MOST = 90 };

static const unsigned widths[] = {1, 2, 4, 8, 16};

/* ---- codes ----------------------------------------------------------------------------------- */

/* A code of values below 2^bits and random pairs of existing symbols. */
static SymbolsCode *random_symbols(unsigned bits, unsigned most, uint64_t *state)
{
    SymbolsCode *code = malloc(sizeof *code);
    unsigned leaves = bits < 4 ? 1u << bits : 1 + next_random31(state) % 20;
    memset(code, 0, sizeof *code);
    for (unsigned i = 0; i < leaves; i++) {
        unsigned value = bits < 4 ? i : next_random31(state) % (1u << bits);
        symbols_new(code, value, CODE_LEAF);
    }
    while (code->count < most) {
        /* Pairs of the last symbols give long symbols. */
        unsigned last = code->count - 1, old = next_random31(state) % code->count;
        unsigned left = next_random31(state) % 3 ? last : old;
        unsigned right = next_random31(state) % 3 ? old : last;
        if (code->values[left] + code->values[right] > CODE_VALUES_MAX) left = right = 0;
        symbols_new(code, left, right);
    }
    for (unsigned i = 0; i < code->count; i++)
        code->often[i] = UINT64_C(1) << next_random31(state) % 16;
    ck_assert(symbols_lengths(code));
    symbols_words(code);
    return code;
}

/* Returns the pairs in 12 bits, as in Syzygy's files; owned by the caller. */
static uint8_t *narrow(const uint8_t *pairs, unsigned symbols)
{
    uint8_t *out = malloc(3 * (size_t)symbols);
    for (unsigned s = 0; s < symbols; s++) {
        unsigned left = format_get16(pairs + 4 * (size_t)s),
                 right = format_get16(pairs + 4 * (size_t)s + 2);
        right &= 0xfff;
        out[3 * s] = (uint8_t)left;
        out[3 * s + 1] = (uint8_t)(left >> 8 | (right & 15) << 4);
        out[3 * s + 2] = (uint8_t)(right >> 4);
    }
    return out;
}

static CodeParts parts_of(const uint8_t *bytes, const uint8_t *pairs, bool wide, unsigned bits)
{
    return (CodeParts){.shortest = bytes[0],
                       .longest = bytes[1],
                       .first = bytes + 4,
                       .symbols = format_get16(bytes + 2),
                       .pairs = pairs,
                       .wide = wide,
                       .bits = bits};
}

/* ---- the plain way --------------------------------------------------------------------------- */

/* Writes the values of a symbol. Returns how many. */
static unsigned spell(const SymbolsCode *code, unsigned symbol, uint16_t *out)
{
    if (code->right[symbol] == CODE_LEAF) {
        *out = code->left[symbol];
        return 1;
    }
    unsigned first = spell(code, code->left[symbol], out);
    return first + spell(code, code->right[symbol], out + first);
}

/* Decodes a block bit by bit. Behind its end there are zeros. */
static void decode(const SymbolsCode *code, const uint8_t *block, unsigned bytes,
                   uint16_t out[VALUES + CODE_VALUES_MAX])
{
    unsigned bit = 0, count = 0, length = 0;
    uint32_t word = 0;
    while (count < VALUES) {
        unsigned next = bit / 8 < bytes ? block[bit / 8] >> (7 - bit % 8) & 1u : 0;
        word = word << 1 | next;
        length++;
        bit++;
        for (unsigned s = 0; s < code->count; s++) {
            if (code->length[s] != length || code->word[s] != word) continue;
            count += spell(code, s, out + count);
            length = word = 0;
            break;
        }
        ck_assert(length <= CODE_WORD_MAX);
    }
}

/* ---- all ways of reading --------------------------------------------------------------------- */

static unsigned packed_value(const uint8_t *bytes, unsigned bits, unsigned place)
{
    if (bits == 16) return format_get16(bytes + 2 * place);
    return bytes[place * bits / 8] >> place * bits % 8 & ((1u << bits) - 1);
}

/* Compares code_values and code_pack for some values of a block. Returns how many, or -1. */
static int check_stretch(const Code *code, CodeBlock block, unsigned values, unsigned place,
                         size_t room, uint16_t *out)
{
    int got = code_values(code, block, values, place, room, out);
    size_t wanted = place < values ? values - place : 0;
    if (got >= 0 && (size_t)got != (wanted < room ? wanted : room)) ck_abort_msg("%d values", got);
    if (code->bits == 0) return got;
    size_t bytes = ((wanted < room ? wanted : room) * code->bits + 7) / 8;
    uint8_t *packed = malloc(bytes > 0 ? bytes : 1);
    CodePack pack = {packed, 0, 0};
    int also = code_pack(code, block, values, place, room, &pack);
    if (also != got) ck_abort_msg("%d values, %d packed", got, also);
    code_pack_end(&pack);
    for (int i = 0; i < got; i++)
        if (packed_value(packed, code->bits, (unsigned)i) != out[i]) ck_abort_msg("value %d", i);
    free(packed);
    return got;
}

/* Reads single values of a block in any order, going on from where words begin. */
static void check_marks(const Code *code, CodeBlock block, int known, uint64_t *state,
                        const uint16_t *values)
{
    CodeMemo *memo = calloc(1, sizeof *memo);
    for (int i = 0; i < 100 && known > 0; i++) {
        unsigned place = next_random31(state) % (unsigned)known;
        ck_assert_int_eq(code_value(code, block, place, memo), values[place]);
    }
    free(memo);
}

/* Reads a block in all ways. Returns how many of its first VALUES values exist. */
static int check_block(const Code *code, CodeBlock block, uint64_t *state, uint16_t out[VALUES])
{
    int known = 0;
    uint16_t *some = malloc(VALUES * sizeof *some);
    while (known < VALUES && code_value(code, block, (unsigned)known, NULL) >= 0) {
        out[known] = (uint16_t)code_value(code, block, (unsigned)known, NULL);
        known++;
    }
    check_marks(code, block, known, state, out);
    for (int i = 0; i < 12; i++) {
        unsigned values = next_random31(state) % VALUES, place = next_random31(state) % VALUES;
        size_t room = next_random31(state) % VALUES;
        if (i == 0) values = VALUES, place = 0, room = VALUES;
        if (i == 1) place = values;
        unsigned end = place + room < values ? place + (unsigned)room : values;
        int got = check_stretch(code, block, values, place, room, some);
        bool there = place >= end || end <= (unsigned)known;
        if ((got >= 0) != there) ck_abort_msg("%d of %d values", got, known);
        for (int k = 0; k < got; k++)
            if (some[k] != out[place + (unsigned)k]) ck_abort_msg("value %d differs", k);
    }
    free(some);
    return known;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void check_code(unsigned bits, bool wide, uint64_t *state)
{
    static uint16_t plain[VALUES + CODE_VALUES_MAX], got[VALUES];
    unsigned most = 30 + next_random31(state) % (wide ? 300 : 100);
    unsigned of = bits > 0 ? bits : wide ? 16 : 8;
    SymbolsCode *symbols = random_symbols(of, most, state);
    size_t size = 0;
    uint8_t *bytes = symbols_bytes(symbols, &size);
    uint8_t *pairs = bytes + size - 4 * (size_t)symbols->count;
    uint8_t *twelve = wide ? NULL : narrow(pairs, symbols->count);
    CodeParts parts = parts_of(bytes, wide ? pairs : twelve, wide, bits);
    Code code;
    const char *wrong = code_init(&code, &parts);
    ck_assert_msg(wrong == NULL, "%s", wrong);
    for (int i = 0; i < 6; i++) {
        unsigned length = CODE_BLOCK_LEAST + next_random31(state) % BLOCK_MOST;
        uint8_t *block = malloc(length);
        for (unsigned b = 0; b < length; b++) block[b] = (uint8_t)next_random31(state);
        decode(symbols, block, length, plain);
        int known = check_block(&code, (CodeBlock){block, block + length}, state, got);
        ck_assert_int_eq(known, VALUES);
        ck_assert_mem_eq(got, plain, sizeof got);
        free(block);
    }
    code_free(&code);
    free(twelve);
    free(bytes);
    free(symbols);
}

START_TEST(all_ways_agree)
{
    uint64_t state = 6;
    for (int i = 0; i < CODES / test_part(); i++) {
        check_code(widths[i % 5], true, &state);
        check_code(0, i % 2, &state); /* values only, no packing */
    }
}
END_TEST

START_TEST(one_symbol)
{
    static const uint8_t first[] = {0, 0}, pair[] = {9, 0, 0xff, 0xff};
    const CodeParts parts = {1, 1, first, 1, pair, true, 4};
    uint8_t block[CODE_BLOCK_LEAST] = {0};
    CodeBlock all = {block, block + sizeof block};
    uint16_t out[VALUES];
    uint64_t state = 7;
    Code code;
    ck_assert_ptr_null(code_init(&code, &parts));
    ck_assert_int_eq(code_only(&code), 9);
    ck_assert_int_eq(check_block(&code, all, &state, out), VALUES);
    for (int i = 0; i < VALUES; i++) ck_assert_uint_eq(out[i], 9);
    block[5] = 0x10; /* bit 43: no symbol has this word */
    ck_assert_int_eq(check_block(&code, all, &state, out), 43);
    ck_assert_int_eq(code_value(&code, all, 42, NULL), 9);
    ck_assert_int_eq(code_value(&code, all, 43, NULL), -1);
    code_free(&code);
}
END_TEST

START_TEST(refused)
{
    static const uint8_t first[2 * (CODE_WORD_MAX + 2)] = {0};
    static uint8_t pair[4 * (CODE_SYMBOLS_MAX + 1)];
    static const struct {
        CodeParts parts;
        const char *words;
    } bad[] = {{{0, 1, first, 1, pair, true, 8}, "no possible length"},
               {{2, 1, first, 1, pair, true, 8}, "no possible length"},
               {{1, CODE_WORD_MAX + 1, first, 1, pair, true, 8}, "no possible length"},
               {{1, 1, first, CODE_SYMBOLS_MAX + 1, pair, true, 8}, "too many symbols"},
               {{1, 1, first, 0x1000, pair, false, 0}, "too many symbols"},
               {{1, 1, first, 1, pair, true, 8}, "contradict each other"}, /* symbol 0 stands for
                                                                              itself twice */
               {{1, 1, first, 2, pair, true, 8}, "contradict each other"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Code code;
        const char *wrong = code_init(&code, &bad[i].parts);
        ck_assert_msg(wrong != NULL && strstr(wrong, bad[i].words) != NULL, "%d: %s", (int)i,
                      wrong ? wrong : "taken");
        code_free(&code);
    }
}
END_TEST

/* 2^8 values are the most that a symbol may stand for, for any shape of the tree. */
START_TEST(longest_symbols)
{
    static const uint8_t first[] = {0, 0};
    for (int chain = 0; chain < 2; chain++)
        for (unsigned more = 0; more < 2; more++) {
            unsigned symbols = (chain ? CODE_VALUES_MAX : 9) + more;
            uint8_t *pairs = calloc(symbols, 4);
            format_put16(pairs + 2, CODE_LEAF);
            for (unsigned s = 1; s < symbols; s++) {
                format_put16(pairs + 4 * s, (uint16_t)(s - 1));
                format_put16(pairs + 4 * s + 2, (uint16_t)(chain ? 0 : s - 1));
            }
            CodeParts parts = {9, 9, first, symbols, pairs, true, 1};
            Code code;
            ck_assert_int_eq(code_init(&code, &parts) == NULL, more == 0);
            code_free(&code);
            free(pairs);
        }
}
END_TEST

/* Any bytes, most of them close to a valid code. */
START_TEST(any_bytes)
{
    static uint16_t out[VALUES];
    uint64_t state = 8;
    int taken = 0, whole = 0, done = WILD / test_part();
    for (int i = 0; i < done; i++) {
        unsigned shortest = 1 + next_random31(&state) % 6;
        unsigned longest = shortest + next_random31(&state) % (i % 5 ? 6 : CODE_WORD_MAX - 5);
        unsigned symbols = next_random31(&state) % 12, lengths = longest - shortest + 1;
        bool wide = i % 3 != 0;
        unsigned length = CODE_BLOCK_LEAST + next_random31(&state) % 40, size = wide ? 4 : 3;
        uint8_t *first = malloc(2 * (size_t)lengths), *pairs = malloc((size_t)symbols * size + 1);
        uint8_t *block = malloc(length);
        for (unsigned k = 0; k < 2 * lengths; k++)
            first[k] = k % 2 && i % 7 ? 0 : (uint8_t)(next_random31(&state) % (i % 4 ? 12 : 256));
        for (unsigned s = 0; s < symbols; s++) {
            bool leaf = s == 0 || next_random31(&state) % 2;
            unsigned left = next_random31(&state) % (leaf ? 2 : s);
            unsigned right = leaf ? CODE_LEAF : next_random31(&state) % (i % 9 ? s : 13);
            for (unsigned k = 0; k < 4 && wide; k++)
                pairs[4 * s + k] = (uint8_t)((k < 2 ? left : right) >> 8 * (k % 2));
            uint32_t both = left | (right & 0xfff) << 12;
            for (unsigned k = 0; k < 3 && !wide; k++) pairs[3 * s + k] = (uint8_t)(both >> 8 * k);
        }
        for (unsigned b = 0; b < length; b++) block[b] = (uint8_t)next_random31(&state);
        CodeParts parts = {
            shortest, longest, first, symbols, pairs, wide, i % 4 ? widths[i % 5] : 0};
        Code code;
        if (code_init(&code, &parts) == NULL) {
            taken++;
            whole += check_block(&code, (CodeBlock){block, block + length}, &state, out) == VALUES;
        }
        code_free(&code);
        free(first);
        free(pairs);
        free(block);
    }
    ck_assert_int_gt(taken, done / 10);
    ck_assert_int_lt(taken, done);
    ck_assert_int_gt(whole, 0);
    ck_assert_int_lt(whole, taken);
}
END_TEST

static void nothing(void) {}

int main(void)
{
    Suite *suite = suite_create("code");
    TCase *tests = add_case(suite, "symbols and words", nothing, nothing);
    tcase_add_test(tests, all_ways_agree);
    tcase_add_test(tests, one_symbol);
    tcase_add_test(tests, refused);
    tcase_add_test(tests, longest_symbols);
    tcase_add_test(tests, any_bytes);
    return run_suite(suite);
}
