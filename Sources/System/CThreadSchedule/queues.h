#pragma once

#include "schedule.h"

#if defined(__linux__) && defined(__x86_64__)

#include "libdispatch.h"

/// An item for a queue to run, or a caller that waits until it may run its own item.
struct item {
    item *next;
    /// The queues it has passed, its own first: each waits until the item has ended.
    queue *passed[8];
    int passed_count;
    bool is_barrier;
    /// The caller that waits to run it; NULL if a thread of the queue runs it.
    fiber *caller;
    object *turn;
    bool has_turn;
    void (*function)(void *);
    void *context;
    bool is_block;
    /// Called when it has run, with the object that waited for it.
    void (*when_done)(void *awaited);
    void *awaited;
};

/// The compiler's layout of a block.
struct block_layout {
    void *class;
    int32_t flags, reserved;
    void (*invoke)(void *);
};

/// A queue of libdispatch, by its address. The real queue provides its name and its specific data, and runs nothing.
struct queue {
    const void *address;
    bool is_concurrent;
    bool is_inactive;
    /// Whether it is a system queue, where a barrier is like any other item.
    bool is_global;
    /// Whether a controlled thread made it: most likely only for its own order.
    bool is_of_order;
    /// Whether it is a dispatch source, whose handler nothing controls.
    bool is_source;
    /// The target queue on which it runs its items; NULL for a system queue.
    const void *target;
    /// The properties below belong to one order.
    uint32_t generation;
    int suspensions;
    item *first, *last;
    int running;
    bool has_barrier;
};

/// Submits a block, or a function with its context.
///
/// - when_done: called with `awaited` when it has run; NULL for nothing.
void queue_submit(
    dispatch_queue_t to, void (*function)(void *), void *context, bool is_block, bool is_barrier,
    void (*when_done)(void *awaited), void *awaited);
queue *queue_at(dispatch_queue_t address);
/// Work that a thread which is not controlled passes to a queue. If the order uses that queue, the order ends and the
/// work never runs: the real queue does not know of the controlled threads, so nothing would keep the two apart.
void queue_meet(dispatch_queue_t queue);
/// The same for a source that a controlled thread makes, or aims at a queue.
void queue_meet_source(dispatch_queue_t queue);
void queue_leave(item *item);
/// Starts the items that may run now.
void queue_start(queue *queue);
/// Whether a block was made as a barrier, with flags of its own.
bool is_made_barrier(const void *block);
/// Calls a block, or a function with its context.
void call_item(bool is_block, void (*function)(void *), void *context);
/// The function of a block that takes the number of an iteration.
void (*invoke_of_iterations(void *block))(void *, size_t);
/// A copy of a block that outlives its caller.
void *copy_block(const void *block);
void drop_block(const void *block);
dispatch_time_t since_start_of(dispatch_time_t when);

#endif
