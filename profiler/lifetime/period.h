/*
 * Periods: a recording that is made to count from zero while its program runs.
 */
#ifndef CALLSIG_PROFILER_LIFETIME_PERIOD_H
#define CALLSIG_PROFILER_LIFETIME_PERIOD_H

/* Before and after anything is moved or taken off in trees that a reader may be reading: one that finds the count odd,
 * or changed, reads again. Under threads_lock. */
void prof_count_fold(void);

#endif
