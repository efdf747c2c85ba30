/*
 * The test of tasks in a program with sleds, whose exits know a function's frame by its address alone: that of what the
 * function has begun is the same.
 */
/* ctest: records */
/* ctest: build _O2 -g -O2 @CALLSIG_TEST_SLEDS@ */
/* ctest: case _plain quick plain */
#include "tests/unit/profiler/test_tasks.c"
