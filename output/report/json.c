/* Writes the report as JSON, row by row. */
#include "output/report/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/beside/in_place.h"
#include "output/notes/notes.h"
#include "output/profile/process.h"
#include "output/report/json_args.h"
#include "output/stats/imbalance.h"
#include "output/stats/restrict.h"
#include "output/stats/slowdown.h"
#include "output/text/json_writer.h"
#include "output/text/message.h"

struct report {
  struct callsig_stats *stats;
  struct out_json json;
  struct out_names names;
  struct out_list list;
  uint32_t *processes; /* in their order */
  struct out_text message, text;
  struct out_arguments scratch;
};

static const char *clock_name(uint32_t clock)
{
  return clock == FMT_CLOCK_CPU ? "cpu" : clock == FMT_CLOCK_INJECTED ? "injected" : "wall";
}

static const char *times_name(const struct out_profile *profile, const struct out_recording_info *info)
{
  if (info->sampled != FMT_NONE && out_profile_sampled_run(profile, info->sampled)->head.samples > 0 &&
      !out_in_place_run(profile, info))
    return "beside";
  return info->flags & FMT_REC_SAMPLED ? "sampled" : "exact";
}

/* A number that may be unknown: null then. */
static void write_known(struct out_json *json, const char *key, double value)
{
  out_json_key(json, key);
  if (isnan(value))
    out_json_null(json);
  else
    out_json_number(json, value, false);
}

static void write_recording(struct report *report, uint32_t recording)
{
  const struct out_recording_info *info = out_profile_recording(&report->stats->profile, recording);
  const struct out_slowdown slowdown = out_slowdown(&report->stats->profile, recording);
  struct out_json *json = &report->json;
  out_json_key_string(json, "program", out_profile_string(&report->stats->profile, info->program));
  out_json_key_integer(json, "pid", info->pid);
  out_json_key_string(json, "clock", clock_name(info->clock));
  out_json_key_string(json, "times", times_name(&report->stats->profile, info));
  out_json_key(json, "overhead");
  /* It was asked for in decimals, of which steps of 1/1024 keep three. */
  if (info->process.overhead > 0)
    out_json_number(json, round((double)info->process.overhead / 1024 * 1000) / 1000, false);
  else
    out_json_null(json);
  out_json_key(json, "timed_one_in");
  if (out_timed_one_in(info) > 0)
    out_json_integer(json, out_timed_one_in(info));
  else
    out_json_null(json);
  write_known(json, "slowdown", slowdown.all);
  write_known(json, "slowdown_counting", slowdown.counting);
  out_json_key_string(json, "slowdown_by",
                      slowdown.by_samples   ? "samples"
                      : isnan(slowdown.all) ? NULL
                                            : "calibration");
  out_json_key(json, "waited");
  if (info->flags & FMT_REC_WAITS_TAKEN)
    out_json_number(json, (double)info->loss[FMT_LOSS_WAITED] * info->tick, false);
  else
    out_json_null(json);
}

static void write_head(struct report *report)
{
  const struct out_profile *profile = &report->stats->profile;
  struct out_json *json = &report->json;
  out_json_key_string(json, "schema", "callsig.report/1");
  write_recording(report, report->processes[0]);
  out_json_key(json, "recordings");
  out_json_open_array(json);
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, report->processes[i]);
    out_json_open_map(json);
    out_json_key_string(json, "file", out_profile_string(profile, info->path));
    write_recording(report, report->processes[i]);
    if (out_process_count(info) > 1)
      out_json_key_integer(json, "processes", out_process_count(info));
    out_json_key_string(json, "rank", info->process.rank_source ? out_profile_string(profile, info->rank_label) : NULL);
    out_json_close_map(json);
  }
  out_json_close_array(json);
  out_json_key_integer(json, "total_calls", report->stats->total.calls);
  out_json_key_integer(json, "primitive_calls", report->stats->total.primitive_calls);
  out_json_key_number(json, "total_time", report->stats->total.time);
  write_known(json, "total_wait", report->stats->total.wait);
  if (out_stats_compensates(report->stats)) {
    struct out_compensated compensated = out_rows_compensated(&report->stats->rows);
    out_json_key_number(json, "total_compensation", compensated.taken * report->stats->grouping.tick);
    out_json_key_number(json, "total_uncertainty", compensated.uncertainty * report->stats->grouping.tick);
  }
}

static void write_identity(struct report *report, const struct out_row_key *key)
{
  const struct out_profile *profile = &report->stats->profile;
  const struct out_known_function *function = out_row_function(&report->names, key);
  struct out_json *json = &report->json;
  out_json_key_string(json, "file", function ? out_profile_string(profile, function->file) : NULL);
  out_json_key(json, "line");
  if (function)
    out_json_integer(json, function->line);
  else
    out_json_null(json);
  out_json_key_string(json, "function", function ? out_profile_string(profile, function->name) : NULL);
  out_text_clear(&report->text);
  out_row_signature(&report->names, key, &report->scratch, &report->text);
  json->failed |= report->text.failed;
  out_json_key_string(json, "signature", report->text.length ? out_text_string(&report->text) : NULL);
  out_json_key(json, "args");
  bool has_args = report->text.length && !out_profile_signature(profile, key->what)->any;
  if (has_args)
    out_json_args(json, profile, key->what, &report->scratch);
  else
    out_json_null(json);
  out_json_key_string(json, "stage", key->stage ? out_row_stage(&report->names, key) : NULL);
  out_json_key_string(json, "thread", key->thread == FMT_NONE ? NULL : out_profile_string(profile, key->thread));
  out_json_key_string(json, "process", out_row_process(&report->names, key));
  out_json_key_string(json, "rank", out_row_rank(&report->names, key));
  out_json_key_string(json, "module", key->module == FMT_NONE ? NULL : out_profile_string(profile, key->module));
}

static void write_stack(struct report *report, const struct out_row_key *key)
{
  out_json_key(&report->json, "stack");
  out_json_open_array(&report->json);
  out_text_clear(&report->text);
  for (uint32_t i = 0; out_row_frame(&report->names, key, i, &report->text); i++) {
    report->json.failed |= report->text.failed;
    out_json_string(&report->json, out_text_string(&report->text), report->text.length);
    out_text_clear(&report->text);
  }
  out_json_close_array(&report->json);
}

/* The place of the calls, and what that function is inlined at: nothing where it is not known. */
static void write_site(struct report *report, const struct out_row_key *key)
{
  const struct out_profile *profile = &report->stats->profile;
  struct out_json *json = &report->json;
  out_text_clear(&report->text);
  out_row_site(&report->names, key, &report->text);
  json->failed |= report->text.failed;
  out_json_key_string(json, "site", out_text_string(&report->text));
  out_json_key(json, "site_lines");
  out_json_open_array(json);
  for (uint32_t i = key->place; i < OUT_PLACE_UNKNOWN; i = out_profile_call_place(profile, i)->outer) {
    const struct out_call_place *place = out_profile_call_place(profile, i);
    if (!place->line)
      break;
    out_json_open_map(json);
    out_json_key_string(json, "file", out_profile_string(profile, place->file));
    out_json_key_integer(json, "line", place->line);
    out_json_key_string(json, "function", out_profile_string(profile, place->function));
    out_json_close_map(json);
  }
  out_json_close_array(json);
}

/* An integer that may be unknown: null then. */
static void write_amount(struct out_json *json, const char *key, uint64_t amount, bool is_known)
{
  out_json_key(json, key);
  if (is_known)
    out_json_integer(json, amount);
  else
    out_json_null(json);
}

/* Nothing where no recording tells. */
static void write_asked(struct out_json *json, const struct out_rows *rows, uint32_t number)
{
  const struct out_row_asked asked = out_row_asked(rows, number);
  if (!rows->asked)
    return;
  const bool is_kept_known = out_row_asked_kept_known(&asked);
  write_amount(json, "allocs", asked.sum.calls, asked.is_known);
  write_amount(json, "allocbytes", asked.sum.bytes, asked.is_known);
  write_amount(json, "unfreed_allocs", out_asked_kept_calls(&asked.sum), is_kept_known);
  write_amount(json, "unfreed", out_asked_kept_bytes(&asked.sum), is_kept_known);
}

static void write_row(struct report *report, uint32_t number)
{
  const struct out_row *row = out_rows_at(&report->stats->rows, number);
  struct out_json *json = &report->json;
  double tick = report->stats->grouping.tick;
  const struct out_known_function *function = out_row_function(&report->names, &row->key);
  out_json_open_map(json);
  write_identity(report, &row->key);
  if (row->key.callstack != FMT_NONE)
    write_stack(report, &row->key);
  if (row->key.place != FMT_NONE)
    write_site(report, &row->key);
  if (function && function->is_library) {
    out_json_key(json, "library");
    out_json_bool(json, true);
  }
  out_json_key_integer(json, "ncalls", row->calls);
  out_json_key_integer(json, "pcalls", row->primitive);
  out_json_key_number(json, "tottime", (double)row->own * tick);
  out_json_key_number(json, "cumtime", (double)row->cumulative * tick);
  out_json_key_number(json, "min", (double)row->min * tick);
  out_json_key_number(json, "max", (double)row->max * tick);
  const struct out_percentiles *percentiles = report->stats->percentiles ? &report->stats->percentiles[number] : NULL;
  static const char *const keys[OUT_PERCENTILES] = {[OUT_P50] = "p50", [OUT_P90] = "p90", [OUT_P99] = "p99"};
  for (unsigned i = 0; i < OUT_PERCENTILES; i++)
    write_known(json, keys[i], percentiles ? percentiles->value[i] * tick : NAN);
  const struct out_row_error error = out_stats_error(report->stats, number);
  write_known(json, "tottime_error", error.own * tick);
  write_known(json, "cumtime_error", error.cumulative * tick);
  out_json_key_integer(json, "timed_calls", row->calls - error.untimed);
  out_json_key(json, "uncertain");
  out_json_bool(json, error.is_uncertain);
  const struct out_row_sleep sleep = out_stats_sleep(report->stats, number);
  write_known(json, "cpu", ((double)row->own - sleep.own) * tick);
  write_known(json, "wait", sleep.own * tick);
  write_known(json, "wait_error", sleep.own_error * tick);
  write_known(json, "cumcpu", ((double)row->cumulative - sleep.cumulative) * tick);
  write_known(json, "cumwait", sleep.cumulative * tick);
  write_known(json, "cumwait_error", sleep.cumulative_error * tick);
  write_asked(json, &report->stats->rows, number);
  if (out_stats_compensates(report->stats)) {
    const struct out_subtraction *taken = base_vector_at(&report->stats->rows.subtractions, number);
    out_json_key_number(json, "tottime_compensation", (double)taken->own * tick);
    out_json_key_number(json, "cumtime_compensation", (double)taken->cumulative * tick);
  }
  out_json_close_map(json);
}

static void write_spread_where(struct report *report, const struct out_imbalances *spreads,
                               const struct out_imbalance *spread, const struct out_imbalance_time *time, bool least)
{
  char buffer[24];
  const char *where = out_imbalance_where(report->stats, spreads, spread, time, least, buffer);
  out_json_key(&report->json, least ? "min_at" : "max_at");
  if (where)
    out_json_string(&report->json, where, strlen(where));
  else
    out_json_null(&report->json);
}

/* `unit`: of what the values are counted in. */
static void write_spread_time(struct report *report, const struct out_imbalances *spreads, const char *key,
                              const struct out_imbalance *spread, const struct out_imbalance_time *time, double unit)
{
  struct out_json *json = &report->json;
  out_json_key(json, key);
  out_json_open_map(json);
  out_json_key_number(json, "min", (double)time->min * unit);
  out_json_key_number(json, "mean", time->mean * unit);
  out_json_key_number(json, "max", (double)time->max * unit);
  out_json_key_number(json, "imbalance", out_imbalance_ratio(time));
  write_spread_where(report, spreads, spread, time, false);
  write_spread_where(report, spreads, spread, time, true);
  write_known(json, "stddev", time->deviation * unit);
  out_json_key_number(json, "cost", out_imbalance_cost(time, spread->count) * unit);
  out_json_key_number(json, "gain", out_imbalance_gain(time) * unit);
  out_json_close_map(json);
}

/* How evenly the processes or ranks share the rows; nothing when rows are by neither. */
static int write_spreads(struct report *report)
{
  struct out_json *json = &report->json;
  struct out_imbalances spreads;
  if (!(report->stats->by & (CALLSIG_BY_PROCESS | CALLSIG_BY_RANK)))
    return 0;
  int result = out_imbalances_make(report->stats, report->list.rows, report->list.count, &spreads);
  out_json_key(json, "spread");
  out_json_open_map(json);
  out_json_key_string(json, "of", spreads.of_ranks ? "rank" : "process");
  out_json_key_integer(json, "count", spreads.count);
  out_json_key(json, "rows");
  out_json_open_array(json);
  for (uint32_t i = 0; i < spreads.list.count && result == 0; i++) {
    const struct out_imbalance *spread = base_vector_at(&spreads.list, i);
    struct out_row_key key = out_rows_at(&report->stats->rows, spread->row)->key;
    key.process = key.rank = FMT_NONE;
    out_json_open_map(json);
    write_identity(report, &key);
    out_json_key_string(json, "program", out_imbalance_program(report->stats, &spreads, spread));
    out_json_key_integer(json, "count", spread->count);
    write_spread_time(report, &spreads, "tottime", spread, &spread->own, report->stats->grouping.tick);
    write_spread_time(report, &spreads, "cumtime", spread, &spread->cumulative, report->stats->grouping.tick);
    write_spread_time(report, &spreads, "ncalls", spread, &spread->calls, 1);
    out_json_close_map(json);
  }
  out_json_close_array(json);
  out_json_close_map(json);
  out_imbalances_free(&spreads);
  return result;
}

static int write_report(struct report *report)
{
  struct out_json *json = &report->json;
  out_json_open_map(json);
  write_head(report);
  out_json_key(json, "rows");
  out_json_open_array(json);
  for (uint32_t i = 0; i < report->list.count && !json->failed; i++)
    write_row(report, report->list.rows[i]);
  out_json_close_array(json);
  int result = write_spreads(report);
  out_json_key(json, "notes");
  out_json_open_array(json);
  if (result == 0)
    result = out_notes(report->stats, out_note_json, json);
  out_json_close_array(json);
  out_json_close_map(json);
  return result;
}

int out_json_print(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count)
{
  int result = out_stats_prepare(stats);
  if (result == 0)
    result = out_stats_percentiles(stats);
  if (result == 0)
    result = out_stats_inclusive_sleep(stats);
  if (result < 0)
    return result;
  struct report report = {.stats = stats, .names = out_stats_names(stats)};
  report.processes = out_process_order(&stats->profile);
  report.list.rows = malloc((stats->listed + 1u) * sizeof *report.list.rows);
  if (!report.list.rows || !report.processes) {
    free(report.list.rows);
    free(report.processes);
    return out_stats_no_memory();
  }
  memcpy(report.list.rows, stats->order, stats->listed * sizeof *report.list.rows);
  report.list.count = stats->listed;
  result = out_restrict(&report.names, &stats->rows, restrictions, count, &report.list, &report.message);
  if (result == 0) {
    result = out_json_begin(&report.json, out);
    if (result == 0)
      result = write_report(&report);
    int ended = out_json_end(&report.json);
    if (result == 0)
      result = ended;
  }
  free(report.list.rows);
  free(report.processes);
  out_text_free(&report.message);
  out_text_free(&report.text);
  out_arguments_free(&report.scratch);
  return result == -ENOMEM ? out_stats_no_memory() : result;
}
