/* state.c - see state.h. */
#include "core/system/state.h"

#include <stdlib.h>
#include <string.h>

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
