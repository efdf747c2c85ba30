/* What summaries of pipelines are written with: numbers, shares, and the headings of their parts. */
#include "output/pipeline/pipeline_text.h"

#include <errno.h>

#include "output/stats/columns.h"
#include "output/text/message.h"

static const char rule[] = "--------------------------------------------------------------------------------\n";
static const char double_rule[] = "================================================================================\n";

int out_pipeline_write(struct out_text *text, FILE *out)
{
  int result = 0;
  if (text->failed)
    result = out_stats_no_memory();
  else if (fputs(out_text_string(text), out) == EOF || fflush(out) == EOF)
    result = out_stats_fail(-EIO, "cannot write the summary: the output is full or closed");
  out_text_free(text);
  return result;
}

void out_put_number(struct out_text *text, const char *before, double value, int decimals, const char *behind)
{
  out_text_puts(text, before);
  out_text_decimals(text, value, 0, decimals);
  out_text_puts(text, behind);
}

void out_put_percent(struct out_text *text, const char *before, double share, const char *behind)
{
  out_put_number(text, before, share * 100, 1, "%");
  out_text_puts(text, behind);
}

void out_put_mean(struct out_text *text, const char *what, bool known, double seconds)
{
  out_text_printf(text, "    %s: ", what);
  if (known)
    out_put_number(text, "", seconds, 4, "s\n");
  else
    out_text_puts(text, "unknown\n");
}

void out_put_heading(struct out_text *text)
{
  out_text_printf(text, "%sPIPELINE PERFORMANCE SUMMARY\n%s", double_rule, double_rule);
  out_text_printf(text, "\xF0\x9F\x93\x8A Task Statistics:\n%s", rule);
}

void out_put_queue_heading(struct out_text *text)
{
  out_text_printf(text, "\n\xF0\x9F\x93\x88 Queue Statistics:\n%s", rule);
}

void out_put_part_heading(struct out_text *text, const char *heading)
{
  out_text_printf(text, "\n%s\n%s", heading, rule);
}

void out_put_slower(struct out_text *text, double mean, const char *who, double others, unsigned slowest,
                    unsigned parts)
{
  out_put_scaled(text, mean, 0);
  out_text_printf(text, " a task, %s ", who);
  out_put_scaled(text, others, 0);
  out_put_number(text, ": ", mean / others, 1, " times as long");
  if (parts > 0 && slowest == parts)
    out_text_puts(text, ", always");
  else if (slowest > 0)
    out_text_printf(text, ", in %u of %u parts of the time", slowest, parts);
  out_text_putc(text, '\n');
}
