#pragma once

#include <stdint.h>

/// The bytes that are allocated in all arenas of the C library, with what its threads keep for reuse; 0 where it does not
/// say.
uint64_t heap_allocated_bytes(void);
