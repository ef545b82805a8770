/* fetch_list.c - see fetch_list.h. */
#include "probe/fetch_list.h"

static bool same_job(const FetchJob *a, const FetchJob *b)
{
    return a->file == b->file && a->kind == b->kind && a->side == b->side && a->at == b->at &&
           a->size == b->size;
}

bool fetch_list_has(const FetchList *list, const FetchJob *job)
{
    for (unsigned i = 0; i < list->count; i++)
        if (same_job(&list->jobs[i], job)) return true;
    return false;
}

void fetch_list_add(FetchList *list, const FetchJob *job)
{
    if (list->count < FETCH_JOBS && !fetch_list_has(list, job)) list->jobs[list->count++] = *job;
}
