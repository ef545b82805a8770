/* stop.h - long work that is given up, as somebody asked for it. */
#ifndef TREB_CORE_STOP_H
#define TREB_CORE_STOP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "trebuchet.h"

/* What a function returns that gave up. Whoever asked for it takes it for TREB_OK. */
#define STOPPED ((treb_status)0xff)

/* Whether work is to end early: `stop` may be NULL. */
static inline bool stop_asked(const atomic_bool *stop) { return stop != NULL && atomic_load(stop); }

/* The same for functions that return a status: TREB_OK or STOPPED. */
treb_status stop_check(const atomic_bool *stop, treb_error *error);

#endif
