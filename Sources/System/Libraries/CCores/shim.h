// Swift's Glibc module omits declarations that need _GNU_SOURCE.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <unistd.h>

// Binds the calling thread to one core, chosen by number modulo the cores that the main thread may run on. Does nothing
// where this is not possible.
static inline void cores_pin_thread(unsigned number) {
#ifdef __linux__
    cpu_set_t cores;
    if (sched_getaffinity(getpid(), sizeof cores, &cores) != 0 || CPU_COUNT(&cores) == 0) return;
    number %= (unsigned)CPU_COUNT(&cores);
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (!CPU_ISSET(core, &cores) || number-- > 0) continue;
        CPU_ZERO(&cores);
        CPU_SET(core, &cores);
        (void)sched_setaffinity(0, sizeof cores, &cores);
        return;
    }
#else
    (void)number;
#endif
}
