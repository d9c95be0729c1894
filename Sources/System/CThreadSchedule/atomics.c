#include "schedule.h"

#if defined(__linux__) && defined(__x86_64__)

#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

// Atomics, and the kernel's wait for a word of memory, on which `Synchronization.Mutex` is built.

/// The thread that holds a `Mutex` is the value of its word, besides the kernel's bits.
static bool is_own(uint64_t word) {
    return word <= UINT32_MAX && (word & FUTEX_TID_MASK) == (uint64_t)self->tid;
}

void before_access(const void *address, thread_operation operation, const void *frame, const void *caller) {
    if (self == NULL || self->undivided > 0) return;
    point(operation, object_at(address, thread_object_atomic), (place){frame, caller});
}

void after_access(const void *address, uint64_t before, uint64_t now) {
    if (self == NULL) return;
    object *known = object_at(address, thread_object_atomic);
    // A word that changes from nothing to the number of its thread, or back, is a `Mutex`.
    if (before == 0 && is_own(now)) {
        known->kind = thread_object_lock;
        known->owner = self;
        known->event = self->last_event;
    } else if (now == 0 && is_own(before)) {
        known->owner = NULL;
    }
    wake_all(known);
    // Whatever this change announces may not be there yet.
    pass();
}

static uint64_t deadline_of(const struct timespec *time, bool is_absolute) {
    if (time == NULL) return never;
    uint64_t nanoseconds = (uint64_t)time->tv_sec * 1000000000ull + (uint64_t)time->tv_nsec;
    return is_absolute ? since_start(nanoseconds) : virtual_now + nanoseconds;
}

static long wait_for_word(_Atomic uint32_t *word, uint32_t expected, uint64_t deadline, place here) {
    object *known = object_at((const void *)word, thread_object_atomic);
    point(thread_waits_for_word, known, here);
    if (atomic_load(word) != expected) {
        errno = EAGAIN;
        return -1;
    }
    if (choose_unasked()) {
        wake_unasked(known);
        return 0;
    }
    if (block(known, deadline)) return 0;
    errno = ETIMEDOUT;
    return -1;
}

static long wake_waiters(_Atomic uint32_t *word, uint32_t most, place here) {
    object *known = object_at((const void *)word, thread_object_atomic);
    point(thread_wakes, known, here);
    long count = 0;
    while (count < most && is_awaited((const void *)word)) {
        wake_one(known);
        count++;
    }
    return count;
}

/// Takes a `Mutex` that another thread holds. The bit of the kernel makes its owner call the kernel to release it.
static long lock_word(_Atomic uint32_t *word, uint64_t deadline, place here) {
    object *known = object_at((const void *)word, thread_object_lock);
    known->kind = thread_object_lock;
    step(thread_locks, known, here);
    while (true) {
        uint32_t seen = 0;
        if (atomic_compare_exchange_strong(word, &seen, (uint32_t)self->tid)) {
            known->owner = self;
            known->event = self->last_event;
            return 0;
        }
        known->owner = thread_of(seen & FUTEX_TID_MASK);
        if (known->owner == NULL) note_unseen(thread_unseen_lock);
        if (!atomic_compare_exchange_strong(word, &seen, seen | FUTEX_WAITERS)) continue;
        if (known->owner == NULL) {
            REAL(sched_yield)();
        } else if (!block(known, deadline)) {
            errno = ETIMEDOUT;
            return -1;
        }
    }
}

static long unlock_word(_Atomic uint32_t *word, place here) {
    object *known = object_at((const void *)word, thread_object_lock);
    step(thread_unlocks, known, here);
    known->owner = NULL;
    atomic_store(word, 0);
    wake_all(known);
    pass();
    return 0;
}

long syscall(long number, ...) {
    place here = HERE;
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long), d = va_arg(list, long),
         e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    if (self == NULL || (number != SYS_futex && number != SYS_gettid)) return REAL(syscall)(number, a, b, c, d, e, f);
    if (number == SYS_gettid) return self->tid;
    _Atomic uint32_t *word = (_Atomic uint32_t *)a;
    const struct timespec *time = (const struct timespec *)d;
    switch ((int)b & FUTEX_CMD_MASK) {
        case FUTEX_WAIT: return wait_for_word(word, (uint32_t)c, deadline_of(time, false), here);
        case FUTEX_WAIT_BITSET: return wait_for_word(word, (uint32_t)c, deadline_of(time, true), here);
        case FUTEX_WAKE:
        case FUTEX_WAKE_BITSET: return wake_waiters(word, (uint32_t)c, here);
        case FUTEX_LOCK_PI:
        case FUTEX_LOCK_PI2: return lock_word(word, deadline_of(time, true), here);
        case FUTEX_UNLOCK_PI: return unlock_word(word, here);
        default: return REAL(syscall)(number, a, b, c, d, e, f);
    }
}

#endif
