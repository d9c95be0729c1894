#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The interface that controls the order of threads, if the library `ThreadSchedule` is loaded in front of the C
// library. A process without the library finds no interface, at no cost.

/// The operation of a thread at a point where another thread could continue.
typedef enum {
    thread_starts = 0,
    thread_ends = 1,
    thread_locks = 2,
    thread_tries_lock = 3,
    thread_unlocks = 4,
    thread_locks_for_reading = 5,
    thread_locks_for_writing = 6,
    thread_waits_for_signal = 7,
    thread_signals = 8,
    thread_broadcasts = 9,
    thread_waits_for_semaphore = 10,
    thread_posts_semaphore = 11,
    thread_creates = 12,
    thread_joins = 13,
    thread_yields = 14,
    thread_sleeps = 15,
    thread_calls_queue = 16,
    thread_submits = 17,
    thread_leaves_queue = 18,
    thread_waits_for_group = 19,
    thread_changes_group = 20,
    thread_runs_once = 21,
    thread_pauses = 22,
    thread_cancels = 23,
    thread_times_out = 24,
    thread_loads_atomic = 25,
    thread_stores_atomic = 26,
    thread_updates_atomic = 27,
    thread_waits_for_word = 28,
    thread_wakes = 29,
    thread_waits_at_barrier = 30,
    thread_applies = 31,
    thread_wakes_unasked = 32,
} thread_operation;

/// The kinds of objects that threads share.
typedef enum {
    thread_object_none = 0,
    thread_object_lock = 1,
    thread_object_read_write_lock = 2,
    thread_object_condition = 3,
    thread_object_semaphore = 4,
    thread_object_thread = 5,
    thread_object_queue = 6,
    thread_object_group = 7,
    thread_object_once = 8,
    thread_object_item = 9,
    thread_object_atomic = 10,
    thread_object_barrier = 11,
} thread_object_kind;

/// Operations that can't be controlled; a set of bits.
typedef enum {
    thread_unseen_lock = 1,
    thread_unseen_signal = 2,
    thread_unseen_source = 4,
    thread_unseen_task = 8,
    thread_unseen_overflow = 16,
    /// Work that a thread which is not controlled passed to a queue of the order.
    thread_unseen_work = 32,
} thread_unseen;

/// How the next thread is chosen.
typedef enum {
    /// Every thread that can continue is equally likely.
    thread_policy_random = 0,
    /// The thread of the highest priority; priorities are random, and drop at a few random steps (Burckhardt et al.,
    /// 2010).
    thread_policy_priorities = 1,
    /// The choices of a list, and then the same thread for as long as it can continue.
    thread_policy_choices = 2,
    /// The thread whose next step has the highest priority; priorities are random, and new for steps that race with the
    /// one that is taken (POS: Yuan, Yang and Gu, CAV 2018).
    thread_policy_partial_orders = 3,
} thread_policy;

enum { thread_frames_max = 16 };

/// A step of a thread. Object and frames are recorded only if a trace is kept.
typedef struct {
    uint8_t thread;
    uint8_t operation;
    uint8_t frame_count;
    /// The object's number from 1, in the order of first use; 0 for none.
    uint32_t object;
    uintptr_t frames[thread_frames_max];
} thread_event;

/// A point at which several threads could continue, or at which time could pass.
typedef struct {
    /// The index of the chosen thread: the running thread comes first if it could continue, then the others by number.
    uint8_t chosen;
    uint8_t count;
    /// Whether the running thread could continue, so that any other choice is a preemption.
    bool can_continue;
} thread_decision;

/// A thread that has not ended.
typedef struct {
    uint8_t thread;
    /// Its current or next operation.
    uint8_t operation;
    /// The object for which it waits; 0 for none.
    uint32_t object;
    /// The last step it took, or -1.
    int32_t event;
} thread_status;

/// The current state of an object that threads share.
typedef struct {
    uint8_t kind;
    /// The thread that holds it, or -1.
    int16_t owner;
    /// The step at which the owner took it, or -1.
    int32_t event;
    /// The threads that share it, as bits.
    uint64_t sharers;
} thread_object_status;

/// The settings of an order of threads.
typedef struct {
    uint64_t seed;
    thread_policy policy;
    /// How often the highest priority drops, plus one.
    uint32_t depth;
    /// About how many steps there will be; used to place the drops of priorities.
    uint32_t expected_steps;
    /// The order counts as endless after this many steps without progress: no time passes, and each step is on an object
    /// that was used often before.
    uint64_t steps_max;
    const uint8_t *choices;
    size_t choice_count;
    /// Whether steps are recorded with their frames.
    bool is_traced;
} thread_order;

/// Why no thread continues.
typedef enum {
    /// None can: all have ended, or wait for an event that never occurs.
    thread_ending_quiet = 0,
    /// The limit of steps was exceeded.
    thread_ending_endless = 1,
    /// A thread made a programming error; see `misuse`.
    thread_ending_misuse = 2,
    /// A caller still waited for a time after all that may pass in an order.
    thread_ending_waits = 3,
    /// Something that is not controlled would have run on a queue of the order, beside the order's own work.
    thread_ending_outside = 4,
} thread_ending;

/// The interface. Only the exploring thread calls it, except for `pause` and the accesses.
typedef struct {
    /// Begins an order.
    void (*begin)(const thread_order *order);
    /// Adds a thread whose body starts once `run` is called; returns its number, or -1 if there are too many.
    int (*add)(void (*body)(void *context), void *context);
    /// Runs threads, one at a time, until none can continue. Time passes when no thread can run, a few times also when
    /// one could, and a few times after all added threads have ended; only in the first case if no time races.
    thread_ending (*run)(bool time_races);
    /// Ends the order: threads that have not ended never continue.
    void (*end)(void);
    /// Called by a thread: another one may continue. If it is held, all others run first.
    void (*pause)(bool is_held);
    /// A digest of all that happened.
    uint64_t (*digest)(void);
    /// The bits of `thread_unseen`.
    uint32_t (*unseen)(void);
    /// The operations of the order so far, as bits.
    uint64_t (*operations)(void);
    /// The programming error, and the thread that made it; NULL for none.
    const char *(*misuse)(uint8_t *thread);
    const thread_decision *(*decisions)(size_t *count);
    const thread_event *(*events)(size_t *count);
    size_t (*threads)(thread_status *list, size_t capacity);
    thread_object_status (*object)(uint32_t number);
    /// Distinguishes this thread's tasks from others': false on a thread that is not controlled.
    bool (*is_controlled)(void);
    /// Called by instrumented code before it uses an atomic, and after it changed one.
    void (*before_access)(const void *address, thread_operation operation, const void *frame, const void *caller);
    void (*after_access)(const void *address, uint64_t before, uint64_t now);
    /// Begins or ends a section of the running thread in which no other one continues; sections may be nested.
    void (*set_undivided)(bool begins);
    /// A number that changes with every step, and whether threads run now; for any thread.
    uint64_t (*progress)(bool *runs);
    /// The frames of the thread that runs now, innermost first, for a thread that is not controlled; 0 if it does not
    /// answer.
    size_t (*look)(uintptr_t *frames, size_t capacity);
} thread_schedule;

/// The interface; NULL if the library is not loaded.
const thread_schedule *thread_schedule_find(void);

/// Begins or ends a section of the running thread in which no other one continues; nothing without the library.
void thread_schedule_set_undivided(bool begins);

/// Begins or ends a section during which no other thread is in one; nothing with the library, which runs one at a time.
void thread_schedule_set_alone(bool begins);

/// The file of a code address and the offset in it, for a symbolizer; false when no file contains it.
bool thread_schedule_place(uintptr_t address, const char **file, uintptr_t *offset);

/// The name of the exported function at a code address; false for none.
bool thread_schedule_function(uintptr_t address, const char **name);

/// Whether a system call is at or before an address, without a function of the C library.
bool thread_schedule_is_kernel_call(uintptr_t address);

/// Whether this program is compiled as by `scripts/explore`, so that threads switch at every atomic.
bool thread_schedule_is_instrumented(void);
