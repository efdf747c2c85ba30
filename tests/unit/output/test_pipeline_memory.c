/* Pipelines, verdicts, intervals and the database when any allocation fails: one line, and nothing is lost or leaked.
 */
/* ctest: source tests/support/failing_memory.c */
/* ctest: wrap malloc calloc realloc */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/monitor/database.h"
#include "output/pipeline/function_sums.h"
#include "output/pipeline/pipeline.h"
#include "tests/support/failing_memory.h"
#include "tests/support/output_sample.h"
#include "tests/support/pipeline_simulator.h"

static const char *path;

static int print(void)
{
  struct callsig_pipeline *pipeline;
  int result = callsig_pipeline_load(path, &pipeline);
  FILE *out = result == 0 ? fopen("/dev/null", "w") : NULL;
  if (out) {
    result = callsig_pipeline_print(pipeline, out);
    if (result == 0)
      result = callsig_pipeline_print_json(pipeline, out);
    if (result == 0)
      result = callsig_pipeline_print_actions(pipeline, out);
    fclose(out);
  } else if (result == 0) {
    result = -ENOMEM;
    message_reset();
  }
  if (result == 0 || out)
    callsig_pipeline_free(pipeline);
  return result;
}

static int subtract(void)
{
  struct callsig_pipeline *now = NULL, *delta = NULL;
  int file = out_recording_open(path);
  int result = callsig_pipeline_load(path, &now);
  if (result == 0)
    result = out_function_sums_read(file, path, NULL, now);
  if (result == 0)
    result = out_pipeline_delta(now, now, now, &delta);
  callsig_pipeline_free(delta);
  callsig_pipeline_free(now);
  close(file);
  return result;
}

static int store(void)
{
  char database[600];
  snprintf(database, sizeof database, "%s.db", path);
  unlink(database);
  int result = callsig_monitor_complete(path, database);
  unlink(database);
  return result < 0 ? result : 0;
}

static void every_allocation(int (*run)(void))
{
  failing_at = allocations = 0;
  assert_int_equal(run(), 0);
  unsigned long count = allocations, failures = 0;
  assert_true(count > 10);
  for (unsigned long i = 1; i <= count; i++) {
    message_reset();
    allocations = 0;
    failing_at = i;
    int result = run();
    failing_at = 0;
    /* Standard output's buffer and the like can do without. */
    if (result == 0)
      continue;
    failures++;
    assert_true(result == -ENOMEM || result == -EIO || result == -ENODATA);
    assert_int_not_equal(result, -ENODATA);
  }
  assert_true(failures > count / 4);
}

static void printing(void **state)
{
  (void)state;
  every_allocation(print);
}

static void subtracting(void **state)
{
  (void)state;
  every_allocation(subtract);
}

static void storing(void **state)
{
  (void)state;
  every_allocation(store);
}

enum { APART = 7 }; /* allocations of a monitor, whose databases take their time: the inject tests try all */

/* A monitor whose one reading, of the end, finds no memory at one place: it is made again. */
static void monitoring(void **state)
{
  (void)state;
  char database[600];
  snprintf(database, sizeof database, "%s.db", path);
  const struct callsig_monitor_options options = {
      .size = sizeof options, .path = path, .database = database, .interval = 1e6};
  for (size_t i = 1, count = i; i <= count; i += APART) {
    struct callsig_monitor *monitor;
    unlink(database);
    message_reset();
    assert_int_equal(callsig_monitor_start(&options, &monitor), 0);
    allocations = 0;
    failing_at = i == 1 ? 0 : i;
    const int result = callsig_monitor_stop(monitor);
    count = i == 1 ? allocations : count;
    failing_at = 0;
    const int added = callsig_monitor_complete(path, database);
    if (result == 0 ? added != 0 : added < 0)
      fail_msg("allocation %zu: the monitor ended with %d, and %d intervals were missing", i, result, added);
  }
  unlink(database);
}

int main(void)
{
  const struct simulation simulation = {.stages = {{.name = "decode", .concurrency = 2, .time = 900},
                                                   {.name = "encode", .concurrency = 1, .time = 700, .failing = 5}},
                                        .count = 2,
                                        .capacity = 4,
                                        .items = 40};
  uint64_t end;
  struct recording_writer *writer = simulate(&simulation, &end);
  struct recording_thread *thread = recording_writer_thread(writer, 1, "main");
  recording_enter_action(thread, "load", 0);
  recording_exit(thread, 1000);
  pipeline_writer_event(writer, "flush", 1, 0);
  path = strdup(scratch_path("memory"));
  recording_writer_save(writer, end, path);
  recording_writer_free(writer);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(printing),
      cmocka_unit_test(subtracting),
      cmocka_unit_test(storing),
      cmocka_unit_test(monitoring),
  };
  int failed = cmocka_run_group_tests(tests, catch_messages, NULL);
  unlink(path);
  return failed;
}
