/* An outside project's program: records itself, with a rule of its own, prints its own table, and compares what it
 * recorded with itself. */
#include <callsig/callsig.h>
#include <callsig/diff.h>
#include <callsig/stats.h>
#include <stdio.h>

CALLSIG_BUCKET(square, n, "log2");

__attribute__((noinline)) static int square(int n)
{
  return n * n;
}

/* Nothing has changed from a recording to itself. */
CALLSIG_NO_INSTRUMENT static int compare(const char *recording)
{
  struct callsig_diff *diff = NULL;
  size_t changed = 1;
  if (callsig_diff_new(&diff) == 0 && callsig_diff_add(diff, CALLSIG_DIFF_OLD, recording) == 0 &&
      callsig_diff_add(diff, CALLSIG_DIFF_NEW, recording) == 0 && callsig_diff_compare(diff, NULL) == 0 &&
      callsig_diff_print(diff, stdout) == 0)
    changed = callsig_diff_row_count(diff);
  callsig_diff_free(diff);
  return changed == 0;
}

CALLSIG_NO_INSTRUMENT int main(void)
{
  int sum = 0;
  for (int i = 0; i < 100; i++) {
    CALLSIG_ACTION("round");
    sum += square(i);
  }
  struct callsig_stats *stats = NULL;
  struct callsig_stats_total total = {.size = sizeof total};
  if (callsig_stats_snapshot(&stats) < 0 || callsig_stats_total(stats, &total) < 0 ||
      callsig_stats_sort(stats, "stdname") < 0 || callsig_stats_print(stats, stdout, NULL, 0) < 0)
    return 1;
  if (callsig_stats_dump(stats, "outside.out") < 0 || !compare("outside.out"))
    return 1;
  callsig_stats_free(stats);
  return sum != 328350 || total.calls != 200;
}
