/* bench_ranks.c - what ranks take to solve a table together, by the generator's own sums, without solving it:
 * bench_ranks MATERIAL THREADS RANKS... Bytes of all sets of a slice for the largest share, and of the work
 * space of so many threads; planes of its own and of its halo. */
#include <stdio.h>
#include <stdlib.h>

#include "gen/solve/solve.h"

int main(int argc, char **argv)
{
    Shape shape;
    Material material;
    const unsigned metrics = (1u << TREB_METRICS) - 1;
    if (argc < 4 || !material_parse(argv[1], &material) || !shape_init(&shape, &material)) {
        fprintf(stderr, "usage: bench_ranks MATERIAL THREADS RANKS...\n");
        return 2;
    }
    const int threads = atoi(argv[2]);
    printf("%s: %llu slices, %u planes of %zu cells, a set of a slice %.3f GB%s\n", argv[1],
           (unsigned long long)shape.index.slices, shape.kings, shape.plane_cells,
           1e-9 * (double)(8 * shape.words), shape.pair ? ", half of it empty" : "");
    for (int i = 3; i < argc; i++) {
        const Ranks ranks = {.count = atoi(argv[i])};
        SharePlanes planes;
        if (ranks.count < 1 || ranks.count > RANKS_MOST) return 2;
        share_largest(&shape, &ranks, &planes);
        const double sets = (double)solver_sets(&shape, threads, &ranks).all,
                     all = (double)solver_memory(&shape, metrics, threads, &ranks);
        printf("%2d ranks: %4u planes, %4u and %4u with the halo; sets %8.3f GB, %5.2f times an even "
               "share; %d threads and logs' least %.3f GB\n",
               ranks.count, planes.own, planes.with[0], planes.with[1], 1e-9 * sets,
               sets * ranks.count / (double)solver_sets(&shape, threads, NULL).all, threads,
               1e-9 * (all - sets));
    }
    shape_free(&shape);
    return 0;
}
