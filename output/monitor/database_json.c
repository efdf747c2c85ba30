/* What a database has of each run over time, as JSON: docs/json.md. */
#include <errno.h>

#include "output/monitor/database_course.h"
#include "output/text/message.h"

void out_run_course_write_json(struct out_json *json, const struct out_run_course *run)
{
  out_json_open_map(json);
  out_json_key(json, "run");
  if (run->is_run)
    out_json_integer(json, run->run);
  else
    out_json_null(json);
  out_json_key(json, "pid");
  if (run->is_run)
    out_json_integer(json, run->pid);
  else
    out_json_null(json);
  out_json_key_string(json, "program", run->program);
  out_json_key_number(json, "start", run->course.start);
  out_json_key_number(json, "end", run->course.end);
  out_json_key_integer(json, "unreadable", run->course.unreadable);
  out_course_write_json(json, &run->course);
  out_json_close_map(json);
}

static int write(const struct base_vector *runs, const char *database, FILE *out)
{
  struct out_json json;
  if (out_json_begin(&json, out) < 0)
    return out_stats_no_memory();
  out_json_open_map(&json);
  out_json_key_string(&json, "schema", "callsig.intervals/1");
  out_json_key_string(&json, "file", database);
  out_json_key(&json, "runs");
  out_json_open_array(&json);
  for (uint32_t i = 0; i < runs->count; i++)
    out_run_course_write_json(&json, base_vector_at(runs, i));
  out_json_close_array(&json);
  out_json_close_map(&json);
  int result = out_json_end(&json);
  if (result == -EIO)
    return out_stats_fail(-EIO, "cannot write the JSON: the output is full or closed");
  return result < 0 ? out_stats_no_memory() : 0;
}

int callsig_monitor_print_json(const char *database, FILE *out)
{
  return callsig_monitor_print_json_run(database, 0, out);
}

int callsig_monitor_print_json_run(const char *database, uint64_t run, FILE *out)
{
  struct base_vector runs;
  int result = out_database_courses(database, run, 0, &runs);
  if (result == 0)
    result = write(&runs, database, out);
  out_run_courses_free(&runs);
  return result;
}
