#include "schedule.h"

#if defined(__linux__) && defined(__x86_64__)

#include <semaphore.h>

// Locks, conditions and semaphores. The objects themselves store whether they are free, so a lock shared with a thread
// that is not controlled is respected, and noticed. The model only adds who holds an object and who waits for it.

static uint64_t deadline_of(const struct timespec *time) {
    return since_start((uint64_t)time->tv_sec * 1000000000ull + (uint64_t)time->tv_nsec);
}

void take(object *lock) {
    lock->owner = self;
    lock->depth++;
    if (lock->depth == 1) lock->event = self->last_event;
}

/// A lock that is not free and has no owner here is held by a thread that is not controlled.
static void note_stranger(const object *lock) {
    if (lock->owner == NULL && lock->sharers == 0) {
        note_unseen(thread_unseen_lock);
        leave_if_outside();
        REAL(sched_yield)();
    }
}

/// Waits for a lock. A thread that is not controlled will release it eventually.
bool wait_for(object *lock, uint64_t deadline) {
    note_stranger(lock);
    if (lock->owner == NULL && lock->sharers == 0) return true;
    return block(lock, deadline);
}

static int lock_until(pthread_mutex_t *mutex, object *lock, uint64_t deadline) {
    int status;
    while ((status = REAL(pthread_mutex_trylock)(mutex)) == EBUSY) {
        // glibc stores the kind in the lowest bits: an error-checking lock reports that its owner locks it again.
        if (lock->owner == self && (mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
        if (!wait_for(lock, deadline)) return ETIMEDOUT;
    }
    if (status == 0) take(lock);
    return status;
}

/// Takes a lock that the task runtime holds while it cancels a task: code called there may let another thread continue.
static int lock_of_tasks(pthread_mutex_t *mutex) {
    int status;
    while ((status = REAL(pthread_mutex_trylock)(mutex)) == EBUSY) hold();
    return status;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    place here = HERE;
    if (!CONTROLLED(here)) {
        return self != NULL && is_of_tasks(here.caller) ? lock_of_tasks(mutex) : REAL(pthread_mutex_lock)(mutex);
    }
    object *lock = object_at(mutex, thread_object_lock);
    point(thread_locks, lock, here);
    return lock_until(mutex, lock, never);
}

static int lock_in_time(pthread_mutex_t *mutex, const struct timespec *time, place here) {
    object *lock = object_at(mutex, thread_object_lock);
    lock->is_tried = true;
    point(thread_locks, lock, here);
    return lock_until(mutex, lock, deadline_of(time));
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time) {
    place here = HERE;
    return CONTROLLED(here) ? lock_in_time(mutex, time, here) : REAL(pthread_mutex_timedlock)(mutex, time);
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time) {
    place here = HERE;
    return CONTROLLED(here) ? lock_in_time(mutex, time, here) : REAL(pthread_mutex_clocklock)(mutex, clock, time);
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(pthread_mutex_trylock)(mutex);
    object *lock = object_at(mutex, thread_object_lock);
    lock->is_tried = true;
    point(thread_tries_lock, lock, here);
    int status = REAL(pthread_mutex_trylock)(mutex);
    if (status == 0) take(lock);
    return status;
}

static int unlock(pthread_mutex_t *mutex, object *lock) {
    if (lock->owner != self) note_misuse("unlocks a lock that it does not hold");
    if (--lock->depth == 0) {
        lock->owner = NULL;
        wake_all(lock);
    }
    return REAL(pthread_mutex_unlock)(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(pthread_mutex_unlock)(mutex);
    object *lock = object_at(mutex, thread_object_lock);
    // Only threads that try a lock can tell whether another thread continued before its release.
    if (lock->is_tried) {
        point(thread_unlocks, lock, here);
    } else {
        step(thread_unlocks, lock, here);
    }
    return unlock(mutex, lock);
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    if (self != NULL) object_forget(mutex);
    return REAL(pthread_mutex_init)(mutex, attributes);
}

// Read-write locks

static uint64_t own_bit(void) { return 1ull << self->slot; }

static void share(object *known) {
    known->sharers |= own_bit();
    known->reading[self->slot]++;
    known->event = self->last_event;
}

static int read_until(pthread_rwlock_t *lock, object *known, uint64_t deadline) {
    while (true) {
        // As in glibc, a waiting writer goes first only if the lock was made so.
        bool gives_way = known->writers > 0 && lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
        int status = gives_way ? EBUSY : REAL(pthread_rwlock_tryrdlock)(lock);
        if (status != EBUSY) {
            if (status == 0) share(known);
            return status;
        }
        if (gives_way ? !block(known, deadline) : !wait_for(known, deadline)) return ETIMEDOUT;
    }
}

static int write_until(pthread_rwlock_t *lock, object *known, uint64_t deadline) {
    int status;
    known->writers++;
    while ((status = REAL(pthread_rwlock_trywrlock)(lock)) == EBUSY) {
        if (!wait_for(known, deadline)) {
            status = ETIMEDOUT;
            break;
        }
    }
    known->writers--;
    if (status == 0) {
        take(known);
    } else {
        wake_all(known);
    }
    return status;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(pthread_rwlock_rdlock)(lock);
    object *known = object_at(lock, thread_object_read_write_lock);
    point(thread_locks_for_reading, known, here);
    return read_until(lock, known, never);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(pthread_rwlock_wrlock)(lock);
    object *known = object_at(lock, thread_object_read_write_lock);
    point(thread_locks_for_writing, known, here);
    return write_until(lock, known, never);
}

/// With a time, the lock is for reading or for writing.
static int rwlock_in_time(pthread_rwlock_t *lock, bool writes, const struct timespec *time, place here) {
    object *known = object_at(lock, thread_object_read_write_lock);
    known->is_tried = true;
    point(writes ? thread_locks_for_writing : thread_locks_for_reading, known, here);
    return (writes ? write_until : read_until)(lock, known, deadline_of(time));
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *time) {
    place here = HERE;
    return CONTROLLED(here) ? rwlock_in_time(lock, false, time, here) : REAL(pthread_rwlock_timedrdlock)(lock, time);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *time) {
    place here = HERE;
    return CONTROLLED(here) ? rwlock_in_time(lock, true, time, here) : REAL(pthread_rwlock_timedwrlock)(lock, time);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *time) {
    place here = HERE;
    return CONTROLLED(here) ? rwlock_in_time(lock, false, time, here)
                            : REAL(pthread_rwlock_clockrdlock)(lock, clock, time);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *time) {
    place here = HERE;
    return CONTROLLED(here) ? rwlock_in_time(lock, true, time, here)
                            : REAL(pthread_rwlock_clockwrlock)(lock, clock, time);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(pthread_rwlock_tryrdlock)(lock);
    object *known = object_at(lock, thread_object_read_write_lock);
    known->is_tried = true;
    point(thread_tries_lock, known, here);
    int status = REAL(pthread_rwlock_tryrdlock)(lock);
    if (status == 0) share(known);
    return status;
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(pthread_rwlock_trywrlock)(lock);
    object *known = object_at(lock, thread_object_read_write_lock);
    known->is_tried = true;
    point(thread_tries_lock, known, here);
    int status = REAL(pthread_rwlock_trywrlock)(lock);
    if (status == 0) take(known);
    return status;
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(pthread_rwlock_unlock)(lock);
    object *known = object_at(lock, thread_object_read_write_lock);
    if (known->is_tried) {
        point(thread_unlocks, known, here);
    } else {
        step(thread_unlocks, known, here);
    }
    if (known->owner == self) {
        known->owner = NULL;
        known->depth = 0;
    } else if ((known->sharers & own_bit()) != 0) {
        if (--known->reading[self->slot] == 0) known->sharers &= ~own_bit();
    } else {
        note_misuse("unlocks a lock that it does not hold");
    }
    int status = REAL(pthread_rwlock_unlock)(lock);
    wake_all(known);
    return status;
}

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes) {
    if (self != NULL) object_forget(lock);
    return REAL(pthread_rwlock_init)(lock, attributes);
}

// Conditions

static int wait_for_signal(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t deadline, place here) {
    object *known = object_at(condition, thread_object_condition);
    object *lock = object_at(mutex, thread_object_lock);
    point(thread_waits_for_signal, known, here);
    int depth = lock->depth;
    if (lock->owner != self) note_misuse("waits for a signal without the lock that belongs to it");
    lock->depth = 1;
    unlock(mutex, lock);
    bool is_in_time = true;
    if (choose_unasked()) {
        wake_unasked(known);
    } else {
        is_in_time = block(known, deadline);
    }
    lock_until(mutex, lock, never);
    lock->depth = depth;
    return is_in_time ? 0 : ETIMEDOUT;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(pthread_cond_wait)(condition, mutex);
    return wait_for_signal(condition, mutex, never, here);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(pthread_cond_timedwait)(condition, mutex, time);
    return wait_for_signal(condition, mutex, deadline_of(time), here);
}

int pthread_cond_clockwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(pthread_cond_clockwait)(condition, mutex, clock, time);
    return wait_for_signal(condition, mutex, deadline_of(time), here);
}

int pthread_cond_signal(pthread_cond_t *condition) {
    place here = HERE;
    if (!CONTROLLED(here)) {
        if (is_awaited(condition)) note_unseen(thread_unseen_signal);
        return REAL(pthread_cond_signal)(condition);
    }
    object *known = object_at(condition, thread_object_condition);
    point(thread_signals, known, here);
    wake_one(known);
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *condition) {
    place here = HERE;
    if (!CONTROLLED(here)) {
        if (is_awaited(condition)) note_unseen(thread_unseen_signal);
        return REAL(pthread_cond_broadcast)(condition);
    }
    object *known = object_at(condition, thread_object_condition);
    point(thread_broadcasts, known, here);
    wake_all(known);
    return 0;
}

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) {
    if (self != NULL) object_forget(condition);
    return REAL(pthread_cond_init)(condition, attributes);
}

// Semaphores

static int wait_until(sem_t *semaphore, uint64_t deadline, place here) {
    object *known = object_at(semaphore, thread_object_semaphore);
    point(thread_waits_for_semaphore, known, here);
    while (REAL(sem_trywait)(semaphore) != 0) {
        if (errno != EAGAIN && errno != EINTR) return -1;
        if (!block(known, deadline)) {
            errno = ETIMEDOUT;
            return -1;
        }
    }
    return 0;
}

int sem_wait(sem_t *semaphore) {
    place here = HERE;
    return CONTROLLED(here) ? wait_until(semaphore, never, here) : REAL(sem_wait)(semaphore);
}

int sem_timedwait(sem_t *semaphore, const struct timespec *time) {
    place here = HERE;
    return CONTROLLED(here) ? wait_until(semaphore, deadline_of(time), here) : REAL(sem_timedwait)(semaphore, time);
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *time) {
    place here = HERE;
    return CONTROLLED(here) ? wait_until(semaphore, deadline_of(time), here)
                            : REAL(sem_clockwait)(semaphore, clock, time);
}

int sem_trywait(sem_t *semaphore) {
    place here = HERE;
    if (CONTROLLED(here)) point(thread_waits_for_semaphore, object_at(semaphore, thread_object_semaphore), here);
    return REAL(sem_trywait)(semaphore);
}

int sem_post(sem_t *semaphore) {
    place here = HERE;
    if (!CONTROLLED(here)) {
        if (is_awaited(semaphore)) note_unseen(thread_unseen_signal);
        return REAL(sem_post)(semaphore);
    }
    object *known = object_at(semaphore, thread_object_semaphore);
    point(thread_posts_semaphore, known, here);
    int status = REAL(sem_post)(semaphore);
    wake_all(known);
    return status;
}

#endif
