/*
 * What a database of intervals has of each run, over time.
 */
#ifndef CALLSIG_OUTPUT_MONITOR_DATABASE_COURSE_H
#define CALLSIG_OUTPUT_MONITOR_DATABASE_COURSE_H

#include "output/pipeline/course.h"

/* A run; or what no run is told of, as in a database of SPDL's. */
struct out_run_course {
  bool is_run;
  uint64_t run, pid, start_ns;
  const char *program;
  struct out_course course; /* its strings hold the program */
};

/* Reads one run, as callsig_monitor_print_run(), or all, oldest first, and last, where there are some, the rows of
 * none. So many neighbours are joined that no series has more than `most` points (0: as many as there are). `runs` is
 * of struct out_run_course, to be freed by out_run_courses_free(), also after an error: -EIO, -ENOENT or -ENOMEM after
 * a message. */
int out_database_courses(const char *path, uint64_t run, uint64_t most, struct base_vector *runs);
void out_run_courses_free(struct base_vector *runs);

/* Writes a run as a map. */
void out_run_course_write_json(struct out_json *json, const struct out_run_course *run);

#endif
