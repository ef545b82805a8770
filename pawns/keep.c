/* keep.c - see keep.h. A head, then what the lattice knows as a row of bytes, cut into blocks that are packed with zstd.
 * Families with many pieces come first: they find room where small ones would have left none. */
#include "pawns/keep.h"

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

static const char magic[8] = "TREBSLV3"; /* the last: the version */

typedef struct KeepHead {
    char magic[8];
    uint32_t order; /* of bytes, which the machine chooses */
    uint32_t men;   /* that the lattice may have */
    char fen[TREB_FEN_SIZE];
    uint64_t families;
    uint64_t checksum; /* of all before */
} KeepHead;

typedef struct KeepBlock {
    uint32_t plain, packed; /* bytes; none: the end */
    uint64_t checksum;      /* of what is packed, and the block's number */
} KeepBlock;

/* What is known of one family. */
enum { SOLVED = 1, ORACLE = 2, SETTLED = 4 /* and 8, by winner */, ONLY = 16 /* and 32 */ };

typedef struct KeepFamily {
    CellsKey key;
    uint64_t flags;
} KeepFamily;

typedef struct KeepFile {
    const char *path;
    int file;
    uint64_t offset, blocks;
    uint8_t *plain, *packed;
    size_t size, at; /* bytes in `plain`, and those that were taken */
    treb_error *error;
    treb_status status;
} KeepFile;

static bool good(const KeepFile *f) { return f->status == TREB_OK; }

static bool start(KeepFile *f, const char *path, treb_error *error)
{
    *f = (KeepFile){.path = path, .file = -1, .error = error};
    f->plain = malloc(BLOCK);
    f->packed = malloc(ZSTD_compressBound(BLOCK));
    if (f->plain == NULL || f->packed == NULL) f->status = fail_memory(error);
    return good(f);
}

static void end(KeepFile *f)
{
    free(f->plain);
    free(f->packed);
    if (f->file >= 0) close(f->file);
}

/* The clocks do not matter. */
static void fill_head(KeepHead *head, const Lattice *lattice, const treb_position *pos)
{
    treb_position plain = *pos;
    plain.halfmove = 0;
    plain.fullmove = 1;
    memset(head, 0, sizeof *head);
    memcpy(head->magic, magic, sizeof magic);
    head->order = ORDER;
    head->men = CELLS_MEN_MAX;
    position_to_fen(&plain, head->fen);
    head->families = lattice->families;
    head->checksum = XXH3_64bits(head, offsetof(KeepHead, checksum));
}

static uint64_t block_checksum(const KeepFile *f, size_t packed)
{
    return XXH3_64bits_withSeed(f->packed, packed, f->blocks);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void write_bytes(KeepFile *f, const void *bytes, size_t size)
{
    if (!good(f)) return;
    if (io_write_at(f->file, bytes, size, f->offset))
        f->offset += size;
    else
        f->status = fail_errno(f->error, "write", f->path);
}

static void flush(KeepFile *f)
{
    if (!good(f) || f->size == 0) return;
    const size_t packed =
        ZSTD_compress(f->packed, ZSTD_compressBound(BLOCK), f->plain, f->size, LEVEL);
    if (ZSTD_isError(packed)) {
        f->status = fail_memory(f->error);
        return;
    }
    const KeepBlock block = {(uint32_t)f->size, (uint32_t)packed, block_checksum(f, packed)};
    write_bytes(f, &block, sizeof block);
    write_bytes(f, f->packed, packed);
    f->blocks++;
    f->size = 0;
}

static void put(KeepFile *f, const void *bytes, size_t size)
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

/* The last of a winner's levels that the file has of a family; below SURE if it has none. */
static int last_level(uint64_t flags, int winner)
{
    if (flags >> !winner & ONLY) return SURE - 1;
    return flags >> winner & SETTLED ? SURE : MAYBE;
}

static void put_family(KeepFile *f, const Family *family)
{
    KeepFamily head;
    const size_t bytes = cells_words(&family->key) * sizeof(uint64_t);
    const bool sets = family->oracle == NULL && family->solved;
    memset(&head, 0, sizeof head);
    head.key = family->key;
    head.flags = (sets ? SOLVED : 0) | (family->oracle != NULL ? ORACLE : 0);
    for (int winner = 0; winner < 2; winner++)
        if (family_settled(family, winner)) head.flags |= (uint64_t)SETTLED << winner;
    if (family->only != FAMILY_BOTH) head.flags |= (uint64_t)(SETTLED | ONLY) << family->only;
    put(f, &head, sizeof head);
    for (int winner = 0; winner < 2 && sets; winner++)
        for (int level = SURE; level <= last_level(head.flags, winner); level++)
            for (int side = 0; side < 2; side++) put(f, family->won[level][winner][side], bytes);
    for (int side = 0; side < 2 && sets; side++) put(f, family->stuck[side], bytes);
}

static void put_lattice(KeepFile *f, const Lattice *lattice)
{
    for (int men = CELLS_MEN_MAX; men >= 0; men--)
        for (int p = 0; p < LATTICE_POTENTIALS; p++)
            for (int i = 0; i < lattice->count[p]; i++)
                if (lattice->by_potential[p][i]->key.men == men)
                    put_family(f, lattice->by_potential[p][i]);
    flush(f);
    write_bytes(f, &(KeepBlock){0, 0, f->blocks}, sizeof(KeepBlock));
}

/* Removes what processes that are gone have left of this file. */
static void remove_left(const char *folder, const char *name)
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

treb_status keep_write(Lattice *lattice, const treb_position *pos, const char *path,
                       treb_error *error)
{
    KeepFile f;
    KeepHead head;
    const char *name = io_name(path);
    /* What rests on a table that could not be read must not be believed later. */
    if (!lattice_sound(lattice))
        return fail(error, TREB_ERR_IO,
                    "nothing was saved to %s, as a table could not be read or memory is out",
                    fail_path(path));
    char *folder = io_folder(path);
    char *temporary = folder != NULL ? io_temporary_path(folder, name, "") : NULL;
    start(&f, path, error);
    if (temporary == NULL) f.status = fail_memory(error);
    if (good(&f)) remove_left(folder, name);
    if (good(&f) && (f.file = io_create(temporary)) < 0)
        f.status = fail_errno(error, "write", path);
    if (good(&f)) {
        fill_head(&head, lattice, pos);
        write_bytes(&f, &head, sizeof head);
        put_lattice(&f, lattice);
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

static void damaged(KeepFile *f)
{
    if (good(f))
        f->status =
            fail(f->error, TREB_ERR_DAMAGED,
                 "%s is damaged or not complete: delete it to begin anew", fail_path(f->path));
}

static void read_bytes(KeepFile *f, void *bytes, size_t size)
{
    if (!good(f)) return;
    if (io_read_at(f->file, bytes, size, f->offset))
        f->offset += size;
    else if (errno == 0)
        damaged(f);
    else
        f->status = fail_errno(f->error, "read", f->path);
}

static void next_block(KeepFile *f)
{
    KeepBlock block = {0};
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

static void get(KeepFile *f, void *bytes, size_t size)
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
    if (key->men > CELLS_MEN_MAX || key->zero != 0 || (key->pawns[0] & key->pawns[1]) != 0)
        return false;
    if (cells_pawns(key) & (rank_bits(0) | rank_bits(7))) return false;
    cells_sort(&sorted);
    return memcmp(&sorted, key, sizeof sorted) == 0;
}

static void get_sets(KeepFile *f, Lattice *lattice, Family *family, uint64_t flags)
{
    const size_t bytes = cells_words(&family->key) * sizeof(uint64_t);
    const uint64_t before = family_bytes_now(family);
    for (int winner = 0; winner < 2; winner++) {
        const bool settled = flags >> winner & SETTLED;
        for (int level = SURE; level <= last_level(flags, winner); level++)
            for (int side = 0; side < 2; side++) get(f, family->won[level][winner][side], bytes);
        if (family->only != FAMILY_BOTH) continue;
        for (int side = 0; side < 2 && !settled; side++)
            memcpy(family->won[GUESS][winner][side], family->won[MAYBE][winner][side], bytes);
        if (settled) family_settle(family, winner);
    }
    for (int side = 0; side < 2; side++) get(f, family->stuck[side], bytes);
    if (family->only != FAMILY_BOTH) family_note_others(family);
    lattice->bytes -= before - family_bytes_now(family);
    family->solved = true;
    /* The guess is to be made anew, where there is one. */
    family->stale = !family->decided && family->only == FAMILY_BOTH;
}

static void get_family(KeepFile *f, Lattice *lattice)
{
    KeepFamily head;
    get(f, &head, sizeof head);
    if (!good(f)) return;
    const int only = head.flags & ONLY        ? TREB_WHITE
                     : head.flags >> 1 & ONLY ? TREB_BLACK
                                              : FAMILY_BOTH;
    if (!key_fits(&head.key) || lattice_find(lattice, &head.key) != NULL ||
        (only != FAMILY_BOTH && head.key.men > 1)) {
        damaged(f);
        return;
    }
    Family *family = lattice_add(lattice, &head.key, (head.flags & SOLVED) == 0, only);
    if (family == NULL && lattice->full)
        f->status =
            fail(f->error, TREB_ERR_MEMORY, "%s has more than --memory allows", fail_path(f->path));
    else if (family == NULL)
        f->status = fail_memory(f->error);
    else if (head.flags & ORACLE && family->oracle == NULL)
        f->status = fail(f->error, TREB_ERR_NO_TABLE,
                         "%s was made with tables that are not there now: give --tables",
                         fail_path(f->path));
    else if (head.flags & SOLVED)
        get_sets(f, lattice, family, head.flags);
}

static void check_head(KeepFile *f, KeepHead *head, const Lattice *lattice,
                       const treb_position *pos)
{
    KeepHead mine;
    fill_head(&mine, lattice, pos);
    read_bytes(f, head, sizeof *head);
    if (!good(f)) return;
    if (memcmp(head->magic, magic, sizeof magic - 1) != 0)
        f->status = fail(f->error, TREB_ERR_DAMAGED, "%s is no file of 'trebuchet solve --save'",
                         fail_path(f->path));
    else if (memcmp(head->magic, magic, sizeof magic) != 0 || head->order != ORDER ||
             head->men != mine.men)
        f->status =
            fail(f->error, TREB_ERR_DAMAGED, "%s was written by another kind of machine or program",
                 fail_path(f->path));
    else if (head->checksum != XXH3_64bits(head, offsetof(KeepHead, checksum)))
        damaged(f);
    else if (strcmp(head->fen, mine.fen) != 0)
        f->status = fail(f->error, TREB_ERR_ARGUMENT, "%s is of another position: %s",
                         fail_path(f->path), head->fen);
}

static void read_all(KeepFile *f, Lattice *lattice, const treb_position *pos)
{
    KeepHead head;
    KeepBlock last;
    uint8_t more;
    check_head(f, &head, lattice, pos);
    for (uint64_t i = 0; good(f) && i < head.families; i++) get_family(f, lattice);
    if (good(f) && f->at != f->size) damaged(f);
    read_bytes(f, &last, sizeof last);
    if (good(f) && (last.plain != 0 || last.packed != 0 || last.checksum != f->blocks)) damaged(f);
    if (good(f) && (io_read_at(f->file, &more, 1, f->offset) || errno != 0)) damaged(f);
}

treb_status keep_read(Lattice *lattice, const treb_position *pos, const char *path, bool *found,
                      treb_error *error)
{
    KeepFile f;
    assert(lattice->families == 0);
    *found = false;
    if (!start(&f, path, error)) {
        end(&f);
        return f.status;
    }
    f.file = open(path, O_RDONLY | O_CLOEXEC);
    if (f.file < 0 && errno != ENOENT) f.status = fail_errno(error, "read", path);
    if (f.file >= 0) {
        *found = true;
        read_all(&f, lattice, pos);
    }
    end(&f);
    return f.status;
}
