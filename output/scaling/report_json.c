/* The report of `callsig scaling` as JSON: docs/scaling.md describes it. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "output/notes/notes.h"
#include "output/profile/recordings_json.h"
#include "output/scaling/report.h"
#include "output/scaling/steps.h"
#include "output/scaling/wording.h"

static void put_thresholds(struct out_json *json)
{
  out_json_key(json, "thresholds");
  out_json_open_map(json);
  out_json_key_integer(json, "values", OUT_SCALING_VALUES);
  out_json_key_number(json, "span", OUT_SCALING_SPAN);
  out_json_key_number(json, "apart", OUT_CHOOSE_APART);
  out_json_key_number(json, "constant", OUT_CHOOSE_CONSTANT);
  out_json_key_number(json, "explained", OUT_CHOOSE_EXPLAINED);
  out_json_key_number(json, "growth", OUT_CHOOSE_GROWTH);
  out_json_key_number(json, "share", OUT_CHOOSE_SHARE);
  out_json_key_number(json, "resolution", OUT_FIT_RESOLUTION);
  out_json_close_map(json);
}

static int begin(struct out_scaling_report *report)
{
  struct out_json *json = &report->json;
  int result = out_json_begin(json, report->out);
  if (result < 0)
    return result;
  out_json_open_map(json);
  out_json_key_string(json, "schema", "callsig.scaling/1");
  out_recordings_json(json, &report->stats->profile);
  out_json_key_string(json, "time", report->measure.own ? "own" : "cumulative");
  out_json_key_string(json, "measure", out_scaling_statistic_name(report->measure.statistic));
  put_thresholds(json);
  out_json_key(json, "functions");
  out_json_open_array(json);
  return 0;
}

static void put_optional(struct out_json *json, const char *key, bool is_there, double value)
{
  out_json_key_number(json, key, is_there ? value : NAN);
}

static void put_identity(struct out_scaling_report *report, const struct out_scaling_entry *entry,
                         const struct out_scaling_finding *finding)
{
  const struct out_profile *profile = &report->stats->profile;
  const struct out_row_key *key = &entry->function->key;
  const struct out_known_function *function = out_row_function(&report->names, key);
  struct out_json *json = &report->json;
  double own = 0;
  uint64_t calls = 0, primitive = 0;
  for (uint32_t i = 0; i < finding->row_count; i++) {
    const struct out_scaling_row *row = &entry->samples->rows[finding->rows[i]];
    calls += row->calls;
    own += row->shown_own;
  }
  primitive = entry->function->primitive;
  out_json_key_string(json, "file", out_profile_string(profile, function->file));
  out_json_key_integer(json, "line", function->line);
  out_json_key_string(json, "function", out_profile_string(profile, function->name));
  out_json_key_string(json, "where", finding->where);
  out_json_key_string(json, "stage",
                      key->stage == FMT_NONE || key->stage == 0 ? NULL : out_row_stage(&report->names, key));
  out_json_key_string(json, "thread", key->thread == FMT_NONE ? NULL : out_profile_string(profile, key->thread));
  out_json_key_string(json, "module", key->module == FMT_NONE ? NULL : out_profile_string(profile, key->module));
  out_json_key_string(json, "process", out_row_process(&report->names, key));
  out_json_key_string(json, "rank", out_row_rank(&report->names, key));
  out_json_key_integer(json, "ncalls", calls);
  out_json_key_number(json, "tottime", own);
  /* Signatures of one function lie within each other: a part's calls have no cumulative time of their own. */
  out_json_key(json, "pcalls");
  if (finding->where)
    out_json_null(json);
  else
    out_json_integer(json, primitive);
  put_optional(json, "cumtime", !finding->where, (double)entry->function->cumulative * report->stats->grouping.tick);
}

/* One term: its coefficient, and the powers of each argument's value and of its logarithm. */
static void put_term(struct out_json *json, const struct out_scaling_finding *finding, uint32_t term)
{
  static const uint64_t powers[OUT_GROWTH_COUNT][2] = {
      [OUT_GROWTH_LOG] = {0, 1}, [OUT_GROWTH_N] = {1, 0},  [OUT_GROWTH_N_LOG] = {1, 1},
      [OUT_GROWTH_N2] = {2, 0},  [OUT_GROWTH_N3] = {3, 0},
  };
  const struct out_law *law = &finding->verdict.fit.law;
  out_json_open_map(json);
  out_json_key_number(json, "coefficient", finding->verdict.fit.coefficients[1 + term]);
  out_json_key(json, "factors");
  out_json_open_array(json);
  for (uint32_t i = 0; i < law->argument_count; i++) {
    if (law->growth[term][i] == OUT_GROWTH_NONE)
      continue;
    out_json_open_map(json);
    out_json_key_string(json, "argument", finding->names[law->arguments[i]]);
    out_json_key_integer(json, "power", powers[law->growth[term][i]][0]);
    out_json_key_integer(json, "log", powers[law->growth[term][i]][1]);
    out_json_close_map(json);
  }
  out_json_close_array(json);
  out_json_close_map(json);
}

/* Where a step of the first term becomes longer, by the product of the law's arguments, and how many times. */
static void put_step(struct out_json *json, const struct out_fit *fit, bool is_found)
{
  out_json_key(json, "step");
  if (!is_found || !fit->law.is_stepped) {
    out_json_null(json);
    return;
  }
  out_json_open_map(json);
  out_json_key_number(json, "from", fit->law.from);
  out_json_key_number(json, "to", fit->law.to);
  out_json_key_number(json, "factor", out_scaling_step_factor(fit));
  out_json_close_map(json);
}

static void put_name(struct out_scaling_report *report, const struct out_law *law, const char *const *names)
{
  out_text_clear(&report->text);
  out_law_name(law, names, &report->text);
  report->json.failed |= report->text.failed;
  out_json_string(&report->json, out_text_string(&report->text), report->text.length);
}

static void put_law(struct out_scaling_report *report, const struct out_scaling_finding *finding)
{
  struct out_json *json = &report->json;
  const struct out_fit *fit = &finding->verdict.fit;
  bool is_found = finding->kind <= OUT_SCALING_CONSTANT, is_fitted = finding->kind <= OUT_SCALING_NONE;
  out_json_key_string(json, "verdict", out_scaling_kind_name(finding->kind));
  out_json_key(json, "law");
  if (is_found)
    put_name(report, &fit->law, finding->names);
  else
    out_json_null(json);
  put_optional(json, "constant", is_found, fit->coefficients[0]);
  out_json_key(json, "terms");
  out_json_open_array(json);
  for (uint32_t i = 0; is_found && i < fit->law.term_count; i++)
    put_term(json, finding, i);
  out_json_close_array(json);
  put_step(json, fit, is_found);
  put_optional(json, "r2", finding->kind == OUT_SCALING_LAW, finding->verdict.fit.explained);
  put_optional(json, "deviation", is_fitted, fit->deviation);
  put_optional(json, "error", is_found, fit->left_out);
  put_optional(json, "growth", is_found, fit->growth);
  out_json_key_integer(json, "points", finding->points.count);
  out_json_key(json, "rivals");
  out_json_open_array(json);
  for (uint32_t i = 0; i < finding->verdict.rivals.count; i++)
    put_name(report, base_vector_at(&finding->verdict.rivals, i), finding->names);
  out_json_close_array(json);
}

static void put_arguments(struct out_json *json, const struct out_scaling_entry *entry,
                          const struct out_scaling_finding *finding)
{
  out_json_key(json, "arguments");
  out_json_open_array(json);
  for (uint32_t i = 0; i < entry->samples->arguments.count; i++) {
    const struct out_scaling_argument *argument = out_scaling_argument(entry->samples, i);
    const struct out_scaling_role *role = &finding->roles[i];
    bool is_alike = role->use == OUT_USE_ALIKE;
    out_json_open_map(json);
    out_json_key_string(json, "name", argument->name);
    out_json_key_string(json, "use", out_scaling_use_name(role->use));
    out_json_key_string(json, "same_as", is_alike ? finding->names[role->candidate] : NULL);
    put_optional(json, "ratio", is_alike, role->ratio);
    out_json_key_integer(json, "values", role->values);
    put_optional(json, "low", role->values > 0, role->low);
    put_optional(json, "high", role->values > 0, role->high);
    out_json_key(json, "ranges");
    out_json_bool(json, argument->is_bucketed);
    out_json_close_map(json);
  }
  out_json_close_array(json);
}

static int put_warning(const char *warning, void *data)
{
  out_json_string(data, warning, strlen(warning));
  return 0;
}

static int put_finding(struct out_scaling_report *report, const struct out_scaling_entry *entry,
                       const struct out_scaling_finding *finding)
{
  struct out_json *json = &report->json;
  if (json->failed)
    return 0; /* the end of the report tells */
  out_json_open_map(json);
  put_identity(report, entry, finding);
  put_law(report, finding);
  put_arguments(json, entry, finding);
  out_text_clear(&report->text);
  out_scaling_put_reason(&report->text, entry->analysis, finding);
  json->failed |= report->text.failed;
  out_json_key_string(json, "reason", report->text.length > 0 ? out_text_string(&report->text) : NULL);
  out_json_key(json, "warnings");
  out_json_open_array(json);
  int result = out_scaling_warnings(entry->analysis, finding, &report->text, put_warning, json);
  out_json_close_array(json);
  out_json_close_map(json);
  json->failed |= report->text.failed;
  return result;
}

static int end(struct out_scaling_report *report, int result)
{
  struct out_json *json = &report->json;
  out_json_close_array(json);
  out_json_key(json, "notes");
  out_json_open_array(json);
  if (result == 0)
    result = out_notes(report->stats, out_note_json, json);
  out_json_close_array(json);
  out_json_close_map(json);
  int ended = out_json_end(json);
  return result == 0 ? ended : result;
}

const struct out_scaling_format out_scaling_json_format = {"json", begin, put_finding, end};
