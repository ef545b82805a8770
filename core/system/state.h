/* state.h - what a long run must remember, as a sequence of numbers and bytes: collected in memory,
 * saved to a file with a checksum, and read again by a later run. The bytes depend on the kind of
 * machine. */
#ifndef TREB_CORE_SYSTEM_STATE_H
#define TREB_CORE_SYSTEM_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trebuchet.h"

/* The sequence; zero-initialised at first. */
typedef struct State {
    uint8_t *bytes; /* freed by state_free */
    size_t size, capacity;
    size_t at;   /* place of the next number to read */
    bool failed; /* memory was out, or more was read than there is */
} State;

void state_free(State *state);

void state_put(State *state, uint64_t number);
void state_put_bytes(State *state, const void *bytes, size_t size);

/* Returns the next number; 0, and sets `failed`, behind the end. */
uint64_t state_get(State *state);
/* Returns the next number; sets `failed` if it is above `most`. */
uint64_t state_get_most(State *state, uint64_t most);
void state_get_bytes(State *state, void *bytes, size_t size);

/* Appends the sequence to a file at `offset`, with its size, a checksum and a mark. Does not flush
 * the file. Returns false on failure: errno has the reason. */
bool state_append(const State *state, int file, uint64_t offset, uint64_t mark);

/* Reads the sequence that state_append wrote last at the end of a file. Returns false if there is
 * none with this mark, or it is incomplete. */
bool state_read_end(State *state, int file, uint64_t mark);

/* state_save saves the sequence in a file of its own, which gets its name when it is complete and
 * on the disk. Errors: TREB_ERR_IO, TREB_ERR_MEMORY. state_load reads such a file; false if it is
 * missing, damaged or has another mark. */
treb_status state_save(const State *state, const char *directory, const char *name, uint64_t mark,
                       treb_error *error);
bool state_load(State *state, const char *path, uint64_t mark);

#endif
