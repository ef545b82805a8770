/* processes.c - see processes.h. */
#include "gen/solve/processes.h"

#include <string.h>

uint64_t processes_max(const Processes *processes, uint64_t number)
{
    return ~processes->all_min(processes->context, ~number);
}

static treb_status exchange(const Processes *processes, const ProcessExchange *x, treb_error *error)
{
    bool more = true;
    do {
        ReceivedBytes received;
        more = more && x->to != 0;
        treb_status status = more ? x->send(x->context, &more, error) : TREB_OK;
        if (status != TREB_OK) return status;
        processes->finish(processes->context, x->to);
        while (processes->receive(processes->context, x->from, &received)) {
            if (status == TREB_OK) status = x->take(x->context, &received, error);
            processes->release(processes->context, &received);
        }
        if (status != TREB_OK) return status;
    } while (processes->all_min(processes->context, !more) == 0);
    return TREB_OK;
}

treb_status processes_exchange(const Processes *processes, const ProcessExchange *x,
                               treb_error *error)
{
    ProcessTraffic *traffic = processes->traffic;
    const uint64_t before = traffic->bytes;
    treb_status status = exchange(processes, x, error);
    traffic->gathered += traffic->bytes - before;
    traffic->before = traffic->bytes;
    return status;
}

void processes_traffic_start(const Processes *processes)
{
    processes->all_min(processes->context, 0);
    memset(processes->traffic, 0, sizeof *processes->traffic);
}

ProcessTraffic processes_traffic(const Processes *processes)
{
    const ProcessTraffic own = *processes->traffic;
    uint64_t sums[] = {own.bytes, own.messages, own.waiting, own.gathered};
    processes->all_sum(processes->context, sums, 4);
    return (ProcessTraffic){.bytes = sums[0],
                            .messages = sums[1],
                            .waiting = sums[2],
                            .gathered = sums[3],
                            .plies = own.plies,
                            .most = processes_max(processes, own.most)};
}
