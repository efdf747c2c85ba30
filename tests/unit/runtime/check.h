/* One check: a line and exit status 1 when it does not hold. */
#ifndef CALLSIG_TESTS_UNIT_RUNTIME_CHECK_H
#define CALLSIG_TESTS_UNIT_RUNTIME_CHECK_H

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
