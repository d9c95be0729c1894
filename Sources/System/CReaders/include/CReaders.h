#pragma once

// What lock-free readers need of C: a thread-local variable, and a compiler barrier.

// With this model the variable's address is one instruction away, also in a library that the program was linked to. It
// does not work for a library that is opened later: the variable's place in thread-local storage is fixed when the
// program starts.
#if defined(__ELF__)
#define CACHE_TRIALS_AT_START __attribute__((tls_model("initial-exec")))
#else
#define CACHE_TRIALS_AT_START
#endif

extern __thread void *_Nullable cache_trials_reader_place CACHE_TRIALS_AT_START;

// The place where the calling thread publishes what it reads; null before it was assigned one.
static inline void *_Nullable cache_trials_own_place(void) { return cache_trials_reader_place; }

static inline void cache_trials_set_own_place(void *_Nullable place) { cache_trials_reader_place = place; }

// The compiler does not move a write from before this call to after it. It is not an instruction and not a fence: the
// order between threads comes from the atomic store that follows. Swift's optimiser assumes that this store can release
// nothing, and would move the retain of a value, which is written before the store, behind it (Swift 6.3.1,
// LLVMARCOpts).
static inline void cache_trials_hold_order(void) { __asm__ volatile("" ::: "memory"); }
