#include "schedule.h"

#if defined(__linux__) && defined(__x86_64__)

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

// A record of what threads did: always as a digest, and on request as a list of steps with their frames.

enum { events_max = 1 << 14 };

static bool is_traced;
static uint64_t trace;
static thread_event events[events_max];
static size_t event_count;
static _Atomic uint32_t unseen;
static uint64_t operations;

void trace_begin(bool keeps_steps) {
    is_traced = keeps_steps;
    trace = 0xCBF29CE484222325ull;
    event_count = 0;
    atomic_store(&unseen, 0);
    operations = 0;
}

static uint64_t add_word(uint64_t sum, uint64_t word) { return mixed((sum ^ word) * 0x100000001B3ull); }

void keep(fiber *fiber, thread_operation operation, object *object, place here) {
    uint32_t number = object == NULL ? 0 : object->number;
    trace = add_word(trace, (uint64_t)number << 16 | (uint64_t)fiber->slot << 8 | operation);
    fiber->operation = operation;
    operations |= 1ull << operation;
    if (!is_traced) return;
    if (event_count == events_max) {
        fiber->last_event = -1;
        return;
    }
    fiber->last_event = (int32_t)event_count;
    thread_event *event = &events[event_count++];
    event->thread = (uint8_t)fiber->slot;
    event->operation = operation;
    event->object = number;
    event->frame_count = 0;
    uintptr_t frame = (uintptr_t)here.frame;
    while (event->frame_count < thread_frames_max && frame >= fiber->stack_low && frame + 16 <= fiber->stack_high) {
        const uintptr_t *words = (const uintptr_t *)frame;
        if (words[1] == 0) break;
        event->frames[event->frame_count++] = words[1];
        if (words[0] <= frame) break;
        frame = words[0];
    }
}

void keep_waiting(fiber *fiber, thread_operation operation, object *object) {
    int32_t last = fiber->last_event;
    keep(fiber, operation, object, (place){NULL, NULL});
    if (last < 0 || fiber->last_event < 0) return;
    thread_event *event = &events[fiber->last_event];
    event->frame_count = events[last].frame_count;
    memcpy(event->frames, events[last].frames, sizeof event->frames);
}

/// What was noted in all orders, in a file that outlives the process: what took part in one may still run in a later one.
static _Atomic uint32_t *kept_unseen(void) {
    static _Atomic uint32_t *kept;
    const char *path = getenv("CACHE_TRIALS_UNSEEN");
    if (kept != NULL || path == NULL) return kept;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return NULL;
    if (ftruncate(file, sizeof *kept) == 0) {
        void *mapped = mmap(NULL, sizeof *kept, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (mapped != MAP_FAILED) kept = mapped;
    }
    close(file);
    return kept;
}

void note_unseen(uint32_t bits) {
    if ((atomic_fetch_or(&unseen, bits) & bits) == bits) return;
    _Atomic uint32_t *kept = kept_unseen();
    if (kept != NULL) atomic_fetch_or(kept, bits);
}

uint32_t trace_unseen(void) { return atomic_load(&unseen); }

uint64_t trace_operations(void) { return operations; }

uint64_t trace_digest(void) { return trace; }

const thread_event *trace_events(size_t *count) {
    *count = event_count;
    return events;
}

#endif
