/* A diff as a table and as CSV. */
#include "output/diff/diff_print.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "output/text/csv_field.h"

struct printer {
  const struct out_diff *diff;
  FILE *out;
  struct out_names names;
  struct out_arguments scratch;
  struct out_text line, name;
  uint32_t *list, count;
};

const char *out_diff_metric_name(enum out_diff_metric metric)
{
  static const char *const names[] = {
      [OUT_DIFF_TOTTIME] = "tottime", [OUT_DIFF_CUMTIME] = "cumtime", [OUT_DIFF_PERCALL] = "tottime per call"};
  return names[metric];
}

static int begin(const struct out_diff *diff, const struct out_diff_view *view, FILE *out, struct printer *printer)
{
  *printer = (struct printer){.diff = diff, .out = out, .names = out_diff_names(diff)};
  return out_diff_order(diff, view, &printer->list, &printer->count);
}

static int end(struct printer *printer, int result)
{
  free(printer->list);
  out_text_free(&printer->line);
  out_text_free(&printer->name);
  out_arguments_free(&printer->scratch);
  if (result == 0 && fflush(printer->out) != 0)
    result = -EIO;
  return result;
}

static int send(struct printer *printer, const char *newline)
{
  struct out_text *line = &printer->line;
  out_text_puts(line, newline);
  if (line->failed || printer->name.failed)
    return -ENOMEM;
  size_t written = fwrite(line->data, 1, line->length, printer->out);
  int result = written == line->length ? 0 : -EIO;
  out_text_clear(line);
  return result;
}

/* "+29.2%", right-justified; a change from nothing has no percentage. */
static void put_percent(struct out_text *line, double relative, int width)
{
  if (isinf(relative)) {
    out_text_printf(line, "%*s", width, "");
    return;
  }
  out_text_signed(line, relative * 100, width - 1, 1);
  out_text_putc(line, '%');
}

static void put_p(struct out_text *line, double p, int width)
{
  if (p < 0.001)
    out_text_printf(line, "%*s", width, "<0.001");
  else
    out_text_decimals(line, p, width, 3);
}

static void describe_side(struct printer *printer, const char *name, uint32_t recordings,
                          const struct out_diff_side *side)
{
  struct out_text *line = &printer->line;
  out_text_printf(line, "         %s: %u recording%s", name, recordings, recordings == 1 ? ", " : "s, on average ");
  out_text_decimals(line, side->calls, 0, side->calls == floor(side->calls) ? 0 : 1);
  out_text_puts(line, " calls in ");
  out_text_decimals(line, side->own, 0, 6);
  out_text_puts(line, " seconds");
}

static int print_summary(struct printer *printer)
{
  const struct out_diff *diff = printer->diff;
  const struct out_diff_change *total = &diff->total;
  struct out_text *line = &printer->line;
  describe_side(printer, "old", diff->old_count, &total->old);
  int result = send(printer, "\n");
  describe_side(printer, "new", diff->new_count, &total->new);
  out_text_puts(line, ": ");
  out_text_signed(line, out_diff_amount(total, OUT_DIFF_TOTTIME), 0, 6);
  if (total->old.own > 0) {
    out_text_puts(line, " (");
    put_percent(line, out_diff_relative(total, OUT_DIFF_TOTTIME), 0);
    out_text_putc(line, ')');
  }
  if (diff->judged) {
    out_text_puts(line, ", between ");
    out_text_signed(line, total->low, 0, 6);
    out_text_puts(line, " and ");
    out_text_signed(line, total->high, 0, 6);
    out_text_puts(line, total->verdict == OUT_DIFF_SAME ? ": not told from noise" : "");
  }
  return result < 0 ? result : send(printer, "\n\n");
}

static int print_method(struct printer *printer, const struct out_diff_view *view)
{
  static const char *const keys[] = {
      [OUT_DIFF_BY_CHANGE] = "change", [OUT_DIFF_BY_RELATIVE] = "relative change",
      [OUT_DIFF_BY_OLD] = "old",       [OUT_DIFF_BY_NEW] = "new",
      [OUT_DIFF_BY_CALLS] = "calls",   [OUT_DIFF_BY_P] = "probability",
      [OUT_DIFF_BY_NAME] = "name",
  };
  const struct out_diff *diff = printer->diff;
  const char *metric = out_diff_metric_name(diff->options.metric);
  struct out_text *line = &printer->line;
  bool timed = view->key <= OUT_DIFF_BY_NEW;
  out_text_printf(line, "   Ordered by: %s%s%s\n", keys[view->key], timed ? " of " : "", timed ? metric : "");
  if (diff->judged) {
    out_text_printf(line, "   Judged by: Welch's t-test of %s, Holm's correction for %u rows, level ", metric,
                    diff->rows.count);
    out_text_double(line, diff->options.level, false);
  } else {
    out_text_puts(line, "   Not judged: one recording a side does not tell what is noise; two or more on both do");
  }
  return send(printer, "\n\n");
}

static int print_heading(struct printer *printer)
{
  bool cumulative = printer->diff->options.metric == OUT_DIFF_CUMTIME;
  struct out_text *line = &printer->line;
  out_text_printf(line, "%8s%11s%11s%12s%12s%12s%9s%11s", "verdict", "old ncalls", "new ncalls",
                  cumulative ? "old cumtime" : "old tottime", cumulative ? "new cumtime" : "new tottime", "change", "%",
                  "percall %");
  if (printer->diff->judged)
    out_text_printf(line, "%13s%13s%8s", "between", "and", "p");
  out_text_puts(line, " filename:lineno(function)");
  return send(printer, "\n");
}

static void put_calls(struct out_text *line, double calls)
{
  out_text_decimals(line, calls, 11, calls == floor(calls) ? 0 : 1);
}

static int print_row(struct printer *printer, const struct out_diff_row *row)
{
  const struct out_diff *diff = printer->diff;
  const struct out_diff_change *change = &row->change;
  enum out_diff_metric metric = diff->options.metric, shown = metric == OUT_DIFF_CUMTIME ? metric : OUT_DIFF_TOTTIME;
  struct out_text *line = &printer->line;
  out_text_printf(line, "%8s", out_diff_verdict_name(change->verdict));
  put_calls(line, change->old.calls);
  put_calls(line, change->new.calls);
  out_text_decimals(line, out_diff_value(&change->old, shown), 12, 6);
  out_text_decimals(line, out_diff_value(&change->new, shown), 12, 6);
  out_text_signed(line, out_diff_amount(change, shown), 12, 6);
  put_percent(line, out_diff_relative(change, shown), 9);
  if (change->old.calls > 0 && change->new.calls > 0)
    put_percent(line, out_diff_relative(change, OUT_DIFF_PERCALL), 11);
  else
    out_text_printf(line, "%11s", "");
  if (diff->judged) {
    int decimals = metric == OUT_DIFF_PERCALL ? 9 : 6;
    out_text_signed(line, change->low, 13, decimals);
    out_text_signed(line, change->high, 13, decimals);
    put_p(line, change->adjusted, 8);
  }
  out_text_putc(line, ' ');
  out_row_name(&printer->names, &row->key, &printer->scratch, line);
  return send(printer, "\n");
}

/* What the table leaves out. */
static int print_rest(struct printer *printer, const struct out_diff_view *view)
{
  const struct out_diff *diff = printer->diff;
  struct out_text *line = &printer->line;
  uint32_t same = 0;
  for (uint32_t i = 0; i < diff->rows.count; i++)
    same += ((struct out_diff_row *)base_vector_at(&diff->rows, i))->change.verdict == OUT_DIFF_SAME;
  uint32_t shown = view->all ? diff->rows.count : diff->rows.count - same;
  out_text_puts(line, "\n");
  if (printer->count < shown)
    out_text_printf(line, "%u more rows changed or were asked for: --top shows %u\n", shown - printer->count,
                    printer->count);
  if (same > 0 && !view->all)
    out_text_printf(line, "%u row%s %s: --all shows them\n", same, same == 1 ? "" : "s",
                    diff->judged ? "of which no change is told from noise" : "without a change");
  if (diff->left_out > 0)
    out_text_printf(line, "%u row%s left out: less than --min-time on both sides\n", diff->left_out,
                    diff->left_out == 1 ? "" : "s");
  return send(printer, "");
}

int out_diff_print_table(const struct out_diff *diff, const struct out_diff_view *view, FILE *out)
{
  struct printer printer;
  int result = begin(diff, view, out, &printer);
  if (result < 0)
    return result;
  result = print_summary(&printer);
  if (result == 0)
    result = print_method(&printer, view);
  if (result == 0)
    result = print_heading(&printer);
  for (uint32_t i = 0; i < printer.count && result == 0; i++)
    result = print_row(&printer, base_vector_at(&diff->rows, printer.list[i]));
  if (result == 0)
    result = print_rest(&printer, view);
  return end(&printer, result);
}

static void put_number(struct out_text *line, double value, bool known)
{
  out_text_putc(line, ',');
  if (known)
    out_text_double(line, value, false);
}

static int print_csv_row(struct printer *printer, const struct out_diff_row *row)
{
  const struct out_diff *diff = printer->diff;
  const struct out_profile *profile = &diff->stats->profile;
  const struct out_diff_change *change = &row->change;
  const struct out_known_function *function = out_row_function(&printer->names, &row->key);
  struct out_text *line = &printer->line, *name = &printer->name;
  enum out_diff_metric metric = diff->options.metric;
  double relative = out_diff_relative(change, metric);
  out_text_clear(name);
  out_row_signature(&printer->names, &row->key, &printer->scratch, name);
  out_csv_field(line, out_diff_verdict_name(change->verdict));
  out_csv_field(line, function ? out_profile_string(profile, function->file) : NULL);
  out_text_printf(line, ",%u", function ? function->line : 0);
  out_csv_field(line, function ? out_profile_string(profile, function->name) : NULL);
  out_csv_field(line, name->length ? out_text_string(name) : NULL);
  out_csv_field(line, out_row_stage(&printer->names, &row->key));
  out_csv_field(line, row->key.module == FMT_NONE ? NULL : out_profile_string(profile, row->key.module));
  const struct out_diff_side *sides[] = {&change->old, &change->new};
  for (size_t i = 0; i < 2; i++) {
    put_number(line, sides[i]->calls, true);
    put_number(line, sides[i]->own, true);
    put_number(line, sides[i]->cumulative, true);
    put_number(line, out_diff_value(sides[i], OUT_DIFF_PERCALL), sides[i]->calls > 0);
  }
  put_number(line, out_diff_amount(change, metric), true);
  put_number(line, relative, !isinf(relative));
  put_number(line, change->low, diff->judged);
  put_number(line, change->high, diff->judged);
  put_number(line, change->p, diff->judged);
  put_number(line, change->adjusted, diff->judged);
  return send(printer, "\r\n");
}

int out_diff_print_csv(const struct out_diff *diff, const struct out_diff_view *view, FILE *out)
{
  struct printer printer;
  int result = begin(diff, view, out, &printer);
  if (result < 0)
    return result;
  out_text_puts(&printer.line, "verdict,file,line,function,signature,stage,module,old_ncalls,old_tottime,old_cumtime,"
                               "old_percall,new_ncalls,new_tottime,new_cumtime,new_percall,change,relative,low,high,p,"
                               "p_adjusted");
  result = send(&printer, "\r\n");
  for (uint32_t i = 0; i < printer.count && result == 0; i++)
    result = print_csv_row(&printer, base_vector_at(&diff->rows, printer.list[i]));
  return end(&printer, result);
}
