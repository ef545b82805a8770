/* report.c - see report.h. */
#include "gen/report.h"

#include "core/system/tool.h"

/* Returns the most memory that any process has taken so far, in bytes. */
static uint64_t largest_process(const Processes *processes)
{
    return processes_max(processes, tool_memory_most());
}

void report_solving(GenerateReport *report, const Layout *layout, const Processes *processes)
{
    report->traffic = processes_traffic(processes);
    report->largest[0] = largest_process(processes);
    report->sets = solver_sets(layout, 0, processes).all;
    processes_traffic_start(processes);
}

void report_writing(GenerateReport *report, const Layout *layout, const Processes *processes)
{
    if (processes_writing(processes, layout) != NULL)
        report->writing = processes_traffic(processes);
    report->largest[1] = largest_process(processes);
}
