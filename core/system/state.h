/* state.h - what a long run must remember, as a sequence of numbers and bytes: collected in memory,
 * saved to a file (spill_file.h), and read again by a later run. The bytes depend on the kind of
 * machine. */
#ifndef TREB_CORE_SYSTEM_STATE_H
#define TREB_CORE_SYSTEM_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
