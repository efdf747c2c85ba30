/* Rings of spans: what is kept, what handlers that interrupt a write may do, bounds, and folding. */
#include "profiler/stack/ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <signal.h>

#include <cmocka.h>

#include "format/duration.h"
#include "profiler/base/clock.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/tree/tree.h"

#define SPANS 256u

static struct prof_thread thread;

static void open_thread(struct prof_thread *t)
{
  memset(t, 0, sizeof *t);
  assert_int_equal(prof_tree_init(&t->tree, 1), 0);
  prof_ring_open(t);
  prof_tree_publish(&t->tree);
}

static void start_with(uint64_t memory, bool timeline)
{
  static unsigned number;
  memset(&prof_process, 0, sizeof prof_process);
  prof_process.pid = (uint32_t)getpid();
  prof_process.settings.clock = FMT_CLOCK_MONOTONIC;
  prof_process.settings.memory_limit = memory;
  prof_process.settings.timeline = timeline;
  prof_process.settings.timeline_min_ns = 1000;
  prof_process.settings.timeline_spans = SPANS;
  snprintf(prof_process.settings.output, sizeof prof_process.settings.output, "test_ring.%d.%u", getpid(), number++);
  assert_int_equal(prof_recording_open(&prof_process, false), 0);
}

static int start(void **state)
{
  (void)state;
  start_with(64 << 20, true);
  open_thread(&thread);
  return 0;
}

static int stop(void **state)
{
  (void)state;
  return unlink(prof_process.path);
}

static uint64_t lost(void)
{
  return prof_process.header->loss[FMT_LOSS_TIMELINE];
}

/* A span whose fields all follow from one number. */
static void add(struct prof_thread *t, uint64_t number)
{
  prof_ring_add(t, FMT_SPAN_PUT, (const void *)(number * 8), number, number + 1, number + 2, (uint32_t)number + 3);
}

static bool is_whole(const struct fmt_rec_span *span)
{
  uint64_t number = span->start;
  return span->what == number * 8 && span->duration == number + 1 && span->item == number + 2 &&
         span->value == (uint32_t)number + 3;
}

static void test_the_newest_stay(void **state)
{
  (void)state;
  assert_int_equal(prof_process.header->timeline_min, 1000);
  assert_int_equal(thread.ring->capacity, SPANS);
  assert_int_equal(thread.tree.record->ring, (uintptr_t)thread.ring);
  for (uint64_t i = 0; i < 3 * SPANS + 7; i++)
    add(&thread, i);
  assert_int_equal(thread.ring->written, 3 * SPANS + 7);
  for (uint64_t i = 2 * SPANS + 7; i < 3 * SPANS + 7; i++) {
    const struct fmt_rec_span *span = &thread.ring->spans[i % SPANS];
    assert_int_equal(span->kind, FMT_SPAN_PUT);
    assert_int_equal(span->start, i);
    assert_true(is_whole(span));
  }
  assert_int_equal(lost(), 0);
}

static void test_none_without_a_timeline(void **state)
{
  (void)state;
  stop(NULL);
  start_with(64 << 20, false);
  open_thread(&thread);
  assert_null(thread.ring);
  assert_int_equal(prof_process.header->timeline_min, UINT64_MAX);
  add(&thread, 1);
  assert_int_equal(lost(), 0);
}

/* However many threads there are, their rings leave half of the recording alone; who gets none is counted. */
static void test_bounds(void **state)
{
  (void)state;
  stop(NULL);
  start_with(4 << 20, true);
  prof_process.settings.timeline_spans = 1 << 16;
  uint64_t bytes = 0, before = UINT64_MAX;
  unsigned with = 0;
  for (unsigned i = 0; i < 400; i++) {
    static struct prof_thread t;
    memset(&t, 0, sizeof t);
    static struct fmt_rec_thread record;
    t.tree.record = &record;
    prof_ring_open(&t);
    uint64_t size = t.ring ? sizeof *t.ring + t.ring->capacity * sizeof(struct fmt_rec_span) : 0;
    assert_true(size <= before);
    before = size;
    bytes += size;
    with += t.ring != NULL;
    if (!t.ring)
      add(&t, 1);
  }
  assert_true(bytes <= prof_process.reserved / 2);
  assert_true(with > 32 && with < 400);
  assert_int_equal(lost(), 400 - with);
}

static uint64_t add_thousand(void *data, uint64_t edge)
{
  assert_null(data);
  return edge == 4 * 8 ? 0 : edge + 1000;
}

/* Folding keeps the newest of all, maps edges, and gives the ring to a later thread. */
static void test_folding(void **state)
{
  (void)state;
  static struct fmt_rec_thread folded;
  memset(&folded, 0, sizeof folded);
  struct fmt_rec_ring *ring = thread.ring;
  for (uint64_t i = 0; i < 10; i++)
    prof_ring_add(&thread, i & 1 ? FMT_SPAN_CALL : FMT_SPAN_TASK, (const void *)(i * 8), i, i, i, 0);
  prof_ring_add(&thread, FMT_SPAN_EVENT, (const void *)(10 * 8), 10, 0, 0, 0);
  prof_ring_merge(&folded, thread.tree.record, add_thousand, NULL);
  assert_int_equal(thread.tree.record->ring, 0);
  const struct fmt_rec_ring *all = (const struct fmt_rec_ring *)folded.ring;
  assert_non_null(all);
  assert_int_equal(all->written, 10); /* edge 4 is nobody's */
  assert_int_equal(lost(), 1);
  assert_int_equal(all->spans[3].what, 3 * 8 + 1000);
  assert_int_equal(all->spans[4].what, 5 * 8 + 1000);
  assert_int_equal(all->spans[4].kind, FMT_SPAN_CALL);
  assert_int_equal(all->spans[9].what, 10 * 8);

  static struct prof_thread other;
  open_thread(&other);
  assert_ptr_equal(other.ring, ring);
  assert_int_equal(other.ring->written, 0);
  assert_int_equal(other.ring->reserved, 0);
  for (uint64_t i = 0; i < SPANS; i++)
    assert_int_equal(other.ring->spans[i].kind, 0);
  for (uint64_t i = 0; i < 2 * SPANS; i++)
    add(&other, i);
  prof_ring_merge(&folded, other.tree.record, add_thousand, NULL);
  assert_int_equal(lost(), 1 + SPANS);
  assert_int_equal(all->written, 10 + SPANS);
  for (uint64_t i = 0; i < SPANS; i++)
    assert_true(is_whole(&all->spans[i]));
}

static volatile uint64_t next_number;
static volatile unsigned jumps_left;
static sigjmp_buf away;

static void on_alarm(int signal)
{
  (void)signal;
  for (unsigned i = 0; i < 3; i++)
    add(&thread, next_number += 2);
  if (jumps_left && next_number % 16 < 4) {
    jumps_left--;
    siglongjmp(away, 1);
  }
}

/* Every span that has a kind is whole, whoever was interrupted where; some handlers never return. */
static void interrupt_writes(unsigned jumps)
{
  struct sigaction action = {.sa_handler = on_alarm};
  struct itimerval every = {{0, 50}, {0, 50}}, none = {{0, 0}, {0, 0}};
  next_number = 0;
  jumps_left = jumps;
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &every, NULL);
  volatile uint64_t mine = 1;
  sigsetjmp(away, 1);
  while (mine < 4000001) {
    mine += 2;
    add(&thread, mine);
  }
  setitimer(ITIMER_REAL, &none, NULL);
  unsigned missing = 0;
  for (uint64_t i = 0; i < SPANS; i++) {
    const struct fmt_rec_span *span = &thread.ring->spans[i];
    missing += span->kind == 0;
    assert_true(span->kind == 0 || (span->kind == FMT_SPAN_PUT && is_whole(span)));
  }
  assert_int_equal(thread.ring->written, thread.ring_next);
  if (!jumps) {
    assert_int_equal(missing, 0);
    assert_int_equal(thread.ring->written, 2000000 + next_number / 2);
  }
}

static void test_interrupted(void **state)
{
  (void)state;
  interrupt_writes(0);
}

static void test_jumped_out_of(void **state)
{
  (void)state;
  interrupt_writes(1000);
}

/* The clock stood still for 100 ticks in what was open then: a call is told from when it began, with those beside. */
static void test_stood_still(void **state)
{
  (void)state;
  struct fmt_rec_edge edge = {0};
  prof_ring_add_frame(&thread, FMT_SPAN_CALL, &edge, 1000, 20, 0, 0);
  prof_ring_stood_still(&thread, 2000, 100);
  prof_ring_add_frame(&thread, FMT_SPAN_CALL, &edge, 1500, 700, 0, 0);
  prof_ring_add_frame(&thread, FMT_SPAN_TASK, &edge, 1400, 900, 7, 1);
  prof_ring_add_frame(&thread, FMT_SPAN_CALL, &edge, 2000, 30, 0, 0);
  static const struct {
    uint64_t start, duration, item;
  } expected[] = {{1000, 20, 0}, {1400, 800, 100}, {1300, 1000, 7}, {2000, 30, 0}};
  assert_int_equal(thread.ring->written, 4);
  for (unsigned i = 0; i < 4; i++) {
    const struct fmt_rec_span *span = &thread.ring->spans[i];
    assert_int_equal(span->start, expected[i].start);
    assert_int_equal(span->duration, expected[i].duration);
    assert_int_equal(span->item, expected[i].item);
  }
}

static void test_durations(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    uint64_t ns;
  } good[] = {{"0", 0}, {"0ns", 0}, {"7ns", 7}, {"10us", 10000}, {"1ms", 1000000}, {"2s", 2000000000}};
  static const char *const bad[] = {"",     "10",   "us",   "1u",    "1m",           "1ss",
                                    "1ms ", " 1ms", "-1ms", "1.5ms", "999999999999s"};
  uint64_t ns;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    assert_true(fmt_duration_parse(good[i].text, &ns));
    assert_int_equal(ns, good[i].ns);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_false(fmt_duration_parse(bad[i], &ns));
  assert_true(fmt_duration_parse(FMT_TIMELINE_DEFAULT, &ns));
}

/* A clock of the program's own. */
static void test_ticks(void **state)
{
  (void)state;
  prof_process.settings.clock = FMT_CLOCK_INJECTED;
  prof_process.clock_hz = 3;
  assert_int_equal(prof_clock_ticks(2000000000), 6);
  assert_int_equal(prof_clock_ticks(1), 0);
  prof_process.clock_hz = UINT64_C(1) << 62;
  assert_int_equal(prof_clock_ticks(1000000000), UINT64_C(1) << 62);
  assert_int_equal(prof_clock_ticks(UINT64_C(86400) * 1000000000), UINT64_MAX - 1);
  prof_process.settings.clock = FMT_CLOCK_TSC;
  uint64_t once = prof_clock_ticks(1000000000), again = prof_clock_ticks(1000000000);
  assert_true(once > again / 100 * 95 && once < again / 100 * 105);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_the_newest_stay, start, stop),
      cmocka_unit_test_setup_teardown(test_none_without_a_timeline, start, stop),
      cmocka_unit_test_setup_teardown(test_bounds, start, stop),
      cmocka_unit_test_setup_teardown(test_folding, start, stop),
      cmocka_unit_test_setup_teardown(test_interrupted, start, stop),
      cmocka_unit_test_setup_teardown(test_jumped_out_of, start, stop),
      cmocka_unit_test_setup_teardown(test_stood_still, start, stop),
      cmocka_unit_test(test_durations),
      cmocka_unit_test_setup_teardown(test_ticks, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
