/*
 * Memory for arrays that may become large: of malloc() while they are small, else mapped in large pages.
 *
 * Large pages take one page fault for 512, and a row that is looked up in no order misses the TLB less; an array that
 * grows is moved by its page tables. Where there are no large pages it works all the same.
 */
#ifndef CALLSIG_BASE_HUGEPAGE_ARRAY_H
#define CALLSIG_BASE_HUGEPAGE_ARRAY_H

#include <stddef.h>

/* Memory of `size` bytes with the contents of `memory`, which is NULL or was made so with `old_size`, and is given up;
 * what was not there before is undefined. Owned by the caller, who gives it to base_hugepage_array_free(). NULL when
 * memory is short, and then `memory` is as it was. Thread-safe. */
void *base_hugepage_array_resize(void *memory, size_t old_size, size_t size);

/* The same for an array that does not grow; NULL also when its size does not fit. */
void *base_hugepage_array_new(size_t count, size_t entry_size);

/* Gives up what was made with `size`; NULL is nothing. */
void base_hugepage_array_free(void *memory, size_t size);

#endif
