#include "CSpans.h"

// The empty instruction keeps the call from becoming a tail call, which would jump out of the span.
#define SPAN(name) \
    __attribute__((noinline)) void cache_trials_##name(spans_body body, void *context) { \
        body(context); \
        __asm__ volatile("" ::: "memory"); \
    }
#define MARK(name) \
    __attribute__((noinline)) void cache_trials_##name(void) { __asm__ volatile("" ::: "memory"); }

SPAN(counted_read)
SPAN(counted_load)
SPAN(counted_write)
SPAN(counted_remove)
SPAN(counted_clear)
SPAN(bare_read)
SPAN(bare_load)
SPAN(bare_write)
SPAN(bare_remove)
SPAN(bare_clear)
SPAN(uncounted)

MARK(phase_begins)
MARK(phase_ends)
