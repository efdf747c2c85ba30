/* Writes a comparison as a page: its rows, and the trees of both sides, as data for the scripts of output/html. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/diff/print.h"
#include "output/export/page_tree.h"
#include "output/plot/page.h"
#include "output/text/message.h"

/* Made of files of output/html and of d3 when callsig is built. */
extern const char out_profile_policy[], out_picture_css[], out_article_css[], out_theme_css[], out_d3_js[],
    out_profile_js[];

enum { MOST_NODES = 100000 };

struct page {
  const struct out_diff *diff;
  struct callsig_stats *stats;
  const struct out_diff_file *files;
  struct out_page_block block;
  struct out_page_identities identities;
  struct out_names names;
  struct out_text site; /* of the row that is being written */
};

static const struct out_diff_row *row_at(const struct page *page, uint32_t number)
{
  return base_vector_at(&page->diff->rows, number);
}

static void put_group(struct page *page, const char *text)
{
  out_page_number(&page->block, text ? out_page_text(&page->block, text) + 1u : 0);
}

static void put_identity(struct page *page, const struct out_row_key *key)
{
  const struct out_known_function *function = out_row_function(&page->names, key);
  const struct out_known_function *first = out_profile_function(&page->stats->profile, 0);
  const bool by_signature = page->stats->by & CALLSIG_BY_SIGNATURE;
  out_page_number(&page->block, function ? out_page_function(&page->identities, (uint32_t)(function - first)) + 1u : 0);
  out_page_number(&page->block, by_signature ? out_page_signature(&page->identities, key->what) : 0);
  put_group(page, key->stage != FMT_NONE ? out_row_stage(&page->names, key) : NULL);
  put_group(page, key->module == FMT_NONE ? NULL : out_profile_string(&page->stats->profile, key->module));
  out_text_clear(&page->site);
  put_group(page, out_row_site(&page->names, key, &page->site) ? out_text_string(&page->site) : NULL);
  page->block.failed |= page->site.failed;
}

static void put_side(struct page *page, const struct out_diff_side *side)
{
  out_page_double(&page->block, side->calls);
  out_page_double(&page->block, side->own);
  out_page_double(&page->block, side->cumulative);
}

static void put_rows(struct page *page, const struct out_diff_shown *all)
{
  const bool judged = page->diff->judged;
  out_page_section(&page->block, "chng");
  out_page_number(&page->block, page->stats->by);
  out_page_number(&page->block, all->count);
  for (uint32_t i = 0; i < all->count; i++)
    put_identity(page, &row_at(page, all->list[i])->key);
  for (uint32_t i = 0; i < all->count; i++) {
    const struct out_diff_change *change = &row_at(page, all->list[i])->change;
    out_page_number(&page->block, change->verdict);
    put_side(page, &change->old);
    put_side(page, &change->new);
    out_page_double(&page->block, out_diff_amount(change, page->diff->options.metric));
    const double known[] = {change->low, change->high, change->p, change->adjusted};
    for (unsigned j = 0; j < sizeof known / sizeof *known; j++)
      out_page_double(&page->block, judged ? known[j] : NAN);
  }
  out_page_section_end(&page->block);
}

static bool is_new(const struct page *page, uint32_t recording)
{
  uint32_t file = 0;
  while (recording >= page->files[file].end)
    file++;
  return page->files[file].is_new;
}

/* The tree of one side: of the calls of its threads. */
static int put_tree(struct page *page, bool of_new)
{
  struct callsig_stats *stats = page->stats;
  const struct out_profile *profile = &stats->profile;
  out_stats_forget(stats);
  int result = out_stats_group(stats);
  if (result < 0)
    return result;
  if (!stats->selection.threads) {
    stats->selection.threads = malloc(profile->threads.count + (size_t)1);
    if (!stats->selection.threads)
      return out_stats_no_memory();
    memset(stats->selection.threads, 1, profile->threads.count + (size_t)1);
  }
  for (uint32_t i = 0; i < profile->threads.count; i++)
    stats->selection.threads[i] &= is_new(page, out_profile_thread(profile, i)->recording) == of_new;
  stats->grouping.selected_threads = stats->selection.threads;
  return out_page_tree(&page->identities, MOST_NODES) < 0 ? out_stats_no_memory() : 0;
}

/* The comparison as JSON, without its rows. */
static int put_head(struct page *page)
{
  const struct out_diff_shown none = {.count = 0};
  char *data = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&data, &size);
  if (!out)
    return out_stats_no_memory();
  int result = out_diff_print_json(page->diff, &none, out);
  /* Its closing may find no memory, and tell that by the pointer alone. */
  if (fclose(out) != 0 || !data || result < 0) {
    free(data);
    return out_stats_no_memory();
  }
  out_page_section(&page->block, "diff");
  out_text_add(&page->block.section, data, size);
  out_page_section_end(&page->block);
  free(data);
  return 0;
}

/* What the sides are: the programs, and the files that they were read from. */
static void put_recordings(struct page *page)
{
  const struct out_profile *profile = &page->stats->profile;
  out_page_section(&page->block, "side");
  out_page_number(&page->block, profile->recordings.count);
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, i);
    out_page_number(&page->block, is_new(page, i));
    out_page_number(&page->block, out_page_text(&page->block, out_profile_string(profile, info->path)));
    out_page_number(&page->block, out_page_text(&page->block, out_profile_string(profile, info->program)));
  }
  out_page_section_end(&page->block);
}

static int put_sections(struct page *page)
{
  const struct callsig_diff_view view = {.size = sizeof view, .sort = CALLSIG_DIFF_BY_NAME, .all = 1};
  struct out_diff_shown all;
  out_page_section(&page->block, "page");
  out_text_printf(&page->block.section, "{\"schema\":\"callsig.page/1\",\"kind\":\"diff\",\"by\":%u}", page->stats->by);
  out_page_section_end(&page->block);
  int result = put_head(page);
  if (result < 0)
    return result;
  put_recordings(page);
  /* Names are of an object that is grouped, as it is once a tree was made. */
  result = put_tree(page, true);
  if (result == 0)
    result = put_tree(page, false);
  if (result == 0 && out_diff_show(page->diff, &view, &all) < 0)
    result = out_stats_no_memory();
  if (result != 0)
    return result;
  page->names = out_diff_names(page->diff);
  put_rows(page, &all);
  free(all.list);
  return out_page_identities_write(&page->identities) < 0 ? out_stats_no_memory() : 0;
}

static int write_document(struct page *page, FILE *out)
{
  const struct out_page_parts parts = {.title = "What changed",
                                       .policy = out_profile_policy,
                                       .styles = {out_picture_css, out_article_css, out_theme_css},
                                       .scripts = {out_d3_js, out_profile_js}};
  struct out_text begin = {0}, end = {0};
  out_page_begin(&begin, &parts);
  out_text_puts(&begin, "<noscript>This page shows nothing without JavaScript.</noscript>\n</main>\n"
                        "<script type=\"application/octet-stream\" id=\"data\">");
  out_text_puts(&end, "</script>\n");
  out_page_end(&end, &parts);
  int result = begin.failed || end.failed ? -ENOMEM : 0;
  if (result == 0 && fwrite(begin.data, 1, begin.length, out) != begin.length)
    result = -EIO;
  if (result == 0)
    result = out_page_block_write(&page->block, out);
  if (result == 0 && (fwrite(end.data, 1, end.length, out) != end.length || fflush(out) != 0))
    result = -EIO;
  out_text_free(&begin);
  out_text_free(&end);
  return result == -ENOMEM ? out_stats_no_memory() : result;
}

int out_diff_print_html(const struct out_diff *diff, const struct out_diff_file *files, FILE *out)
{
  struct page page = {.diff = diff, .stats = diff->stats, .files = files};
  out_page_block_init(&page.block);
  int result = out_page_identities_init(&page.identities, page.stats, &page.block);
  if (result < 0)
    out_stats_no_memory();
  page.identities.shown = diff->shown;
  page.identities.row_of = diff->signature_merge.row_of;
  if (result == 0)
    result = put_sections(&page);
  if (result == 0)
    result = write_document(&page, out);
  out_stats_forget(page.stats);
  out_page_identities_free(&page.identities);
  out_page_block_free(&page.block);
  out_text_free(&page.site);
  return result;
}
