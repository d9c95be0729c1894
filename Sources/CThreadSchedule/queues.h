#pragma once

#include "schedule.h"

#if defined(__linux__) && defined(__x86_64__)

#include "libdispatch.h"

/// What a queue is to run, or who waits until it may run something itself.
struct item {
    item *next;
    /// The queues it has passed, the first one its own: each waits until it has ended.
    queue *passed[8];
    int passed_count;
    bool is_barrier;
    /// Who waits for its turn; NULL where a thread of the queue's own runs the item.
    fiber *caller;
    object *turn;
    bool has_turn;
    void (*function)(void *);
    void *context;
    bool is_block;
    dispatch_group_t group;
};

/// A queue of libdispatch, by its address. The real one lends its name and what is attached to it, and runs nothing.
struct queue {
    const void *address;
    bool is_concurrent;
    bool is_inactive;
    /// Whether it is one of the system's own, where a barrier is like any other item.
    bool is_global;
    /// Whether a controlled thread has made it: most likely for its own order alone.
    bool is_of_order;
    /// The queue on which it runs its items; NULL for the system's own.
    const void *target;
    /// Below are properties of an order.
    uint32_t generation;
    int suspensions;
    item *first, *last;
    int running;
    bool has_barrier;
};

queue *queue_at(dispatch_queue_t address);
void queue_leave(item *item);
/// Hands out what may start now.
void queue_start(queue *queue);
/// Calls a block, or a function with its context.
void call_item(bool is_block, void (*function)(void *), void *context);
/// A copy of a block that outlives its caller.
void *copy_block(const void *block);
void drop_block(const void *block);
/// Says that a block of `dispatch_block_create` has run, to those who wait for it.
void block_has_run(void *block);
/// Says that a group may be empty.
void group_has_changed(dispatch_group_t group);
void groups_begin(void);
dispatch_time_t since_start_of(dispatch_time_t when);

#endif
