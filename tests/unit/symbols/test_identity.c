/* The function address that reaches a hook's call, on all ways through a function. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "symbols/sites/site_function.h"
#include "symbols/sites/sites.h"
#include "tests/support/symbols/snippet.h"

/* lea `target`(%rip),%reg at offset `at`; reg as in 48 8d /r: 05 rax, 1d rbx, 2d rbp, 3d rdi. */
#define LEA(at, modrm, target) 0x48, 0x8d, modrm, (uint8_t)((target) - ((at) + 7)), 0xff, 0xff, 0xff

/* The address passed at the only site, whose call is at `call`; functions begin at the snippet's first bytes. */
static uint64_t identity(const uint8_t *bytes, size_t size, size_t call)
{
  struct snippet snippet;
  snippet_make(&snippet, bytes, size);
  struct sym_found_site site = {.pc = SNIPPET_ADDRESS + call + 5, .call = SNIPPET_ADDRESS + call};
  struct sym_code_span span = {.group = SNIPPET_ADDRESS, .low = SNIPPET_ADDRESS, .high = SNIPPET_ADDRESS + size};
  const struct base_vector sites = {.data = &site, .count = 1, .capacity = 1, .entry_size = sizeof site};
  const struct base_vector spans = {.data = &span, .count = 1, .capacity = 1, .entry_size = sizeof span};
  uint64_t found = 0;
  assert_int_equal(sym_site_functions_find(&snippet.hook, &sites, &spans, &found), 0);
  return found;
}

static void test_direct(void **state)
{
  (void)state;
  const uint8_t bytes[] = {LEA(0, 0x3d, 3), 0xe8, 0, 0, 0, 0, 0xc3};
  assert_int_equal(identity(bytes, sizeof bytes, 7), SNIPPET_ADDRESS + 3);
}

/* lea f,%rbx; call other; mov %rbx,%rdi; call hook */
static void test_kept_over_call(void **state)
{
  (void)state;
  const uint8_t bytes[] = {LEA(0, 0x1d, 2), 0xe8, 0, 0, 0, 0, 0x48, 0x89, 0xdf, 0xe8, 0, 0, 0, 0, 0xc3};
  assert_int_equal(identity(bytes, sizeof bytes, 15), SNIPPET_ADDRESS + 2);
}

/* lea f,%rax; push; mov %rax,0x8(%rsp); call other; mov 0x8(%rsp),%rdi; call hook: rax is lost, the slot is not. */
static void test_spilled(void **state)
{
  (void)state;
  const uint8_t bytes[] = {LEA(0, 0x05, 1),
                           0x50,
                           0x48,
                           0x89,
                           0x44,
                           0x24,
                           0x08,
                           0xe8,
                           0,
                           0,
                           0,
                           0,
                           0x48,
                           0x8b,
                           0x7c,
                           0x24,
                           0x08,
                           0xe8,
                           0,
                           0,
                           0,
                           0,
                           0xc3};
  assert_int_equal(identity(bytes, sizeof bytes, 23), SNIPPET_ADDRESS + 1);
}

/* lea f,%rdi; call other; call hook: rdi is lost. */
static void test_lost_over_call(void **state)
{
  (void)state;
  const uint8_t bytes[] = {LEA(0, 0x3d, 1), 0xe8, 0, 0, 0, 0, 0xe8, 0, 0, 0, 0, 0xc3};
  assert_int_equal(identity(bytes, sizeof bytes, 12), 0);
}

/* je 1f; lea f,%rdi; jmp 2f; 1: lea g,%rdi; 2: call hook */
static void test_two_ways(void **state)
{
  (void)state;
  const uint8_t bytes[] = {0x74, 0x09, LEA(2, 0x3d, 1), 0xeb, 0x07, LEA(11, 0x3d, 2), 0xe8, 0, 0, 0, 0, 0xc3};
  assert_int_equal(identity(bytes, sizeof bytes, 18), 0);
  const uint8_t same[] = {0x74, 0x09, LEA(2, 0x3d, 2), 0xeb, 0x07, LEA(11, 0x3d, 2), 0xe8, 0, 0, 0, 0, 0xc3};
  assert_int_equal(identity(same, sizeof same, 18), SNIPPET_ADDRESS + 2);
}

/* lea f,%rbx; 1: mov %rbx,%rdi; call hook; jne 1b; ret */
static void test_loop(void **state)
{
  (void)state;
  const uint8_t bytes[] = {LEA(0, 0x1d, 4), 0x48, 0x89, 0xdf, 0xe8, 0, 0, 0, 0, 0x75, 0xf6, 0xc3};
  assert_int_equal(identity(bytes, sizeof bytes, 10), SNIPPET_ADDRESS + 4);
}

/* lea f,%rbx; jmp *%rax; mov %rbx,%rdi; call hook: what no instruction leads to is entered from the switch. */
static void test_switch(void **state)
{
  (void)state;
  const uint8_t bytes[] = {LEA(0, 0x1d, 4), 0xff, 0xe0, 0x0f, 0x1f, 0x00, 0x48, 0x89, 0xdf, 0xe8, 0, 0, 0, 0, 0xc3};
  assert_int_equal(identity(bytes, sizeof bytes, 15), SNIPPET_ADDRESS + 4);
}

/* lea f,%rdi, what has 7 in place of a register in its second byte, call hook. */
static void test_groups(void **state)
{
  (void)state;
  const uint8_t shift[] = {LEA(0, 0x3d, 3), 0x49, 0xc1, 0xfd, 0x02, 0xe8, 0, 0, 0, 0, 0xc3}; /* sar $2,%r13 */
  assert_int_equal(identity(shift, sizeof shift, 11), SNIPPET_ADDRESS + 3);
  const uint8_t divided[] = {LEA(0, 0x3d, 3), 0x49, 0xf7, 0xfd, 0xe8, 0, 0, 0, 0, 0xc3}; /* idiv %r13 */
  assert_int_equal(identity(divided, sizeof divided, 10), SNIPPET_ADDRESS + 3);
  const uint8_t bit[] = {LEA(0, 0x3d, 3), 0x49, 0x0f, 0xba, 0xfd, 0x05, 0xe8, 0, 0, 0, 0, 0xc3}; /* btc $5,%r13 */
  assert_int_equal(identity(bit, sizeof bit, 12), SNIPPET_ADDRESS + 3);
  const uint8_t itself[] = {LEA(0, 0x3d, 3), 0x48, 0xc1, 0xff, 0x02, 0xe8, 0, 0, 0, 0, 0xc3}; /* sar $2,%rdi */
  assert_int_equal(identity(itself, sizeof itself, 11), 0);
}

/* mov $f,%edi of code that is not position-independent */
static void test_absolute(void **state)
{
  (void)state;
  const uint8_t bytes[] = {0xbf, 0x02, 0x10, 0x00, 0x00, 0xe8, 0, 0, 0, 0, 0xc3};
  assert_int_equal(identity(bytes, sizeof bytes, 5), SNIPPET_ADDRESS + 2);
  const uint8_t data[] = {0xbf, 0x02, 0x50, 0x00, 0x00, 0xe8, 0, 0, 0, 0, 0xc3};
  assert_int_equal(identity(data, sizeof data, 5), 0);
}

/* What does not decode ends what is known, and never runs past the end. */
static void test_garbage(void **state)
{
  (void)state;
  uint8_t bytes[64];
  for (unsigned seed = 0; seed < 2000; seed++) {
    uint32_t random = seed * 2654435761u + 1;
    for (size_t i = 0; i < sizeof bytes; i++) {
      random = random * 1664525u + 1013904223u;
      bytes[i] = (uint8_t)(random >> 24);
    }
    identity(bytes, 1 + seed % sizeof bytes, seed % sizeof bytes);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_direct),   cmocka_unit_test(test_kept_over_call), cmocka_unit_test(test_spilled),
      cmocka_unit_test(test_two_ways), cmocka_unit_test(test_lost_over_call), cmocka_unit_test(test_loop),
      cmocka_unit_test(test_switch),   cmocka_unit_test(test_absolute),       cmocka_unit_test(test_garbage),
      cmocka_unit_test(test_groups),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
