#include "queues.h"

#if defined(__linux__) && defined(__x86_64__)

// `dispatch_apply`: iterations on a few threads of the order.

enum { helpers_max = 2 };

/// The iterations of one call. It is freed by the last thread that leaves it.
typedef struct {
    void (*function)(void *, size_t);
    void *context;
    size_t count, next, done;
    int users;
    object *end;
} iterations;

static void leave(iterations *left) {
    if (--left->users == 0) free(left);
}

static void take_some(iterations *shared) {
    while (shared->next < shared->count) {
        size_t index = shared->next++;
        shared->function(shared->context, index);
        if (++shared->done == shared->count) wake_all(shared->end);
        pass();
    }
}

static void help(void *context) {
    take_some(context);
    leave(context);
}

/// On the calling thread and helpers, or, if a queue is named, on that queue alone, as its own order allows.
static void apply(
    size_t count, dispatch_queue_t queue, void *context, void (*function)(void *, size_t), place here) {
    if (count == 0) return;
    iterations *shared = calloc(1, sizeof(iterations));
    if (shared == NULL) abort();
    object_forget(shared);
    *shared = (iterations){function, context, count, 0, 0, 1, object_at(shared, thread_object_group)};
    point(thread_applies, shared->end, here);
    size_t helpers = count - (queue == NULL ? 1 : 0) < helpers_max ? count - (queue == NULL ? 1 : 0) : helpers_max;
    for (; helpers > 0; helpers--) {
        shared->users++;
        if (queue != NULL) {
            queue_submit(queue, help, shared, false, false, NULL, NULL);
        } else if (!has_room() || start_thread(help, shared) == NULL) {
            shared->users--;
        }
    }
    if (queue == NULL) take_some(shared);
    while (shared->done < shared->count) block(shared->end, never);
    leave(shared);
}

void dispatch_apply(size_t count, dispatch_queue_t queue, void (^block)(size_t)) {
    place here = HERE;
    if (!CONTROLLED(here)) {
        REAL(dispatch_apply)(count, queue, block);
    } else {
        apply(count, queue, (void *)block, invoke_of_iterations((void *)block), here);
    }
}

void dispatch_apply_f(size_t count, dispatch_queue_t queue, void *context, void (*function)(void *, size_t)) {
    place here = HERE;
    if (!CONTROLLED(here)) {
        REAL(dispatch_apply_f)(count, queue, context, function);
    } else {
        apply(count, queue, context, function, here);
    }
}

#endif
