#pragma once

// The exports of libdispatch that are modelled. SwiftPM has no way to find the toolchain's own headers.

#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef void *dispatch_queue_t, *dispatch_queue_attr_t, *dispatch_group_t, *dispatch_semaphore_t, *dispatch_source_t,
    *dispatch_object_t;
typedef void (^dispatch_block_t)(void);
typedef void (*dispatch_function_t)(void *);
typedef uint64_t dispatch_time_t;
typedef intptr_t dispatch_once_t;
typedef unsigned long dispatch_block_flags_t, dispatch_autorelease_frequency_t;
typedef unsigned dispatch_qos_class_t;

#define DISPATCH_BLOCK_BARRIER 1ul
#define DISPATCH_TIME_NOW 0ull
#define DISPATCH_TIME_FOREVER (~0ull)

void dispatch_retain(dispatch_object_t object);
void dispatch_release(dispatch_object_t object);
void dispatch_suspend(dispatch_object_t object);
void dispatch_resume(dispatch_object_t object);
void dispatch_activate(dispatch_object_t object);
void dispatch_set_target_queue(dispatch_object_t object, dispatch_queue_t target);

dispatch_queue_attr_t dispatch_queue_attr_make_initially_inactive(dispatch_queue_attr_t from);
dispatch_queue_attr_t dispatch_queue_attr_make_with_autorelease_frequency(
    dispatch_queue_attr_t from, dispatch_autorelease_frequency_t frequency);
dispatch_queue_attr_t dispatch_queue_attr_make_with_qos_class(
    dispatch_queue_attr_t from, dispatch_qos_class_t class, int priority);
dispatch_queue_t dispatch_queue_create(const char *label, dispatch_queue_attr_t attribute);
dispatch_queue_t dispatch_queue_create_with_target(
    const char *label, dispatch_queue_attr_t attribute, dispatch_queue_t target);
void *dispatch_queue_get_specific(dispatch_queue_t queue, const void *key);
void *dispatch_get_specific(const void *key);
void dispatch_assert_queue(dispatch_queue_t queue);
void dispatch_assert_queue_not(dispatch_queue_t queue);
void dispatch_assert_queue_barrier(dispatch_queue_t queue);

#define TAKES_BLOCK_OR_FUNCTION(name) \
    void name(dispatch_queue_t queue, dispatch_block_t block); \
    void name##_f(dispatch_queue_t queue, void *context, dispatch_function_t function);

TAKES_BLOCK_OR_FUNCTION(dispatch_sync)
TAKES_BLOCK_OR_FUNCTION(dispatch_barrier_sync)
TAKES_BLOCK_OR_FUNCTION(dispatch_async_and_wait)
TAKES_BLOCK_OR_FUNCTION(dispatch_barrier_async_and_wait)
TAKES_BLOCK_OR_FUNCTION(dispatch_async)
TAKES_BLOCK_OR_FUNCTION(dispatch_barrier_async)

void dispatch_after(dispatch_time_t when, dispatch_queue_t queue, dispatch_block_t block);
void dispatch_after_f(dispatch_time_t when, dispatch_queue_t queue, void *context, dispatch_function_t function);
void dispatch_apply(size_t count, dispatch_queue_t queue, void (^block)(size_t));
void dispatch_apply_f(size_t count, dispatch_queue_t queue, void *context, void (*function)(void *, size_t));
void dispatch_once(dispatch_once_t *predicate, dispatch_block_t block);
void dispatch_once_f(dispatch_once_t *predicate, void *context, dispatch_function_t function);
dispatch_time_t dispatch_time(dispatch_time_t when, int64_t delta);
dispatch_time_t dispatch_walltime(const struct timespec *when, int64_t delta);

dispatch_group_t dispatch_group_create(void);
void dispatch_group_enter(dispatch_group_t group);
void dispatch_group_leave(dispatch_group_t group);
intptr_t dispatch_group_wait(dispatch_group_t group, dispatch_time_t when);
void dispatch_group_notify(dispatch_group_t group, dispatch_queue_t queue, dispatch_block_t block);
void dispatch_group_notify_f(
    dispatch_group_t group, dispatch_queue_t queue, void *context, dispatch_function_t function);
void dispatch_group_async(dispatch_group_t group, dispatch_queue_t queue, dispatch_block_t block);
void dispatch_group_async_f(
    dispatch_group_t group, dispatch_queue_t queue, void *context, dispatch_function_t function);

dispatch_semaphore_t dispatch_semaphore_create(intptr_t value);
intptr_t dispatch_semaphore_wait(dispatch_semaphore_t semaphore, dispatch_time_t when);
intptr_t dispatch_semaphore_signal(dispatch_semaphore_t semaphore);

dispatch_block_t dispatch_block_create(dispatch_block_flags_t flags, dispatch_block_t block);
dispatch_block_t dispatch_block_create_with_qos_class(
    dispatch_block_flags_t flags, dispatch_qos_class_t class, int priority, dispatch_block_t block);
void dispatch_block_cancel(dispatch_block_t block);
intptr_t dispatch_block_wait(dispatch_block_t block, dispatch_time_t when);
void dispatch_block_notify(dispatch_block_t block, dispatch_queue_t queue, dispatch_block_t then);

dispatch_source_t dispatch_source_create(
    const void *type, uintptr_t handle, uintptr_t mask, dispatch_queue_t queue);
