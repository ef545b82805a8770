/* mate50_functions.h - how the value of a position depends on the plies left before the draw. Private to
 * check/verify/.
 *
 * The more plies are left, the sooner the winner mates. So the value is a few steps: from this many
 * plies left on it is a mate in that many. Many positions have one function; each is kept once, and
 * has a number. */
#ifndef TREB_CHECK_VERIFY_MATE50_FUNCTIONS_H
#define TREB_CHECK_VERIFY_MATE50_FUNCTIONS_H

#include "check/verify/mate50.h"

/* A function: a win or a loss for the side to move; before the first step a draw. */
typedef struct Mate50Function {
    bool win;
    uint8_t steps;                 /* 0: always a draw */
    uint8_t left[MATE50_CLOCKS];   /* ascending */
    uint16_t plies[MATE50_CLOCKS]; /* descending */
} Mate50Function;

/* All functions. */
typedef struct Mate50Functions Mate50Functions;

enum { MATE50_FUNCTION_DRAW = 0, MATE50_FUNCTION_ILLEGAL = UINT32_MAX };

/* Returns NULL if out of memory. */
Mate50Functions *mate50_functions_new(void);
void mate50_functions_free(Mate50Functions *functions);

/* Returns the number of a function; MATE50_FUNCTION_ILLEGAL if out of memory. Thread-safe. */
uint32_t mate50_functions_number(Mate50Functions *functions, const Mate50Function *function);

void mate50_functions_get(const Mate50Functions *functions, uint32_t number, Mate50Function *out);

/* Makes a function of values. Returns the first number of plies left with which the winner has less
 * than with fewer, or that changes the winner; 0 if there is none. */
int mate50_function_of(const int value[MATE50_CLOCKS], Mate50Function *out);

/* Returns the value of a function. */
int mate50_function_value(const Mate50Function *function, int left);

#endif
