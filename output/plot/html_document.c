/* Pictures as a page: one file, from which no request leaves; its script (output/html/plot.js) zooms and reads out. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/plot/page.h"
#include "output/plot/plot.h"
#include "output/plot/svg_text.h"
#include "output/stats/columns.h"
#include "output/text/message.h"
#include "output/text/xml.h"

/* Made of files of output/html and of d3 when callsig is built. */
extern const char out_plot_policy[], out_picture_css[], out_article_css[], out_page_css[], out_d3_js[], out_plot_js[];

static void put_element(struct out_text *text, const char *name, const char *class, const char *words)
{
  out_text_printf(text, "<%s class=\"%s\">", name, class);
  out_xml_text(text, words, strlen(words));
  out_text_printf(text, "</%s>\n", name);
}

static void put_cell(struct out_text *text, const char *words)
{
  out_text_printf(text, "<td>%s</td>", words);
}

static void put_share(struct out_text *text, double share)
{
  struct out_text words = {0};
  if (!isnan(share)) {
    out_text_decimals(&words, 100 * share, 0, 1);
    out_text_putc(&words, '%');
  }
  put_cell(text, out_text_string(&words));
  text->failed |= words.failed;
  out_text_free(&words);
}

static void put_figures(struct out_text *text, const struct out_node *node)
{
  struct out_text words = {0};
  out_text_puts(text, "<tr><th scope=\"row\"><bdi>");
  out_xml_text(text, node->label, strlen(node->label));
  out_text_printf(text, "</bdi></th><td>%s</td><td>%llu</td><td>", out_series_kind_name(node->kind),
                  (unsigned long long)node->count);
  if (!out_node_is_queue(node))
    out_text_printf(text, "%llu", (unsigned long long)node->failures);
  out_text_puts(text, "</td>");
  if (node->mean > 0)
    out_put_scaled(&words, node->mean, 0);
  put_cell(text, out_text_string(&words));
  put_share(text, node->busy);
  put_share(text, node->get_wait);
  put_share(text, node->put_wait);
  put_share(text, node->occupancy);
  put_cell(text, node->bounds ? "bounds it" : node->state ? node->state : "");
  out_text_puts(text, "</tr>\n");
  text->failed |= words.failed;
  out_text_free(&words);
}

/* Begins what may be wider than the page: keys reach it, and move it. */
static void put_scroll(struct out_text *text, const char *what)
{
  out_text_printf(text, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">", what);
}

static void put_table(struct out_text *text, const struct out_picture *picture)
{
  static const char *const heads[] = {"stage or queue", "kind",  "tasks or items",  "failures",
                                      "mean time",      "works", "waits for items", "waits for space",
                                      "occupied",       "state"};
  out_text_puts(text, "<details><summary>Figures of the whole time</summary>\n");
  put_scroll(text, "figures of the whole time");
  out_text_puts(text, "<table><thead><tr>");
  for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++)
    out_text_printf(text, "<th scope=\"col\">%s</th>", heads[i]);
  out_text_puts(text, "</tr></thead><tbody>\n");
  for (uint32_t i = 0; i < picture->nodes.count; i++)
    put_figures(text, out_node_at(picture, i));
  out_text_puts(text, "</tbody></table></div></details>\n");
}

static void put_charts(struct out_text *text, const struct out_picture *picture, const struct out_node *node,
                       const struct out_chart_time *time)
{
  struct out_chart charts[OUT_NODE_CHARTS];
  if (!out_picture_charts(picture, node, charts))
    return;
  out_text_puts(text, "<section><h2><bdi>");
  out_put_cut(text, node->label, 120);
  out_text_printf(text, "</bdi>%s</h2><div class=\"charts\">\n", out_node_is_queue(node) ? " (queue)" : "");
  for (unsigned i = 0; i < OUT_NODE_CHARTS; i++)
    if (out_chart_is_filled(&charts[i]))
      out_chart_put(text, &charts[i], time, 0, 0);
  out_text_puts(text, "</div></section>\n");
}

static void put_notes(struct out_text *text, const struct out_picture *picture)
{
  struct out_text notes = {0};
  out_picture_put_notes(picture, &notes);
  const char *line = out_text_string(&notes);
  if (*line)
    out_text_puts(text, "<p class=\"notes\">");
  for (; *line; line += strcspn(line, "\n") + 1) {
    out_xml_text(text, line, strcspn(line, "\n"));
    out_text_putc(text, '\n');
  }
  if (notes.length > 0)
    out_text_puts(text, "</p>\n");
  text->failed |= notes.failed;
  out_text_free(&notes);
}

static void put_picture(struct out_text *text, const struct out_picture *picture, unsigned number)
{
  const struct out_chart_time time = out_picture_time(picture, number);
  struct out_text words = {0};
  out_text_printf(text, "<article data-picture=\"%u\" data-start=\"", number);
  out_text_double(text, picture->start, false);
  out_text_puts(text, "\" data-end=\"");
  out_text_double(text, picture->end, false);
  out_text_puts(text, "\">\n");
  out_picture_put_heading(picture, &words);
  put_element(text, "h1", "heading", out_text_string(&words));
  for (uint32_t i = 0; i < picture->verdicts.count; i++) {
    const struct out_verdict *verdict = base_vector_at(&picture->verdicts, i);
    out_text_clear(&words);
    out_text_printf(&words, "Pipeline %u: %s", verdict->pipeline, verdict->sentence);
    put_element(text, "p", "verdict", out_text_string(&words));
  }
  put_notes(text, picture);
  put_scroll(text, "diagram of the pipeline");
  out_diagram_put(text, picture, number, 0, 0);
  out_diagram_put_narrow(text, picture, number);
  out_text_puts(text, "</div>\n");
  put_table(text, picture);
  out_text_puts(text,
                "<p class=\"readout\" role=\"status\" aria-live=\"polite\">Point at a chart to read it; drag or use"
                " the wheel to zoom all of them, a double click shows the whole time. Arrow keys, + and - and 0 do"
                " the same.</p>\n");
  for (uint32_t i = 0; i < picture->nodes.count; i++)
    put_charts(text, picture, out_node_at(picture, i), &time);
  for (uint32_t i = 0; i < picture->counters.count; i++)
    put_charts(text, picture, out_counter_node_at(picture, i), &time);
  out_text_puts(text, "</article>\n");
  text->failed |= words.failed;
  out_text_free(&words);
}

static int write_run(const struct out_run_course *run, FILE *out)
{
  struct out_json json;
  if (out_json_begin(&json, out) < 0)
    return out_stats_no_memory();
  out_run_course_write_json(&json, run);
  return out_json_end(&json) < 0 ? out_stats_no_memory() : 0;
}

/* What is drawn, by the functions that print it. */
static int write_data(const struct callsig_plot *plot, FILE *out)
{
  int result = 0;
  fputs("{\"schema\":\"callsig.plot/1\",\"pictures\":[", out);
  for (uint32_t i = 0; i < plot->pictures.count && result == 0; i++) {
    const struct out_picture *picture = out_picture_at(plot, i);
    fprintf(out, "%s{\"recording\":", i > 0 ? "," : "");
    if (picture->pipeline)
      result = callsig_pipeline_print_json(picture->pipeline, out);
    else
      fputs("null", out);
    fputs(",\"intervals\":", out);
    if (picture->has_run && result == 0)
      result = write_run(&picture->run, out);
    else
      fputs("null", out);
    fputs("}", out);
  }
  fputs("]}\n", out);
  return result;
}

/* Nothing in it may end the element that it stands in, or begin another. */
static void put_in_element(struct out_text *text, const char *id, const char *data, size_t size)
{
  out_text_printf(text, "<script type=\"application/json\" id=\"%s\">", id);
  for (size_t at = 0; at < size;) {
    const char *found = memchr(data + at, '<', size - at);
    const size_t end = found ? (size_t)(found - data) : size;
    out_text_add(text, data + at, end - at);
    if (found)
      out_text_puts(text, "\\u003c");
    at = end + 1;
  }
  out_text_puts(text, "</script>\n");
}

int out_plot_put_data(struct out_text *text, const struct callsig_plot *plot, const char *id)
{
  char *data = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&data, &size);
  if (!out)
    return out_stats_no_memory();
  int result = write_data(plot, out);
  const bool failed = ferror(out) != 0;
  /* Its closing may find no memory, and tell that by the pointer alone. */
  const bool whole = fclose(out) == 0 && !failed && data;
  if (result == 0 && whole)
    put_in_element(text, id, data, size);
  else if (result == 0)
    result = out_stats_no_memory();
  free(data);
  return result;
}

void out_plot_put_pictures(struct out_text *text, const struct callsig_plot *plot)
{
  for (uint32_t i = 0; i < plot->pictures.count; i++)
    put_picture(text, out_picture_at(plot, i), i);
}

int out_plot_put_html(struct out_text *text, const struct callsig_plot *plot)
{
  const struct out_page_parts parts = {.title = "Stages and queues",
                                       .policy = out_plot_policy,
                                       .styles = {out_picture_css, out_article_css, out_page_css},
                                       .scripts = {out_d3_js, out_plot_js}};
  out_page_begin(text, &parts);
  out_plot_put_pictures(text, plot);
  out_text_puts(text, "</main>\n");
  int result = out_plot_put_data(text, plot, "data");
  if (result < 0)
    return result;
  out_page_end(text, &parts);
  return 0;
}
