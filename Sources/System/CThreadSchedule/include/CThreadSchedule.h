#pragma once

#include "CThreadControl.h"

// The library has no function that is called by name: it interposes those of the C library and of libdispatch, and is
// controlled through `thread_schedule_find()`.
