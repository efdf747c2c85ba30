/* Which calls of an edge are timed: all at first and while they are long, else a random sample; nothing that was
 * counted is lost. */
#include "profiler/tree/sampling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/base/process.h"
#include "profiler/tree/fast_compare.h"

#define PRICE           64u          /* ticks that timing a call takes */
#define LIMIT           (16 * PRICE) /* of calls that are worth timing, where no budget is set */
#define REVIEW          32u          /* timed calls from one decision to the next */
#define DRAWN           128u         /* one call is drawn from the next so many */
#define MANY            1000000u
#define CHI_SQUARE_MOST 300u /* of 127 degrees of freedom: beyond it lies one in 10^15 */

static struct fmt_rec_header header;
static struct prof_thread thread;
static uint64_t clock_now;
static struct sampled_edge {
  struct fmt_rec_sampling sampling; /* directly before its edge */
  struct fmt_rec_edge edge;
} edges[3];

static int begin(void **state)
{
  (void)state;
  memset(&header, 0, sizeof header);
  header.sample_price = PRICE * 1024;
  memset(&thread, 0, sizeof thread);
  thread.tid = 4711;
  memset(edges, 0, sizeof edges);
  for (unsigned i = 0; i < 2; i++)
    edges[i].edge.flags = FMT_EDGE_SAMPLED;
  prof_process.header = &header;
  prof_process.settings.overhead = 0;
  prof_process.settings.clock = FMT_CLOCK_TSC;
  prof_process.settings.sample_times = true;
  prof_sampling_start(&thread);
  return 0;
}

static int end(void **state)
{
  (void)state;
  prof_process.header = NULL;
  return 0;
}

static void note(struct sampled_edge *to, unsigned count, uint64_t ticks)
{
  for (unsigned i = 0; i < count; i++)
    prof_sampling_note(&thread, &to->edge, ticks, false);
}

static bool is_sampled(const struct sampled_edge *of)
{
  bool by_mode = of->edge.mode & PROF_MODE_SAMPLED;
  assert_int_equal(by_mode, of->sampling.rate != 0);
  assert_int_equal(by_mode, prof_edge_is_sampled(&of->edge));
  return by_mode;
}

static void counted(void **state)
{
  (void)state;
  unsigned __int128 squares = 0;
  uint64_t total = 0;
  srandom(1);
  for (unsigned i = 1; i <= 1000; i++) {
    uint64_t ticks = (uint64_t)random() << (i % 15); /* squares beyond 64 bits among them */
    total += ticks;
    squares += (unsigned __int128)ticks * ticks;
    note(&edges[0], 1, ticks);
    assert_int_equal(edges[0].sampling.timed, i);
    assert_int_equal(edges[0].sampling.timed_total, total);
    assert_int_equal(edges[0].sampling.squares_low, (uint64_t)squares);
    assert_int_equal(edges[0].sampling.squares_high, (uint64_t)(squares >> 64));
  }
  assert_true(squares >> 64 != 0);
}

static void short_calls_are_sampled(void **state)
{
  (void)state;
  for (unsigned i = 0; i < REVIEW; i++) {
    assert_false(is_sampled(&edges[0]));
    assert_false(prof_sampling_skips(&thread, &edges[0].edge));
    note(&edges[0], 1, LIMIT - 1);
  }
  assert_true(is_sampled(&edges[0]));
  assert_int_equal(edges[0].sampling.rate, DRAWN / 2);
}

static void long_calls_stay_timed(void **state)
{
  (void)state;
  note(&edges[0], 100 * REVIEW, LIMIT);
  assert_false(is_sampled(&edges[0]));
  for (unsigned i = 0; i < 1000; i++)
    assert_false(prof_sampling_skips(&thread, &edges[0].edge));
}

/* The first call of many also has the program's pages to fetch. */
static void one_long_call_first(void **state)
{
  (void)state;
  note(&edges[0], 1, 1000 * LIMIT);
  note(&edges[0], REVIEW - 1, 10);
  assert_false(edges[0].sampling.timed_total / REVIEW < LIMIT);
  note(&edges[0], REVIEW, 10);
  assert_true(is_sampled(&edges[0]));
}

/* Each is timed again when all of them turn out to be long, and not for a long spell. */
static void timed_again(void **state)
{
  (void)state;
  note(&edges[0], 3 * REVIEW, 10);
  assert_true(is_sampled(&edges[0]));
  note(&edges[0], REVIEW, 3 * LIMIT);
  assert_true(is_sampled(&edges[0]));
  note(&edges[0], 100 * REVIEW, 3 * LIMIT);
  assert_false(is_sampled(&edges[0]));
}

/* A budget for time lowers what is worth timing, or raises it; a price that was not measured has one in its place. */
static void limits(void **state)
{
  (void)state;
  const struct {
    uint32_t overhead;
    uint64_t price, limit;
  } known[] = {
      {0, PRICE, 16 * PRICE},          {1024, PRICE, 16 * PRICE},    {1024 + 512, PRICE, 16 * PRICE},
      {1024 + 256, PRICE, 32 * PRICE}, {8 * 1024, PRICE, 4 * PRICE}, {0, 0, 16 * 64},
  };
  for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
    prof_process.settings.overhead = known[i].overhead;
    header.sample_price = known[i].price * 1024;
    memset(edges, 0, sizeof edges);
    edges[0].edge.flags = edges[1].edge.flags = FMT_EDGE_SAMPLED;
    note(&edges[0], REVIEW, known[i].limit - 1);
    note(&edges[1], REVIEW, known[i].limit);
    assert_true(is_sampled(&edges[0]));
    assert_false(is_sampled(&edges[1]));
  }
}

/* Without a budget the sample of a long run becomes thinner, and what calls are given stays what they take. */
static void long_runs_draw_from_more(void **state)
{
  (void)state;
  uint64_t total = 0, given = 0;
  uint32_t most_drawn = DRAWN;
  srandom(4);
  note(&edges[0], REVIEW, PRICE);
  for (unsigned i = 0; i < 10 * MANY; i++) {
    const uint64_t ticks = PRICE / 2 + (uint64_t)random() % PRICE;
    const bool skipped = prof_sampling_skips(&thread, &edges[0].edge);
    total += ticks;
    given += skipped ? edges[0].sampling.imputed : ticks;
    if (!skipped)
      note(&edges[0], 1, ticks);
    assert_true(i > MANY || thread.sample_mask + 1 == DRAWN);
    assert_true(thread.sample_mask + 1 >= most_drawn);
    most_drawn = thread.sample_mask + 1;
  }
  assert_int_equal(most_drawn, 4 * DRAWN);
  assert_int_equal(header.drawn_from, most_drawn);
  const double off = (double)given / (double)total - 1;
  assert_true(off < 0.01 && off > -0.01);
}

/* Runs calls of one edge, of which each takes `ticks` beside the hooks, for as long as the budget needs to settle, and
 * gives the slowdown of the last part. */
static double settle(uint64_t ticks, uint64_t count_price)
{
  enum { CALLS = 3000000 };
  uint64_t hooks = 0, own = 0;
  for (unsigned i = 0; i < CALLS; i++) {
    const bool skipped = prof_sampling_skips(&thread, &edges[0].edge);
    const uint64_t cost = count_price + (skipped ? 0 : PRICE);
    clock_now += ticks + cost;
    if (!skipped)
      note(&edges[0], 1, ticks);
    if (i >= CALLS / 2) {
      hooks += cost;
      own += ticks;
    }
  }
  return 1 + (double)hooks / (double)own;
}

static uint64_t read_clock(void *data)
{
  (void)data;
  return clock_now;
}

/* What is timed follows from what the hooks cost, so that a budget is kept and used; where counting alone is beyond it,
 * as few as may be are timed. */
static void budget_kept(void **state)
{
  (void)state;
  const struct {
    double budget;
    uint64_t ticks, count_price;
    double least, most; /* slowdown */
    uint32_t least_drawn, most_drawn;
  } known[] = {
      /* long calls: each may be timed */
      {1.5, 100 * PRICE, 4, 1.0, 1.02, 32, 1024},
      /* the sample is as thick as it may be, or thinner where that is too much */
      {1.5, PRICE, 4, 1.06, 1.3, 32, 64},
      {1.05, PRICE / 4, 0, 1.001, 1.05, 128, 1024},
      /* counting alone is twice the program's time */
      {1.5, 10, 20, 3.0, 3.03, 1024, 1024},
  };
  prof_process.settings.clock = FMT_CLOCK_INJECTED;
  prof_process.clock = read_clock;
  for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
    memset(edges, 0, sizeof edges);
    edges[0].edge.flags = FMT_EDGE_SAMPLED;
    prof_process.settings.overhead = (uint32_t)(known[i].budget * 1024);
    header.hook_inner = header.sample_price + known[i].count_price * 1024;
    header.drawn_from = 0;
    clock_now = 1;
    prof_sampling_start(&thread);
    const double slowdown = settle(known[i].ticks, known[i].count_price);
    print_message("budget %.2f: %.3f, drawn from %u\n", known[i].budget, slowdown, thread.sample_mask + 1);
    assert_true(slowdown >= known[i].least && slowdown <= known[i].most);
    assert_in_range(thread.sample_mask + 1, known[i].least_drawn, known[i].most_drawn);
    assert_true(header.drawn_from >= thread.sample_mask + 1);
  }
}

/* However thin the sample is at times, what calls are given is what they take. */
static void budget_changes_no_time(void **state)
{
  (void)state;
  uint64_t total = 0, given = 0;
  prof_process.settings.overhead = 1024 + 51;
  header.hook_inner = header.sample_price + 3 * 1024;
  prof_process.settings.clock = FMT_CLOCK_INJECTED;
  prof_process.clock = read_clock;
  clock_now = 1;
  srandom(3);
  for (unsigned i = 0; i < 4 * MANY; i++) {
    /* At times the program does more besides, so that there is room for a thick sample, and takes longer; at others
     * there is none. */
    const bool rests = i / MANY % 2;
    const uint64_t ticks = (PRICE / 2 + (uint64_t)random() % PRICE) * (rests ? 3 : 1);
    const bool skipped = prof_sampling_skips(&thread, &edges[0].edge);
    clock_now += ticks + (rests ? 20 * PRICE : 0);
    total += ticks;
    given += skipped ? edges[0].sampling.imputed : ticks;
    if (!skipped)
      note(&edges[0], 1, ticks);
  }
  assert_true(header.drawn_from > DRAWN && thread.sample_mask + 1 < DRAWN);
  const double off = (double)given / (double)total - 1;
  assert_true(off < 0.01 && off > -0.01);
}

static void imputed_within(void **state)
{
  (void)state;
  const uint64_t least = 100, most = 163;
  uint64_t imputed = 0, total = 0;
  srandom(2);
  for (unsigned i = 0; i < MANY; i++) {
    uint64_t ticks = least + (uint64_t)random() % (most - least + 1);
    note(&edges[0], 1, ticks);
    assert_in_range(edges[0].sampling.imputed, least, most);
    imputed += edges[0].sampling.imputed;
    total += ticks;
  }
  /* Parts of a tick are not lost: less than a fiftieth of one in the mean, which is their random error several times.
   */
  int64_t difference = (int64_t)(imputed - total);
  assert_true(llabs(difference) < MANY / 50);
}

static void drawn_alike(void **state)
{
  (void)state;
  uint32_t gaps[DRAWN + 1] = {0}, gap = 0, timed = 0;
  note(&edges[0], REVIEW, 10);
  note(&edges[1], REVIEW, 10);
  assert_true(is_sampled(&edges[0]) && is_sampled(&edges[1]));
  for (unsigned i = 0; i < 64 * MANY / 10; i++) {
    gap++;
    /* One counter runs through the calls of all edges; one that has no samples does not move it. */
    assert_false(prof_sampling_skips(&thread, &edges[2].edge));
    if (prof_sampling_skips(&thread, &edges[i % 2].edge))
      continue;
    assert_in_range(gap, 1, DRAWN);
    gaps[gap]++;
    timed++;
    gap = 0;
  }
  double expected = (double)timed / DRAWN, chi_square = 0;
  for (unsigned i = 1; i <= DRAWN; i++)
    chi_square += (gaps[i] - expected) * (gaps[i] - expected) / expected;
  assert_true(chi_square < CHI_SQUARE_MOST);
  assert_true(chi_square > 0);
}

/* What was drawn last does not tell what is drawn next. */
static void drawn_apart(void **state)
{
  (void)state;
  enum { PARTS = 16 };
  uint32_t pairs[PARTS][PARTS] = {{0}}, count = 0, gap = 0, before = 0;
  note(&edges[0], REVIEW, 10);
  while (count < MANY / 10) {
    gap++;
    if (prof_sampling_skips(&thread, &edges[0].edge))
      continue;
    uint32_t part = (gap - 1) * PARTS / DRAWN;
    pairs[before][part]++;
    before = part;
    count++;
    gap = 0;
  }
  double expected = (double)count / (PARTS * PARTS), chi_square = 0;
  for (unsigned i = 0; i < PARTS; i++) {
    for (unsigned j = 0; j < PARTS; j++) {
      double off = (double)pairs[i][j] - expected;
      chi_square += off * off / expected;
    }
  }
  assert_true(chi_square < 2 * CHI_SQUARE_MOST); /* of about twice as many degrees of freedom */
}

static void threads_draw_apart(void **state)
{
  (void)state;
  struct prof_thread other = {.tid = thread.tid + 1};
  prof_sampling_start(&other);
  note(&edges[0], REVIEW, 10);
  unsigned differ = 0;
  for (unsigned i = 0; i < 10000; i++)
    differ += prof_sampling_skips(&thread, &edges[0].edge) != prof_sampling_skips(&other, &edges[0].edge);
  assert_true(differ > 100);
}

static void moved(void **state)
{
  (void)state;
  const uint64_t large = (uint64_t)1 << 40, small = 3; /* large squared is beyond 64 bits */
  note(&edges[0], 5, large);
  note(&edges[0], 1, UINT32_MAX);
  note(&edges[1], 7, small);
  note(&edges[1], 1, UINT32_MAX);
  unsigned __int128 squares =
      (unsigned __int128)large * large * 5 + 7 * small * small + 2 * (unsigned __int128)UINT32_MAX * UINT32_MAX;
  prof_sampling_move(&edges[1].edge, &edges[0].edge);
  assert_int_equal(edges[1].sampling.timed, 14);
  assert_int_equal(edges[1].sampling.timed_total, 5 * large + 7 * small + 2 * (uint64_t)UINT32_MAX);
  assert_int_equal(edges[1].sampling.squares_low, (uint64_t)squares);
  assert_int_equal(edges[1].sampling.squares_high, (uint64_t)(squares >> 64));
  assert_int_equal(edges[0].sampling.timed, 0);
  assert_int_equal(edges[0].sampling.timed_total, 0);
  assert_int_equal(edges[0].sampling.squares_low, 0);
  assert_int_equal(edges[0].sampling.squares_high, 0);
}

/* Nothing lies before an edge that has no samples. */
static void moved_without(void **state)
{
  (void)state;
  note(&edges[0], 5, 100);
  const struct sampled_edge before = edges[2];
  prof_sampling_move(&edges[2].edge, &edges[0].edge);
  assert_memory_equal(&edges[2], &before, sizeof before);
  prof_sampling_move(&edges[0].edge, &edges[2].edge);
  assert_int_equal(edges[0].sampling.timed, 5);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
  const struct CMUnitTest tests[] = {
      TEST(counted),
      TEST(short_calls_are_sampled),
      TEST(long_calls_stay_timed),
      TEST(one_long_call_first),
      TEST(timed_again),
      TEST(limits),
      TEST(long_runs_draw_from_more),
      TEST(budget_kept),
      TEST(budget_changes_no_time),
      TEST(imputed_within),
      TEST(drawn_alike),
      TEST(drawn_apart),
      TEST(threads_draw_apart),
      TEST(moved),
      TEST(moved_without),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
