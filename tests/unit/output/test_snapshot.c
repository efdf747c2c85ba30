/*
 * A program that profiles and prints itself: compiled with -finstrument-functions, linked with both libraries, started
 * on its own.
 */
/* ctest: unsanitized */
/* ctest: records */
/* ctest: build _shared -g -finstrument-functions callsig callsig_stats */
/* ctest: build _static -g -finstrument-functions callsig_static callsig_stats_static */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "callsig/stats.h"

/* It takes far longer than its hooks, which are taken off its time. */
__attribute__((noinline)) static int square(int n)
{
  for (int i = 0; i < 20000; i++)
    __asm__ volatile("" : : : "memory");
  return n * n;
}

CALLSIG_NO_INSTRUMENT static int check(struct callsig_stats *stats)
{
  struct callsig_stats_row row = {.size = sizeof row};
  int squares = 0, mains = 0;
  for (size_t i = 0; i < callsig_stats_row_count(stats); i++) {
    if (callsig_stats_row(stats, i, &row) != 0)
      return 1;
    squares += row.signature && strcmp(row.signature, "square(n=7)") == 0 && row.ncalls == 40;
    /* main is open: it has lasted until now, longer than all that it called. */
    mains += strcmp(row.function, "main") == 0 && row.ncalls == 1 && row.cumtime > row.tottime && row.tottime > 0;
  }
  return squares == 1 && mains == 1 ? 0 : 1;
}

int main(int argc, char **argv)
{
  (void)argv;
  struct callsig_stats *stats;
  int sum = 0;
  for (int i = 0; i < 40; i++)
    sum += square(argc + 6);
  if (callsig_stats_snapshot(&stats) != 0)
    return 1;
  int result = check(stats);
  if (result)
    callsig_stats_print(stats, stdout, NULL, 0);
  callsig_stats_free(stats);
  unlink(callsig_path());
  return result || sum != 40 * 49;
}
