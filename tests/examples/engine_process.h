/* engine_process.h - starts an engine as a process and connects to it over UCI. */
#ifndef TREB_TESTS_ENGINE_PROCESS_H
#define TREB_TESTS_ENGINE_PROCESS_H

#include <stdio.h>
#include <unistd.h>

/* Starts the engine. It reads what is written to *to; its output is read from *from. Returns -1 on failure. */
static inline pid_t engine_start(const char *path, FILE **to, FILE **from)
{
    int in[2], out[2];
    if (pipe(in) != 0 || pipe(out) != 0) return -1;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        close(out[0]);
        execl(path, path, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    *to = fdopen(in[1], "w");
    *from = fdopen(out[0], "r");
    return *to != NULL && *from != NULL ? pid : -1;
}

#endif
