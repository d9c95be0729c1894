#include "CReaders.h"

__thread void *_Nullable cache_trials_reader_place CACHE_TRIALS_AT_START;
