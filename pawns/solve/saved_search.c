/* saved_search.c - see saved_search.h. What the graph knows is one stream of bytes, cut into chunks of a file
 * (core/system/spill_file.h); the list at its end says for which position it is. Structures with many pieces come
 * first: they find room when the file is read, which small ones before them might have left too little of. */
#include "pawns/solve/saved_search.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/spill_file.h"
#include "core/system/tool.h"

enum { BLOCK = 1 << 20 /* bytes of a chunk; the last one has fewer */ };

static const uint64_t saved_mark = UINT64_C(0x34564c5342455254); /* "TREBSLV" and a version */

/* Flags of a structure: it has sets; an oracle answers for it; by winner: decided for the winner,
 * only_winner. */
enum { SOLVED = 1, ORACLE = 2, DECIDED = 4 /* or 8 */, ONLY = 16 /* or 32 */ };

typedef struct SaveStructure {
    CellsKey key;
    uint64_t flags;
} SaveStructure;

typedef struct SaveFile {
    SpillFile spill;
    State list; /* a head, and where the chunks are */
    uint8_t *plain, *packed;
    size_t size, at; /* number of bytes in `plain`, and of those that were read */
    treb_error *error;
    treb_status status;
} SaveFile;

static bool good(const SaveFile *f) { return f->status == TREB_OK; }

static bool start(SaveFile *f, treb_error *error)
{
    *f = (SaveFile){.spill.file = -1, .error = error};
    f->plain = malloc(BLOCK);
    f->packed = malloc(spill_bound(BLOCK));
    if (f->plain == NULL || f->packed == NULL) f->status = fail_memory(error);
    return good(f);
}

static void end(SaveFile *f)
{
    free(f->plain);
    free(f->packed);
    state_free(&f->list);
}

/* Writes the position as text. The clocks are left out, as they do not matter. */
static void plain_fen(const treb_position *pos, char fen[TREB_FEN_SIZE])
{
    treb_position plain = *pos;
    plain.halfmove = 0;
    plain.fullmove = 1;
    memset(fen, 0, TREB_FEN_SIZE);
    position_to_fen(&plain, fen);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void flush(SaveFile *f)
{
    SpillChunk chunk;
    if (!good(f) || f->size == 0) return;
    f->status = spill_write(&f->spill, f->plain, f->size, f->packed, &chunk, f->error);
    state_put_bytes(&f->list, &chunk, sizeof chunk);
    f->size = 0;
}

static void put(SaveFile *f, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    while (size > 0 && good(f)) {
        const size_t room = BLOCK - f->size, part = size < room ? size : room;
        memcpy(f->plain + f->size, from, part);
        f->size += part;
        from += part;
        size -= part;
        if (f->size == BLOCK) flush(f);
    }
}

/* The last level of a winner's sets in the file; below SURE if there are none. */
static int last_level(uint64_t flags, int winner)
{
    if (flags >> !winner & ONLY) return SURE - 1;
    return flags >> winner & DECIDED ? SURE : MAYBE;
}

static void put_structure(SaveFile *f, const Structure *structure)
{
    SaveStructure head;
    const size_t bytes = cells_words(&structure->key) * sizeof(uint64_t);
    const bool sets = structure->oracle == NULL && structure->solved;
    memset(&head, 0, sizeof head);
    head.key = structure->key;
    head.flags = (sets ? SOLVED : 0) | (structure->oracle != NULL ? ORACLE : 0);
    for (int winner = 0; winner < 2; winner++)
        if (structure_decided_for(structure, winner)) head.flags |= (uint64_t)DECIDED << winner;
    if (structure->only_winner != BOTH_WINNERS)
        head.flags |= (uint64_t)(DECIDED | ONLY) << structure->only_winner;
    put(f, &head, sizeof head);
    for (int winner = 0; winner < 2 && sets; winner++)
        for (int level = SURE; level <= last_level(head.flags, winner); level++)
            for (int side = 0; side < 2; side++) put(f, structure->won[level][winner][side], bytes);
    for (int side = 0; side < 2 && sets; side++) put(f, structure->stuck[side], bytes);
}

static void put_graph(SaveFile *f, const ProofGraph *graph, const treb_position *pos)
{
    char fen[TREB_FEN_SIZE];
    plain_fen(pos, fen);
    state_put(&f->list, CELLS_PIECES_MAX);
    state_put_bytes(&f->list, fen, sizeof fen);
    state_put(&f->list, graph->structures);
    for (int men = CELLS_PIECES_MAX; men >= 0; men--)
        for (int p = 0; p < PROOF_GRAPH_POTENTIALS; p++)
            for (int i = 0; i < graph->count[p]; i++)
                if (graph->by_potential[p][i]->key.pieces == men)
                    put_structure(f, graph->by_potential[p][i]);
    flush(f);
}

typedef struct Unfinished {
    const char *name; /* of the file when it is finished */
    char *folder;
} Unfinished;

/* A SystemEntry. */
static bool remove_entry(void *context, const char *entry)
{
    const Unfinished *u = context;
    const size_t length = strlen(u->name), mark = sizeof IO_TEMPORARY - 1;
    if (entry[0] != '.' || strncmp(entry + 1, u->name, length) != 0 ||
        strncmp(entry + 1 + length, IO_TEMPORARY, mark) != 0)
        return true;
    const char *digits = entry + 1 + length + mark;
    const long owner =
        strspn(digits, "0123456789") == strlen(digits) ? strtol(digits, NULL, 10) : 0;
    if (owner <= 0 || owner >= INT_MAX || system_runs(owner)) return true;
    char *path = io_path(u->folder, entry);
    if (path != NULL) system_delete(path);
    free(path);
    return true;
}

/* Removes unfinished copies of this file whose processes do not exist any more. */
static void remove_unfinished(const char *path)
{
    Unfinished unfinished = {io_name(path), io_folder(path)};
    if (unfinished.folder == NULL) return;
    system_list(unfinished.folder, remove_entry, &unfinished);
    free(unfinished.folder);
}

treb_status saved_search_write(ProofGraph *graph, const treb_position *pos, const char *path,
                               treb_error *error)
{
    SaveFile f;
    /* After an oracle has failed values may be wrong: they must not be saved. */
    if (!proof_graph_sound(graph))
        return fail(error, TREB_ERR_IO,
                    "nothing was saved to %s, as a table could not be read or memory ran out",
                    fail_path(path));
    remove_unfinished(path);
    if (start(&f, error)) f.status = spill_begin(&f.spill, path, saved_mark, error);
    if (good(&f)) put_graph(&f, graph, pos);
    if (good(&f)) f.status = spill_finish(&f.spill, path, &f.list, error);
    spill_remove(&f.spill);
    end(&f);
    return f.status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void damaged(SaveFile *f)
{
    if (good(f)) f->status = spill_fail_damaged(&f->spill, f->error);
}

static void next_block(SaveFile *f)
{
    SpillChunk chunk;
    state_get_bytes(&f->list, &chunk, sizeof chunk);
    if (chunk.size == 0 || chunk.size > BLOCK || chunk.packed > spill_bound(BLOCK)) damaged(f);
    if (good(f)) f->status = spill_read(&f->spill, &chunk, f->packed, f->plain, f->error);
    f->size = chunk.size;
    f->at = 0;
}

static void get(SaveFile *f, void *bytes, size_t size)
{
    uint8_t *to = bytes;
    while (size > 0 && good(f)) {
        if (f->at == f->size) next_block(f);
        const size_t left = good(f) ? f->size - f->at : 0, part = size < left ? size : left;
        memcpy(to, f->plain + f->at, part);
        f->at += part;
        to += part;
        size -= part;
    }
}

static bool key_fits(const CellsKey *key)
{
    CellsKey sorted = *key;
    if (key->pieces > CELLS_PIECES_MAX || key->zero != 0 || (key->pawns[0] & key->pawns[1]) != 0)
        return false;
    if (cells_pawns(key) & (rank_bits(0) | rank_bits(7))) return false;
    cells_sort(&sorted);
    return memcmp(&sorted, key, sizeof sorted) == 0;
}

static void get_sets(SaveFile *f, ProofGraph *graph, Structure *structure, uint64_t flags)
{
    const size_t bytes = cells_words(&structure->key) * sizeof(uint64_t);
    const uint64_t before = structure_bytes(structure);
    for (int winner = 0; winner < 2; winner++) {
        const bool decided_for = flags >> winner & DECIDED;
        for (int level = SURE; level <= last_level(flags, winner); level++)
            for (int side = 0; side < 2; side++) get(f, structure->won[level][winner][side], bytes);
        if (structure->only_winner != BOTH_WINNERS) continue;
        for (int side = 0; side < 2 && !decided_for; side++)
            memcpy(structure->won[GUESS][winner][side], structure->won[MAYBE][winner][side], bytes);
        if (decided_for) structure_decide_for(structure, winner);
    }
    for (int side = 0; side < 2; side++) get(f, structure->stuck[side], bytes);
    if (structure->only_winner != BOTH_WINNERS) structure_note_not_won(structure);
    graph->bytes -= before - structure_bytes(structure);
    structure->solved = true;
    /* Guesses are not saved: solving the structure again makes them. */
    structure->stale = !structure->decided && structure->only_winner == BOTH_WINNERS;
}

static void get_structure(SaveFile *f, ProofGraph *graph)
{
    SaveStructure head;
    get(f, &head, sizeof head);
    if (!good(f)) return;
    const int only = head.flags & ONLY        ? TREB_WHITE
                     : head.flags >> 1 & ONLY ? TREB_BLACK
                                              : BOTH_WINNERS;
    if (!key_fits(&head.key) || proof_graph_find(graph, &head.key) != NULL ||
        (only != BOTH_WINNERS && head.key.pieces > 1)) {
        damaged(f);
        return;
    }
    Structure *structure = proof_graph_add(graph, &head.key, (head.flags & SOLVED) == 0, only);
    if (structure == NULL && graph->full)
        f->status =
            fail(f->error, TREB_ERR_MEMORY, "%s has more than --memory allows", fail_path(f->spill.path));
    else if (structure == NULL)
        f->status = fail_memory(f->error);
    else if (head.flags & ORACLE && structure->oracle == NULL)
        f->status =
            fail(f->error, TREB_ERR_NO_TABLE,
                 "%s was made with tables that are missing now: give --tables", fail_path(f->spill.path));
    else if (head.flags & SOLVED)
        get_sets(f, graph, structure, head.flags);
}

static void read_all(SaveFile *f, ProofGraph *graph, const treb_position *pos)
{
    char fen[TREB_FEN_SIZE], own[TREB_FEN_SIZE];
    plain_fen(pos, own);
    if (state_get(&f->list) != CELLS_PIECES_MAX) damaged(f);
    state_get_bytes(&f->list, fen, sizeof fen);
    const uint64_t structures = state_get(&f->list);
    if (good(f) && memcmp(fen, own, sizeof own) != 0)
        f->status = fail(f->error, TREB_ERR_ARGUMENT, "%s is of another position: %.*s",
                         fail_path(f->spill.path), TREB_FEN_SIZE, fen);
    for (uint64_t i = 0; good(f) && i < structures; i++) get_structure(f, graph);
    if (f->at != f->size || f->list.failed || f->list.at != f->list.size) damaged(f);
}

treb_status saved_search_read(ProofGraph *graph, const treb_position *pos, const char *path,
                              bool *found, treb_error *error)
{
    SaveFile f;
    assert(graph->structures == 0);
    *found = tool_may(path, TOOL_EXISTS) || errno != ENOENT;
    if (!*found) return TREB_OK;
    if (start(&f, error)) f.status = spill_open(&f.spill, path, saved_mark, &f.list, error);
    if (good(&f)) read_all(&f, graph, pos);
    spill_close(&f.spill);
    end(&f);
    return f.status;
}
