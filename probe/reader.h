/* reader.h - how one probe reads tables. Private to probe/.
 *
 * Every function on the path of a probe takes a ProbeReader: from the set (probe/set.h) down to a
 * cell (probe/file_cell.h). It says which tables are probed, and what happens when something must
 * be read that is not in memory:
 *
 *   wait              what the probe does
 *   WAIT_FOR_ALL      waits for disks and servers; never returns TREB_ERR_NOT_READY
 *   WAIT_NEVER        does not wait: returns TREB_ERR_NOT_READY, and has missing bytes fetched
 *   WAIT_NEVER_FETCH  reads nothing: has all bytes fetched that are not in our cache
 *   WAIT_LOCAL_ONLY   waits for disks of this machine, but not for servers
 *
 * Missing bytes are fetched by the system's read-ahead or by the fetcher thread (probe/fetcher.h),
 * unless the reader has a list of its own for them. */
#ifndef TREB_PROBE_READER_H
#define TREB_PROBE_READER_H

#include "core/format/code.h"
#include "core/format/table_files.h"
#include "probe/fetch_list.h"

/* Cells that one call has decoded, so that it need not decode them again: the moves of a position are
 * valued metric by metric, each time by the same positions behind them. A cell that finds its place
 * taken replaces the other. Many of these positions differ by the square of one man, and their cells are
 * near each other: so the blocks that were read are remembered, too.
 * Set `used` to false: the rest is cleared when the first cell is decoded, which most calls never come
 * to. */
enum { MEMO_CELLS = 512 };
typedef struct MemoCell {
    const void *file;    /* NULL: no cell */
    uint64_t cell, code; /* `cell`: its number, times 2, and the side */
} MemoCell;
typedef struct CellMemo {
    bool used;
    MemoCell of[MEMO_CELLS];
    CodeMemo blocks;
} CellMemo;

typedef struct ProbeReader {
    const treb_tables *set; /* the tables that are probed; not used for single files */
    TableWait wait;
    FetchList *missing; /* for what is missing in memory; NULL: the fetcher thread gets it */
    CellMemo *memo;     /* NULL: each cell is read as often as it is needed */
} ProbeReader;

/* A reader of single files that waits for whatever is not in memory. */
static inline ProbeReader reader_waiting(void) { return (ProbeReader){.wait = WAIT_FOR_ALL}; }

/* Whether the reader waits for a disk of this machine. */
static inline bool reader_waits_for_disk(const ProbeReader *reader)
{
    return reader->wait == WAIT_FOR_ALL || reader->wait == WAIT_LOCAL_ONLY;
}

/* Notes that something is missing in memory. False if there is neither a list nor a fetcher thread,
 * so that the caller has to ask the system itself. */
bool reader_note(const ProbeReader *reader, const FetchJob *job);

#endif
