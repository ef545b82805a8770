/* signals.h - signals that end long work or ask about it. */
#ifndef TREB_CLI_SIGNALS_H
#define TREB_CLI_SIGNALS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/system/clock.h"

/* Catches SIGINT and SIGTERM: the first one sets the returned flag, which long work reads to stop
 * early; the second one ends the process at once. A later call clears the flag, so that the next
 * signal ends the work that follows. */
const atomic_bool *cli_catch_signals(void);

/* Sends SIGTERM to this process after `seconds` (0: never), so that a Lua script that does not return
 * is stopped as well. cli_time_is_up tells whether that has happened. */
void cli_end_after(uint64_t seconds);
bool cli_time_is_up(void);

/* Returns whether SIGUSR1, which asks for the progress, came since the last call. It is caught after
 * cli_catch_signals. */
bool cli_progress_asked(void);

#endif
