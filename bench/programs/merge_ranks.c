/*
 * One step of a reduction of ranks: recordings made one, in which ranks of a program are one process.
 *
 *   merge_ranks OUT FILE...
 *
 * Prints the seconds that it took, the most memory that was resident, in bytes, and the seconds of a processor.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "callsig/stats.h"

static double now(clockid_t clock)
{
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Of this program alone: getrusage() counts what its process was before it was executed. */
static long most_memory(void)
{
  char line[256];
  long most = 0;
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status)) {
    if (strncmp(line, "VmHWM:", 6) == 0)
      most = strtol(line + 6, NULL, 10) * 1024;
  }
  if (status)
    fclose(status);
  return most;
}

int main(int argc, char **argv)
{
  if (argc < 3) {
    fprintf(stderr, "usage: merge_ranks OUT FILE...\n");
    return 2;
  }
  const double start = now(CLOCK_MONOTONIC);
  struct callsig_stats *stats = NULL;
  int error = callsig_stats_new(&(struct callsig_stats_options){.size = sizeof(struct callsig_stats_options)}, &stats);
  for (int i = 2; i < argc && error == 0; i++)
    error = callsig_stats_add(stats, argv[i]);
  if (error == 0)
    error = callsig_stats_fold_ranks(stats);
  if (error == 0)
    error = callsig_stats_dump(stats, argv[1]);
  callsig_stats_free(stats);
  if (error < 0) {
    fprintf(stderr, "merge_ranks: %s: %s\n", argv[1], strerror(-error));
    return 1;
  }
  printf("%.6f %ld %.6f\n", now(CLOCK_MONOTONIC) - start, most_memory(), now(CLOCK_PROCESS_CPUTIME_ID));
  return 0;
}
