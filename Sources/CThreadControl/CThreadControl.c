#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "program.h"

#include <dlfcn.h>

const thread_schedule *thread_schedule_loaded;

const thread_schedule *thread_schedule_find(void) {
    return thread_schedule_loaded = dlsym(RTLD_DEFAULT, "cache_trials_thread_schedule");
}

void thread_schedule_set_undivided(bool begins) {
    if (thread_schedule_loaded != NULL) thread_schedule_loaded->set_undivided(begins);
}

bool thread_schedule_place(uintptr_t address, const char **file, uintptr_t *offset) {
    Dl_info info;
    if (dladdr((const void *)address, &info) == 0 || info.dli_fname == NULL) return false;
    *file = info.dli_fname;
    *offset = address - (uintptr_t)info.dli_fbase;
    return true;
}

bool thread_schedule_function(uintptr_t address, const char **name) {
    Dl_info info;
    if (dladdr((const void *)address, &info) == 0 || info.dli_sname == NULL) return false;
    *name = info.dli_sname;
    return true;
}

bool thread_schedule_is_kernel_call(uintptr_t address) {
#if defined(__x86_64__)
    // A call that a signal interrupts is at the address or before it, as the kernel starts it again or not.
    const uint8_t *code = (const uint8_t *)address;
    return (code[0] == 0x0F && code[1] == 0x05) || (code[-2] == 0x0F && code[-1] == 0x05);
#else
    (void)address;
    return false;
#endif
}

#if defined(__linux__) && defined(__LP64__)

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void visit_symbols(const char *bytes, size_t size, symbol_look look, void *context) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
    if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    if (header->e_shoff > size || (size - header->e_shoff) / sizeof(Elf64_Shdr) < header->e_shnum) return;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + header->e_shoff);
    for (int index = 0; index < header->e_shnum; index++) {
        const Elf64_Shdr *table = &sections[index];
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= header->e_shnum) continue;
        const Elf64_Shdr *names = &sections[table->sh_link];
        if (table->sh_offset > size || table->sh_size > size - table->sh_offset) return;
        if (names->sh_offset > size || names->sh_size > size - names->sh_offset) return;
        const Elf64_Sym *symbols = (const Elf64_Sym *)(bytes + table->sh_offset);
        for (size_t symbol = 0; symbol < table->sh_size / sizeof *symbols; symbol++) {
            if (symbols[symbol].st_name >= names->sh_size) continue;
            if (!look(bytes + names->sh_offset + symbols[symbol].st_name, &symbols[symbol], context)) return;
        }
    }
}

void read_program(void (*body)(const char *bytes, size_t size, void *context), void *context) {
    int descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (descriptor < 0) return;
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        const char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes != MAP_FAILED) {
            body(bytes, size, context);
            munmap((void *)bytes, size);
        }
    }
    close(descriptor);
}

bool is_global_of_swift(const char *name) {
    size_t length = strlen(name);
    return length > 4 && strncmp(name, "$s", 2) == 0
        && (strcmp(name + length - 2, "vp") == 0 || strcmp(name + length - 3, "vpZ") == 0);
}

typedef struct {
    uintptr_t offset;
    char *name;
    size_t capacity;
    bool is_found;
} wanted_symbol;

static bool look_for_offset(const char *name, const Elf64_Sym *symbol, void *context) {
    wanted_symbol *wanted = context;
    if (symbol->st_value != wanted->offset) return true;
    snprintf(wanted->name, wanted->capacity, "%s", name);
    wanted->is_found = true;
    return false;
}

static void look_in_program(const char *bytes, size_t size, void *wanted) {
    visit_symbols(bytes, size, look_for_offset, wanted);
}

bool thread_schedule_symbol(uintptr_t address, char *name, size_t capacity) {
    const char *file;
    wanted_symbol wanted = {0, name, capacity, false};
    if (!thread_schedule_place(address, &file, &wanted.offset)) return false;
    read_program(look_in_program, &wanted);
    return wanted.is_found;
}

/// Of the Swift runtime. With no buffer it allocates the answer.
char *swift_demangle(const char *name, size_t length, char *buffer, size_t *capacity, uint32_t flags);

bool thread_schedule_demangle(const char *name, char *text, size_t capacity) {
    char *answer = swift_demangle(name, strlen(name), NULL, NULL, 0);
    if (answer == NULL) return false;
    bool is_understood = strcmp(answer, name) != 0;
    snprintf(text, capacity, "%s", answer);
    free(answer);
    return is_understood;
}

typedef struct {
    const char *type;
    uintptr_t base, address;
} wanted_type;

static bool look_for_type(const char *name, const Elf64_Sym *symbol, void *context) {
    static const char meaning[] = "nominal type descriptor for ";
    wanted_type *wanted = context;
    size_t length = strlen(name);
    if (length < 4 || strcmp(name + length - 2, "Mn") != 0 || symbol->st_value == 0) return true;
    char *text = swift_demangle(name, length, NULL, NULL, 0);
    if (text == NULL) return true;
    if (strncmp(text, meaning, sizeof meaning - 1) == 0 && strcmp(text + sizeof meaning - 1, wanted->type) == 0) {
        wanted->address = wanted->base + symbol->st_value;
    }
    free(text);
    return wanted->address == 0;
}

static void look_for_type_in_program(const char *bytes, size_t size, void *wanted) {
    visit_symbols(bytes, size, look_for_type, wanted);
}

uintptr_t thread_schedule_descriptor(const char *type) {
    const char *file;
    uintptr_t here = (uintptr_t)&thread_schedule_descriptor, offset;
    if (!thread_schedule_place(here, &file, &offset)) return 0;
    wanted_type wanted = {type, here - offset, 0};
    read_program(look_for_type_in_program, &wanted);
    return wanted.address;
}

#else

bool thread_schedule_symbol(uintptr_t address, char *name, size_t capacity) {
    (void)address, (void)name, (void)capacity;
    return false;
}

uintptr_t thread_schedule_descriptor(const char *type) {
    (void)type;
    return 0;
}

bool thread_schedule_demangle(const char *name, char *text, size_t capacity) {
    (void)name, (void)text, (void)capacity;
    return false;
}

#endif