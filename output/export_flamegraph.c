/*
 * A flame graph: an SVG that needs nothing but a browser. Frames are stacked upwards, callees on callers, each as wide
 * as its weight with all that it called. Its script (export_flamegraph.js) zooms and searches.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "export_stacks.h"
#include "xml.h"

extern const char cs_flamegraph_script[];

/* Pixels. The script has the first two as well. */
#define LEFT   10.0
#define WIDTH  1180.0
#define HEIGHT 16u /* of a frame */
#define TOP    64u
#define BOTTOM 30u
#define LETTER 7.2 /* of the font, at its size */

/* What is narrower than this part of the width is not drawn unless asked for: a tenth of a pixel. */
#define CUTOFF (0.1 / WIDTH)

struct writer {
  const struct cs_export *export;
  const struct cs_stacks *stacks;
  struct cs_text line;
  uint64_t *start; /* by node: the weight of all before it; behind the last: of all */
  uint64_t *calls; /* by node */
  uint64_t total;
  uint64_t least; /* weight of what is drawn */
  uint32_t depth, left_out;
};

/* Where each node starts: its own weight comes first, then its callees. */
static int lay_out(struct writer *writer)
{
  const struct cs_stacks *stacks = writer->stacks;
  struct cs_export_clock clock = {.tick = writer->export->stats->grouping.tick};
  size_t count = stacks->nodes.count + 1u;
  writer->start = calloc(count, sizeof *writer->start);
  writer->calls = calloc(count, sizeof *writer->calls);
  if (!writer->start || !writer->calls)
    return -ENOMEM;
  for (uint32_t i = 0; i < stacks->list.count; i++) {
    const struct cs_stack *stack = cs_stacks_at(stacks, i);
    writer->start[stack->node + 1] = writer->export->calls ? stack->calls : cs_export_nanoseconds(&clock, stack->own);
    writer->calls[stack->node] = stack->calls;
  }
  for (size_t i = 1; i < count; i++)
    writer->start[i] += writer->start[i - 1];
  writer->total = writer->start[count - 1];
  double cutoff = writer->export->cutoff < 0 ? CUTOFF : writer->export->cutoff;
  writer->least = (uint64_t)(cutoff * (double)writer->total);
  return 0;
}

static uint64_t weight_of(const struct writer *writer, uint32_t node)
{
  return writer->start[cs_stacks_node(writer->stacks, node)->end] - writer->start[node];
}

/* What weighs nothing has no width; the root is there whatever it weighs. */
static bool is_drawn(const struct writer *writer, uint32_t node)
{
  uint64_t weight = weight_of(writer, node);
  return node == 0 || (weight > 0 && weight >= writer->least);
}

static void count_drawn(struct writer *writer)
{
  for (uint32_t i = 0; i < writer->stacks->nodes.count; i++) {
    uint32_t depth = cs_stacks_node(writer->stacks, i)->depth;
    if (!is_drawn(writer, i))
      writer->left_out++;
    else if (depth > writer->depth)
      writer->depth = depth;
  }
}

static double pixels(const struct writer *writer, uint64_t weight)
{
  return writer->total > 0 ? WIDTH * ((double)weight / (double)writer->total) : WIDTH;
}

static void put_weight(struct writer *writer, uint64_t weight)
{
  static const char *const units[] = {"ns", "us", "ms", "s"};
  double value = (double)weight;
  size_t unit = 0;
  if (writer->export->calls) {
    cs_text_printf(&writer->line, "%llu calls", (unsigned long long)weight);
    return;
  }
  for (; unit < 3 && value >= 1000; unit++)
    value /= 1000;
  cs_text_fixed(&writer->line, value, 0);
  cs_text_printf(&writer->line, " %s", units[unit]);
}

/* 32-bit FNV-1a: the same name has the same colour in every graph. */
static uint32_t hash_of(const char *name)
{
  uint32_t hash = 2166136261u;
  for (; *name; name++)
    hash = (hash ^ (unsigned char)*name) * 16777619u;
  return hash;
}

/* Code is red to yellow by its function's name, a little lighter or darker by the rest of its text; stages, actions and
 * labels are blue. */
static void put_color(struct writer *writer, uint32_t frame)
{
  const struct cs_known_function *function = cs_frame_function(&writer->stacks->frames, frame);
  const char *text = writer->stacks->texts.list[frame];
  bool is_code = function && !function->is_action;
  uint32_t hue = hash_of(is_code ? cs_profile_string(&writer->export->stats->profile, function->name) : text) % 50;
  cs_text_printf(&writer->line, "hsl(%u,%u%%,%u%%)", is_code ? hue : 180 + hue, is_code ? 90u : 45u,
                 58 + hash_of(text) % 10);
}

/* The name, as much of it as has room. */
static void put_fitting(struct writer *writer, const char *name, double width)
{
  size_t length = strlen(name), room = width > 4 ? (size_t)((width - 4) / LETTER) : 0;
  if (room < 3)
    return;
  if (cs_text_width(name, length) <= room) {
    cs_xml_text(&writer->line, name, length);
    return;
  }
  size_t cut = 0;
  for (size_t letters = 0; letters < room - 2; letters++) {
    size_t character = cs_text_utf8(name + cut, length - cut);
    cut += character ? character : 1;
  }
  cs_xml_text(&writer->line, name, cut);
  cs_text_puts(&writer->line, "..");
}

/* "123.45", whatever the locale. */
static void put_pixels(struct writer *writer, const char *before, double value)
{
  cs_text_puts(&writer->line, before);
  cs_text_fixed(&writer->line, value, 0);
  cs_text_putc(&writer->line, '"');
}

static int put_frame(struct writer *writer, uint32_t number)
{
  const struct cs_stack_node *node = cs_stacks_node(writer->stacks, number);
  const char *name = number == 0 ? "all" : writer->stacks->texts.list[node->frame];
  uint64_t weight = weight_of(writer, number), below = writer->start[number + 1] - writer->start[number];
  double x = LEFT + (number == 0 ? 0 : pixels(writer, writer->start[number])), width = pixels(writer, weight);
  uint32_t y = TOP + (writer->depth - node->depth) * HEIGHT;
  cs_text_printf(&writer->line, "<g class=\"f\" data-x=\"%llu\" data-w=\"%llu\" data-d=\"%u\"><title>",
                 (unsigned long long)writer->start[number], (unsigned long long)weight, node->depth);
  cs_xml_text(&writer->line, name, strlen(name));
  cs_text_puts(&writer->line, "\n");
  put_weight(writer, weight);
  cs_text_puts(&writer->line, ", ");
  cs_text_fixed(&writer->line, writer->total > 0 ? 100 * (double)weight / (double)writer->total : 100, 0);
  cs_text_puts(&writer->line, " %");
  if (number > 0 && !writer->export->calls) {
    cs_text_puts(&writer->line, "; self ");
    put_weight(writer, below);
    cs_text_printf(&writer->line, "; %llu calls", (unsigned long long)writer->calls[number]);
  }
  put_pixels(writer, "</title><rect x=\"", x);
  put_pixels(writer, " width=\"", width);
  cs_text_printf(&writer->line, " y=\"%u\" height=\"%u\" rx=\"1\" fill=\"", y, HEIGHT - 1);
  if (number == 0)
    cs_text_puts(&writer->line, "hsl(0,0%,85%)");
  else
    put_color(writer, node->frame);
  put_pixels(writer, "\"/><text x=\"", x + 3);
  cs_text_printf(&writer->line, " y=\"%u\">", y + HEIGHT - 5);
  put_fitting(writer, name, width);
  cs_text_puts(&writer->line, "</text></g>\n");
  return cs_export_flush(writer->export, &writer->line);
}

static int put_head(struct writer *writer)
{
  const struct cs_profile *profile = &writer->export->stats->profile;
  const char *program = cs_profile_string(profile, cs_profile_recording(profile, 0)->program);
  uint32_t height = TOP + (writer->depth + 1) * HEIGHT + BOTTOM;
  struct cs_text *line = &writer->line;
  cs_text_printf(
      line,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\"%u\" viewBox=\"0 0 1200 %u\">\n"
      "<style>text { font: 12px monospace; fill: #000; } .f { cursor: pointer; } .f:hover rect { stroke: #000; }\n"
      ".f text { pointer-events: none; } rect.m { fill: #e0f; } .b { cursor: pointer; fill: #00c; }</style>\n"
      "<script><![CDATA[\n",
      height, height);
  cs_text_puts(line, cs_flamegraph_script);
  cs_text_puts(line, "]]></script>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"10\" y=\"20\">");
  cs_xml_text(line, program, strlen(program));
  cs_text_puts(line, ": ");
  put_weight(writer, writer->total);
  if (!writer->export->calls)
    cs_text_printf(line, ", %llu calls", (unsigned long long)writer->stacks->calls);
  cs_text_puts(line, "</text>\n");
  if (writer->left_out > 0)
    cs_text_printf(line, "<text x=\"10\" y=\"36\" id=\"left-out\">%u frames are too narrow to be drawn</text>\n",
                   writer->left_out);
  cs_text_printf(line,
                 "<text x=\"10\" y=\"54\" class=\"b\" id=\"reset\" style=\"display:none\">reset zoom</text>\n"
                 "<text x=\"1130\" y=\"20\" class=\"b\" id=\"search\">search</text>\n"
                 "<text x=\"1190\" y=\"36\" text-anchor=\"end\" id=\"matched\"> </text>\n"
                 "<text x=\"10\" y=\"%u\" id=\"details\"> </text>\n<g id=\"frames\">\n",
                 height - 10);
  return cs_export_flush(writer->export, line);
}

static int write_graph(struct writer *writer)
{
  int result = lay_out(writer);
  if (result < 0)
    return result;
  count_drawn(writer);
  result = put_head(writer);
  for (uint32_t i = 0; i < writer->stacks->nodes.count && result == 0; i++) {
    if (is_drawn(writer, i))
      result = put_frame(writer, i);
  }
  cs_text_puts(&writer->line, "</g>\n</svg>\n");
  return result == 0 ? cs_export_flush(writer->export, &writer->line) : result;
}

int cs_export_flamegraph(const struct cs_export *export)
{
  struct cs_stacks stacks;
  int result = cs_stacks_make(export->stats, &(struct cs_stack_shape){.apart = false}, &stacks);
  if (result < 0)
    return result;
  struct writer writer = {.export = export, .stacks = &stacks};
  result = write_graph(&writer);
  free(writer.start);
  free(writer.calls);
  cs_text_free(&writer.line);
  cs_stacks_free(&stacks);
  return result;
}
