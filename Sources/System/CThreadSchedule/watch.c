#include "schedule.h"

#if defined(__linux__) && defined(__x86_64__)

#include <execinfo.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// Where the exploring thread is, for another thread that watches it: a call that the model does not know may wait for
// ever, and a loop may wait for memory that no thread changes.

static int explorer;
static _Atomic bool is_looking;
static _Atomic int frame_count;
static void *frames[thread_frames_max * 2];

void watch_begin(void) {
    explorer = (int)REAL(syscall)(SYS_gettid);
    // Threads of libdispatch block signals, and so do those that they start.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGURG);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    // The first call loads a library, which a signal handler must not do.
    backtrace(frames, 1);
}

bool is_explorer(void) { return (int)REAL(syscall)(SYS_gettid) == explorer; }

static void note_frames(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info;
    if (!atomic_load(&is_looking)) return;
    void *found[thread_frames_max * 2 + 8];
    int count = backtrace(found, sizeof found / sizeof *found), first = 0;
    void *interrupted = (void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    while (first < count && found[first] != interrupted) first++;
    if (first == count) found[first = 0] = interrupted;
    count -= first;
    if (count > thread_frames_max * 2) count = thread_frames_max * 2;
    memcpy(frames, found + first, (size_t)count * sizeof *frames);
    atomic_store(&is_looking, false);
    atomic_store(&frame_count, count);
}

size_t watch_look(uintptr_t *list, size_t capacity) {
    struct sigaction action = {.sa_sigaction = note_frames, .sa_flags = SA_SIGINFO | SA_RESTART};
    if (sigaction(SIGURG, &action, NULL) != 0) return 0;
    atomic_store(&frame_count, 0);
    atomic_store(&is_looking, true);
    if (REAL(syscall)(SYS_tgkill, getpid(), explorer, SIGURG) != 0) return 0;
    for (int tries = 0; tries < 200 && atomic_load(&frame_count) == 0; tries++) REAL(usleep)(5000);
    size_t count = (size_t)atomic_load(&frame_count);
    if (count > capacity) count = capacity;
    for (size_t index = 0; index < count; index++) list[index] = (uintptr_t)frames[index];
    return count;
}

#endif
