#include "schedule.h"

#if defined(__linux__) && defined(__x86_64__)

uint64_t virtual_now;
uint32_t order_number;

enum {
    /// How often time passes in an order although a thread could run.
    races_max = 3,
    /// How often time passes in an order because no thread can run, while a caller has not ended.
    waits_max = 1000,
    /// How often it passes after all callers have ended: a thread that waits for one time after the other never ends.
    rests_max = 8,
    /// How often it passes before held threads continue.
    waits_before_held = 4,
    /// How often threads that yield have a turn before those that let all others run first.
    turns_before_patient = 8,
    /// How often an order uses an object before a step on it is no progress. A long operation visits many objects, each a
    /// few times; threads that go round in circles visit a few again and again.
    visits_max = 256,
};

static thread_order order;
static fiber *slots[threads_max];
/// The threads that can run, that are blocked, that wait for a time, that are held, that are held until all others have
/// had a turn, and that the explorer added, as bits.
static uint64_t ready, blocked, timed, held, patient, callers;
static fiber *current;
/// Threads that have ended but may still be queried: they are freed at the end of the order.
static fiber *used_up;
static thread_ending ending;
static const char *misuse;
static uint8_t misuse_thread;
static _Atomic bool is_active;
/// Whether something that is not controlled would use a queue of the order.
static _Atomic bool is_outside;
static uint64_t steps;
/// The last step that was progress: time passed, or an object was used that was not used often before.
static uint64_t last_progress;
static uint32_t races, waits, rests, waits_in_a_row, turns_in_a_row;
/// For a thread that watches this one.
static _Atomic uint32_t begun;
static _Atomic bool is_running;

uint64_t since_start(uint64_t time) {
    uint64_t start = time >= realtime_start / 2 ? realtime_start : monotonic_start;
    return time > start ? time - start : 0;
}

static void leave_run(thread_ending how) {
    ending = how;
    fiber *from = current;
    current = NULL;
    fiber_switch(from, &main_fiber);
}

void end_outside(uint32_t unseen) {
    note_unseen(unseen);
    atomic_store(&is_outside, true);
}

void leave_if_outside(void) {
    if (__builtin_expect(atomic_load_explicit(&is_outside, memory_order_relaxed), false)) leave_run(thread_ending_outside);
}

bool is_exploring(void) { return atomic_load_explicit(&is_active, memory_order_relaxed); }

void note_misuse(const char *what) {
    misuse = what;
    misuse_thread = (uint8_t)self->slot;
    leave_run(thread_ending_misuse);
    abort();
}

/// The clock goes to the earliest deadline, and the thread that waits for it can run.
static void pass_time(void) {
    fiber *next = NULL;
    for (uint64_t left = timed; left != 0; left &= left - 1) {
        fiber *waiting = slots[__builtin_ctzll(left)];
        if (next == NULL || waiting->deadline < next->deadline) next = waiting;
    }
    if (next->deadline > virtual_now) virtual_now = next->deadline;
    last_progress = steps;
    keep_waiting(next, thread_times_out, next->waits_for);
    next->is_late = true;
    wake(next);
}

/// Advances the time, or wakes held threads; false when nothing is left that could run.
static bool find_ready(void) {
    if (ready != 0) return true;
    uint32_t *left = callers != 0 ? &waits : &rests;
    if (timed != 0 && *left > 0 && (held == 0 || waits_in_a_row < waits_before_held)) {
        --*left;
        waits_in_a_row++;
        pass_time();
        return true;
    }
    waits_in_a_row = 0;
    uint64_t yielding = held & ~patient;
    bool is_next = yielding != 0 && turns_in_a_row++ < turns_before_patient;
    if (!is_next) turns_in_a_row = 0;
    for (uint64_t woken = is_next ? yielding : held; woken != 0; woken &= woken - 1) wake(slots[__builtin_ctzll(woken)]);
    return ready != 0;
}

/// Chooses the thread that continues, after time may have passed. There is at least one.
static fiber *next_thread(void) {
    if (timed != 0 && races > 0 && callers != 0 && choose_time()) {
        races--;
        pass_time();
    }
    return choose_thread(slots, ready, current, steps);
}

/// Continues with the chosen thread; returns when this thread is chosen again.
static void go_on(void) {
    fiber *from = current;
    if (!find_ready()) {
        // A caller that still waits for times would go on like this.
        leave_run((timed & callers) != 0 ? thread_ending_waits : thread_ending_quiet);
        return;
    }
    fiber *next = next_thread();
    if (next == from) {
        from->run_length++;
        return;
    }
    next->run_length = 0;
    current = next;
    fiber_switch(from, next);
}

/// Counts a step on an object; threads make endless ones only if nothing is progress.
static void count_step(object *object) {
    leave_if_outside();
    steps++;
    if (object != NULL && object->visits < visits_max) {
        object->visits++;
        last_progress = steps;
    } else if (steps - last_progress > order.steps_max) {
        leave_run(thread_ending_endless);
    }
}

void wake(fiber *woken) {
    woken->state = fiber_ready;
    woken->waits_for = NULL;
    uint64_t bit = 1ull << woken->slot;
    ready |= bit;
    blocked &= ~bit;
    timed &= ~bit;
    held &= ~bit;
    patient &= ~bit;
    next_event(woken);
}

void wake_all(object *object) {
    for (uint64_t left = blocked; left != 0; left &= left - 1) {
        fiber *waiting = slots[__builtin_ctzll(left)];
        if (waiting->waits_for == object) wake(waiting);
    }
}

void wake_one(object *object) {
    fiber *waiting[threads_max];
    uint32_t count = 0;
    for (uint64_t left = blocked; left != 0; left &= left - 1) {
        fiber *each = slots[__builtin_ctzll(left)];
        if (each->waits_for == object) waiting[count++] = each;
    }
    if (count == 0) return;
    wake(waiting[count > 1 ? choose_index(count) : 0]);
}

/// Another thread may continue.
static void give_way(void) {
    if (self->undivided > 0) return;
    count_step(self->next_object);
    go_on();
}

/// What the thread does next is known.
static void next_step(thread_operation operation, object *object) {
    self->operation = operation;
    self->next_object = object;
    if (self->undivided == 0) next_event(self);
}

void pass(void) {
    next_step(self->operation, NULL);
    give_way();
}

void point(thread_operation operation, object *object, place here) {
    fiber *running = self;
    next_step(operation, object);
    give_way();
    keep(running, operation, object, here);
}

void step(thread_operation operation, object *object, place here) { keep(self, operation, object, here); }

/// A thread can't run any more; a blocked one has its deadline already.
static void stop(fiber *stopped, fiber_state state) {
    uint64_t bit = 1ull << stopped->slot;
    stopped->state = state;
    ready &= ~bit;
    if (state == fiber_blocked) blocked |= bit;
    if (state == fiber_blocked && stopped->deadline != never) timed |= bit;
    if (state == fiber_held) held |= bit;
}

void wake_unasked(object *object) {
    pass();
    keep_waiting(self, thread_wakes_unasked, object);
}

bool block(object *object, uint64_t deadline) {
    fiber *running = self;
    count_step(object);
    running->is_late = deadline <= virtual_now;
    if (running->is_late) {
        go_on();
        return false;
    }
    running->waits_for = object;
    running->deadline = deadline;
    stop(running, fiber_blocked);
    go_on();
    return !running->is_late;
}

void hold(void) {
    fiber *running = self;
    count_step(NULL);
    if (held == 0) waits_in_a_row = 0;
    stop(running, fiber_held);
    go_on();
}

// Threads

static void carry_out(void) {
    fiber *running = self;
    running->body(running->context);
    end_thread();
}

bool has_room(void) {
    for (int slot = 0; slot < threads_max; slot++) {
        if (slots[slot] == NULL) return true;
    }
    return false;
}

fiber *start_thread(void (*body)(void *), void *context) {
    for (int slot = 0; slot < threads_max; slot++) {
        if (slots[slot] != NULL) continue;
        fiber *started = fiber_take();
        started->slot = slot;
        started->body = body;
        started->context = context;
        started->operation = thread_starts;
        slots[slot] = started;
        fiber_prepare(started, carry_out);
        started->priority = some_priority();
        wake(started);
        return started;
    }
    note_unseen(thread_unseen_overflow);
    return NULL;
}

fiber *start_sleeping(void (*body)(void *), void *context, uint64_t deadline) {
    fiber *started = start_thread(body, context);
    if (started == NULL || deadline <= virtual_now) return started;
    started->deadline = deadline;
    stop(started, fiber_blocked);
    return started;
}

void end_thread(void) {
    fiber *running = self;
    keep(running, thread_ends, NULL, (place){NULL, NULL});
    stop(running, fiber_ended);
    callers &= ~(1ull << running->slot);
    slots[running->slot] = NULL;
    object *awaited = object_known(running);
    if (awaited != NULL) wake_all(awaited);
    if (running->is_used_up) {
        running->next = used_up;
        used_up = running;
    } else {
        fiber_give_back(running);
    }
    go_on();
    abort();
}

fiber *thread_with(pthread_t handle) {
    for (int slot = 0; slot < threads_max; slot++) {
        if (slots[slot] != NULL && pthread_equal(slots[slot]->handle, handle)) return slots[slot];
    }
    for (fiber *ended = used_up; ended != NULL; ended = ended->next) {
        if (pthread_equal(ended->handle, handle)) return ended;
    }
    return NULL;
}

fiber *thread_of(uint32_t tid) {
    for (int slot = 0; slot < threads_max; slot++) {
        if (slots[slot] != NULL && slots[slot]->tid == (int)tid) return slots[slot];
    }
    return NULL;
}

bool is_awaited(const void *address) {
    if (!atomic_load_explicit(&is_active, memory_order_relaxed)) return false;
    for (int slot = 0; slot < threads_max; slot++) {
        fiber *fiber = slots[slot];
        if (fiber == NULL || fiber->state != fiber_blocked) continue;
        const object *object = fiber->waits_for;
        if (object != NULL && object->address == address) return true;
    }
    return false;
}

// The interface

static void begin(const thread_order *new_order) {
    static bool has_begun;
    if (!has_begun) {
        find_passed();
        watch_begin();
    }
    has_begun = true;
    begun++;
    order = *new_order;
    ready = blocked = timed = held = patient = callers = steps = last_progress = turns_in_a_row = 0;
    races = races_max;
    waits = waits_max;
    choices_begin(new_order);
    trace_begin(order.is_traced);
    virtual_now = 0;
    misuse = NULL;
    atomic_store(&is_outside, false);
    objects_begin();
    order_number++;
    main_fiber.thread_pointer = (uintptr_t)__builtin_thread_pointer();
    atomic_store(&is_active, true);
}

static int add(void (*body)(void *), void *context) {
    fiber *added = start_thread(body, context);
    if (added == NULL) return -1;
    callers |= 1ull << added->slot;
    return added->slot;
}

static thread_ending run(bool time_races) {
    ending = thread_ending_quiet;
    current = NULL;
    uint32_t kept = races;
    if (!time_races) races = 0;
    rests = time_races ? rests_max : 0;
    if (find_ready()) {
        current = next_thread();
        is_running = true;
        fiber_switch(&main_fiber, current);
        is_running = false;
    }
    if (!time_races) races = kept;
    return atomic_load(&is_outside) ? thread_ending_outside : ending;
}

static void end(void) {
    atomic_store(&is_active, false);
    for (int slot = 0; slot < threads_max; slot++) {
        if (slots[slot] == NULL) continue;
        fiber *left = slots[slot];
        slots[slot] = NULL;
        left->state = fiber_blocked;
        fiber_give_back(left);
    }
    while (used_up != NULL) {
        fiber *ended = used_up;
        used_up = ended->next;
        fiber_give_back(ended);
    }
}

static void pause_thread(bool is_held) {
    if (self == NULL) return;
    if (is_held) {
        patient |= 1ull << self->slot;
        hold();
    }
    point(thread_pauses, NULL, HERE);
}

static const char *misuse_text(uint8_t *thread) {
    *thread = misuse_thread;
    return misuse;
}

static bool is_controlled(void) { return self != NULL; }

static uint64_t progress(bool *runs) {
    *runs = is_running;
    return (uint64_t)begun << 32 | (uint32_t)__atomic_load_n(&steps, __ATOMIC_RELAXED);
}

static size_t thread_list(thread_status *list, size_t capacity) {
    size_t count = 0;
    for (int slot = 0; slot < threads_max && count < capacity; slot++) {
        fiber *fiber = slots[slot];
        if (fiber == NULL) continue;
        object *awaited = fiber->state == fiber_blocked ? fiber->waits_for : NULL;
        list[count++] = (thread_status){
            (uint8_t)slot, fiber->operation, awaited == NULL ? 0 : awaited->number, fiber->last_event};
    }
    return count;
}

__attribute__((visibility("default"))) const thread_schedule cache_trials_thread_schedule = {
    begin, add, run, end, pause_thread, trace_digest, trace_unseen, trace_operations, misuse_text, decision_list, trace_events,
    thread_list, object_status, is_controlled, before_access, after_access, set_undivided, progress, watch_look,
};

#endif
