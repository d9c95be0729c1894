#include "schedule.h"

#if defined(__linux__) && defined(__x86_64__)

// Spin locks, which the model treats as locks, and barriers.

int pthread_spin_lock(pthread_spinlock_t *spin) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(pthread_spin_lock)(spin);
    object *lock = object_at((const void *)spin, thread_object_lock);
    point(thread_locks, lock, here);
    while (REAL(pthread_spin_trylock)(spin) == EBUSY) wait_for(lock, never);
    take(lock);
    return 0;
}

int pthread_spin_trylock(pthread_spinlock_t *spin) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(pthread_spin_trylock)(spin);
    object *lock = object_at((const void *)spin, thread_object_lock);
    lock->is_tried = true;
    point(thread_tries_lock, lock, here);
    int status = REAL(pthread_spin_trylock)(spin);
    if (status == 0) take(lock);
    return status;
}

int pthread_spin_unlock(pthread_spinlock_t *spin) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(pthread_spin_unlock)(spin);
    object *lock = object_at((const void *)spin, thread_object_lock);
    if (lock->is_tried) {
        point(thread_unlocks, lock, here);
    } else {
        step(thread_unlocks, lock, here);
    }
    lock->owner = NULL;
    lock->depth = 0;
    int status = REAL(pthread_spin_unlock)(spin);
    wake_all(lock);
    return status;
}

int pthread_spin_init(pthread_spinlock_t *spin, int shared) {
    if (self != NULL) object_forget((const void *)spin);
    return REAL(pthread_spin_init)(spin, shared);
}

/// The number of threads that meet at a barrier, where glibc stores it (`struct pthread_barrier`).
static uint32_t size_of(const pthread_barrier_t *barrier) { return ((const uint32_t *)barrier)[2]; }

int pthread_barrier_wait(pthread_barrier_t *barrier) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(pthread_barrier_wait)(barrier);
    object *known = object_at(barrier, thread_object_barrier);
    point(thread_waits_at_barrier, known, here);
    if ((uint32_t)++known->depth < size_of(barrier)) {
        block(known, never);
        return 0;
    }
    known->depth = 0;
    wake_all(known);
    return PTHREAD_BARRIER_SERIAL_THREAD;
}

int pthread_barrier_init(
    pthread_barrier_t *restrict barrier, const pthread_barrierattr_t *restrict attributes, unsigned count) {
    if (self != NULL) object_forget(barrier);
    return REAL(pthread_barrier_init)(barrier, attributes, count);
}

#endif
