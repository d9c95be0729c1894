#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What one thread's tasks want to run next. The Swift runtime asks a hook wherever it would hand a job to its pool or
// to the main queue (swift/Runtime/Concurrency.h); while a thread captures, its jobs come here instead. Other threads
// are left alone, so the rest of the process goes on as ever.

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/// Jobs that are ready, of one thread.
typedef struct scheduled_jobs scheduled_jobs;

/// An executor as the runtime passes it: the object, and the witness table of its conformance.
typedef struct {
    const void *_Nullable identity;
    uintptr_t implementation;
} scheduled_executor;

/// Makes an empty list, and installs the hooks if no other list has done so. NULL when there is no memory.
///
/// - mainExecutor: stands for the main actor's while a thread captures into the list. It hands its jobs to
///   `scheduled_jobs_add_main`.
/// - worker: what other jobs may be run on.
scheduled_jobs *_Nullable scheduled_jobs_create(scheduled_executor mainExecutor, scheduled_executor worker);

/// Frees the list. Jobs in it are lost; their tasks never run again.
void scheduled_jobs_destroy(scheduled_jobs *list);

/// From here on jobs that this thread enqueues go to the list; with NULL, to the runtime as usual.
void scheduled_jobs_capture(scheduled_jobs *_Nullable list);

/// From here on jobs that other threads enqueue go to the list as well, where a function says that the calling thread is
/// one of those that run one at a time; with NULL, no more.
void scheduled_jobs_share(scheduled_jobs *_Nullable list, bool (*_Nullable belongs)(void));

/// Adds a job of the main actor. When there is no memory for it the process ends: a lost job would look like a lost
/// caller.
void scheduled_jobs_add_main(scheduled_jobs *list, void *job);

/// Adds a job of any task to the list that this thread captures into. False when it captures into none.
bool scheduled_jobs_add_captured(void *job);

/// The same for a job that sleeps, in nanoseconds of the list's own time.
bool scheduled_jobs_add_captured_after(void *job, uint64_t delay);

/// Lets the list's time pass until the next sleeping job is ready. False when none sleeps.
bool scheduled_jobs_wake(scheduled_jobs *list);

/// How many jobs are ready.
size_t scheduled_jobs_count(const scheduled_jobs *list);

/// Takes a job out, by its place, and runs it until its task waits. The last job moves to the place.
///
/// Jobs that are not the main actor's run on the worker, or on none: the runtime lets a job go from an actor to another
/// at once when it was started on none, and makes a new job when it was started on a worker. False when there is no such
/// place.
bool scheduled_jobs_run(scheduled_jobs *list, size_t index, bool on_worker);

/// Forgets all jobs, also those that sleep; their tasks never run again.
void scheduled_jobs_forget(scheduled_jobs *list);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif
