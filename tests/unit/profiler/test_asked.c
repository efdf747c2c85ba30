/* Records of what was asked the allocator for: moved from the trees of ended threads, used again, set to zero. */
#include "profiler/tree/asked.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/base/process.h"
#include "profiler/base/recording.h"

/* An edge as it lies in a tree. */
struct laid_out {
  struct fmt_rec_asked_list list;
  struct fmt_rec_sampling sampling;
  struct fmt_rec_edge edge;
};

static struct laid_out target, source;

static int start(void **state)
{
  (void)state;
  memset(&prof_process, 0, sizeof prof_process);
  memset(&target, 0, sizeof target);
  prof_process.pid = (uint32_t)getpid();
  prof_process.settings.clock = FMT_CLOCK_MONOTONIC;
  prof_process.settings.memory_limit = 16 << 20;
  snprintf(prof_process.settings.output, sizeof prof_process.settings.output, "test_asked.%d", getpid());
  target.edge.flags = FMT_EDGE_ASKS | FMT_EDGE_SAMPLED;
  return prof_recording_open(&prof_process, false);
}

static int stop(void **state)
{
  (void)state;
  return unlink(prof_process.path);
}

/* A thread's edge, with `calls` blocks of 10 bytes of which `freed` were freed. */
static struct fmt_rec_asked *ask(uint64_t calls, uint64_t freed)
{
  memset(&source, 0, sizeof source);
  source.edge.flags = FMT_EDGE_ASKS | FMT_EDGE_SAMPLED;
  struct fmt_rec_asked *record = prof_asked_record(&source.edge);
  assert_non_null(record);
  assert_ptr_equal(record, prof_asked_record(&source.edge));
  record->calls = calls;
  record->bytes = calls * 10;
  record->freed_calls = freed;
  record->freed_bytes = freed * 10;
  return record;
}

static uint64_t records_of(const struct laid_out *edge, struct fmt_rec_asked *sum)
{
  uint64_t count = 0;
  *sum = (struct fmt_rec_asked){0};
  for (uint64_t at = edge->list.first; at; count++) {
    const struct fmt_rec_asked *record = (const struct fmt_rec_asked *)at;
    sum->calls += record->calls;
    sum->bytes += record->bytes;
    sum->freed_calls += record->freed_calls;
    sum->freed_bytes += record->freed_bytes;
    at = record->next;
  }
  return count;
}

static void settled_ones_are_used_again(void **state)
{
  (void)state;
  const uint64_t before = prof_process.header->next;
  struct fmt_rec_asked sum;
  for (unsigned i = 0; i < 10000; i++) {
    ask(3, 3);
    prof_asked_move(&target.edge, &source.edge);
    assert_int_equal(source.list.first, 0);
  }
  assert_int_equal(records_of(&target, &sum), 1);
  assert_int_equal(sum.calls, 30000);
  assert_int_equal(sum.bytes, 300000);
  assert_int_equal(sum.freed_calls, 30000);
  assert_in_range(prof_process.header->next, before, before + 8192);
}

/* What a block leads to stays, and is given up when the block was freed: by then in another thread. */
static void others_wait(void **state)
{
  (void)state;
  enum { LIVING = 100 };
  struct fmt_rec_asked *living[LIVING], sum;
  for (unsigned i = 0; i < LIVING; i++) {
    living[i] = ask(2, 1);
    prof_asked_move(&target.edge, &source.edge);
  }
  assert_int_equal(records_of(&target, &sum), LIVING);
  for (unsigned i = 0; i < LIVING; i++) {
    assert_int_equal(living[i]->calls, 2);
    living[i]->freed_calls++;
    living[i]->freed_bytes += 10;
  }
  for (unsigned i = 0; i < LIVING; i++) {
    ask(1, 1);
    prof_asked_move(&target.edge, &source.edge);
  }
  assert_int_equal(records_of(&target, &sum), 1);
  assert_int_equal(sum.calls, 3 * LIVING);
  assert_int_equal(sum.freed_calls, 3 * LIVING);
  assert_int_equal(sum.freed_bytes, 30 * LIVING);
}

static void lost_ones_are_settled(void **state)
{
  (void)state;
  struct fmt_rec_asked *record = ask(5, 2), sum;
  record->lost_calls = 3;
  record->lost_bytes = 30;
  ask(1, 1);
  struct laid_out second = source;
  prof_asked_move(&target.edge, &second.edge);
  memset(&source, 0, sizeof source);
  source.edge.flags = FMT_EDGE_ASKS | FMT_EDGE_SAMPLED;
  source.list.first = source.list.last = (uintptr_t)record;
  prof_asked_move(&target.edge, &source.edge);
  assert_int_equal(records_of(&target, &sum), 1);
  assert_int_equal(((const struct fmt_rec_asked *)target.list.first)->lost_calls, 3);
  assert_int_equal(sum.calls, 6);
}

/* What is freed of the blocks before counts in what the edge has left, which nobody else is given until all are. */
static void is_set_to_zero(void **state)
{
  (void)state;
  struct fmt_rec_asked *record = ask(7, 2);
  struct laid_out first = source;
  prof_asked_clear(&first.edge, true);
  assert_int_equal(first.list.first, 0);
  for (unsigned i = 0; i < 100; i++) {
    assert_ptr_not_equal(ask(1, 1), record);
    prof_asked_clear(&source.edge, true);
  }
  record->freed_calls = 7;
  bool again = false;
  ask(1, 1);
  prof_asked_clear(&source.edge, true);
  for (unsigned i = 0; i < 100 && !again; i++)
    again = ask(1, 1) == record;
  assert_true(again);
}

/* A call that is under way when counting begins has its block in the record of the time before. */
static void calls_keep_their_record(void **state)
{
  (void)state;
  struct fmt_rec_asked *record = ask(0, 0);
  struct laid_out first = source;
  assert_ptr_equal(prof_asked_open(&first.list), record);
  prof_asked_clear(&first.edge, true);
  assert_null(prof_asked_open(&first.list));
  for (unsigned i = 0; i < 100; i++) {
    assert_ptr_not_equal(ask(1, 1), record);
    prof_asked_clear(&source.edge, true);
  }
  prof_asked_close(record);
  assert_int_equal(record->open, 0);
}

/* A call that was left by a longjmp() never closes its record. Its thread has ended: the record is used again. */
static void left_calls_end_with_their_thread(void **state)
{
  (void)state;
  const uint64_t before = prof_process.header->next;
  struct fmt_rec_asked sum;
  for (unsigned i = 0; i < 10000; i++) {
    struct fmt_rec_asked *record = ask(3, 3);
    assert_ptr_equal(prof_asked_open(&source.list), record);
    prof_asked_move(&target.edge, &source.edge);
  }
  assert_int_equal(records_of(&target, &sum), 1);
  assert_int_equal(sum.calls, 30000);
  assert_in_range(prof_process.header->next, before, before + 8192);
}

/* Or a period begins while its thread is in no such call. Who closes it late takes nothing from others. */
static void left_calls_end_with_the_period(void **state)
{
  (void)state;
  const uint64_t before = prof_process.header->next;
  for (unsigned i = 0; i < 10000; i++) {
    struct fmt_rec_asked *record = ask(1, 1);
    assert_ptr_equal(prof_asked_open(&source.list), record);
    prof_asked_clear(&source.edge, false);
    prof_asked_close(record);
    assert_int_equal(record->open, 0);
  }
  assert_in_range(prof_process.header->next, before, before + 8192);
}

static void sums_stand_still(void **state)
{
  (void)state;
  for (unsigned i = 0; i < 3; i++) {
    struct fmt_rec_asked *record = ask(1, 1);
    record->bytes = record->freed_bytes = UINT64_C(1) << 63;
    prof_asked_move(&target.edge, &source.edge);
  }
  struct fmt_rec_asked sum;
  assert_int_equal(records_of(&target, &sum), 1);
  assert_true(sum.bytes == UINT64_MAX && sum.freed_bytes == UINT64_MAX);
}

#if defined(__x86_64__)

#define TRAP_FLAG 0x100ul
#define STEPS     300u /* records that handlers take: more than a taking has instructions */

static struct laid_out handlers[STEPS];
static unsigned stepped;

static struct laid_out *begin_edge(struct laid_out *made)
{
  *made = (struct laid_out){.edge.flags = FMT_EDGE_ASKS | FMT_EDGE_SAMPLED};
  return made;
}

/* Before each instruction, and with the steps off in between. */
static void take_within(int number)
{
  (void)number;
  if (stepped < STEPS && prof_asked_record(&begin_edge(&handlers[stepped])->edge))
    stepped++;
}

/* A taking is interrupted before each of its instructions by another one: no record is given twice, and none waits. */
static void is_taken_in_the_middle(void **state)
{
  (void)state;
  static struct laid_out many[2 * STEPS];
  for (unsigned i = 0; i < 2 * STEPS; i++)
    assert_non_null(prof_asked_record(&begin_edge(&many[i])->edge));
  for (unsigned i = 0; i < 2 * STEPS; i++)
    prof_asked_clear(&many[i].edge, true);
  struct sigaction action = {.sa_handler = take_within}, before;
  stepped = 0;
  assert_int_equal(sigaction(SIGTRAP, &action, &before), 0);
  begin_edge(&source);
  alarm(60); /* of a taking that waits for itself */
  __asm__ volatile("pushfq; orq %0, (%%rsp); popfq" ::"i"(TRAP_FLAG) : "memory", "cc");
  const struct fmt_rec_asked *record = prof_asked_record(&source.edge);
  __asm__ volatile("pushfq; andq %0, (%%rsp); popfq" ::"i"(~TRAP_FLAG) : "memory", "cc");
  alarm(0);
  sigaction(SIGTRAP, &before, NULL);
  assert_in_range(stepped, 10, STEPS);
  for (unsigned i = 0; i < stepped; i++) {
    assert_ptr_not_equal(record, (void *)(uintptr_t)handlers[i].list.first);
    for (unsigned k = 0; k < i; k++)
      assert_int_not_equal(handlers[k].list.first, handlers[i].list.first);
  }
}

#endif

/* Where nothing is asked for, nothing lies before the edge. */
static void others_have_no_list(void **state)
{
  (void)state;
  memset(&source, 0, sizeof source);
  source.edge.flags = FMT_EDGE_SAMPLED;
  assert_null(prof_edge_asked(&source.edge));
  assert_null(prof_asked_record(&source.edge));
  ask(1, 0);
  struct fmt_rec_edge bare = {.flags = 0};
  prof_asked_move(&bare, &source.edge);
  assert_int_not_equal(source.list.first, 0);
}

static void no_space(void **state)
{
  (void)state;
  while (prof_record_small(64))
    ;
  memset(&source, 0, sizeof source);
  source.edge.flags = FMT_EDGE_ASKS | FMT_EDGE_SAMPLED;
  assert_null(prof_asked_record(&source.edge));
  assert_int_equal(source.list.first, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(settled_ones_are_used_again, start, stop),
    cmocka_unit_test_setup_teardown(others_wait, start, stop),
    cmocka_unit_test_setup_teardown(lost_ones_are_settled, start, stop),
    cmocka_unit_test_setup_teardown(is_set_to_zero, start, stop),
    cmocka_unit_test_setup_teardown(calls_keep_their_record, start, stop),
    cmocka_unit_test_setup_teardown(left_calls_end_with_their_thread, start, stop),
    cmocka_unit_test_setup_teardown(left_calls_end_with_the_period, start, stop),
    cmocka_unit_test_setup_teardown(sums_stand_still, start, stop),
#if defined(__x86_64__)
    cmocka_unit_test_setup_teardown(is_taken_in_the_middle, start, stop),
#endif
    cmocka_unit_test_setup_teardown(others_have_no_list, start, stop),
    cmocka_unit_test_setup_teardown(no_space, start, stop)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
