/* bench_processes.c - prints the memory of processes that solve a table together, as the generator
 * estimates it. It solves nothing.
 *
 *     bench_processes MATERIAL THREADS PROCESSES...
 *
 * Prints, for the process that needs most, the bytes of all sets of a slice, the bytes of the work
 * space for THREADS threads, the number of its own planes and the number of its ghost planes. */
#include <stdio.h>
#include <stdlib.h>

#include "gen/solve/partition.h"
#include "gen/solve/solve.h"

int main(int argc, char **argv)
{
    Layout layout;
    Material material;
    const unsigned metrics = (1u << TREB_METRICS) - 1;
    if (argc < 4 || !material_parse(argv[1], &material) || !layout_init(&layout, &material)) {
        fprintf(stderr, "usage: bench_processes MATERIAL THREADS PROCESSES...\n");
        return 2;
    }
    const int threads = atoi(argv[2]);
    printf("%s: %llu slices, %u planes of %zu cells, a set of a slice %.3f GB%s\n", argv[1],
           (unsigned long long)layout.index.slices, layout.kings, layout.plane_cells,
           1e-9 * (double)(8 * layout.words), layout.pair ? ", half of it empty" : "");
    for (int i = 3; i < argc; i++) {
        const Processes processes = {.count = atoi(argv[i])};
        PartitionSize planes;
        if (processes.count < 1 || processes.count > PROCESSES_MAX) return 2;
        partition_largest(&layout, &processes, &planes);
        const double sets = (double)solver_sets(&layout, threads, &processes).all,
                     all = (double)solver_memory(&layout, metrics, threads, &processes);
        printf(
            "%2d processes: %4u planes, %4u and %4u with ghosts; sets %8.3f GB, %5.2f times an even "
            "share; %d threads and logs' least %.3f GB\n",
            processes.count, planes.own, planes.with[0], planes.with[1], 1e-9 * sets,
            sets * processes.count / (double)solver_sets(&layout, threads, NULL).all, threads,
            1e-9 * (all - sets));
    }
    layout_free(&layout);
    return 0;
}
