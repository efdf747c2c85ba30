/* The check of tests that run without cmocka, guests and programs that profile themselves: a line on stderr and exit
 * status 1 when the condition does not hold. */
#ifndef CALLSIG_TESTS_CHECK_H
#define CALLSIG_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                        \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

#endif
