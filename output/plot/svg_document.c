/* Pictures as an SVG that stands alone: nothing in it moves, and nothing is fetched. */
#include <string.h>

#include "output/plot/plot.h"
#include "output/plot/svg_text.h"
#include "output/text/xml.h"

extern const char out_picture_css[];

/* Pixels. */
enum { MARGIN = 24, GAP = 8, LINE = 18, LETTERS = 150, WIDTH = OUT_DIAGRAM_WIDTH + 2 * MARGIN };

struct page {
  struct out_text *text;
  unsigned y;
};

static void put_words(struct page *page, const char *class, const char *words, size_t length)
{
  page->y += LINE;
  out_text_printf(page->text, "<text class=\"%s\" x=\"%u\" y=\"%u\">", class, MARGIN, page->y);
  out_xml_text(page->text, words, length);
  out_text_puts(page->text, "</text>\n");
}

/* In lines as long as there is room for, broken at spaces where there are some. */
static void put_wrapped(struct page *page, const char *class, const char *words)
{
  while (*words) {
    size_t length = 0, space = 0, letters = 0;
    while (words[length] && words[length] != '\n' && letters < LETTERS) {
      size_t letter = out_text_utf8(words + length, strlen(words + length) < 4 ? strlen(words + length) : 4);
      if (words[length] == ' ')
        space = length;
      length += letter ? letter : 1;
      letters++;
    }
    if (letters == LETTERS && space > 0 && words[length])
      length = space;
    put_words(page, class, words, length);
    words += length;
    words += *words == ' ' || *words == '\n';
  }
}

static void put_charts(struct page *page, const struct out_picture *picture, const struct out_node *node,
                       const struct out_chart_time *time)
{
  struct out_chart charts[OUT_NODE_CHARTS];
  if (!out_picture_charts(picture, node, charts))
    return;
  page->y += GAP;
  out_text_printf(page->text, "<text class=\"name\" x=\"%u\" y=\"%u\">", MARGIN, page->y + LINE - 4);
  out_put_cut(page->text, node->label, 120);
  out_text_puts(page->text, out_node_is_queue(node) ? " (queue)</text>\n" : "</text>\n");
  page->y += LINE;
  for (unsigned i = 0; i < OUT_NODE_CHARTS; i++)
    if (out_chart_is_filled(&charts[i]))
      out_chart_put(page->text, &charts[i], time, MARGIN + i * (OUT_CHART_WIDTH + GAP), page->y);
  page->y += OUT_CHART_HEIGHT;
}

static void put_picture(struct page *page, const struct out_picture *picture, unsigned number)
{
  struct out_text words = {0};
  const struct out_chart_time time = out_picture_time(picture, number);
  page->y += MARGIN;
  out_picture_put_heading(picture, &words);
  put_words(page, "heading", out_text_string(&words), words.length);
  for (uint32_t i = 0; i < picture->verdicts.count; i++) {
    const struct out_verdict *verdict = base_vector_at(&picture->verdicts, i);
    out_text_clear(&words);
    out_text_printf(&words, "Pipeline %u: %s", verdict->pipeline, verdict->sentence);
    page->y += 4;
    put_wrapped(page, "sentence", out_text_string(&words));
  }
  out_text_clear(&words);
  out_picture_put_notes(picture, &words);
  put_wrapped(page, "note", out_text_string(&words));
  page->text->failed |= words.failed;
  out_text_free(&words);
  page->y += LINE;
  page->y += out_diagram_put(page->text, picture, number, MARGIN, page->y);
  for (uint32_t i = 0; i < picture->nodes.count; i++)
    put_charts(page, picture, out_node_at(picture, i), &time);
  for (uint32_t i = 0; i < picture->counters.count; i++)
    put_charts(page, picture, out_counter_node_at(picture, i), &time);
}

void out_plot_put_svg(struct out_text *text, const struct callsig_plot *plot)
{
  struct out_text body = {0};
  struct page page = {.text = &body};
  for (uint32_t i = 0; i < plot->pictures.count; i++)
    put_picture(&page, out_picture_at(plot, i), i);
  page.y += MARGIN;
  out_text_printf(text,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\""
                  " height=\"%u\" viewBox=\"0 0 %u %u\"><title>Stages and queues</title>\n<style>\n",
                  WIDTH, page.y, WIDTH, page.y);
  out_text_puts(text, out_picture_css);
  out_text_puts(text, "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
  out_text_add(text, out_text_string(&body), body.length);
  out_text_puts(text, "</svg>\n");
  text->failed |= body.failed;
  out_text_free(&body);
}
