/* Prints a comparison as a table: what is known of all rows, how they are judged, the rows, and what is left out. */
#include "output/diff/print.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/diff/moved_together.h"
#include "output/diff/without_signatures.h"

/* A change by as many times the old value is told in times: its percentage would have digits that mean nothing. */
#define MANY_TIMES 99

struct printer {
  const struct out_diff *diff;
  const struct out_diff_shown *shown;
  FILE *out;
  struct out_names names;
  struct out_arguments scratch;
  struct out_text line;
};

/* Frees what the printer holds and writes what its stream still has. */
static int end(struct printer *printer, int result)
{
  out_text_free(&printer->line);
  out_arguments_free(&printer->scratch);
  if (result == 0 && fflush(printer->out) != 0)
    result = -EIO;
  return result;
}

static int send(struct printer *printer, const char *newline)
{
  struct out_text *line = &printer->line;
  out_text_puts(line, newline);
  if (line->failed)
    return -ENOMEM;
  size_t written = fwrite(line->data, 1, line->length, printer->out);
  int result = written == line->length ? 0 : -EIO;
  out_text_clear(line);
  return result;
}

/* Begins a column that is `width` wide, so that what is wider does not run into the one before; how much of it is left.
 */
static int begin_column(struct out_text *line, int width)
{
  out_text_putc(line, ' ');
  return width - 1;
}

/* "+29.2%", right-justified, and "x143" of what takes so many times as long; a change from nothing has no percentage.
 */
static void put_percent(struct out_text *line, double relative, int width)
{
  if (isinf(relative)) {
    out_text_printf(line, "%*s", width, "");
    return;
  }
  if (relative >= MANY_TIMES) {
    char times[16];
    snprintf(times, sizeof times, relative < 1e6 ? "x%.0f" : "x%.1e", relative + 1);
    out_text_printf(line, "%*s", width, times);
    return;
  }
  out_text_signed(line, relative * 100, width - 1, 1);
  out_text_putc(line, '%');
}

static void put_p(struct out_text *line, double p, int width)
{
  width = begin_column(line, width);
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
  out_text_signed(line, out_diff_amount(total, CALLSIG_DIFF_TOTTIME), 0, 6);
  if (total->old.own > 0) {
    out_text_puts(line, " (");
    put_percent(line, out_diff_relative(total, CALLSIG_DIFF_TOTTIME), 0);
    out_text_putc(line, ')');
  }
  if (diff->judged) {
    out_text_puts(line, ", between ");
    out_text_signed(line, total->low, 0, 6);
    out_text_puts(line, " and ");
    out_text_signed(line, total->high, 0, 6);
    out_text_puts(line, total->verdict == CALLSIG_DIFF_SAME ? ": not told from noise" : "");
  }
  return result < 0 ? result : send(printer, "\n\n");
}

static int print_method(struct printer *printer)
{
  static const char *const keys[] = {
      [CALLSIG_DIFF_BY_CHANGE] = "change", [CALLSIG_DIFF_BY_RELATIVE] = "relative change",
      [CALLSIG_DIFF_BY_OLD] = "old",       [CALLSIG_DIFF_BY_NEW] = "new",
      [CALLSIG_DIFF_BY_NCALLS] = "calls",  [CALLSIG_DIFF_BY_P] = "probability",
      [CALLSIG_DIFF_BY_NAME] = "name",     [CALLSIG_DIFF_UNSORTED] = "recording",
  };
  const struct out_diff *diff = printer->diff;
  const char *metric = out_diff_metric_name(diff->options.metric);
  struct out_text *line = &printer->line;
  unsigned sort = printer->shown->view.sort;
  bool timed = sort <= CALLSIG_DIFF_BY_NEW;
  out_text_printf(line, "   Ordered by: %s%s%s\n", keys[sort], timed ? " of " : "", timed ? metric : "");
  if (diff->judged) {
    out_text_printf(line, "   Judged by: Welch's t-test of %s, Holm's correction for %u rows, level ", metric,
                    diff->rows.count);
    out_text_double(line, diff->options.level, false);
  } else if (diff->timed_differently) {
    out_text_printf(line,
                    "   Not judged: the recordings were timed differently (%s): record both sides with the same "
                    "--clock and --times",
                    diff->timed_differently);
  } else {
    out_text_puts(line, "   Not judged: one recording a side does not tell what is noise; two or more on both do");
  }
  return send(printer, "\n\n");
}

static int print_heading(struct printer *printer)
{
  bool cumulative = printer->diff->options.metric == CALLSIG_DIFF_CUMTIME;
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
  out_text_decimals(line, calls, begin_column(line, 11), calls == floor(calls) ? 0 : 1);
}

static void put_seconds(struct out_text *line, double seconds)
{
  out_text_decimals(line, seconds, begin_column(line, 12), 6);
}

static int print_row(struct printer *printer, const struct out_diff_row *row)
{
  const struct out_diff *diff = printer->diff;
  const struct out_diff_change *change = &row->change;
  enum callsig_diff_metric metric = diff->options.metric,
                           shown = metric == CALLSIG_DIFF_CUMTIME ? metric : CALLSIG_DIFF_TOTTIME;
  struct out_text *line = &printer->line;
  out_text_printf(line, "%8s", callsig_diff_verdict_name(change->verdict));
  put_calls(line, change->old.calls);
  put_calls(line, change->new.calls);
  put_seconds(line, out_diff_value(&change->old, shown));
  put_seconds(line, out_diff_value(&change->new, shown));
  out_text_signed(line, out_diff_amount(change, shown), begin_column(line, 12), 6);
  put_percent(line, out_diff_relative(change, shown), begin_column(line, 9));
  if (change->old.calls > 0 && change->new.calls > 0)
    put_percent(line, out_diff_relative(change, CALLSIG_DIFF_PERCALL), begin_column(line, 11));
  else
    out_text_printf(line, "%11s", "");
  if (diff->judged) {
    int decimals = metric == CALLSIG_DIFF_PERCALL ? 9 : 6;
    if (isnan(change->low))
      out_text_printf(line, "%13s%13s", "?", "?");
    for (unsigned i = 0; i < 2 && !isnan(change->low); i++)
      out_text_signed(line, i == 0 ? change->low : change->high, begin_column(line, 13), decimals);
    put_p(line, change->adjusted, 8);
  }
  out_text_putc(line, ' ');
  out_row_name(&printer->names, &row->key, &printer->scratch, line);
  return send(printer, "\n");
}

/* Says where a cause in common is likelier than a change of each function. */
static int print_moved(struct printer *printer)
{
  struct out_diff_moved moved;
  int result = out_diff_moved_count(printer->diff, &moved);
  if (result < 0 || !out_diff_moved_together(&moved))
    return result;
  const bool slower = moved.slower > moved.faster;
  out_text_printf(
      &printer->line,
      "%u of the %u functions that take 1 %% and more, and are called as often as before, are %s: the place "
      "of code, the clock's frequency or what ran beside explain that sooner than a change in each\n",
      slower ? moved.slower : moved.faster, moved.functions, slower ? "slower" : "faster");
  return send(printer, "");
}

/* Says why no row has met another. */
static int print_unmet(struct printer *printer)
{
  const char *side = out_diff_without_signatures(printer->diff);
  if (side)
    out_text_printf(&printer->line,
                    "the %s side was recorded without signatures, so that its rows meet none of the other side's: "
                    "--by function compares both\n",
                    side);
  return send(printer, "");
}

/* The rows that did not change as far as is known, and what they changed by all the same. */
struct same {
  uint32_t count;
  bool any;      /* is there a change? */
  double change; /* of tottime, seconds */
};

static struct same count_same(const struct out_diff *diff)
{
  struct same same = {0};
  for (uint32_t i = 0; i < diff->rows.count; i++) {
    const struct out_diff_change *change = &((struct out_diff_row *)base_vector_at(&diff->rows, i))->change;
    if (change->verdict != CALLSIG_DIFF_SAME)
      continue;
    same.count++;
    same.any |= out_diff_amount(change, diff->options.metric) != 0;
    same.change += out_diff_amount(change, CALLSIG_DIFF_TOTTIME);
  }
  return same;
}

/* Such a row may have changed by more than one that is shown, whose times are surer. */
static void put_same(struct out_text *line, const struct out_diff *diff, const struct same *same)
{
  out_text_printf(line, "%u row%s %s", same->count, same->count == 1 ? "" : "s",
                  diff->judged      ? "of which no change is told from noise"
                  : !same->any      ? "without a change"
                  : same->count > 1 ? "whose change is within the error of their times"
                                    : "whose change is within the error of its times");
  /* Times with callees are in one another. */
  if (same->any && diff->options.metric != CALLSIG_DIFF_CUMTIME) {
    out_text_puts(line, ", ");
    out_text_signed(line, same->change, 0, 6);
    out_text_puts(line, same->count == 1 ? " s" : " s together");
  }
  out_text_puts(line, same->count == 1 ? ": --all shows it\n" : ": --all shows them\n");
}

/* What the table leaves out. */
static int print_rest(struct printer *printer)
{
  const struct out_diff *diff = printer->diff;
  struct out_text *line = &printer->line;
  const struct same same = count_same(diff);
  bool all = printer->shown->view.all;
  uint32_t count = printer->shown->count, asked = all ? diff->rows.count : diff->rows.count - same.count;
  out_text_puts(line, "\n");
  if (count < asked)
    out_text_printf(line, "%u more rows changed or were asked for: --top shows %u\n", asked - count, count);
  if (same.count > 0 && !all)
    put_same(line, diff, &same);
  if (diff->left_out > 0)
    out_text_printf(line, "%u row%s left out: less than --min-time on both sides\n", diff->left_out,
                    diff->left_out == 1 ? "" : "s");
  return send(printer, "");
}

int out_diff_print_table(const struct out_diff *diff, const struct out_diff_shown *shown, FILE *out)
{
  struct printer printer = {.diff = diff, .shown = shown, .out = out, .names = out_diff_names(diff)};
  int result = print_summary(&printer);
  if (result == 0)
    result = print_method(&printer);
  if (result == 0)
    result = print_heading(&printer);
  for (uint32_t i = 0; i < shown->count && result == 0; i++)
    result = print_row(&printer, base_vector_at(&diff->rows, shown->list[i]));
  if (result == 0)
    result = print_rest(&printer);
  if (result == 0)
    result = print_unmet(&printer);
  if (result == 0)
    result = print_moved(&printer);
  return end(&printer, result);
}
