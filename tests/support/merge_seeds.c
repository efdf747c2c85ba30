/* merge_seeds OUT apart|folded FILE...: what `callsig merge` makes of these recordings, for fuzzers to begin with;
 * folded, its --fold-ranks. Whoever builds the fuzzers alone is spared the whole command. */
#include <stdio.h>
#include <string.h>

#include "callsig/stats.h"

int main(int argc, char **argv)
{
  if (argc < 4 || (strcmp(argv[2], "apart") != 0 && strcmp(argv[2], "folded") != 0)) {
    fputs("usage: merge_seeds OUT apart|folded FILE...\n", stderr);
    return 2;
  }
  struct callsig_stats *stats = NULL;
  int error = callsig_stats_new(
      &(struct callsig_stats_options){.size = sizeof(struct callsig_stats_options), .timeline = 1}, &stats);
  for (int i = 3; i < argc && error == 0; i++)
    error = callsig_stats_add(stats, argv[i]);
  if (error == 0 && strcmp(argv[2], "folded") == 0)
    error = callsig_stats_fold_ranks(stats);
  if (error == 0)
    error = callsig_stats_dump(stats, argv[1]);
  callsig_stats_free(stats);
  return error < 0;
}
