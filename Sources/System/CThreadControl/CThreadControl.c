#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CThreadControl.h"

#include <dlfcn.h>
#include <pthread.h>

const thread_schedule *thread_schedule_loaded;

const thread_schedule *thread_schedule_find(void) {
    return thread_schedule_loaded = dlsym(RTLD_DEFAULT, "cache_trials_thread_schedule");
}

void thread_schedule_set_undivided(bool begins) {
    if (thread_schedule_loaded != NULL) thread_schedule_loaded->set_undivided(begins);
}

void thread_schedule_set_alone(bool begins) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static _Thread_local int depth;
    if (thread_schedule_loaded != NULL) return;
    if (begins && depth++ == 0) pthread_mutex_lock(&lock);
    if (!begins && --depth == 0) pthread_mutex_unlock(&lock);
}

bool thread_schedule_is_instrumented(void) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    return true;
#endif
#endif
    return false;
}

bool thread_schedule_place(uintptr_t address, const char **file, uintptr_t *offset) {
    Dl_info info;
    if (dladdr((const void *)address, &info) == 0 || info.dli_fname == NULL) return false;
    *file = info.dli_fname;
    *offset = address - (uintptr_t)info.dli_fbase;
    return true;
}

bool thread_schedule_function(uintptr_t address, const char **name) {
    Dl_info info;
    if (dladdr((const void *)address, &info) == 0 || info.dli_sname == NULL) return false;
    *name = info.dli_sname;
    return true;
}

bool thread_schedule_is_kernel_call(uintptr_t address) {
#if defined(__x86_64__)
    // A call that a signal interrupts is at the address or before it, as the kernel starts it again or not.
    const uint8_t *code = (const uint8_t *)address;
    return (code[0] == 0x0F && code[1] == 0x05) || (code[-2] == 0x0F && code[-1] == 0x05);
#else
    (void)address;
    return false;
#endif
}
