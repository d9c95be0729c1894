#pragma once

// The files in the order in which one calls another, each only those before it: fibers.c (stacks and switches), trace.c (the
// record), objects.c (what threads share, and whose calls are controlled), choices.c (which thread continues),
// scheduler.c (the state of threads, time, and the interface), and then the functions in place of those of the C library
// and of libdispatch: threads.c, locks.c, queues.c, groups.c and others.c.
//
// A controlled thread runs on the exploring thread of the system, with the stack and the thread-local variables of a
// real thread that was made for it and sleeps. So a switch takes a few instructions and no system call, while
// `pthread_self()`, thread-local variables and owners of locks are those of different threads.

#if defined(__linux__) && defined(__x86_64__)

#define _GNU_SOURCE
#include "CThreadControl.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { threads_max = 64 };

typedef struct object object;
typedef struct fiber fiber;
typedef struct queue queue;
typedef struct item item;

typedef enum { fiber_idle, fiber_ready, fiber_blocked, fiber_held, fiber_ended } fiber_state;

/// A controlled thread.
struct fiber {
    void *stack_pointer;
    uintptr_t thread_pointer;
    uintptr_t stack_low, stack_high;
    pthread_t handle;
    int tid;
    /// Wakes the real thread, so that it ends.
    _Atomic uint32_t wake;
    _Atomic uint32_t is_parked;
    fiber *next;
    /// Its number in the order, below `threads_max`.
    int slot;
    fiber_state state;
    uint8_t operation;
    object *waits_for;
    /// The object of the step that it takes when it continues.
    object *next_object;
    uint64_t deadline;
    bool is_late;
    int32_t last_event;
    uint32_t priority;
    uint32_t run_length;
    /// The number of running sections and initialisers, during which no other thread continues.
    int undivided;
    /// Whether its real thread ends with it, so that its thread-local variables are freed.
    bool is_used_up;
    void *(*routine)(void *);
    void (*body)(void *);
    void *context;
    void *result;
    queue *on_queue;
};

/// An object that threads share, identified by its address.
struct object {
    const void *address;
    uint32_t number;
    uint8_t kind;
    bool is_tried;
    bool is_done;
    /// Whether it is a work item that a queue runs alone.
    bool is_barrier;
    /// How often a step used it, up to a limit.
    uint16_t visits;
    fiber *owner;
    /// Called when a work item has run.
    void (*when_done)(object *item);
    int depth;
    /// The threads that hold it for reading, as bits, and how often each has locked it.
    uint64_t sharers;
    uint8_t reading[threads_max];
    int writers;
    int32_t event;
};

/// The running thread, if it is controlled.
extern _Thread_local fiber *self __attribute__((tls_model("initial-exec")));

/// The place of a call to an interposed function.
typedef struct {
    const void *frame;
    const void *caller;
} place;

#define HERE ((place){__builtin_frame_address(0), __builtin_return_address(0)})
/// Whether a call is controlled: it comes from a controlled thread, and not from inside a runtime.
#define CONTROLLED(here) (__builtin_expect(self != NULL, 0) && !is_passed((here).caller))
/// The function behind the interposed one.
#define REAL(name) \
    ({ \
        static __typeof__(&name) found; \
        if (found == NULL) found = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
        found; \
    })

bool is_passed(const void *caller);
/// Whether a call comes from the task runtime.
bool is_of_tasks(const void *caller);
/// Whether a call comes from the library that allocates memory.
bool is_of_allocator(const void *caller);
void find_passed(void);

// fibers.c
fiber *fiber_take(void);
void fiber_give_back(fiber *fiber);
void fiber_prepare(fiber *fiber, void (*entry)(void));
void fiber_switch(fiber *from, fiber *to);
extern fiber main_fiber;

// scheduler.c
/// Adds a thread that is ready.
fiber *start_thread(void (*body)(void *), void *context);
/// Adds a thread that starts at a time of the virtual clock.
fiber *start_sleeping(void (*body)(void *), void *context, uint64_t deadline);
/// Whether another thread can be added.
bool has_room(void);
/// A step before which another thread may continue.
void point(thread_operation operation, object *object, place here);
/// A step before which no other thread continues.
void step(thread_operation operation, object *object, place here);
/// A moment after a step at which another thread may continue.
void pass(void);
/// Waits until this thread is woken, or until a time of the virtual clock; false on a timeout.
bool block(object *object, uint64_t deadline);
/// In place of `block`: a wake-up without a signal, after which another thread may continue first.
void wake_unasked(object *object);
void hold(void);
/// Wakes all threads that wait for an object.
void wake_all(object *object);
/// Wakes one of them, as the order chooses.
void wake_one(object *object);
void wake(fiber *fiber);
void note_misuse(const char *what) __attribute__((noreturn));
/// Ends the order as soon as a controlled thread takes a step: something that is not controlled is about to use what the
/// order's threads use, and nothing would keep the two apart.
void end_outside(uint32_t unseen);
/// Leaves the run if the order was ended so.
void leave_if_outside(void);
bool is_exploring(void);
/// Whether the caller is the thread that explores.
bool is_explorer(void);
/// Whether a controlled thread waits for an object at an address; called by threads that are not controlled.
bool is_awaited(const void *address);
/// The object at an address; a new one if the address was not used in this order before.
object *object_at(const void *address, thread_object_kind kind);
/// The object at an address, or NULL.
object *object_known(const void *address);
void object_forget(const void *address);
void objects_begin(void);
thread_object_status object_status(uint32_t number);
fiber *thread_with(pthread_t handle);
/// The thread with a number of the kernel, or NULL.
fiber *thread_of(uint32_t tid);
void end_thread(void) __attribute__((noreturn));

/// The number of the order: what belongs to an earlier one has ended.
extern uint32_t order_number;
/// Nanoseconds of the virtual clock since the order began.
extern uint64_t virtual_now;
/// The times of the virtual clocks at the beginning of an order. The size of an absolute time shows to which clock it
/// belongs.
enum : uint64_t { monotonic_start = 1000000000000ull, realtime_start = 1800000000000000000ull };
static const uint64_t never = UINT64_MAX;
/// Converts a time of either clock to nanoseconds since the order began.
uint64_t since_start(uint64_t time);

// choices.c
void choices_begin(const thread_order *order);
/// The ready thread that continues. There is at least one. The running thread may be one of them, or NULL.
fiber *choose_thread(fiber *const *slots, uint64_t ready, fiber *current, uint64_t step);
/// One of several things.
uint32_t choose_index(uint32_t count);
/// Whether time passes now, although a thread can run.
bool choose_time(void);
/// Whether a wait ends at once although nothing signals it, as POSIX allows for conditions and Linux for words.
bool choose_unasked(void);
/// The priority of a new thread.
uint32_t some_priority(void);
/// The next step of a thread is another one, or becomes possible.
void next_event(fiber *fiber);
const thread_decision *decision_list(size_t *count);

// locks.c
/// Records that this thread holds a lock, which is free.
void take(object *lock);
/// Waits for a lock, or for its holder if that is not controlled; false on a timeout.
bool wait_for(object *lock, uint64_t deadline);

// atomics.c
void set_undivided(bool begins);
void before_access(const void *address, thread_operation operation, const void *frame, const void *caller);
void after_access(const void *address, uint64_t before, uint64_t now);

// watch.c
void watch_begin(void);
size_t watch_look(uintptr_t *list, size_t capacity);

// trace.c
void trace_begin(bool keeps_steps);
/// Records a step.
void keep(fiber *fiber, thread_operation operation, object *object, place here);
/// Records what happens to a thread that waits, at the place of its last step.
void keep_waiting(fiber *fiber, thread_operation operation, object *object);
uint64_t trace_digest(void);
/// Records operations that can't be controlled, for any thread.
void note_unseen(uint32_t bits);
uint32_t trace_unseen(void);
uint64_t trace_operations(void);
const thread_event *trace_events(size_t *count);
/// A hash that reveals nothing of its argument.
static inline uint64_t mixed(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
    return value ^ (value >> 31);
}

#endif
