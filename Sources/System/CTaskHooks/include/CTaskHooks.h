#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The jobs that one thread's tasks want to run next. The Swift runtime calls a hook wherever it would pass a job to its
// pool or to the main queue (swift/Runtime/Concurrency.h); while a thread captures, its jobs go here instead. Other
// threads are not affected, so the rest of the process runs as usual.

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/// The ready jobs of one thread.
typedef struct scheduled_jobs scheduled_jobs;

/// An executor as the runtime passes it: the object, and the witness table of its conformance.
typedef struct {
    const void *_Nullable identity;
    uintptr_t implementation;
} scheduled_executor;

/// Makes an empty list, and installs the hooks if no other list has done so. NULL when there is not enough memory.
///
/// - mainExecutor: replaces the main actor's executor while a thread captures into the list. It passes its jobs to
///   `scheduled_jobs_add_main`.
/// - worker: the executor on which other jobs may run.
scheduled_jobs *_Nullable scheduled_jobs_create(scheduled_executor mainExecutor, scheduled_executor worker);

/// Frees the list. Jobs in it are lost; their tasks never run again.
void scheduled_jobs_destroy(scheduled_jobs *list);

/// From now on, jobs that this thread enqueues go to the list; with NULL, to the runtime as usual.
void scheduled_jobs_capture(scheduled_jobs *_Nullable list);

/// From now on, jobs of other threads also go to the list, if a function says that the calling thread is one of those
/// that run one at a time; NULL ends this.
void scheduled_jobs_share(scheduled_jobs *_Nullable list, bool (*_Nullable belongs)(void));

/// Adds a job of the main actor. When there is not enough memory the process ends: a lost job would look like a lost
/// caller.
void scheduled_jobs_add_main(scheduled_jobs *list, void *job);

/// Adds a job of any task to the list into which this thread captures. False when it captures into none.
bool scheduled_jobs_add_captured(void *job);

/// Adds a job that sleeps for a delay in nanoseconds of the list's own time. False when this thread captures into no
/// list.
bool scheduled_jobs_add_captured_after(void *job, uint64_t delay);

/// Whether jobs of a list sleep.
bool scheduled_jobs_sleep(const scheduled_jobs *list);

/// Advances the list's time until the next sleeping job is ready. False when no job sleeps.
bool scheduled_jobs_wake(scheduled_jobs *list);

/// How many jobs are ready.
size_t scheduled_jobs_count(const scheduled_jobs *list);

/// A job that was taken off a list.
typedef struct {
    void *_Nonnull job;
    /// Whether it belongs to the main actor.
    bool is_main;
} scheduled_job;

/// Removes the job at an index. The last job moves to that index. False when there is no such index.
bool scheduled_jobs_take(scheduled_jobs *list, size_t index, scheduled_job *taken);

/// Runs a job on this thread until its task waits.
///
/// Jobs other than the main actor's run on the worker, or on no executor. A job that was started on no executor moves
/// from one actor to another without a new job; one that was started on a worker makes a new job.
void scheduled_jobs_run(const scheduled_jobs *list, scheduled_job job, bool on_worker);

/// Drops all jobs, including sleeping ones; their tasks never run again.
void scheduled_jobs_forget(scheduled_jobs *list);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif
