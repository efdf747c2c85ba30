/* What a function reads behind the jump of a switch: through tables that are known whole, and through no others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/flow/entry_reads.h"
#include "symbols/processor/x86_64.h"
#include "tests/support/symbols/snippet.h"

enum { TABLE = 0x8000 };

/* cmp $2,%edi; ja last; mov %edi,%eax; lea TABLE(%rip),%rdx; movslq (%rdx,%rax,4),%rax; add %rdx,%rax; jmp *%rax
 * first: mov %esi,%eax; ret; second: xor %eax,%eax; ret; third: mov %ecx,%eax; ret; last: xor %eax,%eax; ret */
static const uint8_t by_distances[] = {0x83, 0xff, 0x02, 0x77, 0x1b, 0x89, 0xf8, 0x48, 0x8d, 0x15, 0,    0,
                                       0,    0,    0x48, 0x63, 0x04, 0x82, 0x48, 0x01, 0xd0, 0xff, 0xe0, 0x89,
                                       0xf0, 0xc3, 0x31, 0xc0, 0xc3, 0x89, 0xc8, 0xc3, 0x31, 0xc0, 0xc3};
enum { LIMIT = 2, COPIED = 6, TABLE_AT = 10, NEXT = 14, FIRST = 23, SECOND = 26, THIRD = 29 };

/* and $1,%edi; jmp *TABLE(,%rdi,8); first: mov %esi,%eax; ret; second: mov %r8d,%eax; ret */
static const uint8_t by_addresses[] = {0x83, 0xe7, 0x01, 0xff, 0x24, 0xfd, 0x00, 0x80, 0x00,
                                       0x00, 0x89, 0xf0, 0xc3, 0x44, 0x89, 0xc0, 0xc3};
enum { ADDRESSES_FIRST = 10, ADDRESSES_SECOND = 13 };

struct scene {
  struct snippet snippet;
  uint8_t *code, *table; /* as long as they are said to be, so that a reader beyond the end is seen */
};

static void begin(struct scene *scene, const void *code, size_t code_size, const void *table, size_t table_size)
{
  scene->code = malloc(code_size);
  scene->table = malloc(table_size);
  memcpy(scene->code, code, code_size);
  memcpy(scene->table, table, table_size);
  snippet_make(&scene->snippet, scene->code, code_size);
  scene->snippet.hook.constants = (struct base_vector)BASE_VECTOR_OF(struct sym_code_bytes);
  struct sym_code_bytes *constants = base_vector_add(&scene->snippet.hook.constants, 1);
  assert_non_null(constants);
  *constants = (struct sym_code_bytes){.address = TABLE, .bytes = scene->table, .size = table_size};
}

/* Which argument registers the scene's code reads. Frees it. */
static uint64_t reads(struct scene *scene, size_t size)
{
  const struct sym_entry_places all = {.registers =
                                           UINT64_C(1) << SYM_RSI | UINT64_C(1) << SYM_RCX | UINT64_C(1) << SYM_R8};
  const struct sym_entry_places found =
      sym_entry_reads(&scene->snippet.hook, SNIPPET_ADDRESS, SNIPPET_ADDRESS + size, all);
  base_vector_free(&scene->snippet.hook.constants);
  free(scene->code);
  free(scene->table);
  return found.registers;
}

/* The same of the code above, with one byte of it changed, and a table of `count` distances. */
static uint64_t reads_by_distances(unsigned at, uint8_t byte, const int32_t *distances, unsigned count)
{
  struct scene scene;
  uint8_t code[sizeof by_distances];
  memcpy(code, by_distances, sizeof code);
  code[at] = byte;
  const int32_t table = (int32_t)(TABLE - (SNIPPET_ADDRESS + NEXT));
  memcpy(code + TABLE_AT, &table, sizeof table);
  begin(&scene, code, sizeof code, distances, count * sizeof *distances);
  return reads(&scene, sizeof code);
}

static int32_t distance(unsigned offset)
{
  return (int32_t)(SNIPPET_ADDRESS + offset - TABLE);
}

static void test_distances(void **state)
{
  (void)state;
  const int32_t table[] = {distance(FIRST), distance(SECOND), distance(THIRD)};
  assert_int_equal(reads_by_distances(LIMIT, 2, table, 3), UINT64_C(1) << SYM_RSI | UINT64_C(1) << SYM_RCX);
  const int32_t other[] = {distance(SECOND), distance(SECOND), distance(THIRD)};
  assert_int_equal(reads_by_distances(LIMIT, 2, other, 3), UINT64_C(1) << SYM_RCX);
}

static void test_not_known_whole(void **state)
{
  (void)state;
  const int32_t table[] = {distance(FIRST), distance(SECOND), distance(THIRD)};
  /* It ends before the last entry, or in it; or more entries are asked for than any table has. */
  assert_int_equal(reads_by_distances(LIMIT, 2, table, 2), 0);
  assert_int_equal(reads_by_distances(LIMIT, 3, table, 3), 0);
  assert_int_equal(reads_by_distances(LIMIT, 0x7f, table, 3), 0);
  /* The bound is of no index: cmp with -1; mov %ebx,%eax in place of %edi; jbe in place of ja. */
  assert_int_equal(reads_by_distances(LIMIT, 0xff, table, 3), 0);
  assert_int_equal(reads_by_distances(COPIED, 0xd8, table, 3), 0);
  assert_int_equal(reads_by_distances(LIMIT + 1, 0x76, table, 3), 0);
  /* An entry leads out of the function. */
  const int32_t out[] = {distance(FIRST), distance(sizeof by_distances), distance(THIRD)};
  assert_int_equal(reads_by_distances(LIMIT, 2, out, 3), 0);
  const int32_t far[] = {distance(FIRST), INT32_MIN, INT32_MAX};
  assert_int_equal(reads_by_distances(LIMIT, 2, far, 3), 0);
}

static void test_addresses(void **state)
{
  (void)state;
  struct scene scene;
  const uint64_t table[] = {SNIPPET_ADDRESS + ADDRESSES_FIRST, SNIPPET_ADDRESS + ADDRESSES_SECOND};
  begin(&scene, by_addresses, sizeof by_addresses, table, sizeof table);
  assert_int_equal(reads(&scene, sizeof by_addresses), UINT64_C(1) << SYM_RSI | UINT64_C(1) << SYM_R8);
  begin(&scene, by_addresses, sizeof by_addresses, table, sizeof table - 1);
  assert_int_equal(reads(&scene, sizeof by_addresses), 0);
}

/* How deep a frame is: push %rbx; sub $32,%rsp. Not known where room is made later: push %rbx; mov %edi,%ebx; sub. */
static void test_depth(void **state)
{
  (void)state;
  struct snippet snippet;
  const uint8_t plain[] = {0x53, 0x48, 0x83, 0xec, 0x20, 0xc3}, pushes[] = {0x53, 0x89, 0xfb, 0xc3};
  const uint8_t later[] = {0x53, 0x89, 0xfb, 0x48, 0x83, 0xec, 0x20, 0xc3}, up[] = {0x53, 0x48, 0x83, 0xec, 0x80, 0xc3};
  snippet_make(&snippet, plain, sizeof plain);
  assert_int_equal(sym_entry_depth(&snippet.hook, SNIPPET_ADDRESS, SNIPPET_ADDRESS + sizeof plain), 48);
  snippet_make(&snippet, pushes, sizeof pushes);
  assert_int_equal(sym_entry_depth(&snippet.hook, SNIPPET_ADDRESS, SNIPPET_ADDRESS + sizeof pushes), 16);
  snippet_make(&snippet, later, sizeof later);
  assert_int_equal(sym_entry_depth(&snippet.hook, SNIPPET_ADDRESS, SNIPPET_ADDRESS + sizeof later), -1);
  snippet_make(&snippet, up, sizeof up);
  assert_int_equal(sym_entry_depth(&snippet.hook, SNIPPET_ADDRESS, SNIPPET_ADDRESS + sizeof up), -1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_distances),
      cmocka_unit_test(test_not_known_whole),
      cmocka_unit_test(test_addresses),
      cmocka_unit_test(test_depth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
