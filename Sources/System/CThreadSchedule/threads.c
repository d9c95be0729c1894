#include "schedule.h"

#if defined(__linux__) && defined(__x86_64__)

#include <sched.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

// Threads, time, and one-time initialisation.

static void carry_out(void *context) {
    fiber *running = context;
    running->result = running->routine(running->context);
}

static void begin_thread(void *context) {
    (void)context;
    carry_out(self);
}

int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *context) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(pthread_create)(thread, attributes, routine, context);
    point(thread_creates, NULL, here);
    fiber *started = start_thread(begin_thread, context);
    if (started == NULL) return EAGAIN;
    started->routine = routine;
    started->is_used_up = true;
    *thread = started->handle;
    return 0;
}

int pthread_join(pthread_t thread, void **result) {
    place here = HERE;
    fiber *joined = CONTROLLED(here) ? thread_with(thread) : NULL;
    if (joined == NULL) return REAL(pthread_join)(thread, result);
    object *known = object_at(joined, thread_object_thread);
    point(thread_joins, known, here);
    while (joined->state != fiber_ended) block(known, never);
    if (result != NULL) *result = joined->result;
    return 0;
}

int pthread_detach(pthread_t thread) {
    place here = HERE;
    if (CONTROLLED(here) && thread_with(thread) != NULL) return 0;
    return REAL(pthread_detach)(thread);
}

void pthread_exit(void *result) {
    if (self != NULL) {
        self->result = result;
        self->is_used_up = true;
        end_thread();
    }
    REAL(pthread_exit)(result);
    abort();
}

// Time. All callers get the virtual time, including those inside a runtime. Only the allocator has the real time: when it
// looks depends on all that the process allocated before, and an order would depend on the orders before it.

/// Each reading of a clock takes time, so that a loop that waits for a time ends.
enum { look_nanoseconds = 100 };

static uint64_t reading(bool is_realtime) {
    virtual_now += look_nanoseconds;
    return virtual_now + (is_realtime ? realtime_start : monotonic_start);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    bool is_realtime = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    bool is_modelled = is_realtime || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW
        || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
    if (self == NULL || !is_modelled || is_of_allocator(__builtin_return_address(0))) {
        return REAL(clock_gettime)(clock, time);
    }
    uint64_t now = reading(is_realtime);
    time->tv_sec = (time_t)(now / 1000000000ull);
    time->tv_nsec = (long)(now % 1000000000ull);
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    if (self == NULL) return REAL(gettimeofday)(time, zone);
    uint64_t now = reading(true);
    time->tv_sec = (time_t)(now / 1000000000ull);
    time->tv_usec = (suseconds_t)(now % 1000000000ull / 1000);
    return 0;
}

time_t time(time_t *place) {
    if (self == NULL) return REAL(time)(place);
    time_t now = (time_t)(reading(true) / 1000000000ull);
    if (place != NULL) *place = now;
    return now;
}

static void sleep_for(uint64_t nanoseconds, place here) {
    point(thread_sleeps, NULL, here);
    if (nanoseconds > 0) block(NULL, nanoseconds > never - virtual_now - 1 ? never - 1 : virtual_now + nanoseconds);
}

static uint64_t nanoseconds_of(const struct timespec *time) {
    return (uint64_t)time->tv_sec * 1000000000ull + (uint64_t)time->tv_nsec;
}

int nanosleep(const struct timespec *time, struct timespec *left) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(nanosleep)(time, left);
    sleep_for(nanoseconds_of(time), here);
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(clock_nanosleep)(clock, flags, time, left);
    uint64_t nanoseconds = nanoseconds_of(time);
    if ((flags & TIMER_ABSTIME) != 0) {
        uint64_t until = since_start(nanoseconds);
        nanoseconds = until > virtual_now ? until - virtual_now : 0;
    }
    sleep_for(nanoseconds, here);
    return 0;
}

int usleep(useconds_t microseconds) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(usleep)(microseconds);
    sleep_for((uint64_t)microseconds * 1000, here);
    return 0;
}

unsigned sleep(unsigned seconds) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(sleep)(seconds);
    sleep_for((uint64_t)seconds * 1000000000ull, here);
    return 0;
}

int select(int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict errors,
           struct timeval *restrict time) {
    place here = HERE;
    if (!CONTROLLED(here) || count > 0 || time == NULL) return REAL(select)(count, reads, writes, errors, time);
    sleep_for((uint64_t)time->tv_sec * 1000000000ull + (uint64_t)time->tv_usec * 1000, here);
    return 0;
}

int sched_yield(void) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(sched_yield)();
    virtual_now += 1000;
    step(thread_yields, NULL, here);
    // A thread that yields waits for another, so the others run first.
    hold();
    return 0;
}

// Sections that no other thread divides

void set_undivided(bool begins) {
    if (self != NULL) self->undivided += begins ? 1 : -1;
}

// Once

void swift_once(void *predicate, void (*initialise)(void *), void *context);

/// No other thread continues while an initialiser runs, since it might wait for the initialiser inside the runtime.
void swift_once(void *predicate, void (*initialise)(void *), void *context) {
    fiber *running = self;
    if (running != NULL) running->undivided++;
    REAL(swift_once)(predicate, initialise, context);
    if (running != NULL) running->undivided--;
}

int pthread_once(pthread_once_t *once, void (*initialise)(void)) {
    fiber *running = self;
    if (running != NULL) running->undivided++;
    int status = REAL(pthread_once)(once, initialise);
    if (running != NULL) running->undivided--;
    return status;
}

pid_t gettid(void) { return self != NULL ? self->tid : (pid_t)REAL(syscall)(SYS_gettid); }

#endif
