/* clock.h - time from a clock that never goes back. It counts from some moment before the process
 * began; only differences mean something. */
#ifndef TREB_CORE_SYSTEM_CLOCK_H
#define TREB_CORE_SYSTEM_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return UINT64_C(1000000000) * (uint64_t)now.tv_sec + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_milliseconds(void) { return clock_nanoseconds() / 1000000; }

static inline double clock_seconds(void) { return 1e-9 * (double)clock_nanoseconds(); }

#endif
