#pragma once

// What readers without a lock need of C: a variable for each thread, and a word to the optimiser.

// So that its address is one instruction away, also in a library that the program was linked to. Not for one that is
// opened later: its place among the variables of threads is fixed when the program starts.
#if defined(__ELF__)
#define CACHE_TRIALS_AT_START __attribute__((tls_model("initial-exec")))
#else
#define CACHE_TRIALS_AT_START
#endif

extern __thread void *_Nullable cache_trials_reader_place CACHE_TRIALS_AT_START;

// Where the calling thread says what it reads; null before it was given a place.
static inline void *_Nullable cache_trials_own_place(void) { return cache_trials_reader_place; }

static inline void cache_trials_set_own_place(void *_Nullable place) { cache_trials_reader_place = place; }

// Nothing that is written before this is moved behind it by the compiler. No instruction, and no fence: the order among
// threads is that of the atomic store that follows. Swift's optimiser takes that store for one that can release nothing,
// and moves the retain of a value, which is written before it, behind it (Swift 6.3.1, LLVMARCOpts).
static inline void cache_trials_hold_order(void) { __asm__ volatile("" ::: "memory"); }
