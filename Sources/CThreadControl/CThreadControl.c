#if defined(__linux__)
#define _GNU_SOURCE
#include <link.h>
#endif

#include "CThreadControl.h"

#include <dlfcn.h>

const thread_schedule *thread_schedule_find(void) { return dlsym(RTLD_DEFAULT, "cache_trials_thread_schedule"); }

bool thread_schedule_place(uintptr_t address, const char **file, uintptr_t *offset) {
    Dl_info info;
    if (dladdr((const void *)address, &info) == 0 || info.dli_fname == NULL) return false;
    *file = info.dli_fname;
    *offset = address - (uintptr_t)info.dli_fbase;
    return true;
}
