/* state.h - what a long run has to remember, as a row of numbers and bytes: put together in memory, kept in
 * a file with a checksum, and read again by a later run. Only programs of the same kind of machine read
 * each other's. */
#ifndef TREB_CORE_STATE_H
#define TREB_CORE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trebuchet.h"

/* All 0 at first. */
typedef struct State {
    uint8_t *bytes; /* to be freed by state_free */
    size_t size, capacity;
    size_t at;   /* where the next is read */
    bool failed; /* memory was out, or something was read that is not there */
} State;

void state_free(State *state);

void state_put(State *state, uint64_t number);
void state_put_bytes(State *state, const void *bytes, size_t size);

/* 0, and failed, behind the end. */
uint64_t state_get(State *state);
/* A number of which at most so many make sense. */
uint64_t state_get_most(State *state, uint64_t most);
void state_get_bytes(State *state, void *bytes, size_t size);

/* Appends all of it to a file at `offset`, with its size, a checksum and a mark; flushes nothing. False:
 * errno tells why. */
bool state_append(const State *state, int file, uint64_t offset, uint64_t mark);

/* Reads what state_append wrote last at the end of a file. False: it is not there, or not whole. */
bool state_read_end(State *state, int file, uint64_t mark);

/* The same with a file of its own, which has its name when it is complete and on the disk. TREB_ERR_IO,
 * TREB_ERR_MEMORY. */
treb_status state_save(const State *state, const char *directory, const char *name, uint64_t mark,
                       treb_error *error);
bool state_load(State *state, const char *path, uint64_t mark);

#endif
