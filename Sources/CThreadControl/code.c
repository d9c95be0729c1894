#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "program.h"

#if defined(__linux__) && defined(__x86_64__)

#include <stdlib.h>
#include <string.h>

// The atomic instructions and global variables that some functions of this program reach by direct calls and addresses.

/// What follows the opcode of an instruction.
typedef struct {
    const uint8_t *opcode;
    const uint8_t *next;
    /// The operand in memory; NULL for none.
    const uint8_t *modrm;
    /// The address that an instruction names relative to itself; 0 for none.
    uintptr_t target;
    bool is_locked;
    bool is_wide;
} instruction;

static int32_t word_at(const uint8_t *place) {
    int32_t word;
    memcpy(&word, place, sizeof word);
    return word;
}

/// The number of bytes of a constant operand of an instruction with a one-byte opcode.
static int constant_of(uint8_t opcode, uint8_t modrm, int word, bool is_wide) {
    if (opcode < 0x40) return (opcode & 7) == 4 ? 1 : (opcode & 7) == 5 ? word : 0;
    if (opcode >= 0x70 && opcode <= 0x7F) return 1;
    if (opcode >= 0xB0 && opcode <= 0xB7) return 1;
    if (opcode >= 0xB8 && opcode <= 0xBF) return is_wide ? 8 : word;
    if (opcode >= 0xA0 && opcode <= 0xA3) return 8;
    if (opcode >= 0xE0 && opcode <= 0xE7) return 1;
    switch (opcode) {
        case 0x68: case 0x69: case 0x81: case 0xA9: case 0xC7: return word;
        case 0x6A: case 0x6B: case 0x80: case 0x82: case 0x83: case 0xA8: case 0xC0: case 0xC1: case 0xC6: case 0xCD:
        case 0xEB: return 1;
        case 0xC2: case 0xCA: return 2;
        case 0xC8: return 3;
        case 0xE8: case 0xE9: return 4;
        case 0xF6: return (modrm >> 3 & 7) < 2 ? 1 : 0;
        case 0xF7: return (modrm >> 3 & 7) < 2 ? word : 0;
        default: return 0;
    }
}

static bool has_modrm(uint8_t opcode) {
    if (opcode < 0x40) return (opcode & 7) < 4;
    if (opcode >= 0x80 && opcode <= 0x8F) return true;
    if (opcode >= 0xD0 && opcode <= 0xDF) return opcode < 0xD4 || opcode > 0xD7;
    switch (opcode) {
        case 0x63: case 0x69: case 0x6B: case 0xC0: case 0xC1: case 0xC6: case 0xC7: case 0xF6: case 0xF7: case 0xFE:
        case 0xFF: return true;
        default: return false;
    }
}

/// The same for an opcode after the byte 0x0F.
static bool has_modrm_of_two(uint8_t opcode) {
    if (opcode >= 0x80 && opcode <= 0x8F) return false;
    if (opcode >= 0x30 && opcode <= 0x37) return false;
    if (opcode >= 0xC8 && opcode <= 0xCF) return false;
    switch (opcode) {
        case 0x05: case 0x06: case 0x07: case 0x08: case 0x09: case 0x0B: case 0x0E: case 0x77: case 0xA0: case 0xA1:
        case 0xA2: case 0xA8: case 0xA9: case 0xAA: return false;
        default: return true;
    }
}

static bool has_constant_of_two(uint8_t opcode) {
    return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xA4 || opcode == 0xAC || opcode == 0xBA || opcode == 0xC2
        || (opcode >= 0xC4 && opcode <= 0xC6);
}

/// Reads an instruction of x86-64 (Intel's manual, volume 2, chapter 2).
static instruction read_instruction(const uint8_t *code) {
    instruction read = {0};
    bool is_short = false, is_modrm;
    int constant;
    for (;; code++) {
        if (*code == 0xF0) read.is_locked = true;
        else if (*code == 0x66) is_short = true;
        else if (*code != 0xF2 && *code != 0xF3 && *code != 0x2E && *code != 0x36 && *code != 0x3E && *code != 0x26
                 && *code != 0x64 && *code != 0x65 && *code != 0x67) break;
    }
    if ((*code & 0xF0) == 0x40) read.is_wide = (*code++ & 8) != 0;
    int map = 0;
    if (*code == 0xC5) {
        map = 1;
        code += 2;
    } else if (*code == 0xC4) {
        map = code[1] & 0x1F;
        code += 3;
    } else if (*code == 0x62) {
        map = code[1] & 7;
        code += 4;
    } else if (*code == 0x0F) {
        map = code[1] == 0x38 ? 2 : code[1] == 0x3A ? 3 : 1;
        code += map == 1 ? 1 : 2;
    }
    read.opcode = code;
    uint8_t opcode = *code++;
    if (map == 0) {
        is_modrm = has_modrm(opcode);
        constant = constant_of(opcode, *code, is_short ? 2 : 4, read.is_wide);
    } else {
        is_modrm = map != 1 || has_modrm_of_two(opcode);
        constant = map == 3 || (map == 1 && has_constant_of_two(opcode)) ? 1 : !is_modrm && (opcode & 0xF0) == 0x80 ? 4 : 0;
    }
    bool is_relative = false;
    if (is_modrm) {
        uint8_t mode = *code >> 6, base = *code & 7;
        if (mode != 3) read.modrm = code;
        code++;
        if (mode != 3 && base == 4) base = *code++ & 7;
        is_relative = mode == 0 && (*read.modrm & 7) == 5;
        if (is_relative) read.target = (uintptr_t)(intptr_t)word_at(code);
        code += mode == 1 ? 1 : mode == 2 || (mode == 0 && base == 5) ? 4 : 0;
    } else if ((map == 0 && (opcode == 0xE8 || opcode == 0xE9)) || (map == 1 && (opcode & 0xF0) == 0x80)) {
        is_relative = true;
        read.target = (uintptr_t)(intptr_t)word_at(code);
    }
    read.next = code + constant;
    if (is_relative) read.target += (uintptr_t)read.next;
    // Of the one-byte opcodes, an exchange with memory is always atomic.
    if (map == 0 && (opcode == 0x86 || opcode == 0x87) && read.modrm != NULL) read.is_locked = true;
    return read;
}

/// A function or a variable.
typedef struct {
    uintptr_t low, high;
    const char *name;
    bool is_function;
    bool is_reached;
} symbol;

typedef struct {
    symbol *list;
    size_t count, capacity;
    uintptr_t base;
} symbols;

static bool add_symbol(const char *name, const Elf64_Sym *found, void *context) {
    symbols *all = context;
    int type = ELF64_ST_TYPE(found->st_info);
    bool is_function = type == STT_FUNC;
    if (found->st_size == 0 || (!is_function && (type != STT_OBJECT || !is_global_of_swift(name)))) return true;
    if (all->count == all->capacity) {
        size_t capacity = all->capacity == 0 ? 1 << 16 : 2 * all->capacity;
        symbol *list = realloc(all->list, capacity * sizeof(symbol));
        if (list == NULL) return false;
        all->list = list;
        all->capacity = capacity;
    }
    uintptr_t low = all->base + found->st_value;
    all->list[all->count++] = (symbol){low, low + found->st_size, name, is_function, false};
    return true;
}

static int by_address(const void *a, const void *b) {
    uintptr_t left = ((const symbol *)a)->low, right = ((const symbol *)b)->low;
    return left < right ? -1 : left > right;
}

/// The symbol that begins at an address, or NULL.
static symbol *symbol_at(const symbols *all, uintptr_t address) {
    size_t low = 0, high = all->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (all->list[middle].low < address) low = middle + 1;
        else high = middle;
    }
    return low < all->count && all->list[low].low == address ? &all->list[low] : NULL;
}

typedef struct {
    const char *const *prefixes;
    size_t count;
    uintptr_t base;
    bool (*starts)(const char *name, void *context);
    void (*found)(const char *name, bool is_code, void *context);
    void *context;
} search;

/// Runtimes that were linked into the program, the functions in place of instrumented atomics, and the values of trials:
/// an exploration has others.
static bool is_passed_over(const char *name) {
    static const char *const beginnings[] = {"__tsan_", "swift_", "_swift_", "$ss", "dispatch_", "_dispatch_"};
    for (size_t index = 0; index < sizeof beginnings / sizeof *beginnings; index++) {
        if (strncmp(name, beginnings[index], strlen(beginnings[index])) == 0) return true;
    }
    return strstr(name, "7Origins") != NULL;
}

/// Reads a function; adds the functions that it names to the list of those to read.
static void read_function(const symbols *all, const symbol *read, symbol **queue, size_t *count, const search *search) {
    bool is_atomic = false;
    for (const uint8_t *code = (const uint8_t *)read->low; code < (const uint8_t *)read->high;) {
        instruction next = read_instruction(code);
        is_atomic = is_atomic || next.is_locked;
        symbol *named = next.target == 0 ? NULL : symbol_at(all, next.target);
        if (named != NULL && !named->is_reached && !is_passed_over(named->name)) {
            named->is_reached = true;
            if (named->is_function) queue[(*count)++] = named;
            else search->found(named->name, false, search->context);
        }
        code = next.next;
    }
    if (is_atomic) search->found(read->name, true, search->context);
}

static void reach(const char *bytes, size_t size, void *context) {
    const search *search = context;
    symbols all = {.base = search->base};
    visit_symbols(bytes, size, add_symbol, &all);
    symbol **queue = calloc(all.count + 1, sizeof *queue);
    if (queue != NULL && all.list != NULL) {
        qsort(all.list, all.count, sizeof(symbol), by_address);
        size_t count = 0;
        for (size_t index = 0; index < all.count; index++) {
            symbol *candidate = &all.list[index];
            if (!candidate->is_function || is_passed_over(candidate->name)) continue;
            for (size_t prefix = 0; prefix < search->count && !candidate->is_reached; prefix++) {
                const char *text = search->prefixes[prefix];
                candidate->is_reached = strncmp(candidate->name, text, strlen(text)) == 0;
            }
            candidate->is_reached = candidate->is_reached && search->starts(candidate->name, search->context);
            if (candidate->is_reached) queue[count++] = candidate;
        }
        for (size_t next = 0; next < count; next++) read_function(&all, queue[next], queue, &count, search);
    }
    free(queue);
    free(all.list);
}

void thread_schedule_reach(
    const char *const *prefixes, size_t count, bool (*starts)(const char *name, void *context),
    void (*found)(const char *name, bool is_code, void *context), void *context) {
    const char *file;
    uintptr_t here = (uintptr_t)&thread_schedule_reach, offset;
    if (!thread_schedule_place(here, &file, &offset)) return;
    search search = {prefixes, count, here - offset, starts, found, context};
    read_program(reach, &search);
}

#else

void thread_schedule_reach(
    const char *const *prefixes, size_t count, bool (*starts)(const char *name, void *context),
    void (*found)(const char *name, bool is_code, void *context), void *context) {
    (void)prefixes, (void)count, (void)starts, (void)found, (void)context;
}

#endif
