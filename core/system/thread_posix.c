/* thread_posix.c - thread.h with POSIX threads. */
#ifndef _WIN32
#include "core/system/thread.h"

#include <signal.h>
#include <stddef.h>

bool mutex_init(ThreadMutex *mutex) { return pthread_mutex_init(mutex, NULL) == 0; }
bool condition_init(ThreadCondition *condition) { return pthread_cond_init(condition, NULL) == 0; }

void mutex_destroy(ThreadMutex *mutex) { pthread_mutex_destroy(mutex); }
void mutex_lock(ThreadMutex *mutex) { pthread_mutex_lock(mutex); }
bool mutex_try(ThreadMutex *mutex) { return pthread_mutex_trylock(mutex) == 0; }
void mutex_unlock(ThreadMutex *mutex) { pthread_mutex_unlock(mutex); }

void condition_destroy(ThreadCondition *condition) { pthread_cond_destroy(condition); }
void condition_signal(ThreadCondition *condition) { pthread_cond_signal(condition); }
void condition_broadcast(ThreadCondition *condition) { pthread_cond_broadcast(condition); }
void condition_wait(ThreadCondition *condition, ThreadMutex *mutex)
{
    pthread_cond_wait(condition, mutex);
}

void thread_once(ThreadOnce *once, void (*function)(void)) { pthread_once(once, function); }

bool thread_start(Thread *thread, ThreadFunction *function, void *context)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    sigset_t all, before;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(thread, NULL, function, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed == 0;
}

void thread_join(Thread thread) { pthread_join(thread, NULL); }
#endif
