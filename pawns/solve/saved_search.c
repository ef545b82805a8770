/* saved_search.c - see saved_search.h. The file has a head, then what the graph knows as one stream
 * of bytes, in blocks that are packed with zstd. Structures with many pieces come first: they find
 * room when the file is read, which small ones before them might have left too little of. */
#include "pawns/solve/saved_search.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "core/system/error.h"
#include "core/system/io.h"

enum { BLOCK = 1 << 20, LEVEL = 1, ORDER = 0x01020304 };

static const char magic[8] = "TREBSLV3"; /* the last character is the version */

typedef struct SaveHead {
    char magic[8];
    uint32_t order;  /* ORDER, in the byte order of the machine */
    uint32_t pieces; /* CELLS_PIECES_MAX */
    char fen[TREB_FEN_SIZE];
    uint64_t structures;
    uint64_t checksum; /* of the members above */
} SaveHead;

typedef struct SaveBlock {
    uint32_t plain, packed; /* bytes; 0 at the end */
    /* Of the packed bytes and the block's number; at the end the number of blocks. */
    uint64_t checksum;
} SaveBlock;

/* Flags of a structure: it has sets; an oracle answers for it; by winner: decided for the winner,
 * only_winner. */
enum { SOLVED = 1, ORACLE = 2, DECIDED = 4 /* or 8 */, ONLY = 16 /* or 32 */ };

typedef struct SaveStructure {
    CellsKey key;
    uint64_t flags;
} SaveStructure;

typedef struct SaveFile {
    const char *path;
    int file;
    uint64_t offset, blocks;
    uint8_t *plain, *packed;
    size_t size, at; /* number of bytes in `plain`, and of those that were read */
    treb_error *error;
    treb_status status;
} SaveFile;

static bool good(const SaveFile *f) { return f->status == TREB_OK; }

static bool start(SaveFile *f, const char *path, treb_error *error)
{
    *f = (SaveFile){.path = path, .file = -1, .error = error};
    f->plain = malloc(BLOCK);
    f->packed = malloc(ZSTD_compressBound(BLOCK));
    if (f->plain == NULL || f->packed == NULL) f->status = fail_memory(error);
    return good(f);
}

static void end(SaveFile *f)
{
    free(f->plain);
    free(f->packed);
    if (f->file >= 0) close(f->file);
}

/* Fills in the head of a file. The clocks of the position are left out, as they do not matter. */
static void fill_head(SaveHead *head, const ProofGraph *graph, const treb_position *pos)
{
    treb_position plain = *pos;
    plain.halfmove = 0;
    plain.fullmove = 1;
    memset(head, 0, sizeof *head);
    memcpy(head->magic, magic, sizeof magic);
    head->order = ORDER;
    head->pieces = CELLS_PIECES_MAX;
    position_to_fen(&plain, head->fen);
    head->structures = graph->structures;
    head->checksum = XXH3_64bits(head, offsetof(SaveHead, checksum));
}

static uint64_t block_checksum(const SaveFile *f, size_t packed)
{
    return XXH3_64bits_withSeed(f->packed, packed, f->blocks);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void write_bytes(SaveFile *f, const void *bytes, size_t size)
{
    if (!good(f)) return;
    if (io_write_at(f->file, bytes, size, f->offset))
        f->offset += size;
    else
        f->status = fail_errno(f->error, "write", f->path);
}

static void flush(SaveFile *f)
{
    if (!good(f) || f->size == 0) return;
    const size_t packed =
        ZSTD_compress(f->packed, ZSTD_compressBound(BLOCK), f->plain, f->size, LEVEL);
    if (ZSTD_isError(packed)) {
        f->status = fail_memory(f->error);
        return;
    }
    const SaveBlock block = {(uint32_t)f->size, (uint32_t)packed, block_checksum(f, packed)};
    write_bytes(f, &block, sizeof block);
    write_bytes(f, f->packed, packed);
    f->blocks++;
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

static void put_graph(SaveFile *f, const ProofGraph *graph)
{
    for (int men = CELLS_PIECES_MAX; men >= 0; men--)
        for (int p = 0; p < PROOF_GRAPH_POTENTIALS; p++)
            for (int i = 0; i < graph->count[p]; i++)
                if (graph->by_potential[p][i]->key.pieces == men)
                    put_structure(f, graph->by_potential[p][i]);
    flush(f);
    write_bytes(f, &(SaveBlock){0, 0, f->blocks}, sizeof(SaveBlock));
}

/* Removes unfinished copies of this file whose processes do not exist any more. */
static void remove_unfinished(const char *folder, const char *name)
{
    DIR *list = opendir(folder);
    const size_t length = strlen(name), mark = sizeof IO_TEMPORARY - 1;
    for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
        const char *at = entry->d_name;
        if (at[0] != '.' || strncmp(at + 1, name, length) != 0 ||
            strncmp(at + 1 + length, IO_TEMPORARY, mark) != 0)
            continue;
        const char *digits = at + 1 + length + mark;
        const long owner =
            strspn(digits, "0123456789") == strlen(digits) ? strtol(digits, NULL, 10) : 0;
        if (owner > 0 && owner < INT_MAX && kill((pid_t)owner, 0) != 0 && errno == ESRCH)
            unlinkat(dirfd(list), at, 0);
    }
    if (list != NULL) closedir(list);
}

treb_status saved_search_write(ProofGraph *graph, const treb_position *pos, const char *path,
                               treb_error *error)
{
    SaveFile f;
    SaveHead head;
    const char *name = io_name(path);
    /* After an oracle has failed values may be wrong: they must not be saved. */
    if (!proof_graph_sound(graph))
        return fail(error, TREB_ERR_IO,
                    "nothing was saved to %s, as a table could not be read or memory ran out",
                    fail_path(path));
    char *folder = io_folder(path);
    char *temporary = folder != NULL ? io_temporary_path(folder, name, "") : NULL;
    start(&f, path, error);
    if (temporary == NULL) f.status = fail_memory(error);
    if (good(&f)) remove_unfinished(folder, name);
    if (good(&f) && (f.file = io_create(temporary)) < 0)
        f.status = fail_errno(error, "write", path);
    if (good(&f)) {
        fill_head(&head, graph, pos);
        write_bytes(&f, &head, sizeof head);
        put_graph(&f, graph);
        const int file = f.file;
        f.file = -1;
        if (!good(&f)) {
            close(file);
            unlink(temporary);
        } else if (!io_publish(file, temporary, path, folder))
            f.status = fail_errno(error, "write", path);
    }
    end(&f);
    free(temporary);
    free(folder);
    return f.status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void damaged(SaveFile *f)
{
    if (good(f))
        f->status =
            fail(f->error, TREB_ERR_DAMAGED,
                 "%s is damaged or not complete: delete it to start again", fail_path(f->path));
}

static void read_bytes(SaveFile *f, void *bytes, size_t size)
{
    if (!good(f)) return;
    if (io_read_at(f->file, bytes, size, f->offset))
        f->offset += size;
    else if (errno == 0)
        damaged(f);
    else
        f->status = fail_errno(f->error, "read", f->path);
}

static void next_block(SaveFile *f)
{
    SaveBlock block = {0};
    read_bytes(f, &block, sizeof block);
    if (good(f) &&
        (block.plain == 0 || block.plain > BLOCK || block.packed > ZSTD_compressBound(BLOCK)))
        damaged(f);
    read_bytes(f, f->packed, good(f) ? block.packed : 0);
    if (!good(f)) return;
    if (block.checksum != block_checksum(f, block.packed) ||
        ZSTD_decompress(f->plain, BLOCK, f->packed, block.packed) != block.plain)
        damaged(f);
    f->blocks++;
    f->size = block.plain;
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
            fail(f->error, TREB_ERR_MEMORY, "%s has more than --memory allows", fail_path(f->path));
    else if (structure == NULL)
        f->status = fail_memory(f->error);
    else if (head.flags & ORACLE && structure->oracle == NULL)
        f->status =
            fail(f->error, TREB_ERR_NO_TABLE,
                 "%s was made with tables that are missing now: give --tables", fail_path(f->path));
    else if (head.flags & SOLVED)
        get_sets(f, graph, structure, head.flags);
}

static void check_head(SaveFile *f, SaveHead *head, const ProofGraph *graph,
                       const treb_position *pos)
{
    SaveHead mine;
    fill_head(&mine, graph, pos);
    read_bytes(f, head, sizeof *head);
    if (!good(f)) return;
    if (memcmp(head->magic, magic, sizeof magic - 1) != 0)
        f->status = fail(f->error, TREB_ERR_DAMAGED, "%s is not a file of 'trebuchet solve --save'",
                         fail_path(f->path));
    else if (memcmp(head->magic, magic, sizeof magic) != 0 || head->order != ORDER ||
             head->pieces != mine.pieces)
        f->status =
            fail(f->error, TREB_ERR_DAMAGED, "%s was written by another kind of machine or program",
                 fail_path(f->path));
    else if (head->checksum != XXH3_64bits(head, offsetof(SaveHead, checksum)))
        damaged(f);
    else if (strcmp(head->fen, mine.fen) != 0)
        f->status = fail(f->error, TREB_ERR_ARGUMENT, "%s is of another position: %s",
                         fail_path(f->path), head->fen);
}

static void read_all(SaveFile *f, ProofGraph *graph, const treb_position *pos)
{
    SaveHead head;
    SaveBlock last;
    uint8_t more;
    check_head(f, &head, graph, pos);
    for (uint64_t i = 0; good(f) && i < head.structures; i++) get_structure(f, graph);
    if (good(f) && f->at != f->size) damaged(f);
    read_bytes(f, &last, sizeof last);
    if (good(f) && (last.plain != 0 || last.packed != 0 || last.checksum != f->blocks)) damaged(f);
    if (good(f) && (io_read_at(f->file, &more, 1, f->offset) || errno != 0)) damaged(f);
}

treb_status saved_search_read(ProofGraph *graph, const treb_position *pos, const char *path,
                              bool *found, treb_error *error)
{
    SaveFile f;
    assert(graph->structures == 0);
    *found = false;
    if (!start(&f, path, error)) {
        end(&f);
        return f.status;
    }
    treb_error why;
    struct stat about;
    f.file = io_open_regular(path, &about, &why);
    if (f.file < 0 && errno != ENOENT) f.status = fail_again(error, &why);
    if (f.file >= 0) {
        *found = true;
        read_all(&f, graph, pos);
    }
    end(&f);
    return f.status;
}
