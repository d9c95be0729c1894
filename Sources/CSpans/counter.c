#include "CSpans.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__) && __has_include(<linux/perf_event.h>)
#include <linux/perf_event.h>
#include <sys/syscall.h>

int cache_trials_counter_open(uint32_t type, uint64_t event, int thread, bool inherits) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = type;
    attributes.config = event;
    attributes.inherit = inherits;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    long descriptor = syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return descriptor < 0 ? -errno : (int)descriptor;
}

int cache_trials_thread(void) { return (int)syscall(SYS_gettid); }
#else
int cache_trials_counter_open(uint32_t type, uint64_t event, int thread, bool inherits) {
    (void)type, (void)event, (void)thread, (void)inherits;
    return -ENOSYS;
}

int cache_trials_thread(void) { return 0; }
#endif

__attribute__((noinline)) bool cache_trials_counter_read(int descriptor, cache_trials_reading *reading) {
    return read(descriptor, reading, sizeof *reading) == (ssize_t)sizeof *reading;
}
