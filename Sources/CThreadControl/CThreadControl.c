#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CThreadControl.h"

#include <dlfcn.h>

const thread_schedule *thread_schedule_find(void) { return dlsym(RTLD_DEFAULT, "cache_trials_thread_schedule"); }

bool thread_schedule_place(uintptr_t address, const char **file, uintptr_t *offset) {
    Dl_info info;
    if (dladdr((const void *)address, &info) == 0 || info.dli_fname == NULL) return false;
    *file = info.dli_fname;
    *offset = address - (uintptr_t)info.dli_fbase;
    return true;
}

#if defined(__linux__) && defined(__LP64__)

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/// The name of the symbol at an offset, from the file's own symbol table; NULL for none. The file is this program as it
/// was linked; its offsets are still checked against its size.
static const char *name_at(const char *bytes, size_t size, uintptr_t offset) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
    if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return NULL;
    if (header->e_shoff > size || (size - header->e_shoff) / sizeof(Elf64_Shdr) < header->e_shnum) return NULL;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + header->e_shoff);
    for (int index = 0; index < header->e_shnum; index++) {
        const Elf64_Shdr *table = &sections[index];
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= header->e_shnum) continue;
        const Elf64_Shdr *names = &sections[table->sh_link];
        if (table->sh_offset > size || table->sh_size > size - table->sh_offset) return NULL;
        if (names->sh_offset > size || names->sh_size > size - names->sh_offset) return NULL;
        const Elf64_Sym *symbols = (const Elf64_Sym *)(bytes + table->sh_offset);
        for (size_t symbol = 0; symbol < table->sh_size / sizeof *symbols; symbol++) {
            if (symbols[symbol].st_value != offset || symbols[symbol].st_name >= names->sh_size) continue;
            return bytes + names->sh_offset + symbols[symbol].st_name;
        }
    }
    return NULL;
}

bool thread_schedule_symbol(uintptr_t address, char *name, size_t capacity) {
    const char *file;
    uintptr_t offset;
    if (!thread_schedule_place(address, &file, &offset)) return false;
    int descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (descriptor < 0) return false;
    const char *found = NULL;
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        const char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes != MAP_FAILED) {
            found = name_at(bytes, size, offset);
            if (found != NULL) snprintf(name, capacity, "%s", found);
            munmap((void *)bytes, size);
        }
    }
    close(descriptor);
    return found != NULL;
}

#else

bool thread_schedule_symbol(uintptr_t address, char *name, size_t capacity) {
    (void)address, (void)name, (void)capacity;
    return false;
}

#endif
