#include "schedule.h"

#if defined(__linux__) && defined(__x86_64__)

uint64_t virtual_now;

enum { decisions_max = 1 << 16, runs_max = 2000 };

static thread_order order;
static fiber *slots[threads_max];
static uint64_t ready;
static fiber *current;
/// Threads that have ended but may still be queried: they are freed at the end of the order.
static fiber *used_up;
static thread_ending ending;
static const char *misuse;
static uint8_t misuse_thread;
static _Atomic uint32_t unseen;
static _Atomic bool is_active;
static uint64_t steps, random_state;
/// For a thread that watches this one.
static _Atomic uint32_t begun;
static _Atomic bool is_running;
static thread_decision decisions[decisions_max];
static size_t decision_count, choice_place;
static uint64_t falls[8];
static uint32_t fall_count, lowest;

// SplitMix64 (Steele, Lea, Flood, 2014).
uint64_t mixed(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
    return value ^ (value >> 31);
}

uint64_t random_below(uint64_t limit) {
    random_state += 0x9E3779B97F4A7C15ull;
    return (uint64_t)(((unsigned __int128)mixed(random_state) * limit) >> 64);
}

uint64_t since_start(uint64_t time) {
    uint64_t start = time >= realtime_start / 2 ? realtime_start : monotonic_start;
    return time > start ? time - start : 0;
}

void note_unseen(uint32_t bits) { atomic_fetch_or(&unseen, bits); }

static void leave_run(thread_ending how) {
    ending = how;
    fiber *from = current;
    current = NULL;
    fiber_switch(from, &main_fiber);
}

void note_misuse(const char *what) {
    misuse = what;
    misuse_thread = (uint8_t)self->slot;
    leave_run(thread_ending_misuse);
    abort();
}

static int number_of_set_bit(uint64_t bits, uint32_t place) {
    for (; place > 0; place--) bits &= bits - 1;
    return __builtin_ctzll(bits);
}

/// The slot of the ready thread with the highest priority.
static int highest(void) {
    int best = -1;
    for (uint64_t left = ready; left != 0; left &= left - 1) {
        int slot = __builtin_ctzll(left);
        if (best < 0 || slots[slot]->priority > slots[best]->priority) best = slot;
    }
    return best;
}

/// Chooses the ready thread that continues. There is at least one.
static fiber *chosen_one(void) {
    uint32_t count = (uint32_t)__builtin_popcountll(ready);
    bool can_continue = current != NULL && (ready >> current->slot & 1) != 0;
    if (order.policy == thread_policy_priorities) {
        for (uint32_t index = 0; index < fall_count; index++) {
            if (falls[index] == steps && can_continue) current->priority = lowest--;
        }
    }
    if (count == 1) return slots[__builtin_ctzll(ready)];
    // A thread that only waits in a loop for another thread must not prevent it from running.
    bool must_yield = can_continue && current->run_length > runs_max;
    uint32_t place = 0;
    int slot = -1;
    switch (order.policy) {
        case thread_policy_random:
            place = (uint32_t)random_below(count);
            break;
        case thread_policy_priorities:
            if (must_yield) current->priority = lowest--;
            slot = highest();
            break;
        case thread_policy_choices:
            if (choice_place < order.choice_count) place = order.choices[choice_place] % count;
            choice_place++;
            break;
    }
    uint64_t others = can_continue ? ready & ~(1ull << current->slot) : ready;
    if (must_yield && order.policy != thread_policy_priorities) place = 1;
    if (slot >= 0) {
        bool is_current = can_continue && slot == current->slot;
        place = is_current ? 0
            : (uint32_t)__builtin_popcountll(others & ((1ull << slot) - 1)) + (can_continue ? 1 : 0);
    } else if (can_continue) {
        slot = place == 0 ? current->slot : number_of_set_bit(others, place - 1);
    } else {
        slot = number_of_set_bit(others, place);
    }
    if (decision_count < decisions_max) {
        decisions[decision_count++] = (thread_decision){(uint8_t)place, (uint8_t)count, can_continue};
    }
    return slots[slot];
}

/// Advances the time, or wakes held threads; false when nothing is left that could run.
static bool find_ready(void) {
    if (ready != 0) return true;
    fiber *next = NULL;
    for (int slot = 0; slot < threads_max; slot++) {
        fiber *fiber = slots[slot];
        if (fiber == NULL || fiber->state != fiber_blocked || fiber->deadline == never) continue;
        if (next == NULL || fiber->deadline < next->deadline) next = fiber;
    }
    if (next != NULL) {
        if (next->deadline > virtual_now) virtual_now = next->deadline;
        next->is_late = true;
        wake(next);
        return true;
    }
    for (int slot = 0; slot < threads_max; slot++) {
        if (slots[slot] != NULL && slots[slot]->state == fiber_held) wake(slots[slot]);
    }
    return ready != 0;
}

/// Continues with the chosen thread; returns when this thread is chosen again.
static void go_on(void) {
    fiber *from = current;
    if (!find_ready()) {
        leave_run(thread_ending_quiet);
        return;
    }
    fiber *next = chosen_one();
    if (next == from) {
        from->run_length++;
        return;
    }
    next->run_length = 0;
    current = next;
    fiber_switch(from, next);
}

void wake(fiber *woken) {
    woken->state = fiber_ready;
    woken->waits_for = NULL;
    ready |= 1ull << woken->slot;
}

void wake_all(object *object) {
    for (int slot = 0; slot < threads_max; slot++) {
        if (slots[slot] != NULL && slots[slot]->state == fiber_blocked && slots[slot]->waits_for == object) {
            wake(slots[slot]);
        }
    }
}

void wake_one(object *object) {
    fiber *waiting[threads_max];
    uint32_t count = 0;
    for (int slot = 0; slot < threads_max; slot++) {
        if (slots[slot] != NULL && slots[slot]->state == fiber_blocked && slots[slot]->waits_for == object) {
            waiting[count++] = slots[slot];
        }
    }
    if (count == 0) return;
    uint32_t place = 0;
    if (count > 1) {
        if (order.policy == thread_policy_choices) {
            if (choice_place < order.choice_count) place = order.choices[choice_place] % count;
            choice_place++;
        } else {
            place = (uint32_t)random_below(count);
        }
        if (decision_count < decisions_max) {
            decisions[decision_count++] = (thread_decision){(uint8_t)place, (uint8_t)count, false};
        }
    }
    wake(waiting[place]);
}

void pass(void) {
    if (self->undivided > 0) return;
    if (++steps > order.steps_max) {
        leave_run(thread_ending_endless);
    } else {
        go_on();
    }
}

void point(thread_operation operation, object *object, place here) {
    fiber *running = self;
    running->operation = operation;
    pass();
    keep(running, operation, object, here);
}

void step(thread_operation operation, object *object, place here) { keep(self, operation, object, here); }

bool block(object *object, uint64_t deadline) {
    fiber *running = self;
    if (++steps > order.steps_max) leave_run(thread_ending_endless);
    running->state = fiber_blocked;
    running->waits_for = object;
    running->deadline = deadline;
    running->is_late = false;
    ready &= ~(1ull << running->slot);
    go_on();
    return !running->is_late;
}

void hold(void) {
    fiber *running = self;
    if (++steps > order.steps_max) leave_run(thread_ending_endless);
    running->state = fiber_held;
    ready &= ~(1ull << running->slot);
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
        started->priority = (uint32_t)(1u << 20) + (uint32_t)random_below(1u << 20);
        wake(started);
        return started;
    }
    note_unseen(thread_unseen_overflow);
    return NULL;
}

void end_thread(void) {
    fiber *running = self;
    keep(running, thread_ends, NULL, (place){NULL, NULL});
    running->state = fiber_ended;
    ready &= ~(1ull << running->slot);
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
    random_state = mixed(order.seed ^ 0x5EEDull);
    ready = steps = decision_count = choice_place = 0;
    trace_begin(order.is_traced);
    virtual_now = 0;
    misuse = NULL;
    atomic_store(&unseen, 0);
    lowest = 1u << 19;
    uint32_t depth = order.depth < 1 ? 1 : order.depth > 8 ? 8 : order.depth;
    fall_count = order.policy == thread_policy_priorities ? depth - 1 : 0;
    for (uint32_t index = 0; index < fall_count; index++) {
        falls[index] = 1 + random_below(order.expected_steps < 1 ? 1 : order.expected_steps);
    }
    objects_begin();
    queues_begin();
    main_fiber.thread_pointer = (uintptr_t)__builtin_thread_pointer();
    atomic_store(&is_active, true);
}

static int add(void (*body)(void *), void *context) {
    fiber *added = start_thread(body, context);
    return added == NULL ? -1 : added->slot;
}

static thread_ending run(void) {
    ending = thread_ending_quiet;
    current = NULL;
    if (!find_ready()) return ending;
    current = chosen_one();
    is_running = true;
    fiber_switch(&main_fiber, current);
    is_running = false;
    return ending;
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
    if (is_held) hold();
    point(thread_pauses, NULL, HERE);
}

static uint32_t unseen_bits(void) { return atomic_load(&unseen); }
static const char *misuse_text(uint8_t *thread) {
    *thread = misuse_thread;
    return misuse;
}

static uint64_t step_count(void) { return steps; }
static bool is_controlled(void) { return self != NULL; }

static uint64_t progress(bool *runs) {
    *runs = is_running;
    return (uint64_t)begun << 32 | (uint32_t)__atomic_load_n(&steps, __ATOMIC_RELAXED);
}

static const thread_decision *decision_list(size_t *count) {
    *count = decision_count;
    return decisions;
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
    begin, add, run, end, pause_thread, trace_digest, unseen_bits, misuse_text, step_count, decision_list, trace_events,
    thread_list, object_status, is_controlled, before_access, after_access, progress,
    watch_look,
};

#endif
