/*
 * Counters and levels of a run over time, from a database.
 */
#ifndef CALLSIG_OUTPUT_MONITOR_COUNTER_ROWS_H
#define CALLSIG_OUTPUT_MONITOR_COUNTER_ROWS_H

#include <sqlite3.h>

#include "output/pipeline/course.h"

/* Adds a series for each key and stage, with at most so many points (0: any number), for which neighbours are joined.
 * 0, -ENOMEM or -EIO, without a message. */
int out_counter_rows(sqlite3 *handle, uint64_t run, uint64_t most, struct out_course *course);

#endif
