#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How the order of threads is driven, where the library `ThreadSchedule` is loaded in front of the C library. A process
// that has not loaded it finds no interface, and pays nothing.

/// What a thread does at a point where another one could go on.
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
} thread_operation;

/// What threads share.
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
} thread_object_kind;

/// What was noticed that can't be controlled; a set of bits.
typedef enum {
    thread_unseen_lock = 1,
    thread_unseen_signal = 2,
    thread_unseen_source = 4,
    thread_unseen_task = 8,
    thread_unseen_overflow = 16,
    thread_unseen_futex = 32,
} thread_unseen;

/// How the next thread is chosen.
typedef enum {
    /// Each that can go on is as likely as the others.
    thread_policy_random = 0,
    /// That of the highest priority; priorities are random, and fall at a few random steps (Burckhardt et al., 2010).
    thread_policy_priorities = 1,
    /// As a list says, and then the same thread for as long as it can go on.
    thread_policy_choices = 2,
} thread_policy;

enum { thread_frames_max = 16 };

/// A step that a thread has taken. Object and frames only where a trace is kept.
typedef struct {
    uint8_t thread;
    uint8_t operation;
    uint8_t frame_count;
    /// From 1, in the order in which they were first used; 0 for none.
    uint32_t object;
    uintptr_t frames[thread_frames_max];
} thread_event;

/// A point at which several threads could go on.
typedef struct {
    /// The place of the chosen one: the thread that was running comes first if it could go on, then by their numbers.
    uint8_t chosen;
    uint8_t count;
    /// Whether the thread that was running could go on, so that any other choice is a preemption.
    bool can_continue;
} thread_decision;

/// A thread that has not ended.
typedef struct {
    uint8_t thread;
    /// What it does, or is about to do.
    uint8_t operation;
    /// What it waits for; 0 for nothing.
    uint32_t object;
    /// The last step it took, or -1.
    int32_t event;
} thread_status;

/// Something that threads share, as it is now.
typedef struct {
    uint8_t kind;
    /// The thread that has it, or -1.
    int16_t owner;
    /// The step at which the owner took it, or -1.
    int32_t event;
    /// Threads that share it, as bits.
    uint64_t sharers;
} thread_object_status;

/// An order of threads.
typedef struct {
    uint64_t seed;
    thread_policy policy;
    /// How often the highest priority falls, plus one.
    uint32_t depth;
    /// About how many steps there will be, for the places where priorities fall.
    uint32_t expected_steps;
    /// The order is taken for endless after so many steps.
    uint64_t steps_max;
    const uint8_t *choices;
    size_t choice_count;
    /// Whether steps are kept with their frames.
    bool is_traced;
} thread_order;

/// How it came that no thread goes on.
typedef enum {
    /// None can: all have ended, or wait for what won't come.
    thread_ending_quiet = 0,
    /// There were too many steps.
    thread_ending_endless = 1,
    /// A thread did something that is never right; see `misuse`.
    thread_ending_misuse = 2,
} thread_ending;

/// The interface; all of it is called by the one thread that explores, but for `pause` and `step`.
typedef struct {
    /// Begins an order.
    void (*begin)(const thread_order *order);
    /// Adds a thread that does something once `run` is called; gives its number, or -1 where there are too many.
    int (*add)(void (*body)(void *context), void *context);
    /// Lets threads run, one at a time, until none can go on.
    thread_ending (*run)(void);
    /// Ends the order: threads that have not ended never go on.
    void (*end)(void);
    /// Called by a thread: another one may go on. Where it is held, all others go first.
    void (*pause)(bool is_held);
    /// All that happened, as a number.
    uint64_t (*digest)(void);
    /// The bits of `thread_unseen`.
    uint32_t (*unseen)(void);
    /// What was never right, and by which thread; NULL for nothing.
    const char *(*misuse)(uint8_t *thread);
    uint64_t (*steps)(void);
    const thread_decision *(*decisions)(size_t *count);
    const thread_event *(*events)(size_t *count);
    size_t (*threads)(thread_status *list, size_t capacity);
    thread_object_status (*object)(uint32_t number);
    /// Lets this thread's tasks and others' be told apart: false on a thread that is not controlled.
    bool (*is_controlled)(void);
} thread_schedule;

/// The interface, where the library is loaded.
const thread_schedule *thread_schedule_find(void);

/// The file and the offset in it of an address of code, for a symbolizer; false when no file holds it.
bool thread_schedule_place(uintptr_t address, const char **file, uintptr_t *offset);

/// The symbol of an address in this program, also of what it doesn't export, cut to what there is room for; false where
/// there is none, as in a program without symbols. O(symbols).
bool thread_schedule_symbol(uintptr_t address, char *name, size_t capacity);
