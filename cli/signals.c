/* signals.c - see signals.h. */
#include "cli/signals.h"

#include <signal.h>
#include <unistd.h>

#include "core/system/tool.h"

static atomic_bool stop, progress_asked, time_is_up;

static void on_signal(int signal)
{
    if (atomic_exchange(&stop, true)) _exit(128 + signal);
}

static void on_user_signal(int signal)
{
    (void)signal;
    atomic_store(&progress_asked, true);
}

bool cli_progress_asked(void) { return atomic_exchange(&progress_asked, false); }

const atomic_bool *cli_catch_signals(void)
{
    atomic_store(&stop, false);
    tool_catch(on_signal, on_user_signal);
    return &stop;
}

static void on_alarm(int signal)
{
    (void)signal;
    atomic_store(&time_is_up, true);
    raise(SIGTERM);
}

void cli_end_after(uint64_t seconds) { tool_alarm((unsigned)seconds, on_alarm); }

bool cli_time_is_up(void) { return atomic_load(&time_is_up); }
