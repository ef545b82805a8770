/* stop.h - long work that ends early because the user or another thread asked for it. */
#ifndef TREB_CORE_SYSTEM_STOP_H
#define TREB_CORE_SYSTEM_STOP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "trebuchet.h"

/* The status of a function that ended early because it was stopped. The code that asked for the
 * stop treats it as TREB_OK. */
#define STOPPED ((treb_status)0xff)

/* Returns whether work must end early. `stop` may be NULL. */
static inline bool stop_asked(const atomic_bool *stop) { return stop != NULL && atomic_load(stop); }

/* Returns STOPPED if work must end early, and fills in `error`; else TREB_OK. */
treb_status stop_check(const atomic_bool *stop, treb_error *error);

#endif
