/* thread.h - mutexes, conditions and threads for the library: POSIX's, or those of Windows, so that the library needs no
 * other library there. The functions are those of pthread.h without their options; what has no result cannot fail. */
#ifndef TREB_CORE_SYSTEM_THREAD_H
#define TREB_CORE_SYSTEM_THREAD_H

#include <stdbool.h>

#ifdef _WIN32
typedef struct ThreadMutex {
    void *lock; /* an SRWLOCK */
} ThreadMutex;
typedef struct ThreadCondition {
    void *condition; /* a CONDITION_VARIABLE */
} ThreadCondition;
typedef struct ThreadOnce {
    void *once; /* an INIT_ONCE */
} ThreadOnce;
typedef void *Thread;
#define THREAD_ONCE_INIT                                                                           \
    {                                                                                              \
        0                                                                                          \
    }
#elif defined(__wasm__) /* in a browser, without threads: probe/npm/exports_system.c */
typedef int ThreadMutex, ThreadCondition, ThreadOnce, Thread;
#define THREAD_ONCE_INIT 0
#else
#include <pthread.h>
typedef pthread_mutex_t ThreadMutex;
typedef pthread_cond_t ThreadCondition;
typedef pthread_once_t ThreadOnce;
typedef pthread_t Thread;
#define THREAD_ONCE_INIT PTHREAD_ONCE_INIT
#endif

/* Return false if the system has no more of them. */
bool mutex_init(ThreadMutex *mutex);
bool condition_init(ThreadCondition *condition);

void mutex_destroy(ThreadMutex *mutex);
void mutex_lock(ThreadMutex *mutex);
bool mutex_try(ThreadMutex *mutex); /* false: another thread has it */
void mutex_unlock(ThreadMutex *mutex);

void condition_destroy(ThreadCondition *condition);
void condition_wait(ThreadCondition *condition, ThreadMutex *mutex);
void condition_signal(ThreadCondition *condition);
void condition_broadcast(ThreadCondition *condition);

/* Calls a function once in the life of the process; other threads wait until it has returned. */
void thread_once(ThreadOnce *once, void (*function)(void));

/* Starts a thread with all signals blocked, as they are meant for the caller's threads. The exceptions are signals that
 * the thread causes itself. False: the system allows no more threads. */
typedef void *ThreadFunction(void *context); /* returns NULL */
bool thread_start(Thread *thread, ThreadFunction *function, void *context);
void thread_join(Thread thread);

#endif
