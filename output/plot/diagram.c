/* Draws a pipeline as a diagram: a row for each stage and queue, in the order in which items flow. */
#include <math.h>
#include <string.h>

#include "output/plot/band_legend.h"
#include "output/plot/picture.h"
#include "output/plot/svg_text.h"
#include "output/stats/columns.h"
#include "output/text/xml.h"

/* Pixels. */
#define ROW     28
#define HEAD    22
#define RAIL    52.0 /* where what belongs together is joined */
#define NAME    66.0
#define BOX     300.0
#define BOX_END 530.0
#define PIPE    120.0
#define SHARES  550.0
#define SHARE   140.0
#define FACTS   716.0

enum { NAME_LETTERS = 32 };

struct diagram {
  struct out_text *text;
  const struct out_picture *picture;
  double most; /* seconds an item keeps the slowest stage */
};

static double middle(uint32_t row)
{
  return HEAD + ROW * (row + 0.5);
}

static void put_rect(const struct diagram *diagram, const char *class, double x, double y, double width, double height)
{
  out_text_printf(diagram->text, "<rect class=\"%s\"", class);
  out_put_pixels(diagram->text, " x=\"", x);
  out_put_pixels(diagram->text, "\" y=\"", y);
  out_put_pixels(diagram->text, "\" width=\"", width);
  out_put_pixels(diagram->text, "\" height=\"", height);
  out_text_puts(diagram->text, "\"/>");
}

static void begin_words(const struct diagram *diagram, const char *class, double x, double y)
{
  out_text_printf(diagram->text, "<text class=\"%s\"", class);
  out_put_pixels(diagram->text, " x=\"", x);
  out_put_pixels(diagram->text, "\" y=\"", y + 4);
  out_text_puts(diagram->text, "\">");
}

/* An arrow from one row down, or up, to another. */
static void put_arrow(const struct diagram *diagram, uint32_t from, uint32_t to)
{
  const bool next = to == from + 1;
  const double begin = middle(from) + (to > from ? 6 : -6), end = middle(to) - (to > from ? 8 : -8);
  out_put_pixels(diagram->text, "<path class=\"flow\" d=\"M", RAIL);
  out_put_pixels(diagram->text, " ", begin);
  if (next) {
    out_put_pixels(diagram->text, "V", end);
  } else {
    const double apart = fmin(RAIL - 8, 8 + 6 * fabs((double)to - from));
    out_put_pixels(diagram->text, "C", RAIL - apart);
    out_put_pixels(diagram->text, " ", begin);
    out_put_pixels(diagram->text, " ", RAIL - apart);
    out_put_pixels(diagram->text, " ", end);
    out_put_pixels(diagram->text, " ", RAIL);
    out_put_pixels(diagram->text, " ", end);
  }
  out_put_pixels(diagram->text, "\"/><path class=\"head\" d=\"M", RAIL - 4);
  out_put_pixels(diagram->text, " ", end);
  out_put_pixels(diagram->text, "h8l-4 ", to > from ? 5 : -5);
  out_text_puts(diagram->text, "z\"/>");
}

static void put_arrows(const struct diagram *diagram)
{
  for (uint32_t i = 0; i < diagram->picture->nodes.count; i++) {
    const struct out_node *node = out_node_at(diagram->picture, i);
    if (node->input >= 0)
      put_arrow(diagram, (uint32_t)node->input, i);
    if (node->output >= 0)
      put_arrow(diagram, i, (uint32_t)node->output);
  }
}

static void put_share(const struct diagram *diagram, const char *class, double share, double *x, double y)
{
  const double width = share > 0 ? fmin(SHARE * share, SHARES + SHARE - *x) : 0;
  if (width > 0)
    put_rect(diagram, class, *x, y - 6, width, 12);
  *x += width;
}

static void put_stage(const struct diagram *diagram, const struct out_node *node, double y)
{
  struct out_text *text = diagram->text;
  if (node->each > 0 && diagram->most > 0)
    put_rect(diagram, node->bounds ? "box bound" : "box", BOX, y - 9,
             fmax(2, (BOX_END - BOX) * node->each / diagram->most), 18);
  if (!isnan(node->busy)) {
    double x = SHARES;
    put_rect(diagram, "rest", SHARES, y - 6, SHARE, 12);
    put_share(diagram, "works", node->busy, &x, y);
    put_share(diagram, "gets", node->get_wait, &x, y);
    put_share(diagram, "puts", node->put_wait, &x, y);
  }
  begin_words(diagram, "fact", FACTS, y);
  if (node->mean > 0) {
    out_put_scaled(text, node->mean, 0);
    out_text_puts(text, " each");
  }
  if (node->replicas > 1)
    out_text_printf(text, ", %.0f at a time", node->replicas);
  out_text_printf(text, "%s%llu tasks", node->mean > 0 ? ", " : "", (unsigned long long)node->count);
  if (node->failures > 0)
    out_text_printf(text, ", %llu failed", (unsigned long long)node->failures);
  if (node->bounds)
    out_text_puts(text, "; <tspan class=\"bounds\">bounds it</tspan>");
  else if (node->state)
    out_text_printf(text, "; %s", node->state);
  out_text_puts(text, "</text>");
}

static void put_queue(const struct diagram *diagram, const struct out_node *node, double y)
{
  struct out_text *text = diagram->text;
  put_rect(diagram, "pipe", BOX, y - 7, PIPE, 14);
  if (node->occupancy > 0)
    put_rect(diagram, "fill", BOX, y - 7, PIPE * fmin(1, node->occupancy), 14);
  begin_words(diagram, "fact", FACTS, y);
  if (!isnan(node->occupancy)) {
    out_text_puts(text, "occupied ");
    out_text_decimals(text, 100 * node->occupancy, 0, 1);
    out_text_puts(text, "%, ");
  }
  out_text_printf(text, "%llu items", (unsigned long long)node->count);
  if (node->queue && node->queue->capacity > 0)
    out_text_printf(text, ", room for %llu", (unsigned long long)node->queue->capacity);
  out_text_puts(text, "</text>");
}

static void put_row(const struct diagram *diagram, uint32_t row)
{
  const struct out_node *node = out_node_at(diagram->picture, row);
  const double y = middle(row);
  out_text_printf(diagram->text, "<g data-row=\"%s\"><title>", out_series_kind_name(node->kind));
  out_put_cut(diagram->text, node->label, 1000);
  out_text_puts(diagram->text, "</title>");
  if (out_node_is_queue(node))
    put_rect(diagram, "pipe", RAIL - 5, y - 5, 10, 10);
  else
    put_rect(diagram, node->bounds ? "box bound" : "box", RAIL - 6, y - 6, 12, 12);
  begin_words(diagram, out_node_is_queue(node) ? "name queue" : "name", NAME, y);
  out_put_cut(diagram->text, node->label, NAME_LETTERS);
  out_text_puts(diagram->text, "</text>");
  if (out_node_is_queue(node))
    put_queue(diagram, node, y);
  else
    put_stage(diagram, node, y);
  out_text_puts(diagram->text, "</g>\n");
}

static void put_head(const struct diagram *diagram)
{
  static const struct {
    double x;
    const char *text;
  } heads[] = {
      {NAME, "stage or queue"}, {BOX, "time of an item; occupied part of a queue"}, {FACTS, "over the whole time"}};
  for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++) {
    begin_words(diagram, "tick", heads[i].x, 8);
    out_text_puts(diagram->text, heads[i].text);
    out_text_puts(diagram->text, "</text>");
  }
  bool any = false;
  for (uint32_t i = 0; i < diagram->picture->nodes.count; i++)
    any |= !isnan(out_node_at(diagram->picture, i)->busy);
  if (!any)
    return;
  begin_words(diagram, "tick", SHARES, 8);
  out_text_puts(diagram->text, "<tspan class=\"f1\">works</tspan>, <tspan class=\"f2\">waits for items</tspan>,"
                               " <tspan class=\"f3\">space</tspan></text>");
}

unsigned out_diagram_put(struct out_text *text, const struct out_picture *picture, unsigned number, unsigned x,
                         unsigned y)
{
  struct diagram diagram = {.text = text, .picture = picture};
  const struct out_chart_time time = out_picture_time(picture, number);
  const struct out_band_legend legend = out_band_legend_make(time.events);
  const unsigned height = HEAD + ROW * (picture->nodes.count + (legend.count > 0)) + 6;
  for (uint32_t i = 0; i < picture->nodes.count; i++)
    diagram.most = fmax(diagram.most, out_node_at(picture, i)->each);
  out_text_printf(text,
                  "<svg class=\"diagram\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\""
                  " role=\"img\" aria-label=\"The pipeline: its stages, by the time of an item, and its queues, by"
                  " their occupancy\">",
                  x, y, OUT_DIAGRAM_WIDTH, height, OUT_DIAGRAM_WIDTH, height);
  out_chart_put_bands(text, &time);
  put_head(&diagram);
  put_arrows(&diagram);
  for (uint32_t i = 0; i < picture->nodes.count; i++)
    put_row(&diagram, i);
  out_band_legend_put(text, &legend, NAME, middle(picture->nodes.count));
  out_text_puts(text, "</svg>\n");
  return height;
}
