/*
 * The test of activations in a program with sleds, whose hooks are the code of sites.
 */
/* ctest: records */
/* ctest: build _O2 -g -O2 @CALLSIG_TEST_SLEDS@ */
/* ctest: case _plain quick plain */
/* ctest: case _stages quick stages */
#include "tests/unit/profiler/test_activations.c"
