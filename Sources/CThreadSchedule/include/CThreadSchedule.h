#pragma once

#include "CThreadControl.h"

// The library has no function to be called by name: it stands in front of those of the C library and of libdispatch,
// and is driven through `thread_schedule_find()`.
