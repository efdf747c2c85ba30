/* The report of `callsig score` as CSV (RFC 4180): docs/score.md lists the columns. */
#include "output/notes/notes.h"
#include "output/score/report.h"
#include "output/text/csv_field.h"
#include "output/text/message.h"

static int begin(struct out_score_report *report)
{
  out_text_puts(&report->line, "file,line,function,ncalls,timed,hooks,hooks_share,factor,own,own_share,rows,signatures,"
                               "instructions,loop,worth,kept,left_out\r\n");
  return out_score_flush(report);
}

static void put_double(struct out_text *line, bool is_known, double value)
{
  out_text_putc(line, ',');
  if (is_known)
    out_text_double(line, value, false);
}

static int put_function(struct out_score_report *report, const struct out_score_function *function)
{
  const struct out_score *score = report->score;
  const struct out_score_costs *costs = &score->costs;
  const struct out_score_cost *cost = function->cost;
  const struct out_profile *profile = &score->stats->profile;
  const struct out_known_function *known = out_score_known_function(score, function);
  bool is_known = out_score_is_known(score);
  struct out_text *line = &report->line;
  out_csv_field(line, out_profile_string(profile, known->file));
  out_text_printf(line, ",%u", known->line);
  out_csv_field(line, out_profile_string(profile, known->name));
  out_text_printf(line, ",%llu,%llu", (unsigned long long)cost->calls, (unsigned long long)cost->timed);
  put_double(line, is_known, cost->hooks);
  put_double(line, is_known && costs->hooks > 0, cost->hooks / costs->hooks);
  put_double(line, is_known && costs->own > 0, cost->hooks / costs->own);
  put_double(line, is_known, cost->own);
  put_double(line, is_known && costs->all_own > 0, cost->own / costs->all_own);
  out_text_printf(line, ",%u,%u", function->rows, function->signatures);
  if (function->instructions > 0)
    out_text_printf(line, ",%u,%d", function->instructions, function->has_loop);
  else
    out_text_puts(line, ",,");
  put_double(line, is_known, function->worth);
  out_csv_field(line, out_score_reason_name(function->reason));
  out_text_printf(line, ",%d\r\n", function->left_out);
  return out_score_flush(report);
}

static int put_remark(const char *remark, void *data)
{
  (void)data;
  out_stats_message("%s", remark);
  return 0;
}

static int end(struct out_score_report *report, int result)
{
  if (result == 0)
    result = out_score_remarks(report->score, put_remark, NULL);
  return result == 0 ? out_notes_tell(report->score->stats) : result;
}

const struct out_score_format out_score_csv_format = {"csv", begin, put_function, end};
