/* cases.c - see cases.h. */
#include <stdlib.h>
#include <string.h>

#include "check/compare/cases.h"

bool cases_init(Cases *cases, unsigned metrics, unsigned most)
{
    cases->most = most;
    for (int m = 0; m <= TREB_DTM50; m++) {
        CompareCount *count = &cases->result->count[m];
        cases->limit[m] = most > 0 ? UINT64_MAX : 0;
        if (!(metrics >> m & 1) || most == 0 || count->shown != NULL) continue;
        count->shown = calloc(most, sizeof *count->shown);
        if (count->shown == NULL) return false;
    }
    return true;
}

/* Probes a position again for the full answer, with the error text if there is no answer. */
static CompareValue value_of(const treb_tables *tables, const treb_position *pos,
                             treb_metric metric)
{
    treb_error why;
    CompareValue value = {0};
    value.status = treb_probe_distance(tables, pos, metric, &value.distance, &why);
    if (value.status != TREB_OK) value.text = strdup(why.text);
    return value;
}

static void case_free(CompareCase *one)
{
    for (int s = 0; s < 2; s++) free(one->value[s].text);
}

/* Inserts a difference into the sorted list. If the list is full, removes the last one. */
static void keep(Cases *cases, treb_metric metric, const treb_position *pos, uint64_t key)
{
    CompareCount *count = &cases->result->count[metric];
    size_t at = count->shown_count;
    if (at == cases->most && count->shown[at - 1].key < key) return;
    CompareCase one = {.key = key};
    position_to_fen(pos, one.fen);
    for (int s = 0; s < 2; s++) {
        one.value[s] = value_of(cases->tables[s], pos, metric);
        if (one.value[s].status == TREB_ERR_MEMORY) cases->no_memory = true;
    }
    if (at == cases->most) case_free(&count->shown[--at]);
    count->shown_count = at + 1;
    for (; at > 0 && count->shown[at - 1].key > key; at--) count->shown[at] = count->shown[at - 1];
    count->shown[at] = one;
    if (count->shown_count == cases->most) cases->limit[metric] = count->shown[cases->most - 1].key;
}

/* Whether two distances can be equal. A rounded distance stands for a number of plies or that
 * number plus 1. */
static bool may_be_equal(int a, int b)
{
    int least_a = distance_plies(a), least_b = distance_plies(b);
    return least_a <= least_b + distance_rounded(b) && least_b <= least_a + distance_rounded(a);
}

void cases_count(Cases *cases, CompareCounts *counts, treb_metric metric, const treb_position *pos,
                 uint64_t key, const int verdict[2], const int distance[2])
{
    bool same = verdict[0] == verdict[1];
    if (verdict[0] < 0 || verdict[1] < 0 || distance[0] < 0 || distance[1] < 0) {
        counts->of[metric].unknown++;
        if (distance[0] == -(int)TREB_ERR_MEMORY || distance[1] == -(int)TREB_ERR_MEMORY)
            cases->no_memory = true;
    } else if (same && distance[0] == distance[1]) {
        counts->of[metric].equal++;
        return;
    } else if (same && may_be_equal(distance[0], distance[1])) {
        counts->of[metric].rounded++;
        return;
    } else {
        counts->of[metric].different++;
    }
    if (key >= cases->limit[metric]) return;
#pragma omp critical(compare_cases)
    keep(cases, metric, pos, key);
}

void cases_add(Cases *cases, const CompareCounts *counts)
{
    CompareResult *result = cases->result;
    result->positions += counts->positions;
    result->en_passant += counts->en_passant;
    for (int m = 0; m <= TREB_DTM50; m++) {
        result->count[m].equal += counts->of[m].equal;
        result->count[m].rounded += counts->of[m].rounded;
        result->count[m].different += counts->of[m].different;
        result->count[m].unknown += counts->of[m].unknown;
    }
}

void compare_result_free(CompareResult *result)
{
    for (int m = 0; m <= TREB_DTM50; m++) {
        CompareCount *count = &result->count[m];
        for (size_t i = 0; i < count->shown_count; i++) case_free(&count->shown[i]);
        free(count->shown);
        count->shown = NULL;
        count->shown_count = 0;
    }
}
