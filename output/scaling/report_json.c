/* The report of `callsig scaling` as JSON: docs/scaling.md describes it. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "notes.h"
#include "report.h"
#include "wording.h"

static void put_thresholds(struct cs_json *json)
{
  cs_json_key(json, "thresholds");
  cs_json_open_map(json);
  cs_json_key_integer(json, "values", CS_SCALING_VALUES);
  cs_json_key_number(json, "span", CS_SCALING_SPAN);
  cs_json_key_number(json, "apart", CS_CHOOSE_APART);
  cs_json_key_number(json, "constant", CS_CHOOSE_CONSTANT);
  cs_json_key_number(json, "explained", CS_CHOOSE_EXPLAINED);
  cs_json_key_number(json, "growth", CS_CHOOSE_GROWTH);
  cs_json_key_number(json, "share", CS_CHOOSE_SHARE);
  cs_json_key_number(json, "resolution", CS_FIT_RESOLUTION);
  cs_json_close_map(json);
}

static int begin(struct cs_scaling_report *report)
{
  struct cs_json *json = &report->json;
  const struct cs_profile *profile = &report->stats->profile;
  int result = cs_json_begin(json, report->out);
  if (result < 0)
    return result;
  cs_json_open_map(json);
  cs_json_key_string(json, "schema", "callsig.scaling/1");
  cs_json_key(json, "recordings");
  cs_json_open_array(json);
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const struct cs_recording_info *info = cs_profile_recording(profile, i);
    cs_json_open_map(json);
    cs_json_key_string(json, "file", cs_profile_string(profile, info->path));
    cs_json_key_string(json, "program", cs_profile_string(profile, info->program));
    cs_json_key_integer(json, "pid", info->pid);
    cs_json_close_map(json);
  }
  cs_json_close_array(json);
  cs_json_key_string(json, "time", report->measure.own ? "own" : "cumulative");
  cs_json_key_string(json, "measure", cs_scaling_statistic_name(report->measure.statistic));
  put_thresholds(json);
  cs_json_key(json, "functions");
  cs_json_open_array(json);
  return 0;
}

static void put_optional(struct cs_json *json, const char *key, bool is_there, double value)
{
  cs_json_key_number(json, key, is_there ? value : NAN);
}

static void put_identity(struct cs_scaling_report *report, const struct cs_scaling_entry *entry,
                         const struct cs_scaling_finding *finding)
{
  const struct cs_profile *profile = &report->stats->profile;
  const struct cs_row_key *key = &entry->function->key;
  const struct cs_known_function *function = cs_row_function(&report->names, key);
  struct cs_json *json = &report->json;
  double own = 0;
  uint64_t calls = 0, primitive = 0;
  for (uint32_t i = 0; i < finding->row_count; i++) {
    const struct cs_scaling_row *row = &entry->samples->rows[finding->rows[i]];
    calls += row->calls;
    own += row->own;
  }
  primitive = entry->function->primitive;
  cs_json_key_string(json, "file", cs_profile_string(profile, function->file));
  cs_json_key_integer(json, "line", function->line);
  cs_json_key_string(json, "function", cs_profile_string(profile, function->name));
  cs_json_key_string(json, "where", finding->where);
  cs_json_key_string(json, "stage",
                     key->stage == CS_NONE || key->stage == 0 ? NULL : cs_row_stage(&report->names, key));
  cs_json_key_string(json, "thread", key->thread == CS_NONE ? NULL : cs_profile_string(profile, key->thread));
  cs_json_key_string(json, "module", key->module == CS_NONE ? NULL : cs_profile_string(profile, key->module));
  cs_json_key_string(json, "process", cs_row_process(&report->names, key));
  cs_json_key_string(json, "rank", cs_row_rank(&report->names, key));
  cs_json_key_integer(json, "ncalls", calls);
  cs_json_key_number(json, "tottime", own);
  /* Signatures of one function lie within each other: a part's calls have no cumulative time of their own. */
  cs_json_key(json, "pcalls");
  if (finding->where)
    cs_json_null(json);
  else
    cs_json_integer(json, primitive);
  put_optional(json, "cumtime", !finding->where, (double)entry->function->cumulative * report->stats->grouping.tick);
}

/* One term: its coefficient, and the powers of each argument's value and of its logarithm. */
static void put_term(struct cs_json *json, const struct cs_scaling_finding *finding, uint32_t term)
{
  static const uint64_t powers[CS_GROWTH_COUNT][2] = {
      [CS_GROWTH_LOG] = {0, 1}, [CS_GROWTH_N] = {1, 0},  [CS_GROWTH_N_LOG] = {1, 1},
      [CS_GROWTH_N2] = {2, 0},  [CS_GROWTH_N3] = {3, 0},
  };
  const struct cs_law *law = &finding->verdict.fit.law;
  cs_json_open_map(json);
  cs_json_key_number(json, "coefficient", finding->verdict.fit.coefficients[1 + term]);
  cs_json_key(json, "factors");
  cs_json_open_array(json);
  for (uint32_t i = 0; i < law->argument_count; i++) {
    if (law->growth[term][i] == CS_GROWTH_NONE)
      continue;
    cs_json_open_map(json);
    cs_json_key_string(json, "argument", finding->names[law->arguments[i]]);
    cs_json_key_integer(json, "power", powers[law->growth[term][i]][0]);
    cs_json_key_integer(json, "log", powers[law->growth[term][i]][1]);
    cs_json_close_map(json);
  }
  cs_json_close_array(json);
  cs_json_close_map(json);
}

static void put_name(struct cs_scaling_report *report, const struct cs_law *law, const char *const *names)
{
  cs_text_clear(&report->text);
  cs_law_name(law, names, &report->text);
  cs_json_string(&report->json, cs_text_string(&report->text), report->text.length);
}

static void put_law(struct cs_scaling_report *report, const struct cs_scaling_finding *finding)
{
  struct cs_json *json = &report->json;
  const struct cs_fit *fit = &finding->verdict.fit;
  bool is_found = finding->kind <= CS_SCALING_CONSTANT, is_fitted = finding->kind <= CS_SCALING_NONE;
  cs_json_key_string(json, "verdict", cs_scaling_kind_name(finding->kind));
  cs_json_key(json, "law");
  if (is_found)
    put_name(report, &fit->law, finding->names);
  else
    cs_json_null(json);
  put_optional(json, "constant", is_found, fit->coefficients[0]);
  cs_json_key(json, "terms");
  cs_json_open_array(json);
  for (uint32_t i = 0; is_found && i < fit->law.term_count; i++)
    put_term(json, finding, i);
  cs_json_close_array(json);
  put_optional(json, "r2", finding->kind == CS_SCALING_LAW, finding->verdict.fit.explained);
  put_optional(json, "deviation", is_fitted, fit->deviation);
  put_optional(json, "error", is_found, fit->left_out);
  put_optional(json, "growth", is_found, fit->growth);
  cs_json_key_integer(json, "points", finding->points.count);
  cs_json_key(json, "rivals");
  cs_json_open_array(json);
  for (uint32_t i = 0; i < finding->verdict.rivals.count; i++)
    put_name(report, cs_vector_at(&finding->verdict.rivals, i), finding->names);
  cs_json_close_array(json);
}

static void put_arguments(struct cs_json *json, const struct cs_scaling_entry *entry,
                          const struct cs_scaling_finding *finding)
{
  cs_json_key(json, "arguments");
  cs_json_open_array(json);
  for (uint32_t i = 0; i < entry->samples->arguments.count; i++) {
    const struct cs_scaling_argument *argument = cs_scaling_argument(entry->samples, i);
    const struct cs_scaling_role *role = &finding->roles[i];
    bool is_alike = role->use == CS_USE_ALIKE;
    cs_json_open_map(json);
    cs_json_key_string(json, "name", argument->name);
    cs_json_key_string(json, "use", cs_scaling_use_name(role->use));
    cs_json_key_string(json, "same_as", is_alike ? finding->names[role->candidate] : NULL);
    put_optional(json, "ratio", is_alike, role->ratio);
    cs_json_key_integer(json, "values", role->values);
    put_optional(json, "low", role->values > 0, role->low);
    put_optional(json, "high", role->values > 0, role->high);
    cs_json_key(json, "ranges");
    cs_json_bool(json, argument->is_bucketed);
    cs_json_close_map(json);
  }
  cs_json_close_array(json);
}

static int put_warning(const char *warning, void *data)
{
  cs_json_string(data, warning, strlen(warning));
  return 0;
}

static int put_finding(struct cs_scaling_report *report, const struct cs_scaling_entry *entry,
                       const struct cs_scaling_finding *finding)
{
  struct cs_json *json = &report->json;
  cs_json_open_map(json);
  put_identity(report, entry, finding);
  put_law(report, finding);
  put_arguments(json, entry, finding);
  cs_text_clear(&report->text);
  cs_scaling_put_reason(&report->text, entry->analysis, finding);
  cs_json_key_string(json, "reason", report->text.length > 0 ? cs_text_string(&report->text) : NULL);
  cs_json_key(json, "warnings");
  cs_json_open_array(json);
  int result = cs_scaling_warnings(entry->analysis, finding, &report->text, put_warning, json);
  cs_json_close_array(json);
  cs_json_close_map(json);
  json->failed |= report->text.failed;
  return result;
}

static int put(struct cs_scaling_report *report, const struct cs_scaling_entry *entry)
{
  int result = 0;
  for (uint32_t i = 0; i < entry->analysis->findings.count && result == 0 && !report->json.failed; i++)
    result = put_finding(report, entry, cs_vector_at(&entry->analysis->findings, i));
  return result;
}

static int put_note(const char *note, void *data)
{
  cs_json_string(data, note, strlen(note));
  return 0;
}

static int end(struct cs_scaling_report *report, int result)
{
  struct cs_json *json = &report->json;
  cs_json_close_array(json);
  cs_json_key(json, "notes");
  cs_json_open_array(json);
  if (result == 0)
    result = cs_notes(report->stats, put_note, json);
  cs_json_close_array(json);
  cs_json_close_map(json);
  int ended = cs_json_end(json);
  return result == 0 ? ended : result;
}

const struct cs_scaling_format cs_scaling_json_format = {"json", begin, put, end};
