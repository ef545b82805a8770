/* thread_windows.c - thread.h with Windows' own locks, which need no memory and cannot fail. */
#ifdef _WIN32
#include "core/system/thread.h"

#include <process.h>
#include <stdint.h>
#include <stdlib.h>
#include <windows.h>

_Static_assert(sizeof(SRWLOCK) == sizeof(ThreadMutex) &&
                   sizeof(CONDITION_VARIABLE) == sizeof(ThreadCondition) &&
                   sizeof(INIT_ONCE) == sizeof(ThreadOnce),
               "thread.h has room for them");

static SRWLOCK *lock_of(ThreadMutex *mutex) { return (SRWLOCK *)(void *)&mutex->lock; }

static CONDITION_VARIABLE *variable_of(ThreadCondition *condition)
{
    return (CONDITION_VARIABLE *)(void *)&condition->condition;
}

bool mutex_init(ThreadMutex *mutex)
{
    InitializeSRWLock(lock_of(mutex));
    return true;
}

bool condition_init(ThreadCondition *condition)
{
    InitializeConditionVariable(variable_of(condition));
    return true;
}

void mutex_destroy(ThreadMutex *mutex) { (void)mutex; }
void mutex_lock(ThreadMutex *mutex) { AcquireSRWLockExclusive(lock_of(mutex)); }
bool mutex_try(ThreadMutex *mutex) { return TryAcquireSRWLockExclusive(lock_of(mutex)) != 0; }
void mutex_unlock(ThreadMutex *mutex) { ReleaseSRWLockExclusive(lock_of(mutex)); }

void condition_destroy(ThreadCondition *condition) { (void)condition; }
void condition_signal(ThreadCondition *condition) { WakeConditionVariable(variable_of(condition)); }
void condition_broadcast(ThreadCondition *condition)
{
    WakeAllConditionVariable(variable_of(condition));
}
void condition_wait(ThreadCondition *condition, ThreadMutex *mutex)
{
    SleepConditionVariableSRW(variable_of(condition), lock_of(mutex), INFINITE, 0);
}

static BOOL CALLBACK call_once(PINIT_ONCE once, PVOID function, PVOID *unused)
{
    (void)once;
    (void)unused;
    (*(void (**)(void))function)();
    return TRUE;
}

void thread_once(ThreadOnce *once, void (*function)(void))
{
    InitOnceExecuteOnce((PINIT_ONCE)(void *)once, call_once, &function, NULL);
}

typedef struct Start {
    ThreadFunction *function;
    void *context;
} Start;

static unsigned __stdcall run(void *start)
{
    const Start what = *(Start *)start;
    free(start);
    (void)what.function(what.context);
    return 0;
}

bool thread_start(Thread *thread, ThreadFunction *function, void *context)
{
    Start *start = (Start *)malloc(sizeof *start);
    if (start == NULL) return false;
    *start = (Start){function, context};
    const uintptr_t handle = _beginthreadex(NULL, 0, run, start, 0, NULL);
    if (handle == 0) free(start);
    *thread = (Thread)handle;
    return handle != 0;
}

void thread_join(Thread thread)
{
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}
#endif
