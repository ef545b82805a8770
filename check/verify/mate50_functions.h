/* mate50_functions.h - how the value of a position depends on the plies left before the draw. Private to
 * check/verify/.
 *
 * The more plies are left, the less the 50-move rule delays the mate. So the delay is a few steps:
 * where DTM exceeds the plies left by at most so many, it is so many plies. Many positions have one
 * function; each is kept once, and has a number. Functions that begin alike share steps: the number
 * of a function is that of its last step, and each step names the one before it. */
#ifndef TREB_CHECK_VERIFY_MATE50_FUNCTIONS_H
#define TREB_CHECK_VERIFY_MATE50_FUNCTIONS_H

#include "check/verify/memory.h"
#include "check/verify/mate50.h"

enum {
    MATE50_NO_DELAY = 0,         /* the function without steps: a mate in DTM from DTZ on */
    MATE50_NO_NUMBER = UINT32_MAX,
    MATE50_FROM_DTZ = UINT16_MAX /* Mate50Step.within of a first step */
};

typedef struct Mate50Step {
    uint32_t before; /* the step before it, which holds with fewer plies left; 0: none */
    uint16_t within; /* holds where DTM exceeds the plies left by at most this */
    uint16_t delay;  /* plies by which the mate is later than DTM; VERIFY_NONE: it is a draw */
} Mate50Step;

/* All functions. */
typedef struct Mate50Functions Mate50Functions;

/* Returns the bytes that so many functions take. */
uint64_t mate50_functions_bytes(uint64_t count);

/* The functions may use `claimed` bytes of the memory that are claimed already. What they need beyond
 * is claimed when they need it. Returns NULL if out of memory. */
Mate50Functions *mate50_functions_new(VerifyMemory *memory, uint64_t claimed);
void mate50_functions_free(Mate50Functions *functions);

/* Returns the number of the function that has these delays in the range of a position;
 * MATE50_NO_NUMBER if out of memory. Thread-safe. */
uint32_t mate50_functions_number(Mate50Functions *functions, const Mate50Distances *of,
                                 const int delay[MATE50_CLOCKS]);

/* Returns the last step of a function that is not MATE50_NO_DELAY, or a step before it. */
const Mate50Step *mate50_functions_step(const Mate50Functions *functions, uint32_t number);

/* Returns the first number of plies left from which on a step holds in a position. */
static inline int mate50_step_from(const Mate50Step *step, const Mate50Distances *of)
{
    return step->within == MATE50_FROM_DTZ ? of->dtz : of->dtm - step->within;
}

/* Returns the delay that a function says. */
static inline int mate50_delay(const Mate50Functions *functions, uint32_t number,
                               const Mate50Distances *of, int left)
{
    for (const Mate50Step *step; number != MATE50_NO_DELAY; number = step->before) {
        step = mate50_functions_step(functions, number);
        if (mate50_step_from(step, of) <= left) return step->delay;
    }
    return 0;
}

#endif
