/* callsig_stats_scaling(): finds the functions and their laws, and gives each to the format that was asked for. */
#include "output/scaling/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "callsig/stats.h"
#include "output/scaling/wording.h"
#include "output/stats/public_struct.h"
#include "output/stats/restrict.h"
#include "output/text/message.h"

static const struct out_scaling_format *const formats[] = {
    &out_scaling_table_format,
    &out_scaling_json_format,
    &out_scaling_csv_format,
    &out_scaling_extrap_format,
};

#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

/* What functions are by: a law has room for everything but signatures, which it is made of, and call stacks. */
static unsigned by_function(const struct callsig_stats *stats)
{
  const unsigned kept = CALLSIG_BY_STAGE | CALLSIG_BY_THREAD | CALLSIG_BY_MODULE | CALLSIG_BY_PROCESS | CALLSIG_BY_RANK;
  return (stats->by & kept) | CALLSIG_BY_FUNCTION;
}

static int prepare_by(struct out_scaling_report *report, unsigned by)
{
  struct callsig_stats *stats = report->stats;
  if (stats->by != by) {
    out_stats_forget(stats);
    stats->by = by;
  }
  int result = out_stats_prepare(stats);
  report->is_told = result < 0;
  return result;
}

/* The functions in their order, after the restrictions. They are copies: rows by signature take the place of theirs.
 * Their times are those that a report shows. */
static int list_functions(struct out_scaling_report *report, const char *const *restrictions, size_t count,
                          struct out_text *message)
{
  struct callsig_stats *stats = report->stats;
  int result = prepare_by(report, by_function(stats));
  if (result < 0)
    return result;
  struct out_names names = out_stats_names(stats);
  struct out_list list = {.rows = malloc((stats->listed + 1u) * sizeof *list.rows), .count = stats->listed};
  if (!list.rows)
    return -ENOMEM;
  memcpy(list.rows, stats->order, stats->listed * sizeof *list.rows);
  result = out_restrict(&names, &stats->rows, restrictions, count, &list, message);
  report->is_told = result < 0 && result != -ENOMEM;
  for (uint32_t i = 0; i < list.count && result == 0; i++)
    result = out_scaling_shown_add(&report->functions, out_rows_at(&stats->rows, list.rows[i]));
  free(list.rows);
  return message->failed ? -ENOMEM : result;
}

/* Rows by signature, chained to the function that they are of. */
struct chains {
  uint32_t *first, *next; /* by function, by row; FMT_NONE at the end */
};

/* The key of the function that a row by signature is of. */
static struct out_row_key function_key(const struct callsig_stats *stats, const struct out_row *row)
{
  struct out_row_key key = row->key;
  const struct out_signature *signature = out_profile_signature(&stats->profile, key.what);
  key.what = stats->shown_function[out_profile_layout(&stats->profile, signature->layout)->function];
  return key;
}

static void free_chains(struct chains *chains)
{
  free(chains->first);
  free(chains->next);
}

static int chain_rows(const struct out_scaling_report *report, struct chains *chains)
{
  const struct callsig_stats *stats = report->stats;
  const uint32_t functions = report->functions.rows.count, count = stats->rows.list.count;
  *chains = (struct chains){.first = malloc((functions + 1u) * sizeof *chains->first),
                            .next = malloc((count + 1u) * sizeof *chains->next)};
  if (!chains->first || !chains->next)
    return -ENOMEM;
  for (uint32_t i = 0; i < functions; i++)
    chains->first[i] = FMT_NONE;
  for (uint32_t i = count; i-- > 0;) {
    struct out_row_key key = function_key(stats, out_rows_at(&stats->rows, i));
    uint32_t function = out_scaling_shown_find(&report->functions, &key);
    if (function == FMT_NONE)
      continue;
    chains->next[i] = chains->first[function];
    chains->first[function] = i;
  }
  return 0;
}

/* True when something can be said of the function, or everything is to be listed. */
static bool is_listed(const struct out_scaling_report *report, const struct out_scaling_analysis *analysis)
{
  const struct out_scaling_finding *first = base_vector_at(&analysis->findings, 0);
  return report->all || analysis->findings.count > 1 || first->kind <= OUT_SCALING_NONE;
}

static int put_findings(struct out_scaling_report *report, const struct out_scaling_format *format,
                        const struct out_scaling_entry *entry)
{
  const struct base_vector *findings = &entry->analysis->findings;
  int result = 0;
  for (uint32_t i = 0; i < findings->count && result == 0; i++)
    result = format->put(report, entry, base_vector_at(findings, i));
  return result;
}

static int count_law(const struct out_law *law, void *data)
{
  (void)law;
  *(uint32_t *)data += 1;
  return 0;
}

/* What the function's laws take at most: nothing where it has no number. */
static double effort_of(const struct out_scaling_samples *samples)
{
  uint32_t numbers = 0, laws = 0;
  for (uint32_t i = 0; i < samples->arguments.count; i++)
    numbers += out_scaling_argument(samples, i)->is_number;
  out_laws_each(numbers < OUT_LAW_CANDIDATES ? numbers : OUT_LAW_CANDIDATES, count_law, &laws);
  return numbers > 0 && samples->row_count >= OUT_SCALING_VALUES ? (double)laws * samples->row_count : 0;
}

/* True when there is no effort left for the function, which is counted then. */
static bool is_left_out(struct out_scaling_effort *effort, const struct out_scaling_samples *samples)
{
  const double needed = effort ? effort_of(samples) : 0;
  if (!effort)
    return false;
  if (needed > effort->left) {
    effort->left_out++;
    return true;
  }
  effort->left -= needed;
  return false;
}

static int put_function(struct out_scaling_report *report, const struct out_scaling_format *format,
                        const struct out_row *function, const uint32_t *rows, uint32_t count)
{
  struct out_scaling_samples samples;
  struct out_scaling_analysis analysis = {.findings = BASE_VECTOR_OF(struct out_scaling_finding)};
  struct out_scaling_entry entry = {.function = function, .samples = &samples, .analysis = &analysis};
  int result = out_scaling_samples_read(report->stats, rows, count, &report->signatures, &samples);
  if (result == 0 && is_left_out(report->effort, &samples)) {
    out_scaling_samples_free(&samples);
    return 0;
  }
  if (result == 0)
    result = out_scaling_analyse(&report->stats->profile, &samples, &report->measure, &analysis);
  if (result == 0 && is_listed(report, &analysis))
    result = put_findings(report, format, &entry);
  else if (result == 0)
    report->skipped[((struct out_scaling_finding *)base_vector_at(&analysis.findings, 0))->kind]++;
  out_scaling_analysis_free(&analysis);
  out_scaling_samples_free(&samples);
  return result;
}

static int put_functions(struct out_scaling_report *report, const struct out_scaling_format *format)
{
  struct chains chains;
  int result = chain_rows(report, &chains);
  uint32_t *rows = result == 0 ? malloc((report->stats->rows.list.count + 1u) * sizeof *rows) : NULL;
  if (!rows)
    result = -ENOMEM;
  for (uint32_t i = 0; i < report->functions.rows.count && result == 0; i++) {
    const struct out_row *function = out_scaling_shown_at(&report->functions, i);
    uint32_t count = 0;
    for (uint32_t row = chains.first[i]; row != FMT_NONE; row = chains.next[row])
      rows[count++] = row;
    if (count > 0)
      result = put_function(report, format, function, rows, count);
  }
  free(rows);
  free_chains(&chains);
  return result;
}

static void choose_readings(struct callsig_stats *stats, enum out_compensating compensating)
{
  if (stats->compensating != compensating)
    out_stats_forget(stats);
  stats->compensating = compensating;
}

/* Prepares the rows by signature that laws are made of. A function's signatures are told apart by what the clock read:
 * samples of the run tell of the function as a whole, and what hooks took of a call is a constant of its law. So that
 * is what laws are of, where nobody asked for another; what a report shows of the same calls is kept beside. */
static int prepare_signatures(struct out_scaling_report *report)
{
  struct callsig_stats *stats = report->stats;
  const unsigned by = by_function(stats) | CALLSIG_BY_SIGNATURE;
  int result = prepare_by(report, by);
  if (result < 0 || stats->compensating != OUT_COMPENSATE_SAMPLED || !out_stats_compensates(stats))
    return result;
  for (uint32_t i = 0; i < stats->rows.list.count && result == 0; i++)
    result = out_scaling_shown_add(&report->signatures, out_rows_at(&stats->rows, i));
  if (result < 0)
    return result;
  choose_readings(stats, OUT_COMPENSATE_NONE);
  return prepare_by(report, by);
}

static int write_report(struct out_scaling_report *report, const struct out_scaling_format *format)
{
  int result = prepare_signatures(report);
  if (result == 0)
    result = out_scaling_clock_read(&report->stats->profile, &report->measure.clock);
  if (result < 0)
    return result;
  report->names = out_stats_names(report->stats);
  report->names.by = by_function(report->stats);
  result = format->begin(report);
  if (result < 0)
    return result;
  result = put_functions(report, format);
  result = format->end(report, result);
  return result == 0 && fflush(report->out) != 0 ? -EIO : result;
}

/* Reads what stands for the calls of a signature. Of own times, and of compensated ones, single calls are not known. */
static int read_statistic(const struct callsig_stats_scaling *wanted, struct out_scaling_report *report)
{
  struct out_scaling_measure *measure = &report->measure;
  bool is_mean_alone = measure->own || report->stats->compensating == OUT_COMPENSATE_ALL;
  measure->statistic = is_mean_alone ? OUT_STATISTIC_MEAN : OUT_STATISTIC_TRIMMED;
  if (!wanted->measure)
    return 0;
  enum out_scaling_statistic i = OUT_STATISTIC_TRIMMED;
  while (i <= OUT_STATISTIC_MINIMUM && strcmp(wanted->measure, out_scaling_statistic_name(i)) != 0)
    i++;
  if (i > OUT_STATISTIC_MINIMUM)
    return out_stats_fail(-EINVAL, "--measure: '%s' is none of trimmed, mean, min", wanted->measure);
  if (i != OUT_STATISTIC_MEAN && is_mean_alone)
    return out_stats_fail(-EINVAL, "--measure %s: of %s times the mean alone is known; leave out %s",
                          out_scaling_statistic_name(i), measure->own ? "own" : "compensated",
                          measure->own ? "--time own" : "--compensate");
  measure->statistic = i;
  return 0;
}

/* Reads the options. -EINVAL after a message. */
static int read_options(const struct callsig_stats_scaling *wanted, struct out_scaling_report *report,
                        const struct out_scaling_format **format)
{
  const char *name = wanted->format ? wanted->format : formats[0]->name;
  const char *time = wanted->time ? wanted->time : "cumulative";
  for (size_t i = 0; i < FORMAT_COUNT; i++)
    if (strcmp(name, formats[i]->name) == 0)
      *format = formats[i];
  if (!*format)
    return out_stats_fail(-EINVAL, "--format: '%s' is none of table, json, csv, extrap", name);
  if (strcmp(time, "cumulative") != 0 && strcmp(time, "own") != 0)
    return out_stats_fail(-EINVAL, "--time: '%s' is neither cumulative nor own", time);
  if (wanted->directory && *format != &out_scaling_extrap_format)
    return out_stats_fail(-EINVAL, "--directory is for --format extrap: give both or neither");
  report->measure.own = time[0] == 'o';
  report->all = wanted->all != 0;
  report->directory = wanted->directory;
  return read_statistic(wanted, report);
}

static int print(struct callsig_stats *stats, const struct callsig_stats_scaling *wanted,
                 struct out_scaling_effort *effort, FILE *out, const char *const *restrictions, size_t count)
{
  struct callsig_stats_scaling known;
  struct out_scaling_report report = {.stats = stats,
                                      .out = out,
                                      .effort = effort,
                                      .functions = OUT_SCALING_SHOWN_NONE,
                                      .signatures = OUT_SCALING_SHOWN_NONE};
  const struct out_scaling_format *format = NULL;
  int result = out_struct_read("callsig_stats_scaling", &known, sizeof known, wanted);
  const enum out_compensating compensating = stats->compensating;
  if (result == 0)
    result = read_options(&known, &report, &format);
  if (result != 0)
    return result;
  unsigned by = stats->by;
  struct out_text message = {0};
  result = list_functions(&report, restrictions, count, &message);
  report.message = out_text_string(&message);
  if (result == 0)
    result = write_report(&report, format);
  if (stats->by != by) {
    out_stats_forget(stats);
    stats->by = by;
  }
  choose_readings(stats, compensating);
  out_scaling_shown_free(&report.functions);
  out_scaling_shown_free(&report.signatures);
  out_text_free(&message);
  out_text_free(&report.line);
  out_text_free(&report.text);
  out_arguments_free(&report.scratch);
  if (result == -ENOMEM && !report.is_told)
    return out_stats_no_memory();
  if (result == -EIO && !report.is_told)
    return out_stats_fail(-EIO, "cannot write the laws: the output is full or closed");
  return result;
}

int callsig_stats_scaling(struct callsig_stats *stats, const struct callsig_stats_scaling *wanted, FILE *out,
                          const char *const *restrictions, size_t count)
{
  return print(stats, wanted, NULL, out, restrictions, count);
}

int out_scaling_print(struct callsig_stats *stats, const struct callsig_stats_scaling *wanted,
                      struct out_scaling_effort *effort, FILE *out)
{
  return print(stats, wanted, effort, out, NULL, 0);
}
