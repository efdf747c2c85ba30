/* Puts figures as findings have them. */
#include "output/scaling/figures.h"

#include <math.h>

void out_scaling_put_three_digits(struct out_text *text, double value)
{
  out_text_decimals(text, value, 0, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

void out_scaling_put_time(struct out_text *text, double seconds)
{
  static const struct {
    double seconds;
    const char *name;
  } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {1e-12, "ps"}, {1e-15, "fs"}, {1e-18, "as"}};
  const uint32_t count = sizeof units / sizeof units[0];
  uint32_t unit = 0;
  if (seconds == 0) {
    out_text_puts(text, "0 s");
    return;
  }
  while (unit < count - 1 && seconds < 0.9995 * units[unit].seconds)
    unit++;
  if (seconds >= 999.5)
    out_text_printf(text, "%.0f", seconds);
  else
    out_scaling_put_three_digits(text, seconds / units[unit].seconds);
  out_text_printf(text, " %s", units[unit].name);
}

void out_scaling_put_percent(struct out_text *text, double deviation)
{
  double percent = fmin(100 * expm1(deviation), 1e9);
  out_text_decimals(text, percent, 0, percent < 99.95 ? 1 : 0);
  out_text_puts(text, " %");
}

void out_scaling_put_share(struct out_text *text, double share)
{
  out_text_printf(text, "%.0f %%", 100 * share);
}
