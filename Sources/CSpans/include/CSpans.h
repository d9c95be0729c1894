#pragma once

#include <stdbool.h>
#include <stdint.h>

// What counting instructions needs of C.

// Functions that Callgrind finds by their names in the program's file. In C, because Swift's optimiser makes copies of what it
// can see into, under other names.

typedef void (*spans_body)(void *context);

// Call the body within a function of that name, for each kind of operation. Each of the first five has a twin for a cache that
// does nothing.
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

// Calls the body where nothing is to be counted.
void cache_trials_uncounted(spans_body body, void *context);

// What is counted separately.
void cache_trials_phase_begins(void);
void cache_trials_phase_ends(void);

// A counter of the kernel, perf_event_open(2). In C, because Swift can't call syscall(), which takes any number of arguments.

// What a counter says: the count, and for how many nanoseconds its thread ran while it was open and while it counted. The second
// is less where more counters were asked for than the processor has.
typedef struct {
    uint64_t value;
    uint64_t enabled;
    uint64_t running;
} cache_trials_reading;

// Counts an event of a thread, in user space alone, from now on; 0 is the calling thread. With the threads that it starts where
// those inherit the counter. Gives a descriptor, or an error number below 0.
int cache_trials_counter_open(uint32_t type, uint64_t event, int thread, bool inherits);

// Whether a counter could be read.
bool cache_trials_counter_read(int descriptor, cache_trials_reading *reading);

// The kernel's number of the calling thread.
int cache_trials_thread(void);
