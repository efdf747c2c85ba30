/* Monitors and the database: intervals sum to the lifetime, a failed batch is not lost, a slow callback delays nobody.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/monitor/database.h"
#include "output/pipeline/pipeline.h"
#include "tests/support/output_sample.h"
#include "tests/support/pipeline_writer.h"

enum { HZ = 1000000, STEPS = 12 };

/* The last message: monitors give theirs in threads of their own. */
static pthread_mutex_t message_lock = PTHREAD_MUTEX_INITIALIZER;
static char message[1024];

static void keep_message(const char *line, void *data)
{
  (void)data;
  pthread_mutex_lock(&message_lock);
  snprintf(message, sizeof message, "%s", line);
  pthread_mutex_unlock(&message_lock);
}

static bool was_said(const char *words)
{
  pthread_mutex_lock(&message_lock);
  bool found = strstr(message, words) != NULL;
  pthread_mutex_unlock(&message_lock);
  return found;
}

static int keep_messages(void **state)
{
  (void)state;
  callsig_stats_set_message(keep_message, NULL);
  return 0;
}

/* A recording that grows: two stages, two queues, events and actions in two threads. */
struct growing {
  struct recording_writer *writer;
  struct recording_thread *threads[2];
  uint64_t stages[2], queues[2], now;
  const char *path;
};

static void grow_begin(struct growing *growing, const char *path)
{
  struct recording_writer *writer = recording_writer_new(4000000, HZ);
  recording_writer_header(writer)->start_realtime_ns = UINT64_C(1700000000123456789);
  *growing = (struct growing){.writer = writer, .path = path, .now = 1000};
  for (uint32_t i = 0; i < 2; i++) {
    growing->threads[i] = recording_writer_thread(writer, 4000000 + i, i ? "worker" : "main");
    growing->stages[i] = pipeline_writer_stage(writer, 0, i + 1, i ? "encode" : "decode", i + 1, 500);
    growing->queues[i] = pipeline_writer_queue(writer, 0, i, i ? "decode" : "source", 4, 500);
  }
}

/* What the program does in one step. */
static void grow(struct growing *growing, uint64_t step)
{
  static const char *const actions[] = {"load", "store", "flush"};
  for (uint32_t i = 0; i < 2; i++) {
    struct recording_thread *thread = growing->threads[i];
    uint64_t begin = growing->now, time = 100 + 37 * step * (i + 1);
    pipeline_writer_put(growing->writer, thread, growing->queues[i], begin, begin + 5 * step);
    recording_enter_action(thread, actions[step % 3], begin);
    recording_exit(thread, begin + time);
    pipeline_writer_task(growing->writer, thread, growing->stages[i], begin, begin + time, step % 5 == 4);
    if (step % 3 != 1)
      pipeline_writer_get(growing->writer, thread, growing->queues[i], begin, begin + 11);
    growing->now += time + 1000;
  }
  pipeline_writer_drop(growing->writer, growing->stages[0], step % 2);
  if (step % 4 == 2)
    pipeline_writer_event(growing->writer, "swap", step, 70);
}

/* The file as it is by now, over what was there, so that a reader never sees it shorter. */
static void save(struct growing *growing)
{
  size_t size;
  const void *data = recording_writer_finish(growing->writer, growing->now, &size);
  int file = open(growing->path, O_WRONLY | O_CREAT, 0600);
  assert_true(file >= 0);
  assert_int_equal(pwrite(file, data, size, 0), (ssize_t)size);
  close(file);
}

/* One number of the database, which is opened for it. */
static double query(const char *path, const char *sql)
{
  sqlite3 *handle;
  sqlite3_stmt *statement;
  assert_int_equal(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
  if (sqlite3_prepare_v2(handle, sql, -1, &statement, NULL) != SQLITE_OK)
    fail_msg("%s: %s", sql, sqlite3_errmsg(handle));
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  double value = sqlite3_column_double(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(handle);
  return value;
}

static void assert_sum(const char *path, const char *sql, const char *name, double expected)
{
  char text[512];
  snprintf(text, sizeof text, sql, name);
  double value = query(path, text);
  if (!(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected))))
    fail_msg("%s: %.12g, the lifetime has %.12g", text, value, expected);
}

#define TASKS  "FROM task_stats JOIN task_intervals ON task = task_stats.id WHERE name = '%s'"
#define QUEUES "FROM queue_stats JOIN queue_intervals ON queue = queue_stats.id WHERE name = '%s'"
#define EVENTS "FROM event_stats JOIN event_intervals ON event = event_stats.id WHERE event_name = '%s'"

/* Every field that adds up is in the database what a reader of the whole recording sees. */
static void compare_with_lifetime(const char *database, const char *recording)
{
  struct callsig_pipeline *whole;
  assert_int_equal(callsig_pipeline_load(recording, &whole), 0);
  for (uint32_t i = 0; i < whole->stages.count; i++) {
    const struct callsig_stage_stats *stage = &out_pipeline_stage_at(whole, i)->stats;
    assert_sum(database, "SELECT SUM(num_tasks) " TASKS, stage->label, (double)stage->num_tasks);
    assert_sum(database, "SELECT SUM(num_failures) " TASKS, stage->label, (double)stage->num_failures);
    assert_sum(database, "SELECT SUM(dropped) " TASKS, stage->label, (double)stage->dropped);
    assert_sum(database, "SELECT SUM(total_time) " TASKS, stage->label, stage->total_time);
    assert_sum(database, "SELECT SUM(failed_time) " TASKS, stage->label, stage->failed_time);
    assert_sum(database, "SELECT SUM(ave_time * (num_tasks - num_failures)) " TASKS, stage->label, stage->total_time);
  }
  for (uint32_t i = 0; i < whole->queues.count; i++) {
    const struct callsig_queue_stats *queue = &out_pipeline_queue_at(whole, i)->stats;
    assert_sum(database, "SELECT SUM(elapsed) " QUEUES, queue->label, queue->elapsed);
    assert_sum(database, "SELECT SUM(num_items) " QUEUES, queue->label, (double)queue->num_items);
    assert_sum(database, "SELECT SUM(puts) " QUEUES, queue->label, (double)queue->puts);
    assert_sum(database, "SELECT SUM(put_time) " QUEUES, queue->label, queue->put_time);
    assert_sum(database, "SELECT SUM(get_time) " QUEUES, queue->label, queue->get_time);
    assert_sum(database, "SELECT SUM(empty_time) " QUEUES, queue->label, queue->empty_time);
    assert_sum(database, "SELECT SUM((1 - occupancy_rate) * elapsed) " QUEUES, queue->label, queue->empty_time);
    assert_sum(database, "SELECT SUM(ave_put_time * puts) " QUEUES, queue->label, queue->put_time);
    assert_sum(database, "SELECT SUM(ave_get_time * num_items) " QUEUES, queue->label, queue->get_time);
  }
  for (uint32_t i = 0; i < whole->events.count; i++) {
    const struct callsig_event_stats *event = base_vector_at(&whole->events, i);
    assert_sum(database, "SELECT SUM(count) " EVENTS, event->name, (double)event->count);
    assert_sum(database, "SELECT SUM(total_time) " EVENTS, event->name, event->total_time);
  }
  for (uint32_t i = 0; i < whole->actions.count; i++) {
    const struct callsig_action_stats *action = base_vector_at(&whole->actions, i);
    assert_sum(database, "SELECT SUM(ncalls) FROM function_stats WHERE function = '{%s}'", action->name,
               (double)action->num_calls);
    assert_sum(database, "SELECT SUM(cumtime) FROM function_stats WHERE function = '{%s}'", action->name,
               action->total_time);
  }
  assert_sum(database, "SELECT SUM(elapsed) FROM intervals%s", "", whole->info.elapsed);
  assert_sum(database, "SELECT SUM(final) FROM intervals%s", "", 1);
  assert_sum(database, "SELECT complete FROM runs%s", "", 1);
  callsig_pipeline_free(whole);
}

/* Paths of one test; what was there is removed. */
struct paths {
  char recording[256], database[512];
};

static struct paths make_paths(const char *name)
{
  struct paths paths;
  char other[600];
  snprintf(paths.recording, sizeof paths.recording, "%s", scratch_path(name));
  snprintf(paths.database, sizeof paths.database, "%s.db", paths.recording);
  static const char *const suffixes[] = {"", "-wal", "-shm"};
  for (size_t i = 0; i < 3; i++) {
    snprintf(other, sizeof other, "%s%s", paths.database, suffixes[i]);
    unlink(other);
  }
  unlink(paths.recording);
  return paths;
}

static void remove_paths(const struct paths *paths)
{
  char other[600];
  static const char *const suffixes[] = {"", "-wal", "-shm"};
  for (size_t i = 0; i < 3; i++) {
    snprintf(other, sizeof other, "%s%s", paths->database, suffixes[i]);
    unlink(other);
  }
  unlink(paths->recording);
}

/* The rest of a run is added after every step, as after a monitor that was killed there; the last time it has ended. */
static void completed_step_by_step(void **state)
{
  (void)state;
  struct paths paths = make_paths("steps");
  struct growing growing;
  grow_begin(&growing, paths.recording);
  for (uint64_t step = 0; step < STEPS; step++) {
    grow(&growing, step);
    recording_writer_header(growing.writer)->exit_status = -1;
    save(&growing);
    /* A run that has not ended is complete as of now, so that its rest is looked for again. */
    sqlite3 *handle;
    if (step > 0) {
      assert_int_equal(sqlite3_open(paths.database, &handle), SQLITE_OK);
      assert_int_equal(
          sqlite3_exec(handle, "UPDATE runs SET complete = 0; UPDATE intervals SET final = 0", NULL, NULL, NULL),
          SQLITE_OK);
      sqlite3_close(handle);
    }
    assert_int_equal(callsig_monitor_complete(paths.recording, paths.database), 1);
    compare_with_lifetime(paths.database, paths.recording);
  }
  assert_int_equal(callsig_monitor_complete(paths.recording, paths.database), 0);
  assert_int_equal(query(paths.database, "SELECT COUNT(*) FROM runs"), 1);
  assert_int_equal(query(paths.database, "SELECT COUNT(*) FROM intervals"), STEPS);
  assert_int_equal(query(paths.database, "SELECT COUNT(*) FROM task_stats"), 2 * STEPS);
  /* Percentiles of an interval are of its own tasks: one each. */
  assert_int_equal(query(paths.database, "SELECT COUNT(*) FROM task_stats WHERE num_failures = 0 AND"
                                         " abs(p90_time - ave_time) > ave_time / 64"),
                   0);
  recording_writer_free(growing.writer);
  remove_paths(&paths);
}

/* What a callback saw, added up. */
struct seen {
  unsigned calls, intervals, finals;
  uint64_t tasks;
  double elapsed;
  int64_t action_calls;
  useconds_t pause;
};

static void see(const struct callsig_pipeline *interval, void *data)
{
  struct seen *seen = data;
  struct callsig_pipeline_info info = {.size = sizeof info};
  assert_int_equal(callsig_pipeline_info(interval, &info), 0);
  assert_int_equal(seen->finals, 0);
  __atomic_add_fetch(&seen->calls, 1, __ATOMIC_RELAXED);
  seen->intervals += info.intervals;
  seen->finals += info.final != 0;
  seen->elapsed += info.elapsed;
  for (size_t i = 0; i < callsig_pipeline_stage_count(interval); i++) {
    struct callsig_stage_stats stage = {.size = sizeof stage};
    assert_int_equal(callsig_pipeline_stage(interval, i, &stage), 0);
    seen->tasks += stage.num_tasks;
  }
  for (size_t i = 0; i < callsig_pipeline_function_count(interval); i++) {
    struct callsig_function_stats function = {.size = sizeof function};
    assert_int_equal(callsig_pipeline_function(interval, i, &function), 0);
    seen->action_calls += function.ncalls;
  }
  usleep(seen->pause);
}

/* Runs a monitor while the recording grows. */
static void monitor(const char *name, useconds_t pause)
{
  struct paths paths = make_paths(name);
  struct seen seen = {.pause = pause};
  struct growing growing;
  struct callsig_monitor *running;
  const struct callsig_monitor_options options = {.size = sizeof options,
                                                  .path = paths.recording,
                                                  .interval = 0.01,
                                                  .database = paths.database,
                                                  .callback = see,
                                                  .data = &seen};
  assert_int_equal(callsig_monitor_start(&options, &running), 0);
  usleep(30000);
  grow_begin(&growing, paths.recording);
  for (uint64_t step = 0; step < STEPS * 4; step++) {
    grow(&growing, step);
    save(&growing);
    usleep(7000);
    /* However late the monitor is: some of it comes after what it saw first. */
    for (unsigned tries = 0; step == 2 * STEPS && tries < 60000 && __atomic_load_n(&seen.calls, __ATOMIC_RELAXED) == 0;
         tries++)
      usleep(5000);
  }
  assert_int_equal(callsig_monitor_stop(running), 0);
  compare_with_lifetime(paths.database, paths.recording);
  assert_int_equal(seen.finals, 1);
  assert_int_equal(seen.tasks, 2 * 4 * STEPS);
  assert_int_equal(seen.action_calls, 2 * 4 * STEPS);
  assert_int_equal(seen.intervals, query(paths.database, "SELECT SUM(covers) FROM intervals"));
  assert_true(seen.calls > 1 && seen.calls <= seen.intervals);
  assert_true(fabs(seen.elapsed - query(paths.database, "SELECT SUM(elapsed) FROM intervals")) < 1e-9);
  recording_writer_free(growing.writer);
  remove_paths(&paths);
}

static void callback_and_database(void **state)
{
  (void)state;
  monitor("monitored", 0);
}

static void slow_callback(void **state)
{
  (void)state;
  monitor("slow", 60000);
}

/* Another writer holds the database for some intervals: they are written when it lets go. */
static void locked_database(void **state)
{
  (void)state;
  struct paths paths = make_paths("locked");
  struct growing growing;
  struct callsig_monitor *running;
  sqlite3 *handle;
  grow_begin(&growing, paths.recording);
  grow(&growing, 0);
  save(&growing);
  const struct callsig_monitor_options options = {
      .size = sizeof options, .path = paths.recording, .interval = 0.02, .database = paths.database};
  assert_int_equal(callsig_monitor_start(&options, &running), 0);
  assert_int_equal(sqlite3_open(paths.database, &handle), SQLITE_OK);
  sqlite3_busy_timeout(handle, 300000);
  assert_int_equal(sqlite3_exec(handle, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
  keep_message("", NULL);
  for (unsigned tries = 0; tries < 15000 && !was_said("database is locked"); tries++)
    usleep(20000);
  assert_true(was_said("an interval cannot be written and will be tried again: database is locked"));
  grow(&growing, 1);
  save(&growing);
  assert_int_equal(sqlite3_exec(handle, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(handle);
  assert_int_equal(callsig_monitor_stop(running), 0);
  assert_true(was_said("failed at first, and all of it was written in the end"));
  compare_with_lifetime(paths.database, paths.recording);
  recording_writer_free(growing.writer);
  remove_paths(&paths);
}

/* The file cannot grow any more: what could not be written is told, and is added when there is room again. */
static void full_disk(void **state)
{
  (void)state;
  struct paths paths = make_paths("full");
  struct growing growing;
  struct callsig_monitor *running;
  struct rlimit old, limit;
  grow_begin(&growing, paths.recording);
  grow(&growing, 0);
  save(&growing);
  const struct callsig_monitor_options options = {
      .size = sizeof options, .path = paths.recording, .interval = 30, .database = paths.database};
  assert_int_equal(callsig_monitor_start(&options, &running), 0);
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  limit = old;
  limit.rlim_cur = 512;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  keep_message("", NULL);
  int result = callsig_monitor_stop(running);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
  assert_int_equal(result, -EIO);
  assert_true(was_said("1 interval could not be written"));
  assert_true(was_said("'callsig stages --db' adds them later"));
  assert_int_equal(callsig_monitor_complete(paths.recording, paths.database), 1);
  compare_with_lifetime(paths.database, paths.recording);
  recording_writer_free(growing.writer);
  remove_paths(&paths);
}

/* What is there at the end is not what was there before. */
static void damaged_end(void **state)
{
  (void)state;
  struct paths paths = make_paths("end");
  struct growing growing;
  struct callsig_monitor *running;
  grow_begin(&growing, paths.recording);
  grow(&growing, 0);
  save(&growing);
  const struct callsig_monitor_options options = {
      .size = sizeof options, .path = paths.recording, .interval = 30, .database = paths.database};
  assert_int_equal(callsig_monitor_start(&options, &running), 0);
  const uint32_t strange = UINT32_MAX;
  const int file = open(paths.recording, O_WRONLY);
  assert_int_equal(pwrite(file, &strange, sizeof strange, offsetof(struct fmt_rec_header, version)), sizeof strange);
  close(file);
  keep_message("", NULL);
  assert_int_equal(callsig_monitor_stop(running), -EIO);
  assert_true(was_said("its end could not be read, and is not in the database: 'callsig stages --db' adds it later"));
  save(&growing);
  assert_int_equal(callsig_monitor_complete(paths.recording, paths.database), 1);
  compare_with_lifetime(paths.database, paths.recording);
  recording_writer_free(growing.writer);
  remove_paths(&paths);
}

static void assert_refused(const char *path, int error, const char *words)
{
  struct out_database *database;
  keep_message("", NULL);
  assert_int_equal(out_database_open(path, &database), error);
  assert_null(database);
  if (!was_said(words) || !was_said(path))
    fail_msg("'%s' does not say '%s'", message, words);
}

static void make_database(const char *path, const char *sql)
{
  sqlite3 *handle;
  unlink(path);
  assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
  assert_int_equal(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(handle);
}

static void refused_databases(void **state)
{
  (void)state;
  struct paths paths = make_paths("refused");
  struct out_database *database;
  assert_refused("/nowhere/at/all.db", -ENOENT, "cannot be opened for writing: No such file");
  assert_refused("/tmp", -EISDIR, "cannot be opened for writing: Is a directory");
  assert_int_equal(symlink("/dev/null", paths.database), 0);
  assert_refused(paths.database, -ELOOP, "cannot be opened for writing");
  unlink(paths.database);
  FILE *file = fopen(paths.database, "w");
  for (int i = 0; i < 1000; i++)
    fputs("no database at all\n", file);
  fclose(file);
  assert_refused(paths.database, -EIO, "cannot be used as a database: file is not a database");
  make_database(paths.database, "CREATE TABLE callsig_schema (version INTEGER); INSERT INTO callsig_schema VALUES (4)");
  assert_refused(paths.database, -ENOTSUP, "written by a newer callsig (schema 4, this one writes 3)");
  make_database(paths.database, "CREATE TABLE runs (mine TEXT)");
  assert_refused(paths.database, -EIO, "name another file");
  /* SPDL's own file has the three tables, and gets the others. */
  make_database(paths.database,
                "CREATE TABLE event_stats (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp REAL NOT NULL, event_name "
                "TEXT NOT NULL); INSERT INTO event_stats (timestamp, event_name) VALUES (1.5, 'gc_start')");
  assert_int_equal(out_database_open(paths.database, &database), 0);
  out_database_close(database);
  assert_int_equal(query(paths.database, "SELECT COUNT(*) FROM event_stats"), 1);
  struct stat status;
  unlink(paths.database);
  assert_int_equal(out_database_open(paths.database, &database), 0);
  out_database_close(database);
  assert_int_equal(stat(paths.database, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0600);
  remove_paths(&paths);
}

static void refused_options(void **state)
{
  (void)state;
  struct callsig_monitor *running;
  struct callsig_monitor_options options = {.size = sizeof options, .path = "/tmp/x"};
  assert_int_equal(callsig_monitor_start(&options, &running), -EINVAL);
  options.interval = NAN;
  assert_int_equal(callsig_monitor_start(&options, &running), -EINVAL);
  options.interval = 1;
  options.path = NULL;
  assert_int_equal(callsig_monitor_start(&options, &running), -EINVAL);
  options.path = "/nowhere/recording";
  assert_int_equal(callsig_monitor_start(&options, &running), 0);
  assert_int_equal(callsig_monitor_stop(running), -ENOENT);
  assert_int_equal(callsig_monitor_stop(NULL), 0);
  options.database = "/nowhere/file.db";
  assert_int_equal(callsig_monitor_start(&options, &running), -ENOENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(completed_step_by_step),
      cmocka_unit_test(callback_and_database),
      cmocka_unit_test(slow_callback),
      cmocka_unit_test(locked_database),
      cmocka_unit_test(full_disk),
      cmocka_unit_test(damaged_end),
      cmocka_unit_test(refused_databases),
      cmocka_unit_test(refused_options),
  };
  return cmocka_run_group_tests(tests, keep_messages, NULL);
}
