/* What is claimed of times that are samples: no change and no law that the error of the sample explains. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "callsig/diff.h"
#include "tests/support/sampling_twin.h"

enum { CALLS = 2000, RATE = 6 };

/* One run: leaf() is called with times that differ tenfold, `factor` times as long. */
static const char *make_run(const char *name, unsigned seed, uint64_t factor)
{
  struct twin twin;
  const char *path = scratch_path(name);
  twin_begin(&twin, seed, RATE);
  twin_enter(&twin, MAIN, 0);
  for (unsigned i = 0; i < CALLS; i++) {
    twin_call(&twin, LEAF, 0, factor * twin_ticks(&twin.dice, TWO_LENGTHS, 0));
    twin.now += 1000;
  }
  twin_leave(&twin);
  recording_writer_save(twin.writers[SAMPLED], twin.now, path);
  for (int i = 0; i < 2; i++)
    recording_writer_free(twin.writers[i]);
  return path;
}

/* The verdict on leaf(), of so many recordings a side. */
static unsigned verdict(const char *old, const char *new, unsigned count)
{
  static const struct callsig_diff_view view = {.size = sizeof view, .all = 1};
  struct callsig_diff *diff;
  unsigned found = UINT32_MAX;
  assert_int_equal(callsig_diff_new(&diff), 0);
  for (unsigned i = 0; i < count; i++) {
    assert_int_equal(callsig_diff_add(diff, CALLSIG_DIFF_OLD, old), 0);
    assert_int_equal(callsig_diff_add(diff, CALLSIG_DIFF_NEW, new), 0);
  }
  assert_int_equal(callsig_diff_arrange(diff, &view), 0);
  assert_int_equal(callsig_diff_compare(diff, NULL), 0);
  for (size_t i = 0; i < callsig_diff_row_count(diff); i++) {
    struct callsig_diff_row row = {.size = sizeof row};
    assert_int_equal(callsig_diff_row(diff, i, &row), 0);
    if (strcmp(row.function, "leaf") == 0) {
      assert_true(row.old_tottime != row.new_tottime);
      found = row.verdict;
    }
  }
  callsig_diff_free(diff);
  return found;
}

/* The same program twice: its times differ by what was drawn. Recordings that repeat to the tick (each is given twice)
 * are no proof that they are right. */
static void errors_are_no_changes(void **state)
{
  (void)state;
  char old[256], new[256];
  unsigned changes = 0;
  for (unsigned seed = 0; seed < 20; seed++) {
    snprintf(old, sizeof old, "%s", make_run("old", seed, 1));
    snprintf(new, sizeof new, "%s", make_run("new", 100 + seed, 1));
    changes += verdict(old, new, 1) != CALLSIG_DIFF_SAME;
    changes += verdict(old, new, 2) != CALLSIG_DIFF_SAME;
  }
  /* Errors are those of 95 of 100 times. */
  assert_true(changes <= 6);
  snprintf(new, sizeof new, "%s", make_run("new", 7, 50));
  assert_int_equal(verdict(old, new, 1), CALLSIG_DIFF_SLOWER);
  assert_int_equal(verdict(old, new, 4), CALLSIG_DIFF_SLOWER);
  unlink(old);
  unlink(new);
}

static char *scaling(struct callsig_stats *stats)
{
  static const struct callsig_stats_scaling wanted = {.size = sizeof wanted, .format = "json", .all = 1};
  const char *const leaf = "leaf";
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  assert_int_equal(callsig_stats_scaling(stats, &wanted, out, &leaf, 1), 0);
  assert_int_equal(fclose(out), 0);
  return text;
}

/* leaf(n) takes n ticks in the mean, 1 and 2n in turn. Of a thousand calls of each n, all but 32 or so are imputed. */
static void errors_are_no_laws(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  twin_begin(&twin, 5, 20);
  twin_enter(&twin, MAIN, 0);
  for (uint64_t n = 64; n <= 64 << 7; n *= 2)
    for (unsigned i = 0; i < 1000; i++)
      twin_call(&twin, LEAF, n, i % 2 ? 1 : 2 * n);
  twin_leave(&twin);
  twin_end(&twin, stats);
  char *exact = scaling(stats[EXACT]), *sampled = scaling(stats[SAMPLED]);
  assert_non_null(strstr(exact, "\"law\": \"n\""));
  assert_null(strstr(exact, "too few"));
  assert_null(strstr(sampled, "\"law\": \"n\""));
  assert_non_null(strstr(sampled, "0 different calls have a time, 5 are needed; of 8, too few were timed to tell"));
  free(exact);
  free(sampled);
  twin_free(stats);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(errors_are_no_changes), cmocka_unit_test(errors_are_no_laws)};
  return cmocka_run_group_tests_name("sampled_claims", tests, NULL, NULL);
}
