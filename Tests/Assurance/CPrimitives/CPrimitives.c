#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CPrimitives.h"

#include <time.h>

void primitive_spin(volatile uint32_t *word, uint32_t value) {
    while (*word == value) {}
}

void primitive_wait(volatile uint32_t *word, uint32_t value) {
#if defined(__linux__) && defined(__x86_64__)
    while (*word == value) {
        // futex(word, FUTEX_WAIT, value, NULL)
        register long none __asm__("r10") = 0;
        long result;
        __asm__ volatile("syscall"
                         : "=a"(result)
                         : "a"(202L), "D"(word), "S"(0L), "d"((long)value), "r"(none)
                         : "rcx", "r11", "memory");
    }
#else
    primitive_spin(word, value);
#endif
}

#if defined(__linux__)

static const struct timespec never = {.tv_sec = 100000000};

// An exploration lets any time pass, so that each of these must try again.

void primitive_lock(pthread_mutex_t *mutex) {
    while (pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &never) != 0) {}
}

void primitive_lock_for_reading(pthread_rwlock_t *lock) {
    while (pthread_rwlock_clockrdlock(lock, CLOCK_MONOTONIC, &never) != 0) {}
}

void primitive_lock_for_writing(pthread_rwlock_t *lock) {
    while (pthread_rwlock_clockwrlock(lock, CLOCK_MONOTONIC, &never) != 0) {}
}

void primitive_take(sem_t *semaphore) {
    while (sem_clockwait(semaphore, CLOCK_MONOTONIC, &never) != 0) {}
}

#endif
