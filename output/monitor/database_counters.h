/*
 * What a program counted by itself, in the database.
 */
#ifndef CALLSIG_OUTPUT_MONITOR_DATABASE_COUNTERS_H
#define CALLSIG_OUTPUT_MONITOR_DATABASE_COUNTERS_H

#include "output/monitor/database_tables.h"
#include "output/pipeline/pipeline.h"

/* The rows of the interval with this id. A negative errno when they cannot be written. */
int out_database_write_counters(struct out_database *database, const struct callsig_pipeline *interval, uint64_t id);

#endif
