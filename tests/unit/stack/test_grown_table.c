/* Tables that grow: all that was there is found, and nothing else; also while a hook looks for something, which a
 * signal handler with hooks of its own interrupts before each instruction of the search. */
#include "profiler/base/table.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/tree/fast_compare.h"

#define ITEMS 1000u

static void test_doubled(void **state)
{
  (void)state;
  static uint32_t items[ITEMS];
  struct prof_arena arena = {0};
  struct prof_table table;
  assert_true(prof_table_init(&table, &arena, 8));
  for (uint32_t i = 0; i < ITEMS; i++)
    assert_true(prof_table_add(&table, &arena, prof_hash_mix(0, i % 100), &items[i]));
  assert_int_equal(table.used, ITEMS);
  for (uint32_t i = 0; i < ITEMS; i++) {
    uint64_t place = prof_hash_mix(0, i % 100);
    while (prof_table_at(&table, place)->item != &items[i])
      assert_non_null(prof_table_at(&table, place++)->item);
  }
  prof_arena_free(&arena);
}

#if defined(__x86_64__)

#define TRAP_FLAG 0x100ul
#define SLOTS     8u
#define OTHERS    4u  /* items that are there, of other sites: one more, and the table is doubled */
#define SITES     16u /* that are looked for, of which some have no place in a table of SLOTS */

static struct prof_tree tree;
/* The table, and what lies behind it in the arena. */
static struct prof_table_slot memory[2 * SLOTS];
static struct prof_site sites[OTHERS + 2];
static struct prof_fast_compare compares[OTHERS + 2];
static unsigned traps, handled_at; /* instructions since the search began; the handler comes before this one */

static struct prof_fast_compare *make_compare(unsigned number, uintptr_t pc)
{
  sites[number].pc = pc;
  compares[number].site = &sites[number];
  return &compares[number];
}

/* Behind the table lies what would be found by whoever looked there for a site at `pc`. */
static void make_table(uintptr_t pc)
{
  memset(memory, 0, sizeof memory);
  for (unsigned i = 0; i < OTHERS; i++)
    memory[2 * i] = (struct prof_table_slot){2 * i, make_compare(i, pc + 1 + i)};
  for (unsigned i = SLOTS; i < 2 * SLOTS; i++)
    memory[i].item = make_compare(OTHERS, pc);
  tree.fast_compares = (struct prof_table){.slots = memory, .mask = SLOTS - 1, .used = OTHERS};
}

static uint64_t added_hash;

static void add_within(int number)
{
  (void)number;
  if (traps++ == handled_at)
    assert_true(prof_table_add(&tree.fast_compares, &tree.arena, added_hash, make_compare(OTHERS + 1, 1)));
}

static struct prof_fast_compare *find_stepped(uintptr_t pc)
{
  traps = 0;
  __asm__ volatile("pushfq; orq %0, (%%rsp); popfq" ::"i"(TRAP_FLAG) : "memory", "cc");
  struct prof_fast_compare *found = prof_fast_compare_find(&tree, pc, 0, 0);
  __asm__ volatile("pushfq; andq %0, (%%rsp); popfq" ::"i"(~TRAP_FLAG) : "memory", "cc");
  return found;
}

/* There is no such site, whatever comes into the table meanwhile. */
static void look_in_vain(void (*make)(uintptr_t pc), uint64_t hash)
{
  struct sigaction action = {.sa_handler = add_within}, before;
  added_hash = hash;
  assert_int_equal(sigaction(SIGTRAP, &action, &before), 0);
  for (uintptr_t pc = 0x1000; pc < 0x1000 + SITES; pc++) {
    handled_at = 0;
    do {
      make(pc);
      assert_null(find_stepped(pc));
    } while (++handled_at < traps);
    assert_in_range(traps, 10, 1000);
  }
  sigaction(SIGTRAP, &before, NULL);
}

static void test_doubled_in_the_middle(void **state)
{
  (void)state;
  look_in_vain(make_table, 1);
  assert_int_equal(tree.fast_compares.mask, 2 * SLOTS - 1);
}

static void make_empty_table(uintptr_t pc)
{
  (void)pc;
  memset(memory, 0, sizeof memory);
  tree.fast_compares = (struct prof_table){.slots = memory, .mask = 1};
}

/* What is added takes the very slot that was found to be free. */
static void test_added_in_the_middle(void **state)
{
  (void)state;
  look_in_vain(make_empty_table, 0);
  look_in_vain(make_empty_table, 1);
}

#endif

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_doubled),
#if defined(__x86_64__)
    cmocka_unit_test(test_doubled_in_the_middle),
    cmocka_unit_test(test_added_in_the_middle),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
