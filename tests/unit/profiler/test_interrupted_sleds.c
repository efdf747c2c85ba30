/*
 * The test of interrupted hooks in a program with sleds, whose hooks are the code of sites.
 */
/* ctest: skips _step _switch_step _cut_step _cut_inner_step _throw_step */
/* ctest: records */
/* ctest: build _O2 -g -O2 @CALLSIG_TEST_SLEDS@ */
/* ctest: case _plain quick plain */
/* ctest: case _stack full stack */
/* ctest: case _jump full jump */
/* ctest: case _step quick step */
/* ctest: case _switch full plain switch */
/* ctest: case _switch_step full step switch */
/* ctest: case _cut quick plain cut */
/* ctest: case _cut_step full step cut */
/* ctest: case _cut_inner quick plain cut inner */
/* ctest: case _cut_inner_step full step cut inner */
/* ctest: case _throw quick plain throw */
/* ctest: case _throw_stack full stack throw */
/* ctest: case _throw_jump full jump throw */
/* ctest: case _throw_step full step throw */
#define DEPTH 4
#include "tests/unit/profiler/test_interrupted.c"
