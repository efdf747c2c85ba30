/*
 * A page: the rows in every grouping that there is, the tree and the laws, as data that the scripts of output/html show
 * in any browser, in one file that asks nobody for anything.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/export/export.h"
#include "output/export/page_rows.h"
#include "output/export/page_timeline.h"
#include "output/export/page_tree.h"
#include "output/export/timeline.h"
#include "output/plot/page.h"
#include "output/plot/plot.h"
#include "output/profile/call_place.h"
#include "output/profile/process.h"
#include "output/report/json.h"
#include "output/scaling/report.h"
#include "output/text/message.h"
#include "output/text/xml.h"

/* Made of files of output/html and of d3 when callsig is built. */
extern const char out_profile_policy[], out_picture_css[], out_article_css[], out_theme_css[], out_d3_js[],
    out_profile_js[];

/* What browsers show at once, and a mail carries: the page says what it lacks of more. */
enum { MOST_ROWS = 200000, MOST_NODES = 200000, MOST_SPANS = 100000 };
/* Laws times signatures that are fitted at most: what half a million signatures of one number each take. */
#define MOST_LAWS 10e6

struct page {
  const struct out_export *export;
  struct callsig_stats *stats;
  struct out_page_block block;
  struct out_page_identities identities;
  unsigned by;               /* what was asked for */
  uint32_t rows;             /* written so far */
  struct callsig_plot *plot; /* owned */
  bool is_gone;              /* a recording with stages could not be read again */
  uint32_t without_laws;     /* functions whose laws would have taken too long */
  struct out_text missing;   /* JSON: groupings that there was no room for */
};

/* Is there more than one thread, by their labels? */
static bool has_threads(const struct out_profile *profile)
{
  for (uint32_t i = 1; i < profile->threads.count; i++) {
    if (out_profile_thread(profile, i)->label != out_profile_thread(profile, 0)->label)
      return true;
  }
  return false;
}

static bool has_modules(const struct out_profile *profile)
{
  for (uint32_t i = 1; i < profile->callables.count; i++) {
    const uint32_t module = out_profile_callable(profile, i)->module, first = out_profile_callable(profile, 0)->module;
    if (out_profile_label(profile, module) != out_profile_label(profile, first))
      return true;
  }
  return false;
}

static bool has_ranks(const struct out_profile *profile)
{
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    if (out_process_has_rank(profile, i))
      return true;
  }
  return false;
}

/* What rows can be told apart by beside their functions. */
static unsigned groups_of(const struct out_profile *profile)
{
  return (profile->stages.count > 1 ? (unsigned)CALLSIG_BY_STAGE : 0u) |
         (has_threads(profile) ? (unsigned)CALLSIG_BY_THREAD : 0u) |
         (has_modules(profile) ? (unsigned)CALLSIG_BY_MODULE : 0u) |
         (profile->recordings.count > 1 ? (unsigned)CALLSIG_BY_PROCESS : 0u) |
         (has_ranks(profile) ? (unsigned)CALLSIG_BY_RANK : 0u) |
         (out_has_call_places(profile) ? (unsigned)CALLSIG_BY_SITE : 0u);
}

static int group(struct page *page, unsigned by)
{
  int result = callsig_stats_group(page->stats, by);
  return result < 0 ? result : out_stats_prepare(page->stats);
}

/* The rows of one grouping; those by function and by signature are there in any case. */
static int put_grouping(struct page *page, unsigned by)
{
  int result = group(page, by);
  if (result < 0)
    return result;
  const uint32_t rows = page->stats->listed;
  const bool is_basic = !(by & ~(unsigned)(CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE));
  if (!is_basic && rows > MOST_ROWS - page->rows) {
    out_text_printf(&page->missing, "%s{\"by\":%u,\"rows\":%u}", page->missing.length > 0 ? "," : "", by, rows);
    return 0;
  }
  result = out_stats_percentiles(page->stats);
  if (result == 0)
    result = out_stats_inclusive_sleep(page->stats);
  if (result == 0 && out_page_rows(&page->identities, MOST_ROWS) < 0)
    result = out_stats_no_memory();
  page->rows += rows < MOST_ROWS - page->rows ? rows : MOST_ROWS - page->rows;
  return result;
}

/* Adds as a section what `write` prints. */
static int put_printed(struct page *page, const char *name, int (*write)(struct page *page, FILE *out))
{
  char *data = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&data, &size);
  if (!out)
    return out_stats_no_memory();
  int result = write(page, out);
  const bool failed = ferror(out) != 0;
  /* Its closing may find no memory, and tell that by the pointer alone. */
  if ((fclose(out) != 0 || failed || !data) && result == 0)
    result = out_stats_no_memory();
  if (result == 0 && data) {
    out_page_section(&page->block, name);
    out_text_add(&page->block.section, data, size);
    out_page_section_end(&page->block);
  }
  free(data);
  return result;
}

/* The report without its rows. */
static int write_report(struct page *page, FILE *out)
{
  static const char *const no_rows[] = {"0"};
  return out_json_print(page->stats, out, no_rows, 1);
}

/* The laws of functions' times: of as many functions as a page can wait for. */
static int write_laws(struct page *page, FILE *out)
{
  const struct callsig_stats_scaling wanted = {.size = sizeof wanted, .format = "json"};
  struct out_scaling_effort effort = {.left = MOST_LAWS};
  int result = out_scaling_print(page->stats, &wanted, &effort, out);
  page->without_laws = effort.left_out;
  return result;
}

/* Takes what the recordings have of stages and queues, which are read again: one that is gone by now is told of. */
static int take_recordings(struct page *page)
{
  const struct out_profile *profile = &page->stats->profile;
  int result = 0;
  for (uint32_t i = 0; i < profile->recordings.count && result == 0; i++) {
    const uint32_t path = out_profile_recording(profile, i)->path;
    bool is_known = false;
    for (uint32_t j = 0; j < i; j++)
      is_known |= out_profile_recording(profile, j)->path == path;
    /* Processes of a merged recording have its path. */
    if (is_known)
      continue;
    if (access(out_profile_string(profile, path), R_OK) == 0)
      result = out_plot_take_recording(page->plot, out_profile_string(profile, path));
    else
      page->is_gone = true;
  }
  return result;
}

/* Pictures of the stages and queues of all recordings, if there are any. */
static int make_pictures(struct page *page)
{
  const struct out_stage_records *records = &page->stats->profile.stage_records;
  int result = callsig_plot_new(&page->plot);
  if (result == 0 && records->stages.count + records->queues.count > 0)
    result = take_recordings(page);
  if (result == 0 && page->export->database)
    result = callsig_plot_add_database(page->plot, page->export->database);
  /* A file that could not be read was told of; of what is written nobody told when it is this error. */
  if (result == -EIO)
    result = -ENODATA;
  return result == 0 && page->plot->pictures.count > 0 ? out_plot_fill(page->plot) : result;
}

static int put_pictures(const struct page *page, struct out_text *text)
{
  if (page->plot->pictures.count == 0)
    return 0;
  out_text_puts(text, "<div id=\"pictures\" hidden>\n");
  out_plot_put_pictures(text, page->plot);
  out_text_puts(text, "</div>\n");
  return out_plot_put_data(text, page->plot, "pictures-data");
}

static void put_about(struct page *page)
{
  struct out_page_block *block = &page->block;
  out_page_section(block, "page");
  out_text_printf(&block->section, "{\"schema\":\"callsig.page/1\",\"by\":%u,\"most_rows\":%u,\"most_nodes\":%u,",
                  page->by, (unsigned)MOST_ROWS, (unsigned)MOST_NODES);
  out_text_printf(&block->section, "\"pictures_missing\":%s,\"without_laws\":%u,\"missing\":[%s]}",
                  page->is_gone ? "true" : "false", page->without_laws, out_text_string(&page->missing));
  block->failed |= page->missing.failed;
  out_page_section_end(block);
}

static int put_tree(struct page *page)
{
  return out_page_tree(&page->identities, MOST_NODES) < 0 ? out_stats_no_memory() : 0;
}

/* Is it one of the groupings that each page has? */
static bool is_standard(unsigned by, unsigned groups)
{
  const unsigned beside = by & ~(unsigned)(CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE);
  return (beside & (beside - 1)) == 0 && (beside & ~groups) == 0;
}

/* All groupings by what there is; signatures only when they were asked for. */
static int put_groupings(struct page *page)
{
  const unsigned by_function = CALLSIG_BY_FUNCTION, with = by_function | (page->by & CALLSIG_BY_SIGNATURE);
  const unsigned groups = groups_of(&page->stats->profile);
  int result = put_grouping(page, by_function);
  if (result == 0)
    result = put_tree(page);
  if (result == 0 && with != by_function)
    result = put_grouping(page, with);
  if (result == 0 && with != by_function)
    result = put_tree(page);
  if (result == 0 && with != by_function)
    result = put_printed(page, "laws", write_laws);
  for (unsigned by = CALLSIG_BY_STAGE; by <= CALLSIG_BY_SITE && result == 0; by <<= 1) {
    if (!(groups & by))
      continue;
    /* What is called somewhere is a function. */
    if (by != CALLSIG_BY_SITE)
      result = put_grouping(page, by);
    if (result == 0)
      result = put_grouping(page, by | by_function);
    if (result == 0 && with != by_function)
      result = put_grouping(page, by | with);
  }
  if (result == 0 && !is_standard(page->by, groups))
    result = put_grouping(page, page->by);
  /* What was asked for at last: names and notes are of it. */
  return result == 0 ? group(page, page->by) : result;
}

static int put_sections(struct page *page)
{
  int result = put_groupings(page);
  if (result == 0)
    result = put_printed(page, "head", write_report);
  if (result == 0 && out_timeline_is_there(page->stats) && out_page_timeline(&page->identities, MOST_SPANS) < 0)
    result = out_stats_no_memory();
  if (result == 0)
    result = make_pictures(page);
  if (result != 0)
    return result;
  put_about(page);
  return out_page_identities_write(&page->identities) < 0 ? out_stats_no_memory() : 0;
}

static int write_document(struct page *page)
{
  const struct out_profile *profile = &page->stats->profile;
  const char *program = out_profile_string(profile, out_profile_recording(profile, 0)->program);
  struct out_text text = {0}, title = {0};
  out_xml_text(&title, program, strlen(program));
  const struct out_page_parts parts = {.title = out_text_string(&title),
                                       .policy = out_profile_policy,
                                       .styles = {out_picture_css, out_article_css, out_theme_css},
                                       .scripts = {out_d3_js, out_profile_js}};
  out_page_begin(&text, &parts);
  out_text_puts(&text, "<noscript>This page shows nothing without JavaScript.</noscript>\n</main>\n");
  int result = put_pictures(page, &text);
  out_text_puts(&text, "<script type=\"application/octet-stream\" id=\"data\">");
  text.failed |= title.failed;
  if (result == 0)
    result = out_export_flush(page->export, &text);
  if (result == 0)
    result = out_page_block_write(&page->block, page->export->out);
  if (result == 0) {
    out_text_puts(&text, "</script>\n");
    out_page_end(&text, &parts);
    result = out_export_flush(page->export, &text);
  }
  out_text_free(&text);
  out_text_free(&title);
  return result;
}

int out_export_html(const struct out_export *export)
{
  struct page page = {.export = export, .stats = export->stats, .by = export->stats->by};
  out_page_block_init(&page.block);
  int result = out_page_identities_init(&page.identities, page.stats, &page.block);
  if (result < 0)
    result = out_stats_no_memory();
  if (result == 0)
    result = put_sections(&page);
  if (result == 0) {
    result = write_document(&page);
    if (result == -ENOMEM)
      out_stats_no_memory();
  }
  if (result < 0)
    callsig_stats_group(page.stats, page.by);
  out_page_identities_free(&page.identities);
  out_page_block_free(&page.block);
  out_text_free(&page.missing);
  callsig_plot_free(page.plot);
  return result;
}
