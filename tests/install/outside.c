/* An outside project's program: records itself, with a rule of its own, and prints its own table. */
#include <callsig/callsig.h>
#include <callsig/stats.h>
#include <stdio.h>

CALLSIG_BUCKET(square, n, "log2");

__attribute__((noinline)) static int square(int n)
{
  return n * n;
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
  callsig_stats_free(stats);
  return sum != 328350 || total.calls != 200;
}
