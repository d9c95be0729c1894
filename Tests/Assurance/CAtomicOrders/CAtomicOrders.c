#include "CAtomicOrders.h"

#include <stdatomic.h>
#include <stdlib.h>

struct atomic_word {
    _Atomic long value;
};

atomic_word *atomic_word_make(void) {
    atomic_word *word = calloc(1, sizeof *word);
    if (word == NULL) abort();
    return word;
}

void atomic_word_free(atomic_word *word) { free(word); }
long atomic_word_load(atomic_word *word) { return atomic_load(&word->value); }
void atomic_word_store(atomic_word *word, long value) { atomic_store(&word->value, value); }
void atomic_word_add(atomic_word *word, long number) { atomic_fetch_add(&word->value, number); }

bool atomic_word_claim(atomic_word *word) {
    long expected = 0;
    return atomic_compare_exchange_strong(&word->value, &expected, 1);
}
