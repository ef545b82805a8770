/* signals.c - see signals.h. */
#include "cli/signals.h"

#include <signal.h>
#include <unistd.h>

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
    struct sigaction question = {.sa_handler = on_user_signal, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &question, NULL);
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &stop;
}

static void on_alarm(int signal)
{
    (void)signal;
    atomic_store(&time_is_up, true);
    raise(SIGTERM);
}

void cli_end_after(uint64_t seconds)
{
    signal(SIGALRM, on_alarm);
    if (seconds > 0) alarm((unsigned)seconds);
}

bool cli_time_is_up(void) { return atomic_load(&time_is_up); }
