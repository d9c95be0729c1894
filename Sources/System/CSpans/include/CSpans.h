#pragma once

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
