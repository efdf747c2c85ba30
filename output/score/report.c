/* callsig_stats_score(): scores the functions, and gives each to the format that was asked for, or writes a filter. */
#include "output/score/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "callsig/stats.h"
#include "output/score/filter.h"
#include "output/score/size.h"
#include "output/stats/public_struct.h"
#include "output/stats/restrict.h"
#include "output/text/message.h"

static const struct out_score_format *const formats[] = {
    &out_score_table_format,
    &out_score_json_format,
    &out_score_csv_format,
};

/* What was asked for. */
struct request {
  const struct out_score_format *format;
  const struct out_score_filter *filter; /* by names; NULL: a report, or a limit of size */
  bool by_size;                          /* a limit of size */
};

/* The scored functions in their order, after the restrictions. The list's rows are the caller's to free. */
static int list_rows(const struct out_score *score, const struct out_names *names, const char *const *restrictions,
                     size_t count, struct out_list *list, struct out_text *message)
{
  *list = (struct out_list){.rows = malloc((score->functions.count + 1u) * sizeof *list->rows),
                            .count = score->functions.count};
  if (!list->rows)
    return -ENOMEM;
  for (uint32_t i = 0; i < list->count; i++)
    list->rows[i] = out_score_at(score, i)->row;
  int result = out_restrict(names, &score->stats->rows, restrictions, count, list, message);
  return result == 0 && message->failed ? -ENOMEM : result;
}

static int put_functions(struct out_score_report *report, const struct out_score_format *format,
                         const struct out_list *list)
{
  const struct out_score *score = report->score;
  int result = format->begin(report);
  if (result < 0)
    return result;
  /* The rows that are listed are in the order of the functions. */
  for (uint32_t i = 0, listed = 0; i < score->functions.count && listed < list->count && result == 0; i++) {
    const struct out_score_function *function = out_score_at(score, i);
    if (function->row != list->rows[listed])
      continue;
    listed++;
    result = format->put(report, function);
  }
  result = format->end(report, result);
  return result == 0 && fflush(report->out) != 0 ? -EIO : result;
}

static int write_report(struct out_score *score, const struct out_score_format *format, FILE *out,
                        const char *const *restrictions, size_t count, bool *told)
{
  struct out_score_report report = {.score = score, .out = out, .names = out_stats_names(score->stats)};
  struct out_text message = {0};
  struct out_list list;
  int result = list_rows(score, &report.names, restrictions, count, &list, &message);
  if (result == 0 && score->wanted.factor > 0 && out_score_is_known(score))
    result = out_score_keep_budget(score);
  *told = result == -EINVAL;
  report.message = out_text_string(&message);
  if (result == 0)
    result = put_functions(&report, format, &list);
  free(list.rows);
  out_text_free(&message);
  out_text_free(&report.line);
  out_arguments_free(&report.scratch);
  return result;
}

static int tell(const char *remark, void *data)
{
  (void)data;
  out_stats_message("%s", remark);
  return 0;
}

/* Chooses by name what is left out among what the filter has a name of its own for, and writes it. */
static int write_names(struct out_score *score, const struct out_score_filter *filter, FILE *out, bool *told)
{
  struct out_score_names names;
  int result = out_score_names_make(score, filter->see, &names);
  if (result == 0)
    result = out_score_filter_keep(score, filter, &names);
  if (result == 0)
    result = out_score_keep_budget(score);
  if (result == 0 && !score->possible) {
    struct out_text least = {0};
    out_score_put_factor(&least, out_score_slowdown(score->costs.hooks - score->most, score->costs.own));
    *told = true;
    result = out_stats_fail(-ERANGE,
                            "--overhead: the budget cannot be reached: without every function that may be left out "
                            "the run is still %s times as slow",
                            out_text_string(&least));
    out_text_free(&least);
  }
  if (result == 0)
    result = out_score_filter_write(score, filter, &names, out);
  out_score_names_free(&names);
  return result;
}

static int write_filter(struct out_score *score, const struct request *request, FILE *out, bool *told)
{
  int result;
  if (!out_score_is_known(score)) {
    *told = true;
    result = out_score_remarks(score, tell, NULL);
    return result == 0 ? -ENODATA : result;
  }
  if (request->filter)
    result = write_names(score, request->filter, out, told);
  else
    result = out_score_write_size(score, out);
  return result == 0 && fflush(out) != 0 ? -EIO : result;
}

/* Reads the options. -EINVAL after a message. */
static int read_options(const struct callsig_stats_score *wanted, size_t restrictions, struct request *request)
{
  const char *name = wanted->format ? wanted->format : formats[0]->name;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (strcmp(name, formats[i]->name) == 0)
      request->format = formats[i];
  if (!request->format)
    return out_stats_fail(-EINVAL, "--format: '%s' is none of table, json, csv", name);
  if (wanted->overhead != 0 && !(wanted->overhead >= 1 && wanted->overhead <= 1e9))
    return out_stats_fail(-EINVAL, "--overhead: %g is not a factor from 1 to 1e9", wanted->overhead);
  if (!(wanted->matters >= 0 && wanted->matters <= 1))
    return out_stats_fail(-EINVAL, "--matters: %g is not a part from 0 to 1", wanted->matters);
  if (!wanted->filter)
    return 0;
  request->filter = out_score_filter_find(wanted->filter);
  request->by_size = strcmp(wanted->filter, "sled") == 0;
  if (!request->filter && !request->by_size)
    return out_stats_fail(-EINVAL, "--filter: '%s' is none of run, gcc, clang, sled", wanted->filter);
  if (wanted->overhead == 0)
    return out_stats_fail(-EINVAL, "--filter %s: give --overhead FACTOR, the budget that it is to keep",
                          wanted->filter);
  if (wanted->format || restrictions > 0)
    return out_stats_fail(-EINVAL, "--filter %s: a filter is always whole, and has one format: leave out %s",
                          wanted->filter, wanted->format ? "--format" : "the restrictions");
  return 0;
}

int callsig_stats_score(struct callsig_stats *stats, const struct callsig_stats_score *wanted, FILE *out,
                        const char *const *restrictions, size_t count)
{
  struct callsig_stats_score known;
  struct request request = {0};
  struct out_score score;
  bool told = false;
  int result = out_struct_read("callsig_stats_score", &known, sizeof known, wanted);
  if (result == 0)
    result = read_options(&known, count, &request);
  if (result < 0)
    return result;
  unsigned by = stats->by;
  const struct out_score_wanted what = {
      .keep = known.keep, .factor = known.overhead, .matters = known.matters != 0 ? known.matters : OUT_SCORE_MATTERS};
  result = out_score_make(stats, &what, &score, &told);
  if (result == 0)
    result = out_score_find_sizes(&score);
  if (result == 0)
    result = request.filter || request.by_size ? write_filter(&score, &request, out, &told)
                                               : write_report(&score, request.format, out, restrictions, count, &told);
  out_score_free(&score);
  if (stats->by != by) {
    out_stats_forget(stats);
    stats->by = by;
  }
  if (result == -ENOMEM && !told)
    return out_stats_no_memory();
  if (result == -EIO && !told)
    return out_stats_fail(-EIO, "cannot write the score: the output is full or closed");
  return result;
}
