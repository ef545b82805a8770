/* test_checksum.c - the checksum of table files must be that of libxxhash, for all sizes up to a few
 * rounds of the function, at any address, with and without a seed. */
#include "core/format/checksum.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

#include <xxhash.h>

enum { SIZES = 2500, SPARE = 8 };

START_TEST(as_libxxhash)
{
    static const uint64_t seeds[] = {
        0, 1, 77, UINT64_C(1) << 32, UINT64_C(0x9e3779b97f4a7c15), UINT64_MAX};
    static uint8_t bytes[SIZES + SPARE];
    uint64_t state = 5;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)next_random31(&state);
    for (size_t size = 0; size < SIZES; size++)
        for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++) {
            const uint8_t *at = bytes + size % SPARE;
            ck_assert_uint_eq(checksum(at, size, seeds[s]),
                              XXH3_64bits_withSeed(at, size, seeds[s]));
        }
    ck_assert_uint_eq(checksum(bytes, SIZES, 0), XXH3_64bits(bytes, SIZES));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("checksum");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, as_libxxhash);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
