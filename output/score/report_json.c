/* The report of `callsig score` as JSON: docs/score.md describes it. */
#include <math.h>

#include "output/notes/notes.h"
#include "output/profile/recordings_json.h"
#include "output/score/report.h"

/* What is not known is null, and so is what is not finite. */
static void put_known(struct out_json *json, const char *key, bool is_known, double value)
{
  out_json_key_number(json, key, is_known ? value : NAN);
}

static void put_total(struct out_json *json, const struct out_score *score)
{
  const struct out_score_costs *costs = &score->costs;
  bool is_known = out_score_is_known(score);
  double low, high;
  out_score_range(costs, &low, &high);
  out_json_key_integer(json, "ncalls", costs->calls);
  out_json_key_integer(json, "timed", costs->timed);
  put_known(json, "hooks", is_known, costs->hooks);
  put_known(json, "own", is_known, costs->own);
  put_known(json, "uncertainty", is_known, costs->uncertainty);
  put_known(json, "lowered", is_known, costs->lowered);
  put_known(json, "factor", is_known, out_score_slowdown(costs->hooks, costs->own));
  out_json_key_string(json, "factor_by", !is_known ? NULL : costs->samples > 0 ? "samples" : "calibration");
  put_known(json, "factor_low", is_known, low);
  put_known(json, "factor_high", is_known, high);
}

static void put_budget(struct out_json *json, const struct out_score *score)
{
  const struct out_score_costs *costs = &score->costs;
  out_json_key(json, "budget");
  if (score->wanted.factor <= 0) {
    out_json_null(json);
    return;
  }
  bool is_known = out_score_is_known(score);
  double left = costs->hooks - (score->possible ? score->saved : score->most);
  out_json_open_map(json);
  out_json_key_number(json, "factor", score->wanted.factor);
  out_json_key(json, "possible");
  if (is_known)
    out_json_bool(json, score->possible);
  else
    out_json_null(json);
  out_json_key_integer(json, "left_out", score->left_out);
  put_known(json, "reached", is_known, out_score_slowdown(left, costs->own));
  out_json_close_map(json);
}

static void put_size(struct out_json *json, const struct out_score_function *function)
{
  if (function->instructions == 0) {
    put_known(json, "instructions", false, 0);
    put_known(json, "loop", false, 0);
    return;
  }
  out_json_key_integer(json, "instructions", function->instructions);
  out_json_key(json, "loop");
  out_json_bool(json, function->has_loop);
}

static int begin(struct out_score_report *report)
{
  struct out_json *json = &report->json;
  int result = out_json_begin(json, report->out);
  if (result < 0)
    return result;
  out_json_open_map(json);
  out_json_key_string(json, "schema", "callsig.score/1");
  out_recordings_json(json, &report->score->stats->profile);
  put_total(json, report->score);
  put_budget(json, report->score);
  out_json_key(json, "functions");
  out_json_open_array(json);
  return 0;
}

static int put_function(struct out_score_report *report, const struct out_score_function *function)
{
  const struct out_score *score = report->score;
  const struct out_score_costs *costs = &score->costs;
  const struct out_score_cost *cost = function->cost;
  const struct out_profile *profile = &score->stats->profile;
  const struct out_known_function *known = out_score_known_function(score, function);
  bool is_known = out_score_is_known(score);
  struct out_json *json = &report->json;
  out_json_open_map(json);
  out_json_key_string(json, "file", out_profile_string(profile, known->file));
  out_json_key_integer(json, "line", known->line);
  out_json_key_string(json, "function", out_profile_string(profile, known->name));
  out_json_key_integer(json, "ncalls", cost->calls);
  out_json_key_integer(json, "timed", cost->timed);
  put_known(json, "hooks", is_known, cost->hooks);
  put_known(json, "hooks_share", is_known, cost->hooks / costs->hooks);
  put_known(json, "factor", is_known, cost->hooks / costs->own);
  put_known(json, "own", is_known, cost->own);
  put_known(json, "own_share", is_known, cost->own / costs->all_own);
  out_json_key_integer(json, "rows", function->rows);
  out_json_key_integer(json, "signatures", function->signatures);
  put_size(json, function);
  put_known(json, "worth", is_known, function->worth);
  out_json_key_string(json, "kept",
                      function->reason == OUT_SCORE_NONE ? NULL : out_score_reason_name(function->reason));
  out_json_key(json, "left_out");
  out_json_bool(json, function->left_out);
  out_json_close_map(json);
  return 0;
}

static int end(struct out_score_report *report, int result)
{
  struct out_json *json = &report->json;
  out_json_close_array(json);
  out_json_key(json, "remarks");
  out_json_open_array(json);
  if (result == 0)
    result = out_score_remarks(report->score, out_note_json, json);
  out_json_close_array(json);
  out_json_key(json, "notes");
  out_json_open_array(json);
  if (result == 0)
    result = out_notes(report->score->stats, out_note_json, json);
  out_json_close_array(json);
  out_json_close_map(json);
  int ended = out_json_end(json);
  return result == 0 ? ended : result;
}

const struct out_score_format out_score_json_format = {"json", begin, put_function, end};
