/* The line that a report of laws is made in, on its way out. */
#include <errno.h>

#include "output/scaling/report.h"

int out_scaling_flush(struct out_scaling_report *report)
{
  if (report->line.failed || report->text.failed)
    return -ENOMEM;
  size_t length = report->line.length;
  int result = fwrite(out_text_string(&report->line), 1, length, report->out) == length ? 0 : -EIO;
  out_text_clear(&report->line);
  return result;
}
