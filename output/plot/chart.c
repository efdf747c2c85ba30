/* Draws a chart. */
#include "output/plot/chart.h"

#include <math.h>
#include <string.h>

#include "output/plot/band_legend.h"
#include "output/plot/svg_text.h"
#include "output/text/xml.h"

/* Where the lines are. */
#define LEFT   46.0
#define TOP    26.0
#define WIDTH  (OUT_CHART_WIDTH - LEFT - 10)
#define HEIGHT 84.0
#define NEAR   0.75 /* bands are joined that are not so far apart */

enum { TICKS = 4, TIME_TICKS = 4, LEGEND_WIDTH = 40 };

static const struct out_point *point_at(const struct out_series *series, uint32_t index)
{
  return base_vector_at(&series->points, index);
}

/* The axis of a chart, and where it begins: at 0, but for a level that was below it. */
static struct out_axis axis_of(const struct out_chart *chart, double *bottom)
{
  enum { TRIES = 4 };
  double least = 0, most = 0;
  for (unsigned i = 0; i < chart->count; i++) {
    const struct out_chart_line *line = &chart->lines[i];
    for (uint32_t j = 0; line->series && j < line->series->points.count; j++) {
      least = fmin(least, point_at(line->series, j)->values[line->measure]);
      most = fmax(most, point_at(line->series, j)->values[line->measure]);
    }
  }
  *bottom = 0;
  struct out_axis axis = out_axis_make(chart->unit, most, TICKS);
  if (chart->kind != OUT_SERIES_LEVEL || !(least < 0))
    return axis;
  axis = out_axis_make(chart->unit, most - least, TICKS);
  *bottom = floor(least / axis.step) * axis.step;
  /* Beginning at a tick, it may have to be longer, and its ticks further apart then. */
  for (unsigned i = 0; i < TRIES && *bottom + axis.top < most; i++) {
    axis = out_axis_make(chart->unit, axis.top + axis.step, TICKS);
    *bottom = floor(least / axis.step) * axis.step;
  }
  return axis;
}

static bool is_line_filled(const struct out_chart_line *line)
{
  for (uint32_t i = 0; line->series && i < line->series->points.count; i++)
    if (isfinite(point_at(line->series, i)->values[line->measure]))
      return true;
  return false;
}

bool out_chart_is_filled(const struct out_chart *chart)
{
  for (unsigned i = 0; i < chart->count; i++)
    if (is_line_filled(&chart->lines[i]))
      return true;
  return false;
}

static double x_at(const struct out_chart_time *time, double seconds)
{
  return time->end > time->start ? WIDTH * (seconds - time->start) / (time->end - time->start) : WIDTH / 2;
}

static void put_grid(struct out_text *text, const struct out_axis *axis, double bottom)
{
  for (unsigned i = 0; i <= out_axis_steps(axis); i++) {
    const double y = TOP + HEIGHT - HEIGHT * i / out_axis_steps(axis);
    out_put_pixels(text, "<path class=\"grid\" d=\"M", LEFT);
    out_put_pixels(text, " ", y);
    out_put_pixels(text, "h", WIDTH);
    out_put_pixels(text, "\"/><text class=\"tick end\" x=\"", LEFT - 4);
    out_put_pixels(text, "\" y=\"", y + 3);
    out_text_puts(text, "\">");
    out_axis_put(text, axis, bottom + i * axis->step);
    out_text_puts(text, "</text>");
  }
}

/* Seconds since the beginning. */
static void put_times(struct out_text *text, const struct out_chart_time *time)
{
  const double length = time->end - time->start;
  const struct out_axis axis = out_axis_make(OUT_UNIT_SECONDS, length, TIME_TICKS);
  out_text_puts(text, "<g class=\"times\">");
  for (unsigned i = 0; i * axis.step <= length * (1 + 1e-9); i++) {
    out_put_pixels(text, "<text class=\"tick middle\" x=\"", LEFT + x_at(time, time->start + i * axis.step));
    out_put_pixels(text, "\" y=\"", TOP + HEIGHT + 14);
    out_text_puts(text, "\">");
    out_axis_put(text, &axis, i * axis.step);
    out_text_puts(text, "</text>");
  }
  out_text_puts(text, "</g>");
}

/* What they say: the first few of a band that several make. */
static void put_names(struct out_text *text, const struct out_course *events, uint32_t first, uint32_t end)
{
  enum { NAMED = 4 };
  out_text_puts(text, "<title>");
  for (uint32_t i = first; i < end && i < first + NAMED; i++) {
    const struct out_band *band = base_vector_at(&events->bands, i);
    out_text_puts(text, i > first ? "; " : "");
    out_put_cut(text, band->name, 80);
    if (band->count > 1)
      out_text_printf(text, ", %llu times", (unsigned long long)band->count);
  }
  if (end > first + NAMED)
    out_text_printf(text, "; and %u more", end - first - NAMED);
  out_text_puts(text, "</title></rect>");
}

void out_chart_put_bands(struct out_text *text, const struct out_chart_time *time)
{
  const struct out_course *events = time->events;
  const struct out_band_legend legend = out_band_legend_make(events);
  out_text_printf(text, "<defs><g id=\"bands%u\">", time->number);
  for (uint32_t first = 0, end; events && first < events->bands.count; first = end) {
    const struct out_band *begins = base_vector_at(&events->bands, first);
    const double from = x_at(time, begins->from);
    double until = from;
    for (end = first; end < events->bands.count; end++) {
      const struct out_band *band = base_vector_at(&events->bands, end);
      if (end > first && x_at(time, band->from) > until + NEAR)
        break;
      until = fmax(until, x_at(time, band->until));
    }
    out_text_printf(text, "<rect class=\"band\" data-event=\"%u\"", out_band_colour(&legend, begins->name));
    out_put_pixels(text, " x=\"", from);
    out_put_pixels(text, "\" width=\"", fmax(until - from, NEAR));
    out_put_pixels(text, "\" y=\"0\" height=\"", HEIGHT);
    out_text_puts(text, "\">");
    put_names(text, events, first, end);
  }
  out_text_puts(text, "</g></defs>\n");
}

/* A step for each point; what is not known is a gap. */
static void put_line(struct out_text *text, const struct out_chart *chart, unsigned number,
                     const struct out_chart_time *time, const struct out_axis *axis, double bottom)
{
  const struct out_chart_line *line = &chart->lines[number];
  double end = NAN;
  out_text_printf(text, "<path class=\"line c%u\" data-name=\"%s\" data-source=\"%s\" data-measure=\"%s\" d=\"",
                  number + 1, line->name, line->source, out_measure_name(line->series->kind, line->measure));
  for (uint32_t i = 0; i < line->series->points.count; i++) {
    const struct out_point *point = point_at(line->series, i);
    const double value = point->values[line->measure];
    if (!isfinite(value)) {
      end = NAN;
      continue;
    }
    const double from = x_at(time, point->from), until = x_at(time, point->until);
    const double y = HEIGHT - HEIGHT * fmin(fmax((value - bottom) / axis->top, 0), 1);
    /* Neighbours that meet are one line. */
    if (fabs(from - end) < 1) {
      out_put_pixels(text, "V", y);
    } else {
      out_put_pixels(text, "M", from);
      out_put_pixels(text, " ", y);
    }
    out_put_pixels(text, "H", fmax(until, from + 0.01));
    end = until;
  }
  out_text_puts(text, "\"/>");
}

static void put_title(struct out_text *text, const struct out_chart *chart)
{
  out_text_puts(text, "<text class=\"title\" x=\"4\" y=\"14\">");
  out_xml_text(text, chart->title, strlen(chart->title));
  out_text_puts(text, "</text>");
  for (unsigned i = 0; i < chart->count && chart->count > 1; i++) {
    if (!is_line_filled(&chart->lines[i]))
      continue;
    out_text_printf(text, "<text class=\"legend end f%u", i + 1);
    out_put_pixels(text, "\" x=\"", OUT_CHART_WIDTH - 10.0 - LEGEND_WIDTH * (chart->count - 1 - i));
    out_text_puts(text, "\" y=\"14\">");
    out_xml_text(text, chart->lines[i].name, strlen(chart->lines[i].name));
    out_text_puts(text, "</text>");
  }
}

void out_chart_put(struct out_text *text, const struct out_chart *chart, const struct out_chart_time *time, unsigned x,
                   unsigned y)
{
  static const char *const units[] = {"count", "seconds", "share"};
  double bottom;
  const struct out_axis axis = axis_of(chart, &bottom);
  out_text_printf(text, "<svg class=\"chart\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\"", x, y,
                  OUT_CHART_WIDTH, OUT_CHART_HEIGHT, OUT_CHART_WIDTH, OUT_CHART_HEIGHT);
  out_text_puts(text, " role=\"img\" data-label=\"");
  out_xml_text(text, chart->label, strlen(chart->label));
  out_text_printf(text, "\" data-kind=\"%s\" data-unit=\"%s\" data-top=\"", out_series_kind_name(chart->kind),
                  units[chart->unit]);
  out_text_double(text, axis.top, false);
  out_text_puts(text, "\" aria-label=\"");
  out_xml_text(text, chart->title, strlen(chart->title));
  out_text_puts(text, " of ");
  out_put_cut(text, chart->label, 80);
  out_text_puts(text, " over time\">");
  put_title(text, chart);
  put_grid(text, &axis, bottom);
  put_times(text, time);
  out_put_pixels(text, "<svg class=\"lines\" x=\"", LEFT);
  /* With room for half of a line at either end. */
  out_put_pixels(text, "\" y=\"", TOP - 1);
  out_put_pixels(text, "\" width=\"", WIDTH);
  out_put_pixels(text, "\" height=\"", HEIGHT + 2);
  out_put_pixels(text, "\" viewBox=\"0 -1 ", WIDTH);
  out_put_pixels(text, " ", HEIGHT + 2);
  out_text_puts(text, "\"><g class=\"moved\">");
  out_text_printf(text, "<use href=\"#bands%u\"/>", time->number);
  for (unsigned i = 0; i < chart->count; i++)
    if (chart->lines[i].series)
      put_line(text, chart, i, time, &axis, bottom);
  out_text_puts(text, "</g></svg></svg>\n");
}
