#include "queues.h"

#if defined(__linux__) && defined(__x86_64__)

#include <unistd.h>

// libdispatch's queues: first in, first out; a serial queue and a barrier run alone. Asynchronous items of a queue run
// on a separate thread, which continues when the order chooses it.

enum { queues_max = 1 << 14, attributes_max = 32 };

static queue queues[queues_max];
static int queue_count;
/// The order that has used the table last.
static uint32_t table_order;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    const void *address;
    bool is_concurrent, is_inactive;
} attributes[attributes_max];

static void lock_table(void) { REAL(pthread_mutex_lock)(&table_lock); }
static void unlock_table(void) { REAL(pthread_mutex_unlock)(&table_lock); }

static queue *find(const void *address);

static uint32_t place_of(const void *address) {
    return (uint32_t)(((uintptr_t)address >> 4) * 0x9E3779B97F4A7C15ull >> 40) & (queues_max - 1);
}

/// Drops the queues of orders long past. The queues of a deadlock are never released, so their addresses are not
/// reused.
static void forget_old(void) {
    static queue kept[queues_max];
    int count = 0;
    for (int place = 0; place < queues_max; place++) {
        const queue *queue = &queues[place];
        bool is_old = queue->is_of_order && queue->generation + 1000 < order_number;
        if (queue->address != NULL && !is_old) kept[count++] = *queue;
    }
    memset(queues, 0, sizeof queues);
    queue_count = 0;
    for (int index = 0; index < count; index++) *find(kept[index].address) = kept[index];
}

/// At the first use in an order, while nothing points into the table.
static void tidy_table(void) {
    if (table_order == order_number) return;
    table_order = order_number;
    lock_table();
    if (queue_count > queues_max / 2) forget_old();
    unlock_table();
}

// Blocks

void *copy_block(const void *block) {
    static void *(*copy)(const void *);
    if (copy == NULL) copy = (void *(*)(const void *))dlsym(RTLD_DEFAULT, "_Block_copy");
    return copy(block);
}

void drop_block(const void *block) {
    static void (*drop)(const void *);
    if (drop == NULL) drop = (void (*)(const void *))dlsym(RTLD_DEFAULT, "_Block_release");
    drop(block);
}

void call_item(bool is_block, void (*function)(void *), void *context) {
    if (!is_block) {
        function(context);
    } else {
        ((struct block_layout *)context)->invoke(context);
        object *known = object_known(context);
        if (known != NULL && known->when_done != NULL) known->when_done(known);
    }
}

/// A variable of libdispatch. It is looked up, so that a program without that library can start.
#define VARIABLE(name) \
    ({ \
        static const void *found; \
        if (found == NULL) found = dlsym(RTLD_DEFAULT, name); \
        found; \
    })

// Attributes are libdispatch's own values; their meaning is known from how they were made.

static void describe(const void *address, bool *is_concurrent, bool *is_inactive) {
    *is_concurrent = address != NULL && address == VARIABLE("_dispatch_queue_attr_concurrent");
    *is_inactive = false;
    for (int index = 0; index < attributes_max; index++) {
        if (address == NULL || attributes[index].address != address) continue;
        *is_concurrent = attributes[index].is_concurrent;
        *is_inactive = attributes[index].is_inactive;
    }
}

static dispatch_queue_attr_t derived(dispatch_queue_attr_t made, dispatch_queue_attr_t from, bool makes_inactive) {
    bool is_concurrent, is_inactive;
    lock_table();
    describe(from, &is_concurrent, &is_inactive);
    for (int index = 0; index < attributes_max; index++) {
        if (attributes[index].address != NULL && attributes[index].address != made) continue;
        attributes[index].address = made;
        attributes[index].is_concurrent = is_concurrent;
        attributes[index].is_inactive = is_inactive || makes_inactive;
        break;
    }
    unlock_table();
    return made;
}

dispatch_queue_attr_t dispatch_queue_attr_make_initially_inactive(dispatch_queue_attr_t from) {
    return derived(REAL(dispatch_queue_attr_make_initially_inactive)(from), from, true);
}

dispatch_queue_attr_t dispatch_queue_attr_make_with_autorelease_frequency(
    dispatch_queue_attr_t from, dispatch_autorelease_frequency_t frequency) {
    return derived(REAL(dispatch_queue_attr_make_with_autorelease_frequency)(from, frequency), from, false);
}

dispatch_queue_attr_t dispatch_queue_attr_make_with_qos_class(
    dispatch_queue_attr_t from, dispatch_qos_class_t class, int priority) {
    return derived(REAL(dispatch_queue_attr_make_with_qos_class)(from, class, priority), from, false);
}

/// The place of a queue in the table.
static queue *find(const void *address) {
    uint32_t place = place_of(address);
    for (int tries = 0; tries < queues_max; tries++) {
        queue *found = &queues[place];
        if (found->address == address) return found;
        if (found->address == NULL) {
            // A global queue, or the main queue, which no controlled thread has made.
            bool is_main = address == VARIABLE("_dispatch_main_q");
            *found = (queue){.address = address, .is_concurrent = !is_main, .is_global = !is_main};
            queue_count++;
            return found;
        }
        place = (place + 1) & (queues_max - 1);
    }
    note_unseen(thread_unseen_overflow);
    return &queues[0];
}

static dispatch_queue_t made(dispatch_queue_t address, dispatch_queue_attr_t attribute, dispatch_queue_t target) {
    if (address == NULL) return NULL;
    if (self != NULL) tidy_table();
    lock_table();
    queue *queue = find(address);
    bool is_concurrent, is_inactive;
    describe(attribute, &is_concurrent, &is_inactive);
    queue->is_global = false;
    queue->is_concurrent = is_concurrent;
    queue->is_inactive = is_inactive;
    queue->is_of_order = self != NULL;
    queue->is_source = false;
    queue->generation = self != NULL ? order_number - 1 : 0;
    queue->target = target;
    unlock_table();
    if (self != NULL) object_forget(address);
    return address;
}

dispatch_queue_t dispatch_queue_create(const char *label, dispatch_queue_attr_t attribute) {
    return made(REAL(dispatch_queue_create)(label, attribute), attribute, NULL);
}

dispatch_queue_t dispatch_queue_create_with_target(
    const char *label, dispatch_queue_attr_t attribute, dispatch_queue_t target) {
    return made(REAL(dispatch_queue_create)(label, attribute), attribute, target);
}

/// Whether a controlled thread made a queue, at whatever time: its work is that of an order.
static bool is_of_order(const void *address) {
    lock_table();
    uint32_t place = place_of(address);
    while (queues[place].address != NULL && queues[place].address != address) place = (place + 1) & (queues_max - 1);
    bool is_of_order = queues[place].address != NULL && queues[place].is_of_order;
    unlock_table();
    return is_of_order;
}

void queue_meet(dispatch_queue_t queue) {
    // The exploring thread drops the cache when its callers have ended: no work is left on its queues.
    if (self != NULL || !is_exploring() || !is_of_order(queue) || is_explorer()) return;
    end_outside(thread_unseen_work);
    while (true) pause();
}

void queue_meet_source(dispatch_queue_t queue) {
    note_unseen(thread_unseen_source);
    if (queue == NULL || !is_of_order(queue)) return;
    end_outside(thread_unseen_source);
    leave_if_outside();
}

queue *queue_at(dispatch_queue_t address) {
    tidy_table();
    queue *found = find(address);
    if (found->generation != order_number) {
        found->generation = order_number;
        found->suspensions = found->is_inactive ? 1 : 0;
        found->first = found->last = NULL;
        found->running = 0;
        found->has_barrier = false;
    }
    return found;
}

static object *object_of(queue *queue) { return object_at(queue->address, thread_object_queue); }

static void append(queue *queue, item *added) {
    added->next = NULL;
    added->passed[added->passed_count++] = queue;
    if (queue->last == NULL) {
        queue->first = added;
    } else {
        queue->last->next = added;
    }
    queue->last = added;
}

static void run_item(void *context) {
    item *run = context;
    self->on_queue = run->passed[0];
    step(thread_calls_queue, object_of(run->passed[0]), (place){__builtin_frame_address(0), NULL});
    call_item(run->is_block, run->function, run->context);
    self->on_queue = NULL;
    queue_leave(run);
    if (run->is_block) drop_block(run->context);
    if (run->when_done != NULL) run->when_done(run->awaited);
    REAL(dispatch_release)((dispatch_queue_t)run->passed[0]->address);
    free(run);
}

void queue_start(queue *queue) {
    while (queue->first != NULL && queue->suspensions == 0) {
        item *next = queue->first;
        bool is_alone = !queue->is_concurrent || next->is_barrier;
        if (queue->has_barrier || (is_alone && queue->running > 0)) return;
        bool is_last = queue->target == NULL || next->passed_count == 8;
        if (is_last && next->caller == NULL && !has_room()) return;
        queue->first = next->next;
        if (queue->first == NULL) queue->last = NULL;
        queue->running++;
        queue->has_barrier = is_alone;
        if (!is_last) {
            struct queue *target = queue_at((dispatch_queue_t)queue->target);
            append(target, next);
            queue_start(target);
        } else if (next->caller != NULL) {
            next->has_turn = true;
            object_of(next->passed[0])->owner = next->caller;
            if (next->caller->state == fiber_blocked && next->caller->waits_for == next->turn) wake(next->caller);
        } else {
            fiber *worker = start_thread(run_item, next);
            if (queue->has_barrier) object_of(next->passed[0])->owner = worker;
        }
    }
}

void queue_leave(item *left) {
    for (int index = left->passed_count - 1; index >= 0; index--) {
        queue *queue = left->passed[index];
        queue->running--;
        queue->has_barrier = false;
        if (index == 0) object_of(queue)->owner = NULL;
    }
    for (int index = left->passed_count - 1; index >= 0; index--) queue_start(left->passed[index]);
}

void queue_submit(
    dispatch_queue_t to, void (*function)(void *), void *context, bool is_block, bool is_barrier,
    void (*when_done)(void *awaited), void *awaited) {
    queue *queue = queue_at(to);
    item *submitted = calloc(1, sizeof(item));
    if (submitted == NULL) abort();
    submitted->is_barrier = (is_barrier || (is_block && is_made_barrier(context))) && !queue->is_global;
    submitted->function = function;
    submitted->context = is_block ? copy_block(context) : context;
    submitted->is_block = is_block;
    submitted->when_done = when_done;
    submitted->awaited = awaited;
    REAL(dispatch_retain)(to);
    append(queue, submitted);
    queue_start(queue);
}

static void run_in_turn(
    dispatch_queue_t to, void (*function)(void *), void *context, bool is_block, bool is_barrier, place here) {
    queue *queue = queue_at(to);
    object *known = object_of(queue);
    point(thread_calls_queue, known, here);
    is_barrier = is_barrier || (is_block && is_made_barrier(context));
    item own = {.is_barrier = is_barrier && !queue->is_global, .caller = self, .turn = known};
    append(queue, &own);
    queue_start(queue);
    while (!own.has_turn) block(known, never);
    known->event = self->last_event;
    struct queue *outer = self->on_queue;
    self->on_queue = queue;
    call_item(is_block, function, context);
    self->on_queue = outer;
    step(thread_leaves_queue, known, here);
    queue_leave(&own);
}

#define SYNCHRONOUS(name, is_barrier) \
    void name(dispatch_queue_t queue, dispatch_block_t block) { \
        place here = HERE; \
        if (!CONTROLLED(here)) { \
            queue_meet(queue); \
            REAL(name)(queue, block); \
        } else { \
            run_in_turn(queue, NULL, (void *)block, true, is_barrier, here); \
        } \
    } \
    void name##_f(dispatch_queue_t queue, void *context, dispatch_function_t function) { \
        place here = HERE; \
        if (!CONTROLLED(here)) { \
            queue_meet(queue); \
            REAL(name##_f)(queue, context, function); \
        } else { \
            run_in_turn(queue, function, context, false, is_barrier, here); \
        } \
    }

SYNCHRONOUS(dispatch_sync, false)
SYNCHRONOUS(dispatch_barrier_sync, true)
SYNCHRONOUS(dispatch_async_and_wait, false)
SYNCHRONOUS(dispatch_barrier_async_and_wait, true)

/// Whether a call is controlled. Tasks that the runtime passes to its pool are not controlled, only noticed.
static bool submits(place here) {
    if (self == NULL) return false;
    if (!is_passed(here.caller)) return true;
    note_unseen(thread_unseen_task);
    return false;
}

#define ASYNCHRONOUS(name, is_barrier) \
    void name(dispatch_queue_t queue, dispatch_block_t block) { \
        place here = HERE; \
        if (!submits(here)) { \
            queue_meet(queue); \
            REAL(name)(queue, block); \
        } else { \
            point(thread_submits, object_of(queue_at(queue)), here); \
            queue_submit(queue, NULL, (void *)block, true, is_barrier, NULL, NULL); \
        } \
    } \
    void name##_f(dispatch_queue_t queue, void *context, dispatch_function_t function) { \
        place here = HERE; \
        if (!submits(here)) { \
            queue_meet(queue); \
            REAL(name##_f)(queue, context, function); \
        } else { \
            point(thread_submits, object_of(queue_at(queue)), here); \
            queue_submit(queue, function, context, false, is_barrier, NULL, NULL); \
        } \
    }

ASYNCHRONOUS(dispatch_async, false)
ASYNCHRONOUS(dispatch_barrier_async, true)

#endif
