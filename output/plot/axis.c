/* Finds round numbers for the axes of charts. */
#include "output/plot/axis.h"

#include <math.h>

/* The unit in which the most is at least 1. */
static void choose_unit(struct out_axis *axis, enum out_measure_unit unit, double most)
{
  static const struct {
    double least, factor;
    const char *suffix;
  } units[][4] = {
      [OUT_UNIT_COUNT] = {{1e9, 1e-9, "G"}, {1e6, 1e-6, "M"}, {1e4, 1e-3, "k"}, {0, 1, ""}},
      [OUT_UNIT_SECONDS] = {{1, 1, " s"}, {1e-3, 1e3, " ms"}, {1e-6, 1e6, " us"}, {0, 1e9, " ns"}},
      [OUT_UNIT_SHARE] = {{0, 100, "%"}},
  };
  unsigned at = 0;
  while (most < units[unit][at].least)
    at++;
  axis->factor = units[unit][at].factor;
  axis->suffix = units[unit][at].suffix;
}

struct out_axis out_axis_make(enum out_measure_unit unit, double most, unsigned ticks)
{
  static const double round[] = {1, 2, 2.5, 5, 10};
  struct out_axis axis = {0};
  if (!(most > 0) || !isfinite(most))
    most = 1;
  most = fmin(fmax(most, 1e-12), 1e18);
  if (unit == OUT_UNIT_SHARE)
    most = 1;
  choose_unit(&axis, unit, most);
  const double least = most * axis.factor / ticks;
  const double power = pow(10, floor(log10(least)));
  unsigned at = 0;
  while (at < 4 && round[at] * power < least * (1 - 1e-9))
    at++;
  const double step = round[at] * power;
  axis.step = step / axis.factor;
  axis.top = axis.step * ceil(most / axis.step - 1e-9);
  axis.decimals = (int)fmax(0, -floor(log10(step) + 1e-9) + (at == 2 ? 1 : 0));
  return axis;
}

unsigned out_axis_steps(const struct out_axis *axis)
{
  return (unsigned)lround(axis->top / axis->step);
}

void out_axis_put(struct out_text *text, const struct out_axis *axis, double value)
{
  out_text_decimals(text, value * axis->factor, 0, axis->decimals);
  out_text_puts(text, axis->suffix);
}
