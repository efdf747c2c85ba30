/* Writes what a program counted in an interval, and which thread did. */
#include "output/monitor/database_counters.h"

#include "output/monitor/database_binder.h"
#include "output/pipeline/counters.h"

static int write_counter(struct out_database *database, const struct callsig_pipeline *interval, uint64_t id,
                         const struct out_counter *counter)
{
  const struct callsig_counter_stats *stats = &counter->stats;
  struct out_binder binder = out_binder_begin(database, OUT_SQL_ADD_COUNTER);
  out_bind_real(&binder, interval->info.end);
  out_bind_integer(&binder, id);
  out_bind_text(&binder, stats->key);
  out_bind_text(&binder, stats->stage ? stats->stage : "");
  out_bind_text(&binder, stats->is_level ? "level" : "counter");
  out_bind_integer(&binder, stats->count);
  out_bind_integer(&binder, counter->amount);
  out_bind_known(&binder, stats->is_level, (uint64_t)stats->value);
  return out_binder_run(&binder);
}

/* What threads counted of it, from the `part`th row of threads on, which moves on. */
static int write_counter_threads(struct out_database *database, const struct callsig_pipeline *interval,
                                 const struct callsig_counter_stats *counter, uint32_t *part)
{
  const uint64_t id = (uint64_t)sqlite3_last_insert_rowid(database->handle);
  int result = 0;
  for (; *part < interval->counter_parts.count && result == 0; ++*part) {
    const struct out_counter_thread *row = out_counter_thread_at(interval, *part);
    const struct callsig_counter_stats *stats = &row->stats;
    if (out_counter_compare(stats, counter) != 0)
      break;
    struct out_binder binder = out_binder_begin(database, OUT_SQL_ADD_COUNTER_THREAD);
    out_bind_integer(&binder, id);
    out_bind_integer(&binder, row->serial);
    out_bind_known(&binder, stats->tid != 0, stats->tid);
    out_bind_text(&binder, stats->thread);
    out_bind_integer(&binder, stats->count);
    out_bind_integer(&binder, row->amount);
    out_bind_known(&binder, stats->is_level, (uint64_t)stats->value);
    result = out_binder_run(&binder);
  }
  return result;
}

int out_database_write_counters(struct out_database *database, const struct callsig_pipeline *interval, uint64_t id)
{
  uint32_t part = 0;
  int result = 0;
  for (uint32_t i = 0; i < interval->counters.count && result == 0; i++) {
    result = write_counter(database, interval, id, out_counter_at(interval, i));
    if (result == 0)
      result = write_counter_threads(database, interval, &out_counter_at(interval, i)->stats, &part);
  }
  return result;
}
