#include "schedule.h"

#if defined(__linux__) && defined(__x86_64__)

#include <link.h>

// The objects that threads share, by address. An order begins with an empty table, so objects are numbered in the order
// of first use, independent of their addresses.

enum { table_size = 1 << 15, objects_max = 1 << 14 };

static struct {
    uint32_t generation;
    uint32_t number;
} table[table_size];
static object objects[objects_max];
static uint32_t object_count, generation;

static uint32_t place_of(const void *address) {
    return (uint32_t)(((uintptr_t)address >> 3) * 0x9E3779B97F4A7C15ull >> 40) & (table_size - 1);
}

/// The index of an object, or the free index at which to insert it.
static uint32_t find(const void *address) {
    uint32_t place = place_of(address);
    while (table[place].generation == generation && objects[table[place].number - 1].address != address) {
        place = (place + 1) & (table_size - 1);
    }
    return place;
}

void objects_begin(void) {
    object_count = 0;
    generation++;
}

object *object_at(const void *address, thread_object_kind kind) {
    uint32_t place = find(address);
    if (table[place].generation == generation) return &objects[table[place].number - 1];
    if (object_count == objects_max) {
        note_unseen(thread_unseen_overflow);
        return &objects[0];
    }
    object *made = &objects[object_count++];
    *made = (object){.address = address, .number = object_count, .kind = kind, .event = -1};
    table[place].generation = generation;
    table[place].number = object_count;
    return made;
}

object *object_known(const void *address) {
    uint32_t place = find(address);
    return table[place].generation == generation ? &objects[table[place].number - 1] : NULL;
}

void object_forget(const void *address) {
    object *found = object_known(address);
    // The entry stays occupied, so that objects inserted behind it are still found.
    if (found != NULL) found->address = found;
}

thread_object_status object_status(uint32_t number) {
    if (number == 0 || number > object_count) return (thread_object_status){thread_object_none, -1, -1, 0};
    object *found = &objects[number - 1];
    int16_t owner = found->owner == NULL ? -1 : (int16_t)found->owner->slot;
    return (thread_object_status){found->kind, owner, found->event, found->sharers};
}

// Code whose calls are not controlled: the C library, allocators, the runtimes of Swift and C++, libdispatch.

typedef struct {
    uintptr_t low, high;
    bool is_of_tasks, is_of_allocator;
} code_range;

static code_range passed[64];
static int passed_count;

static int add_passed(struct dl_phdr_info *info, size_t size, void *context) {
    static const char *const names[] = {
        "ld-linux", "libc.so", "libm.so", "libgcc_s", "libstdc++", "libjemalloc", "libswiftCore", "libswift_Concurrency",
        "libswiftSynchronization", "libdispatch", "libBlocksRuntime", "lib_FoundationICU", "libsqlite3", "libcrypto",
        "libz.so", "libThreadSchedule", "libtsan", "libasan",
    };
    const char *file = strrchr(info->dlpi_name, '/');
    file = file == NULL ? info->dlpi_name : file + 1;
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
        if (strncmp(file, names[index], strlen(names[index])) != 0) continue;
        for (int header = 0; header < info->dlpi_phnum && passed_count < 64; header++) {
            const ElfW(Phdr) *segment = &info->dlpi_phdr[header];
            if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0) continue;
            uintptr_t low = info->dlpi_addr + segment->p_vaddr;
            passed[passed_count++] = (code_range){
                low, low + segment->p_memsz, strncmp(file, "libswift_Concurrency", 20) == 0,
                strncmp(file, "libjemalloc", 11) == 0};
        }
    }
    return 0;
}

void find_passed(void) { dl_iterate_phdr(add_passed, NULL); }

static const code_range *range_of(const void *caller) {
    uintptr_t address = (uintptr_t)caller;
    for (int index = 0; index < passed_count; index++) {
        if (address >= passed[index].low && address < passed[index].high) return &passed[index];
    }
    return NULL;
}

bool is_passed(const void *caller) { return range_of(caller) != NULL; }

bool is_of_tasks(const void *caller) {
    const code_range *range = range_of(caller);
    return range != NULL && range->is_of_tasks;
}

bool is_of_allocator(const void *caller) {
    const code_range *range = range_of(caller);
    return range != NULL && range->is_of_allocator;
}

#endif
