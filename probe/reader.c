/* reader.c - see reader.h. */
#include "probe/reader.h"

#include "probe/file.h"

bool reader_note(const ProbeReader *reader, const FetchJob *job)
{
    if (reader->missing == NULL) return fetcher_post(&job->file->pool->fetcher, job);
    fetch_list_add(reader->missing, job);
    return true;
}
