/* state.c - see state.h. */
#include "core/system/state.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/system/error.h"
#include "core/system/io.h"

enum { TAIL = 3 * 8 /* size, checksum, mark */ };

void state_free(State *state)
{
    free(state->bytes);
    *state = (State){0};
}

/* ---- Putting --------------------------------------------------------------------------------- */

void state_put_bytes(State *state, const void *bytes, size_t size)
{
    if (state->capacity - state->size < size) {
        size_t capacity = 2 * state->capacity + size + 4096;
        uint8_t *grown = realloc(state->bytes, capacity);
        if (grown == NULL) {
            state->failed = true;
            return;
        }
        state->bytes = grown;
        state->capacity = capacity;
    }
    if (size > 0) memcpy(state->bytes + state->size, bytes, size);
    state->size += size;
}

void state_put(State *state, uint64_t number) { state_put_bytes(state, &number, sizeof number); }

/* ---- Getting --------------------------------------------------------------------------------- */

void state_get_bytes(State *state, void *bytes, size_t size)
{
    if (state->failed || state->size - state->at < size) {
        state->failed = true;
        memset(bytes, 0, size);
        return;
    }
    memcpy(bytes, state->bytes + state->at, size);
    state->at += size;
}

uint64_t state_get(State *state)
{
    uint64_t number;
    state_get_bytes(state, &number, sizeof number);
    return number;
}

uint64_t state_get_most(State *state, uint64_t most)
{
    uint64_t number = state_get(state);
    if (number <= most) return number;
    state->failed = true;
    return 0;
}

/* ---- Files ----------------------------------------------------------------------------------- */

bool state_append(const State *state, int file, uint64_t offset, uint64_t mark)
{
    const uint64_t tail[3] = {state->size, XXH3_64bits(state->bytes, state->size), mark};
    return io_write_at(file, state->bytes, state->size, offset) &&
           io_write_at(file, tail, sizeof tail, offset + state->size);
}

bool state_read_end(State *state, int file, uint64_t mark)
{
    uint64_t tail[3];
    struct stat info;
    *state = (State){0};
    if (fstat(file, &info) != 0 || info.st_size < TAIL) return false;
    uint64_t end = (uint64_t)info.st_size - TAIL;
    if (!io_read_at(file, tail, sizeof tail, end) || tail[2] != mark || tail[0] > end) return false;
    state->bytes = malloc(tail[0] + 1);
    state->size = state->capacity = tail[0];
    if (state->bytes != NULL && io_read_at(file, state->bytes, tail[0], end - tail[0]) &&
        XXH3_64bits(state->bytes, tail[0]) == tail[1])
        return true;
    state_free(state);
    return false;
}

treb_status state_save(const State *state, const char *directory, const char *name, uint64_t mark,
                       treb_error *error)
{
    char *path = io_path(directory, name), *temporary = io_temporary_path(directory, name, "");
    treb_status status = path && temporary && !state->failed ? TREB_OK : fail_memory(error);
    int file = status == TREB_OK ? io_create(temporary) : -1;
    if (status == TREB_OK && file < 0) status = fail_errno(error, "write", temporary);
    if (status == TREB_OK && !state_append(state, file, 0, mark)) {
        status = fail_errno(error, "write", temporary);
        close(file);
        unlink(temporary);
    } else if (status == TREB_OK && !io_publish(file, temporary, path, directory)) {
        status = fail_errno(error, "write", path);
    }
    free(path);
    free(temporary);
    return status;
}

bool state_load(State *state, const char *path, uint64_t mark)
{
    struct stat about;
    int file = io_open_regular(path, &about, NULL);
    *state = (State){0};
    if (file < 0) return false;
    bool there = state_read_end(state, file, mark);
    close(file);
    return there;
}
