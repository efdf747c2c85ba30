/* A diff as JSON. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "diff_print.h"
#include "json_writer.h"

static void put_optional(struct cs_json *json, const char *key, double value, bool known)
{
  if (known) {
    cs_json_key_number(json, key, value);
  } else {
    cs_json_key(json, key);
    cs_json_null(json);
  }
}

static void put_side(struct cs_json *json, const char *key, const struct cs_diff_side *side, bool row)
{
  cs_json_key(json, key);
  cs_json_open_map(json);
  cs_json_key_number(json, "ncalls", side->calls);
  cs_json_key_number(json, "tottime", side->own);
  if (row) {
    cs_json_key_number(json, "cumtime", side->cumulative);
    put_optional(json, "percall", cs_diff_value(side, CS_DIFF_PERCALL), side->calls > 0);
  }
  cs_json_close_map(json);
}

static void put_change(struct cs_json *json, const struct cs_diff *diff, const struct cs_diff_change *change,
                       enum cs_diff_metric metric)
{
  double relative = cs_diff_relative(change, metric);
  cs_json_key_string(json, "verdict", cs_diff_verdict_name(change->verdict));
  cs_json_key_number(json, "change", cs_diff_amount(change, metric));
  put_optional(json, "relative", relative, !isinf(relative));
  put_optional(json, "low", change->low, diff->judged);
  put_optional(json, "high", change->high, diff->judged);
  put_optional(json, "p", change->p, diff->judged);
}

static void put_head(struct cs_json *json, const struct cs_diff *diff)
{
  cs_json_key_string(json, "schema", "callsig.diff/1");
  cs_json_key_integer(json, "old_recordings", diff->old_count);
  cs_json_key_integer(json, "new_recordings", diff->new_count);
  cs_json_key_string(json, "metric", cs_diff_metric_name(diff->options.metric));
  cs_json_key_string(json, "test", diff->judged ? "Welch's t, Holm" : NULL);
  put_optional(json, "level", diff->options.level, diff->judged);
  cs_json_key_integer(json, "rows_compared", diff->rows.count);
  cs_json_key(json, "total");
  cs_json_open_map(json);
  put_side(json, "old", &diff->total.old, false);
  put_side(json, "new", &diff->total.new, false);
  put_change(json, diff, &diff->total, CS_DIFF_TOTTIME);
  cs_json_close_map(json);
}

static void put_row(struct cs_json *json, const struct cs_diff *diff, const struct cs_names *names,
                    const struct cs_diff_row *row, struct cs_arguments *scratch, struct cs_text *text)
{
  const struct cs_profile *profile = &diff->stats->profile;
  const struct cs_known_function *function = cs_row_function(names, &row->key);
  cs_text_clear(text);
  cs_row_signature(names, &row->key, scratch, text);
  cs_json_open_map(json);
  cs_json_key_string(json, "file", function ? cs_profile_string(profile, function->file) : NULL);
  cs_json_key_integer(json, "line", function ? function->line : 0);
  cs_json_key_string(json, "function", function ? cs_profile_string(profile, function->name) : NULL);
  cs_json_key_string(json, "signature", text->length ? cs_text_string(text) : NULL);
  cs_json_key_string(json, "stage", cs_row_stage(names, &row->key));
  cs_json_key_string(json, "module", row->key.module == CS_NONE ? NULL : cs_profile_string(profile, row->key.module));
  put_side(json, "old", &row->change.old, true);
  put_side(json, "new", &row->change.new, true);
  put_change(json, diff, &row->change, diff->options.metric);
  put_optional(json, "p_adjusted", row->change.adjusted, diff->judged);
  cs_json_close_map(json);
}

int cs_diff_print_json(const struct cs_diff *diff, const struct cs_diff_view *view, FILE *out)
{
  uint32_t *list = NULL, count = 0;
  struct cs_json json;
  int result = cs_diff_order(diff, view, &list, &count);
  if (result == 0)
    result = cs_json_begin(&json, out);
  if (result < 0) {
    free(list);
    return result;
  }
  struct cs_names names = cs_diff_names(diff);
  struct cs_arguments scratch = {0};
  struct cs_text text = {0};
  cs_json_open_map(&json);
  put_head(&json, diff);
  cs_json_key(&json, "rows");
  cs_json_open_array(&json);
  for (uint32_t i = 0; i < count; i++)
    put_row(&json, diff, &names, cs_vector_at(&diff->rows, list[i]), &scratch, &text);
  cs_json_close_array(&json);
  cs_json_close_map(&json);
  result = cs_json_end(&json);
  if (result == 0 && text.failed)
    result = -ENOMEM;
  cs_text_free(&text);
  cs_arguments_free(&scratch);
  free(list);
  return result;
}
