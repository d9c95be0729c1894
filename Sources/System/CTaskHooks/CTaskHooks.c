#include "CTaskHooks.h"

#include <pthread.h>
#include <stdlib.h>

#define SWIFT_CALL __attribute__((swiftcall))

typedef SWIFT_CALL void (*enqueue_global_original)(void *job);
typedef SWIFT_CALL scheduled_executor (*get_main_executor_original)(void);

// Variables of the runtime, each NULL until a hook is set.
extern SWIFT_CALL void (*swift_task_enqueueGlobal_hook)(void *job, enqueue_global_original original);
extern SWIFT_CALL scheduled_executor (*swift_task_getMainExecutor_hook)(get_main_executor_original original);

extern SWIFT_CALL void swift_job_run(void *job, const void *identity, uintptr_t implementation);

typedef struct {
    void *job;
    uint64_t deadline;
} sleeping_job;

struct scheduled_jobs {
    scheduled_job *jobs;
    size_t count;
    size_t capacity;
    // The sleeping jobs in the order in which they fell asleep. Few sleep at a time, so the next one is found by a
    // search.
    sleeping_job *sleeping;
    size_t sleeping_count;
    size_t sleeping_capacity;
    uint64_t now;
    scheduled_executor main_executor;
    scheduled_executor worker;
};

static _Thread_local scheduled_jobs *captured;

// The list for threads that run one at a time beside the capturing thread.
static scheduled_jobs *shared;
static bool (*belongs)(void);

/// The list into which this thread captures.
static scheduled_jobs *current(void) {
    if (captured != NULL || belongs == NULL) return captured;
    return belongs() ? shared : NULL;
}

static void add(scheduled_jobs *list, scheduled_job job) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 64 : 2 * list->capacity;
        scheduled_job *jobs = realloc(list->jobs, capacity * sizeof(scheduled_job));
        if (jobs == NULL) abort();
        list->jobs = jobs;
        list->capacity = capacity;
    }
    list->jobs[list->count++] = job;
}

static SWIFT_CALL void enqueue_global(void *job, enqueue_global_original original) {
    scheduled_jobs *list = current();
    if (list == NULL) {
        original(job);
    } else {
        add(list, (scheduled_job){job, false});
    }
}

// The runtime of Swift 6.3 enqueues on the main actor's executor directly, bypassing
// swift_task_enqueueMainExecutor_hook. So the executor itself is replaced while jobs are captured.
static SWIFT_CALL scheduled_executor get_main_executor(get_main_executor_original original) {
    scheduled_jobs *list = current();
    return list == NULL ? original() : list->main_executor;
}

static void install(void) {
    swift_task_enqueueGlobal_hook = enqueue_global;
    swift_task_getMainExecutor_hook = get_main_executor;
}

scheduled_jobs *scheduled_jobs_create(scheduled_executor mainExecutor, scheduled_executor worker) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    scheduled_jobs *list = calloc(1, sizeof(scheduled_jobs));
    if (list == NULL) return NULL;
    list->main_executor = mainExecutor;
    list->worker = worker;
    return list;
}

void scheduled_jobs_destroy(scheduled_jobs *list) {
    if (captured == list) captured = NULL;
    if (shared == list) scheduled_jobs_share(NULL, NULL);
    free(list->jobs);
    free(list->sleeping);
    free(list);
}

void scheduled_jobs_capture(scheduled_jobs *list) { captured = list; }

void scheduled_jobs_share(scheduled_jobs *list, bool (*whether)(void)) {
    shared = list;
    belongs = whether;
}

void scheduled_jobs_add_main(scheduled_jobs *list, void *job) { add(list, (scheduled_job){job, true}); }

bool scheduled_jobs_add_captured(void *job) {
    scheduled_jobs *list = current();
    if (list == NULL) return false;
    add(list, (scheduled_job){job, false});
    return true;
}

bool scheduled_jobs_add_captured_after(void *job, uint64_t delay) {
    scheduled_jobs *list = current();
    if (list == NULL) return false;
    if (list->sleeping_count == list->sleeping_capacity) {
        size_t capacity = list->sleeping_capacity == 0 ? 16 : 2 * list->sleeping_capacity;
        sleeping_job *jobs = realloc(list->sleeping, capacity * sizeof(sleeping_job));
        if (jobs == NULL) abort();
        list->sleeping = jobs;
        list->sleeping_capacity = capacity;
    }
    uint64_t deadline = delay > UINT64_MAX - list->now ? UINT64_MAX : list->now + delay;
    list->sleeping[list->sleeping_count++] = (sleeping_job){job, deadline};
    return true;
}

bool scheduled_jobs_wake(scheduled_jobs *list) {
    if (list->sleeping_count == 0) return false;
    size_t next = 0;
    for (size_t index = 1; index < list->sleeping_count; index++) {
        if (list->sleeping[index].deadline < list->sleeping[next].deadline) next = index;
    }
    sleeping_job woken = list->sleeping[next];
    list->sleeping_count--;
    for (size_t index = next; index < list->sleeping_count; index++) list->sleeping[index] = list->sleeping[index + 1];
    if (woken.deadline > list->now) list->now = woken.deadline;
    add(list, (scheduled_job){woken.job, false});
    return true;
}

bool scheduled_jobs_sleep(const scheduled_jobs *list) { return list->sleeping_count > 0; }

size_t scheduled_jobs_count(const scheduled_jobs *list) { return list->count; }

bool scheduled_jobs_take(scheduled_jobs *list, size_t index, scheduled_job *taken) {
    if (index >= list->count) return false;
    *taken = list->jobs[index];
    list->jobs[index] = list->jobs[--list->count];
    return true;
}

void scheduled_jobs_run(const scheduled_jobs *list, scheduled_job job, bool on_worker) {
    scheduled_executor none = {NULL, 0};
    scheduled_executor executor = job.is_main ? list->main_executor : on_worker ? list->worker : none;
    swift_job_run(job.job, executor.identity, executor.implementation);
}

void scheduled_jobs_forget(scheduled_jobs *list) {
    list->count = 0;
    list->sleeping_count = 0;
}
