#include "schedule.h"

#if defined(__linux__) && defined(__x86_64__)

#include <linux/futex.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/// A value of `is_parked` for a record whose real thread has ended.
enum { thread_is_gone = 2 };

_Thread_local fiber *self __attribute__((tls_model("initial-exec")));
fiber main_fiber;

/// Whether the kernel lets a program set the thread pointer itself; otherwise a system call sets it.
__attribute__((visibility("hidden"))) uint8_t has_fsgsbase;

// Saves the callee-saved registers, switches to the other stack and thread pointer, and returns there.
void switch_context(void **save, void *load, uintptr_t thread_pointer) __attribute__((visibility("hidden")));
__asm__(
    ".text\n"
    ".globl switch_context\n"
    ".hidden switch_context\n"
    ".type switch_context,@function\n"
    "switch_context:\n"
    "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
    "    movq %rsp, (%rdi)\n"
    "    movq %rsi, %rsp\n"
    "    cmpb $0, has_fsgsbase(%rip)\n"
    "    je 1f\n"
    "    .byte 0xf3, 0x48, 0x0f, 0xae, 0xd2\n"  // wrfsbase %rdx
    "    jmp 2f\n"
    "1:  movl $158, %eax\n    movl $0x1002, %edi\n    movq %rdx, %rsi\n    syscall\n"  // arch_prctl(ARCH_SET_FS)
    "2:  popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
    "    ret\n"
    ".size switch_context,.-switch_context\n");

static long call_kernel(long number, long a, long b, long c, long d) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = 0;
    register long r9 __asm__("r9") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/// The real thread, which only lends its stack and its thread-local variables. Signals are blocked, since a handler
/// would run on the lent stack.
static void *lend(void *argument) {
    fiber *fiber = argument;
    uint64_t all = ~0ull;
    call_kernel(SYS_rt_sigprocmask, 0, (long)&all, 0, 8);
    self = fiber;
    fiber->tid = (int)call_kernel(SYS_gettid, 0, 0, 0, 0);
    fiber->thread_pointer = (uintptr_t)__builtin_thread_pointer();
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    // The stack below this frame is lent; the gap is for what the compiler may still put there.
    fiber->stack_high = (here - 4096) & ~(uintptr_t)63;
    atomic_store(&fiber->is_parked, 1);
    call_kernel(SYS_futex, (long)&fiber->is_parked, FUTEX_WAKE, 1, 0);
    while (atomic_load_explicit(&fiber->wake, memory_order_acquire) == 0) {
        call_kernel(SYS_futex, (long)&fiber->wake, FUTEX_WAIT, 0, 0);
    }
    self = NULL;
    atomic_store_explicit(&fiber->is_parked, thread_is_gone, memory_order_release);
    return NULL;
}

static fiber *pool;
/// Records whose real threads are about to end or have ended. They are reused and never freed: a thread that is not
/// controlled may read one, see `is_awaited`.
static fiber *retired;

static fiber *make_record(void) {
    for (fiber **place = &retired; *place != NULL; place = &(*place)->next) {
        fiber *record = *place;
        if (atomic_load_explicit(&record->is_parked, memory_order_acquire) != thread_is_gone) continue;
        *place = record->next;
        memset(record, 0, sizeof *record);
        return record;
    }
    return calloc(1, sizeof(fiber));
}

/// Adds records to the pool, several at a time, because each takes until the system has run its thread.
static void fill_pool(void) {
    fiber *made[8];
    enum { count = sizeof made / sizeof *made };
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) abort();
    pthread_attr_setstacksize(&attributes, 1 << 20);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    for (int index = 0; index < count; index++) {
        made[index] = make_record();
        if (made[index] == NULL) abort();
        if (REAL(pthread_create)(&made[index]->handle, &attributes, lend, made[index]) != 0) abort();
    }
    pthread_attr_destroy(&attributes);
    for (int index = 0; index < count; index++) {
        fiber *added = made[index];
        while (atomic_load(&added->is_parked) == 0) call_kernel(SYS_futex, (long)&added->is_parked, FUTEX_WAIT, 0, 0);
        added->stack_low = added->stack_high - (1 << 20) + 65536;
        added->next = pool;
        pool = added;
    }
}

fiber *fiber_take(void) {
    has_fsgsbase = (getauxval(AT_HWCAP2) & 2) != 0;
    if (pool == NULL) {
        // This runs only on the exploring thread's own stack and variables, where nothing is controlled.
        fiber *running = self;
        self = NULL;
        fill_pool();
        self = running;
    }
    fiber *taken = pool;
    pool = taken->next;
    taken->is_used_up = taken->is_late = false;
    taken->undivided = 0;
    taken->run_length = 0;
    taken->result = NULL;
    taken->routine = NULL;
    taken->on_queue = NULL;
    taken->waits_for = taken->next_object = NULL;
    taken->last_event = -1;
    return taken;
}

void fiber_give_back(fiber *given) {
    bool has_ended = given->state == fiber_ended;
    given->state = fiber_idle;
    if (has_ended && !given->is_used_up) {
        given->next = pool;
        pool = given;
        return;
    }
    // Its frames and its thread-local variables are never used again: the real thread ends.
    given->next = retired;
    retired = given;
    atomic_store_explicit(&given->wake, 1, memory_order_release);
    call_kernel(SYS_futex, (long)&given->wake, FUTEX_WAKE, 1, 0);
}

void fiber_prepare(fiber *prepared, void (*entry)(void)) {
    uintptr_t *top = (uintptr_t *)prepared->stack_high;
    *--top = 0;  // where the entry would return to; it ends the chain of frames, and aligns the stack
    *--top = (uintptr_t)entry;
    for (int index = 0; index < 6; index++) *--top = 0;
    prepared->stack_pointer = top;
}

void fiber_switch(fiber *from, fiber *to) {
    switch_context(&from->stack_pointer, to->stack_pointer, to->thread_pointer);
}

#endif
