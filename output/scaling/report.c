#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "callsig/stats.h"
#include "message.h"
#include "restrict.h"

static const struct cs_scaling_format *const formats[] = {
    &cs_scaling_table_format,
    &cs_scaling_json_format,
    &cs_scaling_csv_format,
    &cs_scaling_extrap_format,
};

#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

static const char *const statistics[] = {
    [CS_STATISTIC_TRIMMED] = "trimmed",
    [CS_STATISTIC_MEAN] = "mean",
    [CS_STATISTIC_MINIMUM] = "min",
};

const char *cs_scaling_statistic_name(enum cs_scaling_statistic statistic)
{
  return statistics[statistic];
}

const char *cs_scaling_statistic_text(enum cs_scaling_statistic statistic)
{
  static const char *const texts[] = {
      [CS_STATISTIC_TRIMMED] = "mean of each signature's calls but the longest",
      [CS_STATISTIC_MEAN] = "mean of each signature's calls",
      [CS_STATISTIC_MINIMUM] = "the shortest call of each signature",
  };
  return texts[statistic];
}

int cs_scaling_flush(struct cs_scaling_report *report)
{
  if (report->line.failed || report->text.failed)
    return -ENOMEM;
  size_t length = report->line.length;
  int result = fwrite(cs_text_string(&report->line), 1, length, report->out) == length ? 0 : -EIO;
  cs_text_clear(&report->line);
  return result;
}

/* What functions are by: a law has room for everything but signatures, which it is made of, and call stacks. */
static unsigned by_function(const struct callsig_stats *stats)
{
  const unsigned kept = CALLSIG_BY_STAGE | CALLSIG_BY_THREAD | CALLSIG_BY_MODULE | CALLSIG_BY_PROCESS | CALLSIG_BY_RANK;
  return (stats->by & kept) | CALLSIG_BY_FUNCTION;
}

static int prepare_by(struct cs_scaling_report *report, unsigned by)
{
  struct callsig_stats *stats = report->stats;
  if (stats->by != by) {
    cs_stats_forget(stats);
    stats->by = by;
  }
  int result = cs_stats_prepare(stats);
  report->is_told = result < 0;
  return result;
}

/* The functions in their order, after the restrictions. They are copies: rows by signature take the place of theirs. */
static int list_functions(struct cs_scaling_report *report, const char *const *restrictions, size_t count,
                          struct cs_text *message)
{
  struct callsig_stats *stats = report->stats;
  int result = prepare_by(report, by_function(stats));
  if (result < 0)
    return result;
  struct cs_names names = cs_stats_names(stats);
  struct cs_list list = {.rows = malloc((stats->listed + 1u) * sizeof *list.rows), .count = stats->listed};
  if (!list.rows)
    return -ENOMEM;
  memcpy(list.rows, stats->order, stats->listed * sizeof *list.rows);
  result = cs_restrict(&names, &stats->rows, restrictions, count, &list, message);
  report->is_told = result < 0 && result != -ENOMEM;
  for (uint32_t i = 0; i < list.count && result == 0; i++) {
    struct cs_row *added = cs_vector_add(&report->functions, 1);
    if (added)
      *added = *cs_rows_at(&stats->rows, list.rows[i]);
    else
      result = -ENOMEM;
  }
  free(list.rows);
  return message->failed ? -ENOMEM : result;
}

/* Rows by signature, chained to the function that they are of. */
struct chains {
  struct cs_idset set;
  uint32_t *first, *next; /* by function, by row; CS_NONE at the end */
};

static bool equal_key(const void *owner, uint32_t number, const void *key)
{
  const struct cs_row *function = cs_vector_at(owner, number);
  return memcmp(&function->key, key, sizeof function->key) == 0;
}

static uint64_t hash_key(const struct cs_row_key *key)
{
  return cs_hash_mix(cs_hash_mix(key->what, key->thread), cs_hash_mix(key->module, key->stage)) ^
         cs_hash_mix(key->process, key->rank);
}

/* The key of the function that a row by signature is of. */
static struct cs_row_key function_key(const struct callsig_stats *stats, const struct cs_row *row)
{
  struct cs_row_key key = row->key;
  const struct cs_signature *signature = cs_profile_signature(&stats->profile, key.what);
  key.what = stats->shown_function[cs_profile_layout(&stats->profile, signature->layout)->function];
  return key;
}

static void free_chains(struct chains *chains)
{
  cs_idset_free(&chains->set);
  free(chains->first);
  free(chains->next);
}

static int chain_rows(const struct cs_scaling_report *report, struct chains *chains)
{
  const struct callsig_stats *stats = report->stats;
  const struct cs_vector *functions = &report->functions;
  uint32_t count = stats->rows.list.count;
  *chains = (struct chains){.first = malloc((functions->count + 1u) * sizeof *chains->first),
                            .next = malloc((count + 1u) * sizeof *chains->next)};
  if (!chains->first || !chains->next)
    return -ENOMEM;
  for (uint32_t i = 0; i < functions->count; i++) {
    const struct cs_row *function = cs_vector_at(functions, i);
    chains->first[i] = CS_NONE;
    if (cs_idset_add(&chains->set, hash_key(&function->key), i) < 0)
      return -ENOMEM;
  }
  for (uint32_t i = count; i-- > 0;) {
    struct cs_row_key key = function_key(stats, cs_rows_at(&stats->rows, i));
    uint32_t function = cs_idset_find(&chains->set, hash_key(&key), functions, &key, equal_key);
    if (function == CS_NONE)
      continue;
    chains->next[i] = chains->first[function];
    chains->first[function] = i;
  }
  return 0;
}

/* True when something can be said of the function, or everything is to be listed. */
static bool is_listed(const struct cs_scaling_report *report, const struct cs_scaling_analysis *analysis)
{
  const struct cs_scaling_finding *first = cs_vector_at(&analysis->findings, 0);
  return report->all || analysis->findings.count > 1 || first->kind <= CS_SCALING_NONE;
}

static int put_function(struct cs_scaling_report *report, const struct cs_scaling_format *format,
                        const struct cs_row *function, const uint32_t *rows, uint32_t count)
{
  struct cs_scaling_samples samples;
  struct cs_scaling_analysis analysis = {.findings = CS_VECTOR_OF(struct cs_scaling_finding)};
  struct cs_scaling_entry entry = {.function = function, .samples = &samples, .analysis = &analysis};
  int result = cs_scaling_samples_read(report->stats, rows, count, &samples);
  if (result == 0)
    result = cs_scaling_analyse(&report->stats->profile, &samples, &report->measure, &analysis);
  if (result == 0 && is_listed(report, &analysis))
    result = format->put(report, &entry);
  else if (result == 0)
    report->skipped[((struct cs_scaling_finding *)cs_vector_at(&analysis.findings, 0))->kind]++;
  cs_scaling_analysis_free(&analysis);
  cs_scaling_samples_free(&samples);
  return result;
}

static int put_functions(struct cs_scaling_report *report, const struct cs_scaling_format *format)
{
  struct chains chains;
  int result = chain_rows(report, &chains);
  uint32_t *rows = result == 0 ? malloc((report->stats->rows.list.count + 1u) * sizeof *rows) : NULL;
  if (!rows)
    result = -ENOMEM;
  for (uint32_t i = 0; i < report->functions.count && result == 0; i++) {
    const struct cs_row *function = cs_vector_at(&report->functions, i);
    uint32_t count = 0;
    for (uint32_t row = chains.first[i]; row != CS_NONE; row = chains.next[row])
      rows[count++] = row;
    if (count > 0)
      result = put_function(report, format, function, rows, count);
  }
  free(rows);
  free_chains(&chains);
  return result;
}

static int write_report(struct cs_scaling_report *report, const struct cs_scaling_format *format)
{
  int result = prepare_by(report, by_function(report->stats) | CALLSIG_BY_SIGNATURE);
  if (result < 0)
    return result;
  report->names = cs_stats_names(report->stats);
  report->names.by = by_function(report->stats);
  result = format->begin(report);
  if (result < 0)
    return result;
  result = put_functions(report, format);
  result = format->end(report, result);
  return result == 0 && fflush(report->out) != 0 ? -EIO : result;
}

/* Reads what stands for the calls of a signature. Of own times, and of compensated ones, single calls are not known. */
static int read_statistic(const struct callsig_stats_scaling *wanted, struct cs_scaling_report *report)
{
  struct cs_scaling_measure *measure = &report->measure;
  bool is_mean_alone = measure->own || report->stats->compensating;
  measure->statistic = is_mean_alone ? CS_STATISTIC_MEAN : CS_STATISTIC_TRIMMED;
  if (!wanted->measure)
    return 0;
  uint32_t i = CS_STATISTIC_TRIMMED;
  while (i <= CS_STATISTIC_MINIMUM && strcmp(wanted->measure, statistics[i]) != 0)
    i++;
  if (i > CS_STATISTIC_MINIMUM)
    return cs_stats_fail(-EINVAL, "--measure: '%s' is none of trimmed, mean, min", wanted->measure);
  if (i != CS_STATISTIC_MEAN && is_mean_alone)
    return cs_stats_fail(-EINVAL, "--measure %s: of %s times the mean alone is known; leave out %s", statistics[i],
                         measure->own ? "own" : "compensated", measure->own ? "--time own" : "--compensate");
  measure->statistic = (enum cs_scaling_statistic)i;
  return 0;
}

/* Reads the options. -EINVAL after a message. */
static int read_options(const struct callsig_stats_scaling *wanted, struct cs_scaling_report *report,
                        const struct cs_scaling_format **format)
{
  const char *name = wanted->format ? wanted->format : formats[0]->name;
  const char *time = wanted->time ? wanted->time : "cumulative";
  for (size_t i = 0; i < FORMAT_COUNT; i++)
    if (strcmp(name, formats[i]->name) == 0)
      *format = formats[i];
  if (!*format)
    return cs_stats_fail(-EINVAL, "--format: '%s' is none of table, json, csv, extrap", name);
  if (strcmp(time, "cumulative") != 0 && strcmp(time, "own") != 0)
    return cs_stats_fail(-EINVAL, "--time: '%s' is neither cumulative nor own", time);
  if (wanted->directory && *format != &cs_scaling_extrap_format)
    return cs_stats_fail(-EINVAL, "--directory is for --format extrap: give both or neither");
  report->measure.own = time[0] == 'o';
  report->all = wanted->all != 0;
  report->directory = wanted->directory;
  return read_statistic(wanted, report);
}

int callsig_stats_scaling(struct callsig_stats *stats, const struct callsig_stats_scaling *wanted, FILE *out,
                          const char *const *restrictions, size_t count)
{
  struct callsig_stats_scaling known = {.size = sizeof known};
  memcpy(&known, wanted, wanted->size < sizeof known ? wanted->size : sizeof known);
  struct cs_scaling_report report = {.stats = stats, .out = out, .functions = CS_VECTOR_OF(struct cs_row)};
  const struct cs_scaling_format *format = NULL;
  int result = read_options(&known, &report, &format);
  if (result < 0)
    return result;
  unsigned by = stats->by;
  struct cs_text message = {0};
  result = list_functions(&report, restrictions, count, &message);
  report.message = cs_text_string(&message);
  if (result == 0)
    result = write_report(&report, format);
  if (stats->by != by) {
    cs_stats_forget(stats);
    stats->by = by;
  }
  cs_vector_free(&report.functions);
  cs_text_free(&message);
  cs_text_free(&report.line);
  cs_text_free(&report.text);
  cs_arguments_free(&report.scratch);
  if (result == -ENOMEM && !report.is_told)
    return cs_stats_no_memory();
  if (result == -EIO && !report.is_told)
    return cs_stats_fail(-EIO, "cannot write the laws: the output is full or closed");
  return result;
}
