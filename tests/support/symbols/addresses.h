/* Addresses that a test gives a program on stdin. */
#ifndef CALLSIG_TESTS_SUPPORT_SYMBOLS_ADDRESSES_H
#define CALLSIG_TESTS_SUPPORT_SYMBOLS_ADDRESSES_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/vector.h"

/* Adds hexadecimal numbers, up to the end of stdin, to `addresses` (uint64_t). False: memory is short. */
static inline bool test_read_addresses(struct base_vector *addresses)
{
  uint64_t address;
  while (scanf("%" SCNx64, &address) == 1) {
    uint64_t *added = base_vector_add(addresses, 1);
    if (added == NULL)
      return false;
    *added = address;
  }
  return true;
}

#endif
