#pragma once

#include <stdbool.h>

/// A number that threads share, in C11.
typedef struct atomic_word atomic_word;

atomic_word *atomic_word_make(void);
void atomic_word_free(atomic_word *word);
long atomic_word_load(atomic_word *word);
void atomic_word_store(atomic_word *word, long value);
void atomic_word_add(atomic_word *word, long number);
/// Sets one in place of zero; false if it was not zero.
bool atomic_word_claim(atomic_word *word);
