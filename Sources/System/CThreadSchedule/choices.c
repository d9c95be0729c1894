#include "schedule.h"

#if defined(__linux__) && defined(__x86_64__)

// Which thread continues, and whether time passes: by chance, by priorities or from a list.

enum {
    decisions_max = 1 << 16,
    /// A thread that only waits in a loop for another thread must not prevent it from running.
    runs_max = 2000,
    /// How many waits of an order end without a signal, and one of how many does.
    unasked_max = 3,
    waits_per_unasked = 8,
};

static thread_order order;
static uint64_t random_state;
/// Time passes at one point of so many.
static uint64_t patience;
static thread_decision decisions[decisions_max];
static size_t decision_count, choice_place;
static uint64_t falls[8];
static uint32_t fall_count, lowest;
/// How many waits of the order may still end without a signal, and how many waits there were.
static uint32_t unasked_left, wait_count;

// SplitMix64 (Steele, Lea, Flood, 2014).
static uint64_t random_below(uint64_t limit) {
    random_state += 0x9E3779B97F4A7C15ull;
    return (uint64_t)(((unsigned __int128)mixed(random_state) * limit) >> 64);
}

void choices_begin(const thread_order *new_order) {
    order = *new_order;
    random_state = mixed(order.seed ^ 0x5EEDull);
    patience = 4ull << (mixed(order.seed ^ 0x71BEull) & 3);
    decision_count = choice_place = 0;
    wait_count = 0;
    // An enumeration counts choices among threads only.
    unasked_left = order.policy == thread_policy_choices ? 0 : unasked_max;
    lowest = 1u << 19;
    uint32_t depth = order.depth < 1 ? 1 : order.depth > 8 ? 8 : order.depth;
    fall_count = order.policy == thread_policy_priorities ? depth - 1 : 0;
    for (uint32_t index = 0; index < fall_count; index++) {
        falls[index] = 1 + random_below(order.expected_steps < 1 ? 1 : order.expected_steps);
    }
}

uint32_t some_priority(void) { return (uint32_t)(1u << 20) + (uint32_t)random_below(1u << 20); }

void next_event(fiber *fiber) {
    if (order.policy == thread_policy_partial_orders) fiber->priority = some_priority();
}

/// The next choice of the list, recorded for an enumeration.
static uint32_t listed(uint32_t count, bool can_continue) {
    uint32_t place = choice_place < order.choice_count ? order.choices[choice_place] % count : 0;
    choice_place++;
    if (decision_count < decisions_max) {
        decisions[decision_count++] = (thread_decision){(uint8_t)place, (uint8_t)count, can_continue};
    }
    return place;
}

uint32_t choose_index(uint32_t count) {
    return order.policy == thread_policy_choices ? listed(count, false) : (uint32_t)random_below(count);
}

bool choose_time(void) {
    // In an enumeration this counts like a preemption.
    return order.policy == thread_policy_choices ? listed(2, true) == 1 : random_below(patience) == 0;
}

bool choose_unasked(void) {
    // Not of the other random numbers: an order without such a wake-up is the same order as without this choice.
    if (unasked_left == 0 || mixed(order.seed ^ 0x50A5ull ^ (uint64_t)++wait_count << 32) % waits_per_unasked != 0) {
        return false;
    }
    unasked_left--;
    return true;
}

static int number_of_set_bit(uint64_t bits, uint32_t place) {
    for (; place > 0; place--) bits &= bits - 1;
    return __builtin_ctzll(bits);
}

/// The ready thread with the highest priority.
static fiber *highest(fiber *const *slots, uint64_t ready) {
    fiber *best = NULL;
    for (uint64_t left = ready; left != 0; left &= left - 1) {
        fiber *each = slots[__builtin_ctzll(left)];
        if (best == NULL || each->priority > best->priority) best = each;
    }
    return best;
}

/// The events that race with the one about to happen get new priorities, so that each of their orders is as likely.
static void renew_racing(fiber *const *slots, uint64_t ready, const fiber *next) {
    if (next->next_object == NULL) return;
    for (uint64_t left = ready & ~(1ull << next->slot); left != 0; left &= left - 1) {
        fiber *other = slots[__builtin_ctzll(left)];
        bool both_read =
            next->operation == thread_locks_for_reading && other->operation == thread_locks_for_reading;
        if (other->next_object == next->next_object && !both_read) other->priority = some_priority();
    }
}

fiber *choose_thread(fiber *const *slots, uint64_t ready, fiber *current, uint64_t step) {
    uint32_t count = (uint32_t)__builtin_popcountll(ready);
    bool can_continue = current != NULL && (ready >> current->slot & 1) != 0;
    for (uint32_t index = 0; index < fall_count; index++) {
        if (falls[index] == step && can_continue) current->priority = lowest--;
    }
    if (count == 1) return slots[__builtin_ctzll(ready)];
    bool must_yield = can_continue && current->run_length > runs_max;
    if (order.policy == thread_policy_priorities || order.policy == thread_policy_partial_orders) {
        if (must_yield) current->priority = lowest--;
        fiber *best = highest(slots, ready);
        if (order.policy == thread_policy_partial_orders) renew_racing(slots, ready, best);
        return best;
    }
    // The running thread comes first, then the others by number.
    uint32_t place = must_yield ? 1
        : order.policy == thread_policy_choices ? listed(count, can_continue)
                                                : (uint32_t)random_below(count);
    if (!can_continue) return slots[number_of_set_bit(ready, place)];
    return place == 0 ? current : slots[number_of_set_bit(ready & ~(1ull << current->slot), place - 1)];
}

const thread_decision *decision_list(size_t *count) {
    *count = decision_count;
    return decisions;
}

#endif
