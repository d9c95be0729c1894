#pragma once

#include <stdbool.h>
#include <stdint.h>

// The C functions for counting instructions.

// Callgrind finds these functions by their names in the program's file. They are in C, because Swift's optimiser makes
// copies, under other names, of functions that it can see into.

typedef void (*spans_body)(void *context);

// Each function calls the body, under its own name, for one kind of operation. Each of the first five has a twin for a
// cache that does nothing.
void cache_trials_counted_read(spans_body body, void *context);
void cache_trials_counted_load(spans_body body, void *context);
void cache_trials_counted_write(spans_body body, void *context);
void cache_trials_counted_remove(spans_body body, void *context);
void cache_trials_counted_clear(spans_body body, void *context);
void cache_trials_bare_read(spans_body body, void *context);
void cache_trials_bare_load(spans_body body, void *context);
void cache_trials_bare_write(spans_body body, void *context);
void cache_trials_bare_remove(spans_body body, void *context);
void cache_trials_bare_clear(spans_body body, void *context);

// Calls the body in a span that is not counted.
void cache_trials_uncounted(spans_body body, void *context);

// Marks the phase, which is counted separately.
void cache_trials_phase_begins(void);
void cache_trials_phase_ends(void);

// A counter of the kernel, perf_event_open(2). It is in C, because Swift can't call the variadic syscall().

// A reading of a counter: the count, and for how many nanoseconds its thread ran while it was open and while it
// counted. The second time is less if more counters were requested than the processor has.
typedef struct {
    uint64_t value;
    uint64_t enabled;
    uint64_t running;
} cache_trials_reading;

// Counts an event of a thread, only in user space, from now on; 0 is the calling thread. If the counter is inherited,
// it also counts the threads that this thread starts. Returns a descriptor, or a negative error number.
int cache_trials_counter_open(uint32_t type, uint64_t event, int thread, bool inherits);

// Whether a counter could be read.
bool cache_trials_counter_read(int descriptor, cache_trials_reading *reading);

// The kernel's identifier of the calling thread.
int cache_trials_thread(void);
