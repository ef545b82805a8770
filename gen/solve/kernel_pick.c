/* kernel_pick.c - picks the build of the kernel for this processor: see kernel.h. */
#include "gen/solve/kernel.h"

extern const Kernel kernel_portable;
#if defined(__x86_64__)
extern const Kernel kernel_avx2, kernel_avx512;
#endif

int kernel_builds(const Kernel *out[4])
{
    int n = 0;
    out[n++] = &kernel_portable;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) out[n++] = &kernel_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2"))
        out[n++] = &kernel_avx512;
#endif
    return n;
}

const Kernel *kernel_best(void)
{
    const Kernel *builds[4];
    return builds[kernel_builds(builds) - 1];
}
