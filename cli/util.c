/* util.c - the command's name, numbers as people read them, the clock, signals, temporary folders. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

const char *cli_program = "trebuchet";

void cli_format_size(uint64_t bytes, char out[16])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 999.5 && unit < 6; unit++) value /= 1000;
    snprintf(out, 16, unit == 0 || value >= 99.95 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

void cli_format_count(uint64_t count, char out[32])
{
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count), at = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0) out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

void cli_format_time(double seconds, char out[16])
{
    unsigned s = seconds > 0 ? seconds < 3e6 ? (unsigned)(seconds + 0.5) : 3000000 : 0;
    unsigned hours = s / 3600 % 1000, minutes = s / 60 % 60;
    if (hours == 0)
        snprintf(out, 16, "%u:%02u", minutes, s % 60);
    else
        snprintf(out, 16, "%u:%02u:%02u", hours, minutes, s % 60);
}

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Signals --------------------------------------------------------------------------------- */

static atomic_bool stop, asked, late;

static void on_signal(int signal)
{
    if (atomic_exchange(&stop, true)) _exit(128 + signal);
}

static void on_question(int signal)
{
    (void)signal;
    atomic_store(&asked, true);
}

bool cli_asked(void) { return atomic_exchange(&asked, false); }

const atomic_bool *cli_catch_signals(void)
{
    atomic_store(&stop, false);
    struct sigaction question = {.sa_handler = on_question, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &question, NULL);
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &stop;
}

static void on_alarm(int signal)
{
    (void)signal;
    atomic_store(&late, true);
    raise(SIGTERM);
}

void cli_end_after(uint64_t seconds)
{
    signal(SIGALRM, on_alarm);
    if (seconds > 0) alarm((unsigned)seconds);
}

bool cli_time_is_up(void) { return atomic_load(&late); }

/* ---- Temporary folders ----------------------------------------------------------------------- */

bool cli_temporary_folder(char *path, size_t size)
{
    const char *base = getenv("TMPDIR");
    snprintf(path, size, "%s/trebuchet-XXXXXX", base && *base ? base : "/tmp");
    return mkdtemp(path) != NULL;
}

void cli_remove_folder(const char *path)
{
    char file[4096];
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        int n = snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (n <= 0 || (size_t)n >= sizeof file) continue;
        /* Scratch files, if it was stopped, are in a folder of their own. */
        if (entry->d_type == DT_DIR)
            cli_remove_folder(file);
        else
            unlink(file);
    }
    if (folder != NULL) closedir(folder);
    rmdir(path);
}
