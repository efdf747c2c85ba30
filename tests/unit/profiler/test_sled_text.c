/* Sleds in a program's text: every shape is switched on and off at every place it may lie, and runs; nothing else is
 * taken for a sled. */
#include "profiler/arch/x86_64/sled_text/sled_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "format/sled.h"
#include "format/sled_idle.h"

#define TEXT_SIZE 4096u
#define FILLER    0xa5u /* bytes that no switch may touch */
#define RESULT    77

static const struct {
  uint8_t off[11];
  uint8_t size, tested;
} shapes[] = {
    [FMT_SLED_SHAPE_NOP5] = {{0x0f, 0x1f, 0x44, 0x00, 0x00}, 5, 5},
    [FMT_SLED_SHAPE_JUMP11] = {{0xeb, 0x09, 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00}, 11, 2},
    [FMT_SLED_SHAPE_RETURN11] = {{0xc3, 0x2e, 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00}, 11, 2},
    [FMT_SLED_SHAPE_RETURN6] = {{0xc3, 0x0f, 0x1f, 0x40, 0x00, 0xc3}, 6, 6},
};
#define SHAPES (sizeof shapes / sizeof shapes[0])

static uint8_t *text;              /* of the program */
static uint8_t *target;            /* near it: adds one to `calls` */
static volatile uint64_t *calls;   /* behind that */
static const unsigned first = 256; /* where sleds are put, and on */

static int make_text(void **state)
{
  (void)state;
  text = mmap(NULL, 2 * TEXT_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (text == MAP_FAILED)
    return -1;
  target = text + TEXT_SIZE;
  calls = (volatile uint64_t *)(target + 64);
  const uint8_t code[] = {0x48, 0xff, 0x05, 64 - 7, 0, 0, 0, 0xc3}; /* inc qword [rip + ...]; ret */
  memcpy(target, code, sizeof code);
  return 0;
}

static int free_text(void **state)
{
  (void)state;
  return munmap(text, 2 * TEXT_SIZE);
}

/* A function: mov eax, RESULT; the sled; ret. The sled's place is `offset` behind `first`. */
static uint8_t *put(unsigned shape, unsigned offset)
{
  uint8_t *place = text + first + offset;
  memset(text, FILLER, TEXT_SIZE);
  memcpy(place - 5, (const uint8_t[]){0xb8, RESULT, 0, 0, 0}, 5);
  memcpy(place, shapes[shape].off, shapes[shape].size);
  place[shapes[shape].size] = 0xc3;
  return place;
}

static int run(const uint8_t *place)
{
  int (*function)(void) = (int (*)(void))(uintptr_t)(place - 5);
  return function();
}

static void expect_surroundings(const uint8_t *place, unsigned shape)
{
  for (const uint8_t *byte = text; byte < text + TEXT_SIZE; byte++)
    if (byte < place - 5 || byte > place + shapes[shape].size)
      assert_int_equal(*byte, FILLER);
  assert_int_equal(place[shapes[shape].size], 0xc3);
}

static bool may_lie(unsigned shape, unsigned offset)
{
  return shape == FMT_SLED_SHAPE_JUMP11 || shape == FMT_SLED_SHAPE_RETURN11 ? offset % 2 == 0 : offset % 8 <= 3;
}

/* Takes the call out as who does it from outside, by one byte, and puts it back and takes it out again. */
static void take_out(uint8_t *place, unsigned shape)
{
  const uintptr_t address = (uintptr_t)place;
  bool idle;
  assert_false(prof_sled_is_idle(address, shape));
  assert_int_equal(fmt_sled_target(address, place, (uint8_t)shape, &idle), (uintptr_t)target);
  assert_false(idle);
  place[0] = fmt_sled_idle_opcode((uint8_t)shape);
  assert_true(prof_sled_is(address, shape, (uintptr_t)target));
  assert_false(prof_sled_is(address, shape, (uintptr_t)target + 8));
  assert_true(prof_sled_is_idle(address, shape));
  assert_true(prof_sled_is_call(place, shape));
  assert_int_equal(prof_sled_called(address, shape), (uintptr_t)target);
  assert_int_equal(fmt_sled_target(address, place, (uint8_t)shape, &idle), (uintptr_t)target);
  assert_true(idle);
}

static void switched(void **state)
{
  (void)state;
  for (unsigned shape = 0; shape < SHAPES; shape++) {
    for (unsigned offset = 0; offset < 64; offset++) {
      uint8_t *place = put(shape, offset);
      const uintptr_t address = (uintptr_t)place;
      if (!may_lie(shape, offset)) {
        assert_false(prof_sled_is(address, shape, (uintptr_t)target));
        continue;
      }
      *calls = 0;
      assert_true(prof_sled_is(address, shape, (uintptr_t)target));
      assert_false(prof_sled_is_call(place, shape));
      assert_int_equal(run(place), RESULT);
      assert_int_equal(*calls, 0);
      for (unsigned turn = 1; turn <= 3; turn++) {
        prof_sled_switch(address, shape, (uintptr_t)target);
        assert_true(prof_sled_is(address, shape, (uintptr_t)target));
        assert_true(prof_sled_is_call(place, shape));
        assert_int_equal(run(place), RESULT);
        assert_int_equal(*calls, turn);
        expect_surroundings(place, shape);
        take_out(place, shape);
        assert_int_equal(run(place), RESULT);
        assert_int_equal(*calls, turn);
        expect_surroundings(place, shape);
        prof_sled_switch(address, shape, turn == 2 ? (uintptr_t)target : 0);
        assert_int_equal(prof_sled_called(address, shape), turn == 2 ? (uintptr_t)target : 0);
        prof_sled_switch(address, shape, 0);
        assert_true(prof_sled_is(address, shape, (uintptr_t)target));
        assert_memory_equal(place, shapes[shape].off, shapes[shape].tested);
        assert_int_equal(run(place), RESULT);
        assert_int_equal(*calls, turn);
        expect_surroundings(place, shape);
      }
    }
  }
}

/* A thread that is inside of the call while its sled is switched returns into what lies behind it. */
static void returned_into(void **state)
{
  (void)state;
  for (unsigned shape = 0; shape < SHAPES; shape++) {
    uint8_t *place = put(shape, 0);
    prof_sled_switch((uintptr_t)place, shape, (uintptr_t)target);
    prof_sled_switch((uintptr_t)place, shape, 0);
    void (*rest)(void) = (void (*)(void))(uintptr_t)(place + FMT_SLED_CALL);
    rest();
    prof_sled_switch((uintptr_t)place, shape, (uintptr_t)target);
    rest();
  }
}

static void reached(void **state)
{
  (void)state;
  uint8_t *place = put(FMT_SLED_SHAPE_NOP5, 0);
  for (int sign = -1; sign <= 1; sign += 2) {
    intptr_t distance = sign * (intptr_t)PROF_SLED_REACH;
    prof_sled_switch((uintptr_t)place, FMT_SLED_SHAPE_NOP5, (uintptr_t)place + (uintptr_t)distance);
    int32_t written;
    memcpy(&written, place + 1, sizeof written);
    assert_int_equal((intptr_t)written + (intptr_t)FMT_SLED_CALL, distance);
  }
}

static void other_bytes(void **state)
{
  (void)state;
  for (unsigned shape = 0; shape < SHAPES; shape++) {
    for (unsigned i = 0; i < shapes[shape].tested; i++) {
      for (unsigned change = 1; change < 256; change++) {
        uint8_t *place = put(shape, 0);
        place[i] ^= (uint8_t)change;
        assert_false(prof_sled_is((uintptr_t)place, shape, (uintptr_t)target));
      }
    }
  }
}

/* A call that cannot be told from what the compiler has left there once it is out has no target, and stays. */
static void looks_like_compilers(void **state)
{
  (void)state;
  for (unsigned shape = FMT_SLED_SHAPE_RETURN11; shape < SHAPES; shape++) {
    bool idle;
    uint8_t bytes[FMT_SLED_CALL];
    memcpy(bytes, shapes[shape].off, sizeof bytes);
    assert_int_equal(fmt_sled_target(1 << 20, bytes, (uint8_t)shape, &idle), 0);
    assert_false(prof_sled_is_call(bytes, shape));
    bytes[0] = FMT_SLED_OPCODE_CALL;
    assert_int_equal(fmt_sled_target(1 << 20, bytes, (uint8_t)shape, &idle), 0);
    assert_true(prof_sled_is_call(bytes, shape));
  }
}

/* The program's own call is no sled that is on. */
static void other_calls(void **state)
{
  (void)state;
  for (unsigned shape = 0; shape < SHAPES; shape++) {
    uint8_t *place = put(shape, 0);
    prof_sled_switch((uintptr_t)place, shape, (uintptr_t)target + 8);
    assert_false(prof_sled_is((uintptr_t)place, shape, (uintptr_t)target));
    assert_false(prof_sled_is((uintptr_t)place, shape, 0));
    assert_true(prof_sled_is((uintptr_t)place, shape, (uintptr_t)target + 8));
  }
}

static void empty_functions(void **state)
{
  (void)state;
  const uint8_t paddings[][2] = {{0xcc, 0xcc}, {0x90, 0x90}, {0x66, 0x2e}, {0x0f, 0x1f}};
  const uint8_t others[][3] = {{0xc3, 0x0f, 0x05}, {0xc3, 0x55, 0x48}, {0xc3, 0xc3, 0xcc}, {0x55, 0xcc, 0xcc}};
  uint8_t *place = put(FMT_SLED_SHAPE_NOP5, 0);
  for (unsigned i = 0; i < sizeof paddings / sizeof paddings[0]; i++) {
    for (unsigned offset = 0; offset < 8; offset++) {
      memset(place, FILLER, 16);
      place[offset] = 0xc3;
      memcpy(&place[offset + 1], paddings[i], 2);
      assert_int_equal(prof_text_is_empty_function((uintptr_t)&place[offset]), offset <= 3);
    }
  }
  /* With the mark of a target of indirect branches, of which the jump takes the place. */
  static const uint8_t marked[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xc3};
  for (unsigned offset = 0; offset < 8; offset++) {
    memset(place, FILLER, 16);
    memcpy(&place[offset], marked, sizeof marked);
    assert_int_equal(prof_text_is_empty_function((uintptr_t)&place[offset]), offset <= 3);
    place[offset + 4] = 0x55;
    assert_false(prof_text_is_empty_function((uintptr_t)&place[offset]));
  }
  for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
    memcpy(place, others[i], 3);
    assert_false(prof_text_is_empty_function((uintptr_t)place));
  }
}

static void jumps(void **state)
{
  (void)state;
  for (unsigned offset = 0; offset <= 3; offset++) {
    memset(text, FILLER, TEXT_SIZE);
    uint8_t *place = text + first + offset;
    *calls = 0;
    prof_text_jump((uintptr_t)place, (uintptr_t)target);
    void (*function)(void) = (void (*)(void))(uintptr_t)place;
    function();
    assert_int_equal(*calls, 1);
    for (const uint8_t *byte = text; byte < text + TEXT_SIZE; byte++)
      if (byte < place || byte >= place + 5)
        assert_int_equal(*byte, FILLER);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(switched),
      cmocka_unit_test(returned_into),
      cmocka_unit_test(reached),
      cmocka_unit_test(other_bytes),
      cmocka_unit_test(looks_like_compilers),
      cmocka_unit_test(other_calls),
      cmocka_unit_test(empty_functions),
      cmocka_unit_test(jumps),
  };
  return cmocka_run_group_tests(tests, make_text, free_text);
}
