#include "queues.h"

#if defined(__linux__) && defined(__x86_64__)

// Groups, semaphores, and blocks that can be waited for. The real objects are used, but only without waiting.

// Waiting for groups and blocks

typedef struct wish wish;
struct wish {
    wish *next;
    const void *awaited;
    dispatch_queue_t queue;
    void (*function)(void *);
    void *context;
    bool is_block;
};

static wish *wishes;

/// The wishes of this order.
static wish **first_wish(void) {
    static uint32_t wishes_order;
    if (wishes_order != order_number) wishes = NULL;
    wishes_order = order_number;
    return &wishes;
}

static void add_wish(
    const void *awaited, dispatch_queue_t queue, void (*function)(void *), void *context, bool is_block) {
    wish *added = malloc(sizeof(wish));
    if (added == NULL) abort();
    *added = (wish){NULL, awaited, queue, function, is_block ? copy_block(context) : context, is_block};
    REAL(dispatch_retain)(queue);
    wish **place = first_wish();
    while (*place != NULL) place = &(*place)->next;
    *place = added;
}

static void grant_wishes(const void *awaited) {
    wish **place = first_wish();
    while (*place != NULL) {
        wish *wish = *place;
        if (wish->awaited != awaited) {
            place = &wish->next;
            continue;
        }
        *place = wish->next;
        queue_submit(wish->queue, wish->function, wish->context, wish->is_block, false, NULL, NULL);
        if (wish->is_block) drop_block(wish->context);
        REAL(dispatch_release)(wish->queue);
        free(wish);
    }
}

static bool is_empty(dispatch_group_t group) { return REAL(dispatch_group_wait)(group, DISPATCH_TIME_NOW) == 0; }

static void group_has_changed(dispatch_group_t group) {
    if (!is_empty(group)) return;
    wake_all(object_at(group, thread_object_group));
    grant_wishes(group);
}

static void leave_group(dispatch_group_t group) {
    REAL(dispatch_group_leave)(group);
    group_has_changed(group);
    REAL(dispatch_release)(group);
}

/// Submits work that is in a group.
static void submit_in(
    dispatch_group_t group, dispatch_queue_t queue, void (*function)(void *), void *context, bool is_block) {
    REAL(dispatch_group_enter)(group);
    REAL(dispatch_retain)(group);
    queue_submit(queue, function, context, is_block, false, leave_group, group);
}

void dispatch_group_enter(dispatch_group_t group) {
    place here = HERE;
    if (CONTROLLED(here)) point(thread_changes_group, object_at(group, thread_object_group), here);
    REAL(dispatch_group_enter)(group);
}

void dispatch_group_leave(dispatch_group_t group) {
    place here = HERE;
    if (!CONTROLLED(here)) {
        if (is_awaited(group)) note_unseen(thread_unseen_signal);
        REAL(dispatch_group_leave)(group);
        return;
    }
    point(thread_changes_group, object_at(group, thread_object_group), here);
    REAL(dispatch_group_leave)(group);
    group_has_changed(group);
}

intptr_t dispatch_group_wait(dispatch_group_t group, dispatch_time_t when) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(dispatch_group_wait)(group, when);
    object *known = object_at(group, thread_object_group);
    point(thread_waits_for_group, known, here);
    while (!is_empty(group)) {
        if (when == DISPATCH_TIME_NOW || !block(known, since_start_of(when))) return 1;
    }
    return 0;
}

static void notify(dispatch_group_t group, dispatch_queue_t queue, void (*function)(void *), void *context, bool is_block) {
    add_wish(group, queue, function, context, is_block);
    group_has_changed(group);
}

void dispatch_group_notify(dispatch_group_t group, dispatch_queue_t queue, dispatch_block_t block) {
    place here = HERE;
    if (!CONTROLLED(here)) {
        queue_meet(queue);
        REAL(dispatch_group_notify)(group, queue, block);
        return;
    }
    point(thread_changes_group, object_at(group, thread_object_group), here);
    notify(group, queue, NULL, (void *)block, true);
}

void dispatch_group_notify_f(
    dispatch_group_t group, dispatch_queue_t queue, void *context, dispatch_function_t function) {
    place here = HERE;
    if (!CONTROLLED(here)) {
        queue_meet(queue);
        REAL(dispatch_group_notify_f)(group, queue, context, function);
        return;
    }
    point(thread_changes_group, object_at(group, thread_object_group), here);
    notify(group, queue, function, context, false);
}

void dispatch_group_async(dispatch_group_t group, dispatch_queue_t queue, dispatch_block_t block) {
    place here = HERE;
    if (!CONTROLLED(here)) {
        queue_meet(queue);
        REAL(dispatch_group_async)(group, queue, block);
        return;
    }
    point(thread_submits, object_at(queue, thread_object_queue), here);
    submit_in(group, queue, NULL, (void *)block, true);
}

void dispatch_group_async_f(
    dispatch_group_t group, dispatch_queue_t queue, void *context, dispatch_function_t function) {
    place here = HERE;
    if (!CONTROLLED(here)) {
        queue_meet(queue);
        REAL(dispatch_group_async_f)(group, queue, context, function);
        return;
    }
    point(thread_submits, object_at(queue, thread_object_queue), here);
    submit_in(group, queue, function, context, false);
}

// Semaphores

intptr_t dispatch_semaphore_wait(dispatch_semaphore_t semaphore, dispatch_time_t when) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(dispatch_semaphore_wait)(semaphore, when);
    object *known = object_at(semaphore, thread_object_semaphore);
    point(thread_waits_for_semaphore, known, here);
    while (REAL(dispatch_semaphore_wait)(semaphore, DISPATCH_TIME_NOW) != 0) {
        if (when == DISPATCH_TIME_NOW || !block(known, since_start_of(when))) return 1;
    }
    return 0;
}

intptr_t dispatch_semaphore_signal(dispatch_semaphore_t semaphore) {
    place here = HERE;
    if (!CONTROLLED(here)) {
        if (is_awaited(semaphore)) note_unseen(thread_unseen_signal);
        return REAL(dispatch_semaphore_signal)(semaphore);
    }
    object *known = object_at(semaphore, thread_object_semaphore);
    point(thread_posts_semaphore, known, here);
    intptr_t result = REAL(dispatch_semaphore_signal)(semaphore);
    wake_all(known);
    return result;
}

dispatch_semaphore_t dispatch_semaphore_create(intptr_t value) {
    dispatch_semaphore_t made = REAL(dispatch_semaphore_create)(value);
    if (self != NULL) object_forget(made);
    return made;
}

dispatch_group_t dispatch_group_create(void) {
    dispatch_group_t made = REAL(dispatch_group_create)();
    if (self != NULL) object_forget(made);
    return made;
}

// Blocks of `dispatch_block_create` store themselves whether they are cancelled.

static void item_has_run(object *item) {
    item->is_done = true;
    wake_all(item);
    grant_wishes(item->address);
}

static object *item_at(dispatch_block_t block) {
    object *item = object_at((void *)block, thread_object_item);
    item->when_done = item_has_run;
    return item;
}

/// The function of every block that is made: another block at the address of one that is gone has another.
static void (*made_invoke)(void *);

static dispatch_block_t made_block(dispatch_block_flags_t flags, dispatch_block_t block) {
    if (self == NULL || block == NULL) return block;
    object_forget((void *)block);
    item_at(block)->is_barrier = (flags & DISPATCH_BLOCK_BARRIER) != 0;
    made_invoke = ((struct block_layout *)block)->invoke;
    return block;
}

bool is_made_barrier(const void *block) {
    const object *item = object_known(block);
    return item != NULL && item->is_barrier && ((const struct block_layout *)block)->invoke == made_invoke;
}

dispatch_block_t dispatch_block_create(dispatch_block_flags_t flags, dispatch_block_t block) {
    return made_block(flags, REAL(dispatch_block_create)(flags, block));
}

dispatch_block_t dispatch_block_create_with_qos_class(
    dispatch_block_flags_t flags, dispatch_qos_class_t class, int priority, dispatch_block_t block) {
    return made_block(flags, REAL(dispatch_block_create_with_qos_class)(flags, class, priority, block));
}

void dispatch_block_cancel(dispatch_block_t block) {
    place here = HERE;
    if (CONTROLLED(here)) point(thread_cancels, item_at(block), here);
    REAL(dispatch_block_cancel)(block);
}

intptr_t dispatch_block_wait(dispatch_block_t block_pointer, dispatch_time_t when) {
    place here = HERE;
    if (!CONTROLLED(here)) return REAL(dispatch_block_wait)(block_pointer, when);
    object *known = item_at(block_pointer);
    point(thread_waits_for_group, known, here);
    while (!known->is_done) {
        if (when == DISPATCH_TIME_NOW || !block(known, since_start_of(when))) return 1;
    }
    return 0;
}

void dispatch_block_notify(dispatch_block_t block, dispatch_queue_t queue, dispatch_block_t then) {
    place here = HERE;
    if (!CONTROLLED(here)) {
        queue_meet(queue);
        REAL(dispatch_block_notify)(block, queue, then);
        return;
    }
    object *known = item_at(block);
    point(thread_changes_group, known, here);
    add_wish((void *)block, queue, NULL, (void *)then, true);
    if (known->is_done) grant_wishes((void *)block);
}

#endif
