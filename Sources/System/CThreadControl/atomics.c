#include "CThreadControl.h"

#if defined(__linux__) && defined(__x86_64__)

// What code calls that was compiled with `-sanitize=thread`, without the sanitizer: every access to an atomic, and so
// every step of a `Mutex`, is a function here, and another thread may continue at it. All accesses are sequentially
// consistent. The symbols are weak: in a program that is linked with the sanitizer, the sanitizer's own are used.

/// Not instrumented itself, whatever the options of the build.
#define PLAIN __attribute__((disable_sanitizer_instrumentation))
#define HOOK PLAIN __attribute__((weak))
#define HERE __builtin_frame_address(0), __builtin_return_address(0)

/// The interface, once this process has asked for it; NULL in every other process.
extern const thread_schedule *thread_schedule_loaded;

#define BEFORE(operation, place) \
    if (__builtin_expect(thread_schedule_loaded != NULL, 0)) \
        thread_schedule_loaded->before_access((const void *)(place), operation, HERE)
#define AFTER(place, before, now) \
    if (__builtin_expect(thread_schedule_loaded != NULL, 0)) \
        thread_schedule_loaded->after_access((const void *)(place), (uint64_t)(before), (uint64_t)(now))

/// A read-modify-write operation, by exchanges that are repeated until one succeeds.
#define UPDATE(bits, type, name, result, attributes) \
    HOOK attributes type __tsan_atomic##bits##_##name(volatile type *place, type value, int order) { \
        (void)order; \
        BEFORE(thread_updates_atomic, place); \
        type before, seen = READ_##bits(place); \
        do before = seen; \
        while ((seen = __sync_val_compare_and_swap(place, before, (type)(result))) != before); \
        AFTER(place, before, result); \
        return before; \
    }

#define EXCHANGE(bits, type, name, attributes) \
    HOOK attributes int __tsan_atomic##bits##_##name( \
        volatile type *place, type *expected, type value, int order, int failure) { \
        (void)order, (void)failure; \
        BEFORE(thread_updates_atomic, place); \
        type before = __sync_val_compare_and_swap(place, *expected, value); \
        bool succeeds = before == *expected; \
        if (succeeds) { AFTER(place, before, value); } \
        *expected = before; \
        return succeeds; \
    }

#define ATOMICS(bits, type, attributes) \
    HOOK attributes type __tsan_atomic##bits##_load(const volatile type *place, int order) { \
        (void)order; \
        BEFORE(thread_loads_atomic, place); \
        return READ_##bits(place); \
    } \
    HOOK attributes void __tsan_atomic##bits##_store(volatile type *place, type value, int order) { \
        (void)order; \
        BEFORE(thread_stores_atomic, place); \
        type before, seen = READ_##bits(place); \
        do before = seen; \
        while ((seen = __sync_val_compare_and_swap(place, before, value)) != before); \
        AFTER(place, before, value); \
    } \
    UPDATE(bits, type, exchange, value, attributes) \
    UPDATE(bits, type, fetch_add, before + value, attributes) \
    UPDATE(bits, type, fetch_sub, before - value, attributes) \
    UPDATE(bits, type, fetch_and, before & value, attributes) \
    UPDATE(bits, type, fetch_or, before | value, attributes) \
    UPDATE(bits, type, fetch_xor, before ^ value, attributes) \
    UPDATE(bits, type, fetch_nand, ~(before & value), attributes) \
    HOOK attributes type __tsan_atomic##bits##_compare_exchange_val( \
        volatile type *place, type expected, type value, int order, int failure) { \
        (void)order, (void)failure; \
        BEFORE(thread_updates_atomic, place); \
        type before = __sync_val_compare_and_swap(place, expected, value); \
        if (before == expected) { AFTER(place, before, value); } \
        return before; \
    } \
    EXCHANGE(bits, type, compare_exchange_strong, attributes) \
    EXCHANGE(bits, type, compare_exchange_weak, attributes)

#define READ_8(place) (*(place))
#define READ_16(place) (*(place))
#define READ_32(place) (*(place))
#define READ_64(place) (*(place))
// Sixteen bytes are read at once by an exchange of zero for zero.
#define READ_128(place) __sync_val_compare_and_swap((volatile unsigned __int128 *)(place), 0, 0)

ATOMICS(8, uint8_t, )
ATOMICS(16, uint16_t, )
ATOMICS(32, uint32_t, )
ATOMICS(64, uint64_t, )
ATOMICS(128, unsigned __int128, __attribute__((target("cx16"))))

HOOK void __tsan_atomic_thread_fence(int order) {
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
HOOK void __tsan_atomic_signal_fence(int order) {
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// Everything else that is instrumented goes on as if it were not: without data races, no thread can tell whether another
// one continued there.

HOOK void __tsan_init(void) {}
HOOK void __tsan_func_entry(void *caller) { (void)caller; }
HOOK void __tsan_func_exit(void) {}
HOOK void __tsan_ignore_thread_begin(void) {}
HOOK void __tsan_ignore_thread_end(void) {}
HOOK void __tsan_vptr_read(void **place) { (void)place; }
HOOK void __tsan_vptr_update(void **place, void *value) { (void)place, (void)value; }
HOOK void __tsan_external_read(void *place, void *caller, void *tag) { (void)place, (void)caller, (void)tag; }
HOOK void __tsan_external_write(void *place, void *caller, void *tag) { (void)place, (void)caller, (void)tag; }
HOOK void *__tsan_memcpy(void *to, const void *from, size_t count) { return __builtin_memcpy(to, from, count); }
HOOK void *__tsan_memmove(void *to, const void *from, size_t count) { return __builtin_memmove(to, from, count); }
HOOK void *__tsan_memset(void *place, int byte, size_t count) { return __builtin_memset(place, byte, count); }

#define ACCESS(name) HOOK void __tsan_##name(void *place) { (void)place; }
#define ACCESSES(size) \
    ACCESS(read##size) ACCESS(write##size) ACCESS(read_write##size) ACCESS(unaligned_read##size) \
    ACCESS(unaligned_write##size) ACCESS(unaligned_read_write##size)

ACCESSES(1) ACCESSES(2) ACCESSES(4) ACCESSES(8) ACCESSES(16)

#endif
