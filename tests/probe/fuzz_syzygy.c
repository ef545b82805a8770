/* fuzz_syzygy.c - a libFuzzer target: Syzygy files of arbitrary bytes. Opening one ends with a
 * table or an error, and so does reading any position. The last byte chooses the material that the
 * file is read as, so that the files of tests/data/syzygy are seeds. */
#include "probe/syzygy/syzygy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const names[] = {"KQvK",   "KRvK",   "KPvK",  "KBvKN",    "KNNvK",   "KPvKP",
                                    "KRPvKR", "KPPvKP", "KQvKQ", "KRBBvKNN", "KPPPvKPP"};
enum { NAMES = sizeof names / sizeof *names, READS = 64 };

/* Makes an index with a random order of men. The file has another order of its own. */
static bool any_index(SyzygyIndex *index, const SyzygyMaps *maps, const Material *material,
                      int file)
{
    uint8_t man[SYZYGY_MEN_MAX];
    int count = 0, second = 15;
    static const uint8_t first[2] = {0, 8};
    for (int color = 0; color < 2; color++)
        for (int i = 0; i < material->count[color][TREB_PAWN]; i++)
            man[count++] = (uint8_t)(first[color] + 1);
    if (material->count[0][TREB_PAWN] && material->count[1][TREB_PAWN]) second = 1;
    for (int single = 1; single >= 0; single--)
        for (int color = 0; color < 2; color++)
            for (int type = TREB_KING; type > TREB_PAWN; type--)
                for (int i = 0; i < material->count[color][type]; i++)
                    if ((material->count[color][type] == 1) == (single == 1))
                        man[count++] = (uint8_t)(first[color] + type + 1);
    return syzygy_index_init(index, maps, material, man, 0, second, file);
}

static void read_some(const Syzygy *table, const SyzygyMaps *maps, const Material *material,
                      treb_metric metric)
{
    treb_error error;
    uint64_t random = 1;
    int files = material_has_pawns(material) ? 4 : 1;
    for (int n = 0; n < READS; n++) {
        SyzygyIndex index;
        treb_position pos;
        if (!any_index(&index, maps, material, n % files)) abort();
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        int turn = material_symmetric(material) ? TREB_WHITE : n / 4 % 2;
        syzygy_position_of(&index, maps, n % files, (random >> 20) % index.size, turn, &pos);
        int value = TREB_LOSS;
        if (metric == TREB_WDL)
            value = syzygy_verdict(table, &pos, &error);
        else if (syzygy_stores(table, &pos))
            value = syzygy_dtz(table, &pos, n % 2 ? TREB_CURSED_WIN : TREB_LOSS, &error);
        if (value < 0 && (value != -TREB_ERR_DAMAGED || error.status != TREB_ERR_DAMAGED)) abort();
        if (metric == TREB_WDL && value > TREB_WIN) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static SyzygyMaps maps;
    static bool filled;
    if (!filled) syzygy_maps_fill(&maps);
    filled = true;
    if (size < 1) return 0;
    char path[64];
    Material material;
    treb_error error;
    if (!material_parse(names[data[size - 1] % NAMES], &material)) abort();
    treb_metric metric = data[size - 1] & 128 ? TREB_DTZ : TREB_WDL;
    /* Only the sizes of whole files pass the first check. */
    size_t whole = (size - 1) / 64 * 64 + 16 + 64;
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)whole) != 0) abort();
    static const uint8_t magic[2][4] = {{0x71, 0xe8, 0x23, 0x5d}, {0xd7, 0x66, 0x0c, 0xa5}};
    if (pwrite(file, data, size - 1, 0) != (ssize_t)(size - 1)) abort();
    if (pwrite(file, magic[metric == TREB_DTZ], 4, 0) != 4) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    Syzygy *table = syzygy_open(path, &material, metric, &maps, &error);
    if (table == NULL && error.status != TREB_ERR_DAMAGED) abort();
    if (table != NULL) {
        read_some(table, &maps, &material, metric);
        syzygy_check(table, &error);
    }
    syzygy_close(table);
    close(file);
    return 0;
}
