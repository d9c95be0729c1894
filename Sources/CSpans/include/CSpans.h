#pragma once

// Functions that an instruction counter finds by their names in the program's file. In C, because Swift's optimiser makes
// copies of what it can see into, under other names.

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
