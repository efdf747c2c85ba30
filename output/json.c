#include "json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_args.h"
#include "json_writer.h"
#include "message.h"
#include "notes.h"
#include "process.h"
#include "restrict.h"
#include "spread.h"

struct report {
  struct callsig_stats *stats;
  struct cs_json json;
  struct cs_names names;
  struct cs_list list;
  uint32_t *processes; /* in their order */
  struct cs_text message, text;
  struct cs_arguments scratch;
};

static const char *clock_name(uint32_t clock)
{
  return clock == CS_CLOCK_CPU ? "cpu" : clock == CS_CLOCK_INJECTED ? "injected" : "wall";
}

static void write_recording(struct report *report, const struct cs_recording_info *info)
{
  struct cs_json *json = &report->json;
  cs_json_key_string(json, "program", cs_profile_string(&report->stats->profile, info->program));
  cs_json_key_integer(json, "pid", info->pid);
  cs_json_key_string(json, "clock", clock_name(info->clock));
}

static void write_head(struct report *report)
{
  const struct cs_profile *profile = &report->stats->profile;
  struct cs_json *json = &report->json;
  cs_json_key_string(json, "schema", "callsig.report/1");
  write_recording(report, cs_profile_recording(profile, report->processes[0]));
  cs_json_key(json, "recordings");
  cs_json_open_array(json);
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const struct cs_recording_info *info = cs_profile_recording(profile, report->processes[i]);
    cs_json_open_map(json);
    cs_json_key_string(json, "file", cs_profile_string(profile, info->path));
    write_recording(report, info);
    cs_json_key_string(json, "rank", info->process.rank_source ? cs_profile_string(profile, info->rank_label) : NULL);
    cs_json_close_map(json);
  }
  cs_json_close_array(json);
  cs_json_key_integer(json, "total_calls", report->stats->total.calls);
  cs_json_key_integer(json, "primitive_calls", report->stats->total.primitive_calls);
  cs_json_key_number(json, "total_time", report->stats->total.time);
  if (report->stats->compensating) {
    struct cs_compensated compensated = cs_rows_compensated(&report->stats->rows);
    cs_json_key_number(json, "total_compensation", compensated.taken * report->stats->grouping.tick);
    cs_json_key_number(json, "total_uncertainty", compensated.uncertainty * report->stats->grouping.tick);
  }
}

static void write_identity(struct report *report, const struct cs_row_key *key)
{
  const struct cs_profile *profile = &report->stats->profile;
  const struct cs_known_function *function = cs_row_function(&report->names, key);
  struct cs_json *json = &report->json;
  cs_json_key_string(json, "file", function ? cs_profile_string(profile, function->file) : NULL);
  cs_json_key(json, "line");
  if (function)
    cs_json_integer(json, function->line);
  else
    cs_json_null(json);
  cs_json_key_string(json, "function", function ? cs_profile_string(profile, function->name) : NULL);
  cs_text_clear(&report->text);
  cs_row_signature(&report->names, key, &report->scratch, &report->text);
  json->failed |= report->text.failed;
  cs_json_key_string(json, "signature", report->text.length ? cs_text_string(&report->text) : NULL);
  cs_json_key(json, "args");
  bool has_args = report->text.length && !cs_profile_signature(profile, key->what)->any;
  if (has_args)
    cs_json_args(json, profile, key->what, &report->scratch);
  else
    cs_json_null(json);
  cs_json_key_string(json, "stage", key->stage ? cs_row_stage(&report->names, key) : NULL);
  cs_json_key_string(json, "thread", key->thread == CS_NONE ? NULL : cs_profile_string(profile, key->thread));
  cs_json_key_string(json, "process", cs_row_process(&report->names, key));
  cs_json_key_string(json, "rank", cs_row_rank(&report->names, key));
  cs_json_key_string(json, "module", key->module == CS_NONE ? NULL : cs_profile_string(profile, key->module));
}

static void write_stack(struct report *report, const struct cs_row_key *key)
{
  cs_json_key(&report->json, "stack");
  cs_json_open_array(&report->json);
  cs_text_clear(&report->text);
  for (uint32_t i = 0; cs_row_frame(&report->names, key, i, &report->text); i++) {
    report->json.failed |= report->text.failed;
    cs_json_string(&report->json, cs_text_string(&report->text), report->text.length);
    cs_text_clear(&report->text);
  }
  cs_json_close_array(&report->json);
}

/* A number that may be unknown: null then. */
static void write_known(struct cs_json *json, const char *key, double value)
{
  cs_json_key(json, key);
  if (isnan(value))
    cs_json_null(json);
  else
    cs_json_number(json, value, false);
}

static void write_row(struct report *report, uint32_t number)
{
  const struct cs_row *row = cs_rows_at(&report->stats->rows, number);
  struct cs_json *json = &report->json;
  double tick = report->stats->grouping.tick;
  cs_json_open_map(json);
  write_identity(report, &row->key);
  if (row->key.callstack != CS_NONE)
    write_stack(report, &row->key);
  cs_json_key_integer(json, "ncalls", row->calls);
  cs_json_key_integer(json, "pcalls", row->primitive);
  cs_json_key_number(json, "tottime", (double)row->own * tick);
  cs_json_key_number(json, "cumtime", (double)row->cumulative * tick);
  cs_json_key_number(json, "min", (double)row->min * tick);
  cs_json_key_number(json, "max", (double)row->max * tick);
  const struct cs_percentiles *percentiles = report->stats->percentiles ? &report->stats->percentiles[number] : NULL;
  static const char *const keys[CS_PERCENTILES] = {[CS_P50] = "p50", [CS_P90] = "p90", [CS_P99] = "p99"};
  for (unsigned i = 0; i < CS_PERCENTILES; i++)
    write_known(json, keys[i], percentiles ? percentiles->value[i] * tick : NAN);
  if (report->stats->compensating) {
    const struct cs_subtraction *taken = cs_vector_at(&report->stats->rows.subtractions, number);
    cs_json_key_number(json, "tottime_compensation", taken->own * tick);
    cs_json_key_number(json, "cumtime_compensation", taken->cumulative * tick);
  }
  cs_json_close_map(json);
}

static void write_spread_time(struct report *report, const struct cs_spreads *spreads, const char *key,
                              const struct cs_spread_time *time)
{
  struct cs_json *json = &report->json;
  const struct cs_row_key *slowest = &cs_rows_at(&report->stats->rows, time->slowest)->key;
  double tick = report->stats->grouping.tick;
  cs_json_key(json, key);
  cs_json_open_map(json);
  cs_json_key_number(json, "min", (double)time->min * tick);
  cs_json_key_number(json, "mean", time->mean * tick);
  cs_json_key_number(json, "max", (double)time->max * tick);
  cs_json_key_number(json, "imbalance", cs_spread_imbalance(time));
  cs_json_key_string(json, "max_at",
                     spreads->of_ranks ? cs_row_rank(&report->names, slowest)
                                       : cs_row_process(&report->names, slowest));
  cs_json_close_map(json);
}

/* How evenly the processes or ranks share the rows; nothing when rows are by neither. */
static int write_spreads(struct report *report)
{
  struct cs_json *json = &report->json;
  struct cs_spreads spreads;
  if (!(report->stats->by & (CALLSIG_BY_PROCESS | CALLSIG_BY_RANK)))
    return 0;
  int result = cs_spreads_make(report->stats, report->list.rows, report->list.count, &spreads);
  cs_json_key(json, "spread");
  cs_json_open_map(json);
  cs_json_key_string(json, "of", spreads.of_ranks ? "rank" : "process");
  cs_json_key_integer(json, "count", spreads.count);
  cs_json_key(json, "rows");
  cs_json_open_array(json);
  for (uint32_t i = 0; i < spreads.list.count && result == 0; i++) {
    const struct cs_spread *spread = cs_vector_at(&spreads.list, i);
    struct cs_row_key key = cs_rows_at(&report->stats->rows, spread->row)->key;
    key.process = key.rank = CS_NONE;
    cs_json_open_map(json);
    write_identity(report, &key);
    write_spread_time(report, &spreads, "tottime", &spread->own);
    write_spread_time(report, &spreads, "cumtime", &spread->cumulative);
    cs_json_close_map(json);
  }
  cs_json_close_array(json);
  cs_json_close_map(json);
  cs_spreads_free(&spreads);
  return result;
}

static int write_note(const char *note, void *data)
{
  struct report *report = data;
  cs_json_string(&report->json, note, strlen(note));
  return 0;
}

static int write_report(struct report *report)
{
  struct cs_json *json = &report->json;
  cs_json_open_map(json);
  write_head(report);
  cs_json_key(json, "rows");
  cs_json_open_array(json);
  for (uint32_t i = 0; i < report->list.count && !json->failed; i++)
    write_row(report, report->list.rows[i]);
  cs_json_close_array(json);
  int result = write_spreads(report);
  cs_json_key(json, "notes");
  cs_json_open_array(json);
  if (result == 0)
    result = cs_notes(report->stats, write_note, report);
  cs_json_close_array(json);
  cs_json_close_map(json);
  return result;
}

int cs_json_print(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count)
{
  int result = cs_stats_prepare(stats);
  if (result == 0)
    result = cs_stats_percentiles(stats);
  if (result < 0)
    return result;
  struct report report = {.stats = stats, .names = cs_stats_names(stats)};
  report.processes = cs_process_order(&stats->profile);
  report.list.rows = malloc((stats->listed + 1u) * sizeof *report.list.rows);
  if (!report.list.rows || !report.processes) {
    free(report.list.rows);
    free(report.processes);
    return cs_stats_no_memory();
  }
  memcpy(report.list.rows, stats->order, stats->listed * sizeof *report.list.rows);
  report.list.count = stats->listed;
  result = cs_restrict(&report.names, &stats->rows, restrictions, count, &report.list, &report.message);
  if (result == 0) {
    result = cs_json_begin(&report.json, out);
    if (result == 0)
      result = write_report(&report);
    int ended = cs_json_end(&report.json);
    if (result == 0)
      result = ended;
  }
  free(report.list.rows);
  free(report.processes);
  cs_text_free(&report.message);
  cs_text_free(&report.text);
  cs_arguments_free(&report.scratch);
  return result == -ENOMEM ? cs_stats_no_memory() : result;
}
