/* The database: opened, and written to. */
#define _GNU_SOURCE
#include "output/monitor/database.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/monitor/database_binder.h"
#include "output/monitor/database_counters.h"
#include "output/monitor/database_read.h"
#include "output/text/message.h"

/* How long another writer of the file is waited for. */
enum { BUSY_MS = 2000 };

/* The path with its folder resolved: the file itself may not be a symbolic link, a folder on the way may. Owned by the
 * caller; NULL, with errno, where that cannot be. */
static char *resolve(const char *path)
{
  char *folder = strdup(path), *name = strdup(path), *resolved = NULL;
  char *real = folder && name ? realpath(dirname(folder), NULL) : NULL;
  if (real && asprintf(&resolved, "%s/%s", strcmp(real, "/") == 0 ? "" : real, basename(name)) < 0)
    resolved = NULL;
  int error = errno;
  free(folder);
  free(name);
  free(real);
  errno = error;
  return resolved;
}

/* Makes the file, for its owner alone, when it is not there. */
static int make_file(const char *path)
{
  int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
  if (file < 0)
    return -errno;
  close(file);
  return 0;
}

/* Write-ahead logging: what was committed stays whenever a process is killed, and readers disturb nobody. */
static int set_modes(struct out_database *database)
{
  sqlite3_stmt *statement;
  sqlite3_busy_timeout(database->handle, BUSY_MS);
  if (sqlite3_prepare_v2(database->handle, "PRAGMA journal_mode = WAL", -1, &statement, NULL) != SQLITE_OK)
    return out_database_fail(database);
  int result = sqlite3_step(statement) == SQLITE_ROW ? 0 : out_database_fail(database);
  if (result == 0 && strcmp((const char *)sqlite3_column_text(statement, 0), "wal") != 0) {
    snprintf(database->error, sizeof database->error, "no write-ahead log can be kept beside it");
    result = -EIO;
  }
  sqlite3_finalize(statement);
  if (result == 0 && sqlite3_exec(database->handle, "PRAGMA synchronous = FULL", NULL, NULL, NULL) != SQLITE_OK)
    result = out_database_fail(database);
  return result;
}

static int open_at(struct out_database *database)
{
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW;
  int result = make_file(database->path);
  if (result < 0)
    return out_stats_fail(result, "%s: cannot be opened for writing: %s", database->path, strerror(-result));
  if (sqlite3_open_v2(database->path, &database->handle, flags, NULL) != SQLITE_OK)
    result = database->handle ? out_database_fail(database) : -ENOMEM;
  if (result == 0)
    out_database_distrust(database->handle);
  if (result == 0)
    result = set_modes(database);
  if (result < 0)
    return out_stats_fail(result, "%s: cannot be used as a database: %s", database->path, database->error);
  result = out_database_make_tables(database);
  return result < 0 ? result : out_database_prepare(database);
}

int out_database_open(const char *path, struct out_database **opened)
{
  *opened = NULL;
  struct out_database *database = calloc(1, sizeof *database);
  if (!database)
    return out_stats_no_memory();
  database->path = resolve(path);
  int result = database->path ? open_at(database)
                              : out_stats_fail(-errno, "%s: cannot be opened for writing: %s", path, strerror(errno));
  if (result < 0)
    out_database_close(database);
  else
    *opened = database;
  return result;
}

void out_database_close(struct out_database *database)
{
  if (!database)
    return;
  for (unsigned i = 0; i < OUT_SQL_COUNT; i++)
    sqlite3_finalize(database->statements[i]);
  sqlite3_close(database->handle);
  free(database->path);
  free(database);
}

const char *out_database_error(const struct out_database *database)
{
  return database->error;
}

static int run_plain(struct out_database *database, enum out_statement which)
{
  struct out_binder binder = out_binder_begin(database, which);
  return out_binder_run(&binder);
}

static uint64_t last_id(const struct out_database *database)
{
  return (uint64_t)sqlite3_last_insert_rowid(database->handle);
}

static void out_bind_histogram(struct out_binder *binder, const struct out_histogram *histogram)
{
  struct out_text bytes = {0};
  out_histogram_encode(histogram, &bytes);
  if (bytes.failed)
    out_binder_note(binder, SQLITE_NOMEM);
  else
    out_binder_note(binder, sqlite3_bind_blob64(binder->statement, binder->next, out_text_string(&bytes), bytes.length,
                                                SQLITE_TRANSIENT));
  out_text_free(&bytes);
}

static int write_stage(struct out_database *database, const struct callsig_pipeline *interval, uint64_t id,
                       const struct out_stage *stage)
{
  const struct callsig_stage_stats *stats = &stage->stats;
  struct out_binder binder = out_binder_begin(database, OUT_SQL_ADD_TASKS);
  out_bind_real(&binder, interval->info.end);
  out_bind_text(&binder, stats->label);
  out_bind_integer(&binder, stats->num_tasks);
  out_bind_integer(&binder, stats->num_failures);
  out_bind_real(&binder, stats->ave_time);
  out_bind_real(&binder, stats->p90_time);
  out_bind_real(&binder, stats->p99_time);
  int result = out_binder_run(&binder);
  if (result < 0)
    return result;
  binder = out_binder_begin(database, OUT_SQL_ADD_TASK_INTERVAL);
  out_bind_integer(&binder, last_id(database));
  out_bind_integer(&binder, id);
  out_bind_integer(&binder, stats->dropped);
  out_bind_integer(&binder, stats->open);
  out_bind_real(&binder, stats->total_time);
  out_bind_real(&binder, stats->failed_time);
  out_bind_real(&binder, stats->p50_time);
  out_bind_real(&binder, stats->min_time);
  out_bind_real(&binder, stats->max_time);
  out_bind_real(&binder, interval->tick);
  out_bind_histogram(&binder, &stage->times);
  return out_binder_run(&binder);
}

static int write_queue(struct out_database *database, const struct callsig_pipeline *interval, uint64_t id,
                       const struct out_queue *queue)
{
  const struct callsig_queue_stats *stats = &queue->stats;
  struct out_binder binder = out_binder_begin(database, OUT_SQL_ADD_QUEUE);
  out_bind_real(&binder, interval->info.end);
  out_bind_text(&binder, stats->label);
  out_bind_real(&binder, stats->elapsed);
  out_bind_integer(&binder, stats->num_items);
  out_bind_real(&binder, stats->ave_put_time);
  out_bind_real(&binder, stats->ave_get_time);
  out_bind_real(&binder, stats->p90_put_time);
  out_bind_real(&binder, stats->p99_put_time);
  out_bind_real(&binder, stats->p90_get_time);
  out_bind_real(&binder, stats->p99_get_time);
  out_bind_real(&binder, stats->occupancy_rate);
  int result = out_binder_run(&binder);
  if (result < 0)
    return result;
  binder = out_binder_begin(database, OUT_SQL_ADD_QUEUE_INTERVAL);
  out_bind_integer(&binder, last_id(database));
  out_bind_integer(&binder, id);
  out_bind_integer(&binder, stats->puts);
  out_bind_integer(&binder, stats->failed);
  out_bind_integer(&binder, stats->items);
  out_bind_known(&binder, stats->capacity > 0, stats->capacity);
  out_bind_integer(&binder, stats->high_water);
  out_bind_real(&binder, stats->put_time);
  out_bind_real(&binder, stats->get_time);
  out_bind_real(&binder, stats->empty_time);
  out_bind_real(&binder, stats->p50_put_time);
  out_bind_real(&binder, stats->min_put_time);
  out_bind_real(&binder, stats->max_put_time);
  out_bind_real(&binder, stats->p50_get_time);
  out_bind_real(&binder, stats->min_get_time);
  out_bind_real(&binder, stats->max_get_time);
  out_bind_real(&binder, interval->tick);
  out_bind_histogram(&binder, &queue->put);
  out_bind_histogram(&binder, &queue->get);
  return out_binder_run(&binder);
}

static int write_event_row(struct out_database *database, uint64_t id, const char *name, double timestamp,
                           uint64_t count, double total_time)
{
  struct out_binder binder = out_binder_begin(database, OUT_SQL_ADD_EVENT);
  out_bind_real(&binder, timestamp);
  out_bind_text(&binder, name);
  int result = out_binder_run(&binder);
  if (result < 0)
    return result;
  binder = out_binder_begin(database, OUT_SQL_ADD_EVENT_INTERVAL);
  out_bind_integer(&binder, last_id(database));
  out_bind_integer(&binder, id);
  out_bind_integer(&binder, count);
  out_bind_real(&binder, total_time);
  return out_binder_run(&binder);
}

/* What happened at times that are known, in the order of those. */
static int write_moments(struct out_database *database, const struct callsig_pipeline *interval, uint64_t id)
{
  int result = 0;
  for (uint32_t i = 0; i < interval->moments.count && result == 0; i++) {
    const struct out_moment *moment = base_vector_at(&interval->moments, i);
    const struct callsig_event_stats *event = base_vector_at(&interval->events, moment->event);
    result = write_event_row(database, id, event->name, moment->start, 1, moment->time);
  }
  return result;
}

/* What happened at other times, if anything: a row of the interval's end. */
static int write_event(struct out_database *database, const struct callsig_pipeline *interval, uint64_t id,
                       uint32_t number)
{
  const struct callsig_event_stats *event = base_vector_at(&interval->events, number);
  uint64_t known = 0;
  double time = event->total_time;
  for (uint32_t i = 0; i < interval->moments.count; i++) {
    const struct out_moment *moment = base_vector_at(&interval->moments, i);
    known += moment->event == number;
    time -= moment->event == number ? moment->time : 0;
  }
  if (event->count <= known)
    return 0;
  return write_event_row(database, id, event->name, interval->info.end, event->count - known, time > 0 ? time : 0);
}

/* A process of the group, or the whole group (pid 0). */
static int write_member(struct out_database *database, const struct callsig_pipeline *interval, uint64_t id,
                        const struct callsig_group_stats *member)
{
  struct out_binder binder = out_binder_begin(database, OUT_SQL_ADD_MEMBER);
  out_bind_real(&binder, interval->info.end);
  out_bind_integer(&binder, id);
  out_bind_known(&binder, member->pid != 0, member->pid);
  out_bind_known(&binder, member->pid != 0, member->ppid);
  out_bind_text(&binder, member->name);
  out_bind_integer(&binder, member->processes);
  out_bind_integer(&binder, member->threads);
  out_bind_real(&binder, member->user_time);
  out_bind_real(&binder, member->system_time);
  out_bind_integer(&binder, member->resident_bytes);
  const uint64_t known[] = {member->pss_bytes,     member->private_bytes,  member->read_bytes,
                            member->written_bytes, member->received_bytes, member->sent_bytes};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    out_bind_known(&binder, known[i] != UINT64_MAX, known[i]);
  return out_binder_run(&binder);
}

static void bind_function(struct out_binder *binder, const struct callsig_function_stats *function)
{
  out_bind_text(binder, function->function);
  out_bind_text(binder, function->signature);
  out_bind_text(binder, function->stage);
  out_bind_integer(binder, (uint64_t)function->ncalls);
  out_bind_real(binder, function->tottime);
  out_bind_real(binder, function->cumtime);
}

static int write_functions(struct out_database *database, const struct callsig_pipeline *interval, uint64_t id)
{
  const uint32_t count = interval->functions.count;
  int result = 0;
  for (uint32_t written = 0; written < count && result == 0;) {
    const bool many = count - written >= OUT_DATABASE_FUNCTIONS;
    const uint32_t end = written + (many ? OUT_DATABASE_FUNCTIONS : 1);
    struct out_binder binder = out_binder_begin(database, many ? OUT_SQL_ADD_FUNCTIONS : OUT_SQL_ADD_FUNCTION);
    out_bind_real(&binder, interval->info.end);
    out_bind_integer(&binder, id);
    while (written < end)
      bind_function(&binder, base_vector_at(&interval->functions, written++));
    result = out_binder_run(&binder);
  }
  return result;
}

static int write_process(struct out_database *database, const struct callsig_pipeline *interval, uint64_t id)
{
  const struct callsig_process_stats *process = &interval->process;
  struct out_binder binder = out_binder_begin(database, OUT_SQL_ADD_PROCESS);
  out_bind_real(&binder, interval->info.end);
  out_bind_integer(&binder, id);
  out_bind_integer(&binder, process->minor_faults);
  out_bind_integer(&binder, process->major_faults);
  out_bind_integer(&binder, process->voluntary_switches);
  out_bind_integer(&binder, process->involuntary_switches);
  out_bind_real(&binder, process->user_time);
  out_bind_real(&binder, process->system_time);
  out_bind_known(&binder, process->read_bytes != UINT64_MAX, process->read_bytes);
  out_bind_known(&binder, process->written_bytes != UINT64_MAX, process->written_bytes);
  out_bind_integer(&binder, process->resident_bytes);
  out_bind_integer(&binder, process->threads);
  return out_binder_run(&binder);
}

static int write_interval(struct out_database *database, uint64_t run_id, const struct callsig_pipeline *interval)
{
  struct out_binder binder = out_binder_begin(database, OUT_SQL_ADD_INTERVAL);
  out_bind_integer(&binder, run_id);
  out_bind_real(&binder, interval->info.start);
  out_bind_real(&binder, interval->info.end);
  out_bind_real(&binder, interval->info.elapsed);
  out_bind_integer(&binder, interval->info.intervals);
  out_bind_integer(&binder, (uint64_t)interval->info.final);
  int result = out_binder_run(&binder);
  uint64_t id = last_id(database);
  for (uint32_t i = 0; i < interval->stages.count && result == 0; i++)
    result = write_stage(database, interval, id, out_pipeline_stage_at(interval, i));
  for (uint32_t i = 0; i < interval->queues.count && result == 0; i++)
    result = write_queue(database, interval, id, out_pipeline_queue_at(interval, i));
  if (result == 0)
    result = write_moments(database, interval, id);
  for (uint32_t i = 0; i < interval->events.count && result == 0; i++)
    result = write_event(database, interval, id, i);
  if (result == 0)
    result = out_database_write_counters(database, interval, id);
  for (uint32_t i = 0; i < interval->group.count && result == 0; i++)
    result = write_member(database, interval, id, base_vector_at(&interval->group, i));
  if (result == 0)
    result = write_functions(database, interval, id);
  if (result == 0 && interval->has_process)
    result = write_process(database, interval, id);
  return result;
}

/* The run's id, 0 when the database does not have it. */
static int find_run(struct out_database *database, const struct out_run *which, uint64_t *id, bool *complete)
{
  struct out_binder binder = out_binder_begin(database, OUT_SQL_FIND_RUN);
  out_bind_integer(&binder, which->start_ns);
  out_bind_integer(&binder, which->pid);
  *id = 0;
  int code = binder.result == 0 ? sqlite3_step(binder.statement) : SQLITE_ERROR;
  if (code == SQLITE_ROW) {
    *id = (uint64_t)sqlite3_column_int64(binder.statement, 0);
    *complete = sqlite3_column_int(binder.statement, 1) != 0;
  } else if (code != SQLITE_DONE) {
    binder.result = out_database_fail(database);
  }
  sqlite3_reset(binder.statement);
  return binder.result;
}

static int add_run(struct out_database *database, const struct out_run *which, uint64_t *id)
{
  static const char *const clocks[] = {"wall", "wall", "cpu", "injected"};
  struct out_binder binder = out_binder_begin(database, OUT_SQL_ADD_RUN);
  out_bind_integer(&binder, which->start_ns);
  out_bind_integer(&binder, which->pid);
  out_bind_integer(&binder, which->ppid);
  out_bind_text(&binder, which->program);
  out_bind_text(&binder, which->command);
  out_bind_text(&binder, which->recording);
  out_bind_text(&binder, which->host);
  out_bind_text(&binder, which->clock <= FMT_CLOCK_INJECTED ? clocks[which->clock] : "unknown");
  out_bind_known(&binder, which->has_rank, (uint64_t)which->rank);
  if (which->interval > 0)
    out_bind_real(&binder, which->interval);
  else
    out_bind_known(&binder, false, 0);
  out_bind_real(&binder, (double)which->start_ns * 1e-9);
  int result = out_binder_run(&binder);
  *id = last_id(database);
  return result;
}

static int write_batch(struct out_database *database, const struct out_run *which,
                       const struct callsig_pipeline *const *intervals, size_t count)
{
  uint64_t id;
  bool complete;
  int result = find_run(database, which, &id, &complete);
  if (result == 0 && id == 0)
    result = add_run(database, which, &id);
  for (size_t i = 0; i < count && result == 0; i++)
    result = write_interval(database, id, intervals[i]);
  if (result < 0 || count == 0)
    return result;
  const struct callsig_pipeline_info *last = &intervals[count - 1]->info;
  struct out_binder binder = out_binder_begin(database, OUT_SQL_UPDATE_RUN);
  out_bind_integer(&binder, id);
  out_bind_real(&binder, last->end);
  out_bind_known(&binder, which->has_exit_status, (uint64_t)which->exit_status);
  out_bind_integer(&binder, (uint64_t)last->final);
  return out_binder_run(&binder);
}

int out_database_write(struct out_database *database, const struct out_run *which,
                       const struct callsig_pipeline *const *intervals, size_t count)
{
  int result = run_plain(database, OUT_SQL_BEGIN);
  if (result < 0)
    return result;
  result = write_batch(database, which, intervals, count);
  if (result == 0)
    result = run_plain(database, OUT_SQL_COMMIT);
  if (result < 0) {
    char reason[sizeof database->error];
    memcpy(reason, database->error, sizeof reason);
    run_plain(database, OUT_SQL_ROLLBACK);
    memcpy(database->error, reason, sizeof reason);
  }
  return result;
}
