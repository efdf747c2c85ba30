/* Prints the rows of a comparison as CSV, RFC 4180. */
#include <errno.h>
#include <math.h>

#include "output/diff/print.h"
#include "output/text/csv_field.h"

struct printer {
  const struct out_diff *diff;
  FILE *out;
  struct out_names names;
  struct out_arguments scratch;
  struct out_text line, signature;
};

/* Ends the line and writes it. */
static int send(struct printer *printer)
{
  struct out_text *line = &printer->line;
  out_text_puts(line, "\r\n");
  if (line->failed || printer->signature.failed)
    return -ENOMEM;
  size_t written = fwrite(line->data, 1, line->length, printer->out);
  int result = written == line->length ? 0 : -EIO;
  out_text_clear(line);
  return result;
}

/* A number behind its comma; nothing when it is not known. */
static void put_number(struct out_text *line, double value, bool known)
{
  out_text_putc(line, ',');
  if (known)
    out_text_double(line, value, false);
}

static int print_row(struct printer *printer, const struct out_diff_row *row)
{
  const struct out_diff *diff = printer->diff;
  const struct out_profile *profile = &diff->stats->profile;
  const struct out_diff_change *change = &row->change;
  const struct out_known_function *function = out_row_function(&printer->names, &row->key);
  struct out_text *line = &printer->line, *signature = &printer->signature;
  enum callsig_diff_metric metric = diff->options.metric;
  double relative = out_diff_relative(change, metric);
  out_text_clear(signature);
  out_row_signature(&printer->names, &row->key, &printer->scratch, signature);
  out_csv_field(line, callsig_diff_verdict_name(change->verdict));
  out_csv_field(line, function ? out_profile_string(profile, function->file) : NULL);
  out_text_printf(line, ",%u", function ? function->line : 0);
  out_csv_field(line, function ? out_profile_string(profile, function->name) : NULL);
  out_csv_field(line, signature->length ? out_text_string(signature) : NULL);
  out_csv_field(line, out_row_stage(&printer->names, &row->key));
  out_csv_field(line, row->key.module == FMT_NONE ? NULL : out_profile_string(profile, row->key.module));
  const struct out_diff_side *sides[] = {&change->old, &change->new};
  for (size_t i = 0; i < 2; i++) {
    put_number(line, sides[i]->calls, true);
    put_number(line, sides[i]->own, true);
    put_number(line, sides[i]->cumulative, true);
    put_number(line, out_diff_value(sides[i], CALLSIG_DIFF_PERCALL), sides[i]->calls > 0);
  }
  put_number(line, out_diff_amount(change, metric), true);
  put_number(line, relative, !isinf(relative));
  put_number(line, change->low, diff->judged && !isnan(change->low));
  put_number(line, change->high, diff->judged && !isnan(change->high));
  put_number(line, change->p, diff->judged);
  put_number(line, change->adjusted, diff->judged);
  line->failed |= signature->failed;
  out_text_clear(signature);
  if (out_row_site(&printer->names, &row->key, signature))
    out_csv_field(line, out_text_string(signature));
  return send(printer);
}

int out_diff_print_csv(const struct out_diff *diff, const struct out_diff_shown *shown, FILE *out)
{
  struct printer printer = {.diff = diff, .out = out, .names = out_diff_names(diff)};
  out_text_puts(&printer.line, "verdict,file,line,function,signature,stage,module,old_ncalls,old_tottime,old_cumtime,"
                               "old_percall,new_ncalls,new_tottime,new_cumtime,new_percall,change,relative,low,high,p,"
                               "p_adjusted");
  if (diff->stats->by & CALLSIG_BY_SITE)
    out_text_puts(&printer.line, ",site");
  int result = send(&printer);
  for (uint32_t i = 0; i < shown->count && result == 0; i++)
    result = print_row(&printer, base_vector_at(&diff->rows, shown->list[i]));
  out_text_free(&printer.line);
  out_text_free(&printer.signature);
  out_arguments_free(&printer.scratch);
  if (result == 0 && fflush(out) != 0)
    result = -EIO;
  return result;
}
