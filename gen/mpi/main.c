/* main.c - the trebuchet-mpi command: several processes make tables together, under mpirun. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "cli/gen_options.h"
#include "cli/output.h"
#include "cli/text.h"
#include "core/system/tool.h"
#include "gen/mpi/transport.h"

/* Looks at the arguments before anything is done; in the first process only. Returns an exit code, or -1 to go on. */
static int look_at_arguments(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "gen") == 0) return -1;
    bool help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    bool version = argc > 1 && strcmp(argv[1], "--version") == 0;
    if (version) puts("trebuchet-mpi " TREB_VERSION);
    if (!version) gen_print_mpi_help(help ? stdout : stderr);
    return help || version ? CLI_OK : CLI_USAGE;
}

int main(int argc, char **argv)
{
    int threads, code = CLI_FAILED;
    Processes processes;
    tool_wait_quietly(argv);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &threads);
    Transport *transport = transport_new(&processes);
    cli_program = "trebuchet-mpi";
    if (threads < MPI_THREAD_SERIALIZED)
        processes.end_job(processes.context,
                          "this MPI library does not support threads (MPI_THREAD_SERIALIZED)");
    if (processes.count > PROCESSES_MAX)
        processes.end_job(processes.context,
                          "more than 64 processes: give each more threads instead");
    if (processes.index == 0) code = look_at_arguments(argc, argv);
    processes.broadcast(processes.context, &code, sizeof code);
    if (code < 0) code = cli_gen_mpi(argc - 1, argv + 1, &processes);
    transport_free(transport);
    MPI_Finalize();
    return code;
}
