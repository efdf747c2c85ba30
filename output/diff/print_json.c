/* Prints a comparison as JSON, "callsig.diff/1". */
#include <errno.h>
#include <math.h>

#include "output/diff/print.h"
#include "output/text/json_writer.h"

static void put_optional(struct out_json *json, const char *key, double value, bool known)
{
  if (known) {
    out_json_key_number(json, key, value);
  } else {
    out_json_key(json, key);
    out_json_null(json);
  }
}

static void put_side(struct out_json *json, const char *key, const struct out_diff_side *side, bool row)
{
  out_json_key(json, key);
  out_json_open_map(json);
  out_json_key_number(json, "ncalls", side->calls);
  out_json_key_number(json, "tottime", side->own);
  if (row) {
    out_json_key_number(json, "cumtime", side->cumulative);
    put_optional(json, "percall", out_diff_value(side, CALLSIG_DIFF_PERCALL), side->calls > 0);
  }
  out_json_close_map(json);
}

static void put_change(struct out_json *json, const struct out_diff *diff, const struct out_diff_change *change,
                       enum callsig_diff_metric metric)
{
  double relative = out_diff_relative(change, metric);
  out_json_key_string(json, "verdict", callsig_diff_verdict_name(change->verdict));
  out_json_key_number(json, "change", out_diff_amount(change, metric));
  put_optional(json, "relative", relative, !isinf(relative));
  put_optional(json, "low", change->low, diff->judged && !isnan(change->low));
  put_optional(json, "high", change->high, diff->judged && !isnan(change->high));
  put_optional(json, "p", change->p, diff->judged);
}

static void put_head(struct out_json *json, const struct out_diff *diff)
{
  out_json_key_string(json, "schema", "callsig.diff/1");
  out_json_key_integer(json, "old_recordings", diff->old_count);
  out_json_key_integer(json, "new_recordings", diff->new_count);
  out_json_key_string(json, "metric", out_diff_metric_name(diff->options.metric));
  out_json_key_string(json, "test", diff->judged ? "Welch's t, Holm" : NULL);
  put_optional(json, "level", diff->options.level, diff->judged);
  out_json_key_string(json, "timed_differently", diff->timed_differently);
  out_json_key_integer(json, "rows_compared", diff->rows.count);
  out_json_key(json, "total");
  out_json_open_map(json);
  put_side(json, "old", &diff->total.old, false);
  put_side(json, "new", &diff->total.new, false);
  put_change(json, diff, &diff->total, CALLSIG_DIFF_TOTTIME);
  out_json_close_map(json);
}

static void put_row(struct out_json *json, const struct out_diff *diff, const struct out_names *names,
                    const struct out_diff_row *row, struct out_arguments *scratch, struct out_text *text)
{
  const struct out_profile *profile = &diff->stats->profile;
  const struct out_known_function *function = out_row_function(names, &row->key);
  out_text_clear(text);
  out_row_signature(names, &row->key, scratch, text);
  json->failed |= text->failed;
  out_json_open_map(json);
  out_json_key_string(json, "file", function ? out_profile_string(profile, function->file) : NULL);
  out_json_key_integer(json, "line", function ? function->line : 0);
  out_json_key_string(json, "function", function ? out_profile_string(profile, function->name) : NULL);
  out_json_key_string(json, "signature", text->length ? out_text_string(text) : NULL);
  out_json_key_string(json, "stage", out_row_stage(names, &row->key));
  out_json_key_string(json, "module",
                      row->key.module == FMT_NONE ? NULL : out_profile_string(profile, row->key.module));
  out_text_clear(text);
  if (out_row_site(names, &row->key, text))
    out_json_key_string(json, "site", out_text_string(text));
  json->failed |= text->failed;
  put_side(json, "old", &row->change.old, true);
  put_side(json, "new", &row->change.new, true);
  put_change(json, diff, &row->change, diff->options.metric);
  put_optional(json, "p_adjusted", row->change.adjusted, diff->judged);
  out_json_close_map(json);
}

int out_diff_print_json(const struct out_diff *diff, const struct out_diff_shown *shown, FILE *out)
{
  struct out_json json;
  int result = out_json_begin(&json, out);
  if (result < 0)
    return result;
  struct out_names names = out_diff_names(diff);
  struct out_arguments scratch = {0};
  struct out_text text = {0};
  out_json_open_map(&json);
  put_head(&json, diff);
  out_json_key(&json, "rows");
  out_json_open_array(&json);
  for (uint32_t i = 0; i < shown->count; i++)
    put_row(&json, diff, &names, base_vector_at(&diff->rows, shown->list[i]), &scratch, &text);
  out_json_close_array(&json);
  out_json_close_map(&json);
  result = out_json_end(&json);
  out_text_free(&text);
  out_arguments_free(&scratch);
  return result;
}
