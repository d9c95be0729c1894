#include "queues.h"

#if defined(__linux__) && defined(__x86_64__)

// The rest of libdispatch: time, queue-specific data, and work that runs once, later or many times.

void (*invoke_of_iterations(void *block))(void *, size_t) {
    return (void (*)(void *, size_t))((struct block_layout *)block)->invoke;
}

/// Times in this model: nanoseconds of a virtual clock; times of the wall clock are negative.
dispatch_time_t dispatch_time(dispatch_time_t when, int64_t delta) {
    if (self == NULL) return REAL(dispatch_time)(when, delta);
    if (when == DISPATCH_TIME_FOREVER) return when;
    bool is_wall = (int64_t)when < 0;
    uint64_t start = is_wall ? (uint64_t)-(int64_t)when : when != 0 ? when : monotonic_start + virtual_now;
    int64_t sum = (int64_t)start + delta;
    if (sum < 1) sum = 1;
    return is_wall ? (dispatch_time_t)-sum : (dispatch_time_t)sum;
}

dispatch_time_t dispatch_walltime(const struct timespec *when, int64_t delta) {
    if (self == NULL) return REAL(dispatch_walltime)(when, delta);
    int64_t start = when == NULL ? (int64_t)(realtime_start + virtual_now)
                                 : (int64_t)when->tv_sec * 1000000000 + when->tv_nsec;
    return (dispatch_time_t) - (start + delta);
}

dispatch_time_t since_start_of(dispatch_time_t when) {
    if (when == DISPATCH_TIME_FOREVER) return never;
    if (when == DISPATCH_TIME_NOW) return 0;
    return since_start((int64_t)when < 0 ? (uint64_t)-(int64_t)when : when);
}

// Queue-specific data

static queue *target_of(const queue *queue) {
    return queue->target == NULL ? NULL : queue_at((dispatch_queue_t)queue->target);
}

void *dispatch_get_specific(const void *key) {
    if (self == NULL) return REAL(dispatch_get_specific)(key);
    for (queue *queue = self->on_queue; queue != NULL; queue = target_of(queue)) {
        void *found = REAL(dispatch_queue_get_specific)((dispatch_queue_t)queue->address, key);
        if (found != NULL) return found;
    }
    return NULL;
}

static bool is_on(dispatch_queue_t asked) {
    for (queue *queue = self->on_queue; queue != NULL; queue = target_of(queue)) {
        if (queue->address == (const void *)asked) return true;
    }
    return false;
}

void dispatch_assert_queue(dispatch_queue_t queue) {
    if (self == NULL) {
        REAL(dispatch_assert_queue)(queue);
    } else if (!is_on(queue)) {
        note_misuse("is not on the queue that it asserts to be on");
    }
}

void dispatch_assert_queue_barrier(dispatch_queue_t queue) {
    if (self == NULL) {
        REAL(dispatch_assert_queue_barrier)(queue);
    } else if (!is_on(queue) || !queue_at(queue)->has_barrier) {
        note_misuse("is not alone on the queue that it asserts to be alone on");
    }
}

void dispatch_assert_queue_not(dispatch_queue_t queue) {
    if (self == NULL) {
        REAL(dispatch_assert_queue_not)(queue);
    } else if (is_on(queue)) {
        note_misuse("is on the queue that it asserts not to be on");
    }
}

void dispatch_set_target_queue(dispatch_object_t object, dispatch_queue_t target) {
    if (self != NULL) {
        queue *queue = queue_at((dispatch_queue_t)object);
        if (queue->is_source) queue_meet_source(target);
        queue->target = target;
    }
    REAL(dispatch_set_target_queue)(object, target);
}

void dispatch_suspend(dispatch_object_t object) {
    if (self != NULL) queue_at((dispatch_queue_t)object)->suspensions++;
    REAL(dispatch_suspend)(object);
}

static void release(dispatch_object_t object) {
    queue *queue = queue_at((dispatch_queue_t)object);
    queue->is_inactive = false;
    if (queue->suspensions > 0 && --queue->suspensions == 0) queue_start(queue);
}

void dispatch_resume(dispatch_object_t object) {
    REAL(dispatch_resume)(object);
    if (self != NULL) release(object);
}

void dispatch_activate(dispatch_object_t object) {
    REAL(dispatch_activate)(object);
    if (self != NULL) release(object);
}

// Once and later

void dispatch_once_f(dispatch_once_t *predicate, void *context, dispatch_function_t function) {
    place here = HERE;
    if (!CONTROLLED(here)) {
        REAL(dispatch_once_f)(predicate, context, function);
        return;
    }
    object *known = object_at(predicate, thread_object_once);
    point(thread_runs_once, known, here);
    while (*predicate != ~(dispatch_once_t)0 && known->owner != NULL) block(known, never);
    if (*predicate == ~(dispatch_once_t)0) return;
    known->owner = self;
    function(context);
    *predicate = ~(dispatch_once_t)0;
    known->owner = NULL;
    wake_all(known);
}

static void call_block(void *block) { ((struct block_layout *)block)->invoke(block); }

void dispatch_once(dispatch_once_t *predicate, dispatch_block_t block) {
    place here = HERE;
    if (!CONTROLLED(here)) {
        REAL(dispatch_once)(predicate, block);
    } else {
        dispatch_once_f(predicate, (void *)block, call_block);
    }
}

static void submit_later(void *context) {
    item *later = context;
    queue_submit(later->awaited, later->function, later->context, later->is_block, false, NULL, NULL);
    if (later->is_block) drop_block(later->context);
    REAL(dispatch_release)(later->awaited);
    free(later);
}

/// A separate thread sleeps until the time.
static void after(
    dispatch_time_t when, dispatch_queue_t queue, void (*function)(void *), void *context, bool is_block) {
    item *later = calloc(1, sizeof(item));
    if (later == NULL) abort();
    later->awaited = queue;
    later->function = function;
    later->context = is_block ? copy_block(context) : context;
    later->is_block = is_block;
    REAL(dispatch_retain)(queue);
    start_sleeping(submit_later, later, since_start_of(when));
}

void dispatch_after(dispatch_time_t when, dispatch_queue_t queue, dispatch_block_t block) {
    place here = HERE;
    if (!CONTROLLED(here)) {
        queue_meet(queue);
        REAL(dispatch_after)(when, queue, block);
    } else {
        point(thread_submits, object_at(queue, thread_object_queue), here);
        after(when, queue, NULL, (void *)block, true);
    }
}

void dispatch_after_f(dispatch_time_t when, dispatch_queue_t queue, void *context, dispatch_function_t function) {
    place here = HERE;
    if (!CONTROLLED(here)) {
        queue_meet(queue);
        REAL(dispatch_after_f)(when, queue, context, function);
    } else {
        point(thread_submits, object_at(queue, thread_object_queue), here);
        after(when, queue, function, context, false);
    }
}

dispatch_source_t dispatch_source_create(
    const void *type, uintptr_t handle, uintptr_t mask, dispatch_queue_t queue) {
    if (self == NULL) {
        queue_meet(queue);
        return REAL(dispatch_source_create)(type, handle, mask, queue);
    }
    queue_meet_source(queue);
    dispatch_source_t made = REAL(dispatch_source_create)(type, handle, mask, queue);
    if (made != NULL) queue_at((dispatch_queue_t)made)->is_source = true;
    return made;
}

#endif
