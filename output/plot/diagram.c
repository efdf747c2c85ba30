/* Draws a pipeline as a diagram: a row for each stage and queue, in the order in which items flow. */
#include <math.h>
#include <string.h>

#include "output/plot/band_legend.h"
#include "output/plot/picture.h"
#include "output/plot/svg_text.h"
#include "output/stats/columns.h"
#include "output/text/xml.h"

/* Pixels. */
#define RAIL  52.0 /* where what belongs together is joined */
#define NAME  66.0
#define PIPE  120.0
#define SHARE 140.0

enum { NAME_LETTERS = 32 };

/* Where the parts of a row lie: across, and down from its middle. */
struct layout {
  const char *class;
  unsigned width, row, head;
  double name_y, box, box_end, shares, facts, facts_y;
  double line; /* the height of a line, where the facts are more than one; 0: they are one */
};

/* As wide as a window mostly is, and as a telephone. */
static const struct layout wide = {.class = "diagram",
                                   .width = OUT_DIAGRAM_WIDTH,
                                   .row = 28,
                                   .head = 22,
                                   .box = 300,
                                   .box_end = 530,
                                   .shares = 550,
                                   .facts = 716};
static const struct layout narrow = {.class = "diagram narrow",
                                     .width = 376,
                                     .row = 82,
                                     .head = 36,
                                     .name_y = -22,
                                     .box = NAME,
                                     .box_end = 208,
                                     .shares = 222,
                                     .facts = NAME,
                                     .facts_y = 20,
                                     .line = 14};

struct diagram {
  const struct layout *layout;
  struct out_text *text;
  const struct out_picture *picture;
  double most; /* seconds an item keeps the slowest stage */
};

static double middle(const struct diagram *diagram, uint32_t row)
{
  return diagram->layout->head + diagram->layout->row * (row + 0.5);
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
  const double begin = middle(diagram, from) + (to > from ? 6 : -6), end = middle(diagram, to) - (to > from ? 8 : -8);
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
  const double width = share > 0 ? fmin(SHARE * share, diagram->layout->shares + SHARE - *x) : 0;
  if (width > 0)
    put_rect(diagram, class, *x, y - 6, width, 12);
  *x += width;
}

/* The facts of a stage that come after the first ones: where they have lines, in another. */
static void begin_rest(const struct diagram *diagram)
{
  out_put_pixels(diagram->text, "<tspan x=\"", diagram->layout->facts);
  out_put_pixels(diagram->text, "\" dy=\"", diagram->layout->line);
  out_text_puts(diagram->text, "\">");
}

static void put_stage(const struct diagram *diagram, const struct out_node *node, double y)
{
  struct out_text *text = diagram->text;
  const struct layout *layout = diagram->layout;
  if (node->each > 0 && diagram->most > 0)
    put_rect(diagram, node->bounds ? "box bound" : "box", layout->box, y - 9,
             fmax(2, (layout->box_end - layout->box) * node->each / diagram->most), 18);
  if (!isnan(node->busy)) {
    double x = layout->shares;
    put_rect(diagram, "rest", layout->shares, y - 6, SHARE, 12);
    put_share(diagram, "works", node->busy, &x, y);
    put_share(diagram, "gets", node->get_wait, &x, y);
    put_share(diagram, "puts", node->put_wait, &x, y);
  }
  begin_words(diagram, "fact", diagram->layout->facts, y + diagram->layout->facts_y);
  if (node->mean > 0) {
    out_put_scaled(text, node->mean, 0);
    out_text_puts(text, " each");
  }
  if (node->replicas > 1)
    out_text_printf(text, ", %.0f at a time", node->replicas);
  const bool is_apart = node->mean > 0 && layout->line > 0;
  if (is_apart)
    begin_rest(diagram);
  else if (node->mean > 0)
    out_text_puts(text, ", ");
  out_text_printf(text, "%llu tasks", (unsigned long long)node->count);
  if (node->failures > 0)
    out_text_printf(text, ", %llu failed", (unsigned long long)node->failures);
  if (node->bounds)
    out_text_puts(text, "; <tspan class=\"bounds\">bounds it</tspan>");
  else if (node->state)
    out_text_printf(text, "; %s", node->state);
  out_text_puts(text, is_apart ? "</tspan></text>" : "</text>");
}

static void put_queue(const struct diagram *diagram, const struct out_node *node, double y)
{
  struct out_text *text = diagram->text;
  put_rect(diagram, "pipe", diagram->layout->box, y - 7, PIPE, 14);
  if (node->occupancy > 0)
    put_rect(diagram, "fill", diagram->layout->box, y - 7, PIPE * fmin(1, node->occupancy), 14);
  begin_words(diagram, "fact", diagram->layout->facts, y + diagram->layout->facts_y);
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
  const double y = middle(diagram, row);
  out_text_printf(diagram->text, "<g data-row=\"%s\"><title>", out_series_kind_name(node->kind));
  out_put_cut(diagram->text, node->label, 1000);
  out_text_puts(diagram->text, "</title>");
  if (out_node_is_queue(node))
    put_rect(diagram, "pipe", RAIL - 5, y - 5, 10, 10);
  else
    put_rect(diagram, node->bounds ? "box bound" : "box", RAIL - 6, y - 6, 12, 12);
  begin_words(diagram, out_node_is_queue(node) ? "name queue" : "name", NAME, y + diagram->layout->name_y);
  out_put_cut(diagram->text, node->label, NAME_LETTERS);
  out_text_puts(diagram->text, "</text>");
  if (out_node_is_queue(node))
    put_queue(diagram, node, y);
  else
    put_stage(diagram, node, y);
  out_text_puts(diagram->text, "</g>\n");
}

static void put_heading(const struct diagram *diagram, double x, double y, const char *text)
{
  begin_words(diagram, "tick", x, y);
  out_text_printf(diagram->text, "%s</text>", text);
}

static void put_head(const struct diagram *diagram)
{
  const struct layout *layout = diagram->layout;
  const bool is_narrow = layout->line > 0;
  put_heading(diagram, layout->box, 8, "time of an item; occupied part of a queue");
  if (!is_narrow) {
    put_heading(diagram, NAME, 8, "stage or queue");
    put_heading(diagram, layout->facts, 8, "over the whole time");
  }
  bool any = false;
  for (uint32_t i = 0; i < diagram->picture->nodes.count; i++)
    any |= !isnan(out_node_at(diagram->picture, i)->busy);
  if (!any)
    return;
  put_heading(diagram, is_narrow ? layout->box : layout->shares, is_narrow ? 22 : 8,
              "<tspan class=\"f1\">works</tspan>, <tspan class=\"f2\">waits for items</tspan>,"
              " <tspan class=\"f3\">space</tspan>");
}

static unsigned put_laid_out(struct out_text *text, const struct layout *layout, const struct out_picture *picture,
                             unsigned number, unsigned x, unsigned y)
{
  struct diagram diagram = {.layout = layout, .text = text, .picture = picture};
  const struct out_chart_time time = out_picture_time(picture, number);
  const struct out_band_legend legend = out_band_legend_make(time.events);
  const unsigned height = layout->head + layout->row * picture->nodes.count + wide.row * (legend.count > 0) + 6;
  for (uint32_t i = 0; i < picture->nodes.count; i++)
    diagram.most = fmax(diagram.most, out_node_at(picture, i)->each);
  out_text_printf(text,
                  "<svg class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\""
                  " role=\"img\" aria-label=\"The pipeline: its stages, by the time of an item, and its queues, by"
                  " their occupancy\">",
                  layout->class, x, y, layout->width, height, layout->width, height);
  /* Once in a page: charts refer to them. */
  if (layout == &wide)
    out_chart_put_bands(text, &time);
  put_head(&diagram);
  put_arrows(&diagram);
  for (uint32_t i = 0; i < picture->nodes.count; i++)
    put_row(&diagram, i);
  out_band_legend_put(text, &legend, NAME, layout->head + layout->row * picture->nodes.count + wide.row / 2.0);
  out_text_puts(text, "</svg>\n");
  return height;
}

unsigned out_diagram_put(struct out_text *text, const struct out_picture *picture, unsigned number, unsigned x,
                         unsigned y)
{
  return put_laid_out(text, &wide, picture, number, x, y);
}

void out_diagram_put_narrow(struct out_text *text, const struct out_picture *picture, unsigned number)
{
  put_laid_out(text, &narrow, picture, number, 0, 0);
}
