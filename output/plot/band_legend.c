/* Names the events whose bands are in a picture, and gives them colours. */
#include "output/plot/band_legend.h"

#include <string.h>

#include "output/plot/svg_text.h"

/* Pixels. */
#define BOX    10.0
#define COLUMN 200.0

enum { LETTERS = 20 };

unsigned out_band_colour(const struct out_band_legend *legend, const char *name)
{
  unsigned colour = 0;
  while (colour < legend->count && strcmp(legend->names[colour], name) != 0)
    colour++;
  return colour < legend->count ? colour : OUT_BAND_COLOURS;
}

struct out_band_legend out_band_legend_make(const struct out_course *events)
{
  struct out_band_legend legend = {0};
  for (uint32_t i = 0; events && i < events->bands.count; i++) {
    const struct out_band *band = base_vector_at(&events->bands, i);
    unsigned colour = out_band_colour(&legend, band->name);
    if (colour == OUT_BAND_COLOURS && legend.count < OUT_BAND_COLOURS) {
      colour = legend.count++;
      legend.names[colour] = band->name;
    }
    legend.counts[colour] += band->count;
  }
  return legend;
}

static void put_entry(struct out_text *text, const struct out_band_legend *legend, unsigned colour, double x, double y)
{
  const unsigned long long count = legend->counts[colour];
  out_text_printf(text, "<rect class=\"swatch\" data-event=\"%u\"", colour);
  out_put_pixels(text, " x=\"", x);
  out_put_pixels(text, "\" y=\"", y - BOX / 2);
  out_put_pixels(text, "\" width=\"", BOX);
  out_put_pixels(text, "\" height=\"", BOX);
  out_text_puts(text, "\"/><text class=\"tick\"");
  out_put_pixels(text, " x=\"", x + BOX + 4);
  out_put_pixels(text, "\" y=\"", y + 4);
  out_text_puts(text, "\">");
  if (colour < OUT_BAND_COLOURS)
    out_put_cut(text, legend->names[colour], LETTERS);
  else
    out_text_puts(text, "other events");
  out_text_printf(text, ", %llu time%s</text>", count, count == 1 ? "" : "s");
}

void out_band_legend_put(struct out_text *text, const struct out_band_legend *legend, double x, double y)
{
  if (legend->count > 0)
    out_text_puts(text, "<g class=\"bands\">");
  for (unsigned colour = 0; colour <= OUT_BAND_COLOURS; colour++)
    if (colour < legend->count || legend->counts[colour] > 0)
      put_entry(text, legend, colour, x + colour * COLUMN, y);
  if (legend->count > 0)
    out_text_puts(text, "</g>\n");
}
