/* probe_same.c - where DTC is DTZ.
 *
 * Without pawns the moves that zero the clock are the conversions. The two distances can differ
 * only where the 50-move rule spoils a win behind a capture: DTZ does without such a capture, or
 * counts 100 more. So DTC is nowhere more than DTZ, and if both add up to the same over all
 * positions of an ending they are the same everywhere. The histograms in the files tell. */
#include "probe/file_open.h"
#include "probe/probe.h"

/* Returns the sum of the distances in a file; 0 if it is not known. */
static uint64_t plies_of(const ProbeReader *reader, ProbeFile *file)
{
    const OpenTable *open;
    if (file == NULL || file->format != TREB_FORMAT_TREBUCHET) return 0;
    return file_get(reader, file, &open, NULL) < 0 ? 0 : open->plies;
}

bool distance_dtc_is_dtz(const ProbeReader *reader, const treb_position *pos)
{
    if (pos->by_type[TREB_PAWN] != 0 || probe_check_covered(pos, NULL) != TREB_OK) return false;
    const SetEntry *entry = set_find(reader->set, pos)->entry;
    uint64_t plies = entry != NULL ? plies_of(reader, entry->file[TREB_DTC]) : 0;
    return plies > 0 && plies == plies_of(reader, entry->file[TREB_DTZ]);
}
