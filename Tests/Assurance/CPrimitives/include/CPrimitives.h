#pragma once

#include <stdint.h>

// Primitives that Swift can't name, or that are compiled without the exploration of threads in mind.

/// Waits in the kernel, by an instruction, until a word has another value.
void primitive_wait(volatile uint32_t *word, uint32_t value);

/// Waits in a loop until a word has another value.
void primitive_spin(volatile uint32_t *word, uint32_t value);

#if defined(__linux__)

#include <pthread.h>
#include <semaphore.h>

// With a time of the monotonic clock that never comes.

void primitive_lock(pthread_mutex_t *mutex);
void primitive_lock_for_reading(pthread_rwlock_t *lock);
void primitive_lock_for_writing(pthread_rwlock_t *lock);
void primitive_take(sem_t *semaphore);

#endif
