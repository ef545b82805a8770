/* functions.h - how the value of a position depends on the plies left before the draw. Private to
 * check/verify/.
 *
 * The more plies are left, the sooner the winner mates. So the value is a few steps: from this many
 * plies left on it is a mate in that many. Many positions have one function; each is kept once, and
 * has a number. */
#ifndef TREB_CHECK_VERIFY_FUNCTIONS_H
#define TREB_CHECK_VERIFY_FUNCTIONS_H

#include "check/verify/mate50.h"

/* A function: a win or a loss for the side to move; before the first step a draw. */
typedef struct Function {
    bool win;
    uint8_t steps;                 /* 0: always a draw */
    uint8_t left[MATE50_CLOCKS];   /* ascending */
    uint16_t plies[MATE50_CLOCKS]; /* descending */
} Function;

/* All functions. */
typedef struct Functions Functions;

enum { FUNCTION_DRAW = 0, FUNCTION_ILLEGAL = UINT32_MAX };

/* Returns NULL if out of memory. */
Functions *functions_new(void);
void functions_free(Functions *functions);

/* Returns the number of a function; FUNCTION_ILLEGAL if out of memory. Thread-safe. */
uint32_t functions_number(Functions *functions, const Function *function);

void functions_get(const Functions *functions, uint32_t number, Function *out);

/* Makes a function of values. Returns the first number of plies left with which the winner has less
 * than with fewer, or that changes the winner; 0 if there is none. */
int function_of_values(const int value[MATE50_CLOCKS], Function *out);

/* Returns the value of a function. */
int function_value(const Function *function, int left);

#endif
