#pragma once

#include "CThreadControl.h"

#if defined(__linux__) && defined(__LP64__)

#include <elf.h>

/// Looks at a symbol; false ends the visit.
typedef bool (*symbol_look)(const char *name, const Elf64_Sym *symbol, void *context);

/// Visits the symbols of a file. The file is this program as it was linked; its offsets are still checked against its
/// size.
void visit_symbols(const char *bytes, size_t size, symbol_look look, void *context);

/// Passes this program's file.
void read_program(void (*body)(const char *bytes, size_t size, void *context), void *context);

/// Whether a symbol is a variable of a module or of a type, in Swift.
bool is_global_of_swift(const char *name);

#endif
