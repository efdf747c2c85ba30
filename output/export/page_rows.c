/* Writes the rows of one grouping, column by column, and the pairs of callers and callees among them. */
#include "output/export/page_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/export_writer.h"
#include "output/stats/percentile.h"

/* The other rows of a function, of which there were too many. */
struct folded {
  uint32_t function, rows;
  struct out_row sum;
};

struct writer {
  struct out_page_identities *identities;
  struct out_page_block *block;
  const struct callsig_stats *stats;
  struct out_names names;
  struct base_vector pairs;  /* struct out_pair */
  struct base_vector folded; /* struct folded */
  uint32_t *order;        /* rows as they are written: listed ones by their names, then callers that are not listed */
  uint32_t count, listed; /* of `order`; of its beginning that has calls */
  uint32_t *number;       /* by row: its number in the page */
  struct out_text site;   /* of the row that is being written */
};

static const struct out_row *row_at(const struct writer *writer, uint32_t place)
{
  return out_rows_at(&writer->stats->rows, writer->order[place]);
}

/* A whole number, of which most are small; or a double where it is none. 0: unknown. */
static void put_ticks(struct out_page_block *block, double ticks)
{
  const double twice = 2 * ticks;
  if (isnan(ticks)) {
    out_page_number(block, 0);
  } else if (twice == floor(twice) && twice < 9e15) {
    out_page_number(block, (uint64_t)twice + 2);
  } else {
    out_page_number(block, 1);
    out_page_double(block, ticks);
  }
}

static void put_identities(struct writer *writer)
{
  struct out_page_block *block = writer->block;
  int64_t last_function = 0, last_signature = 0;
  const bool by_signature = writer->stats->by & CALLSIG_BY_SIGNATURE;
  for (uint32_t i = 0; i < writer->count; i++) {
    const uint32_t known = row_at(writer, i)->function;
    const int64_t function = known == FMT_NONE ? 0 : (int64_t)out_page_function(writer->identities, known) + 1;
    out_page_signed(block, function - last_function);
    last_function = function;
  }
  for (uint32_t i = 0; i < writer->count && by_signature; i++) {
    const int64_t signature = out_page_signature(writer->identities, row_at(writer, i)->key.what);
    out_page_signed(block, signature - last_signature);
    last_signature = signature;
  }
}

/* Where a row's calls were made, NULL for a caller, which may have been called anywhere. */
static const char *site_text(struct writer *writer, const struct out_row_key *key)
{
  out_text_clear(&writer->site);
  const bool is_there = out_row_site(&writer->names, key, &writer->site);
  writer->block->failed |= writer->site.failed;
  return is_there ? out_text_string(&writer->site) : NULL;
}

/* The text of a group that a row is in, NULL for none. */
static const char *group_text(struct writer *writer, const struct out_row_key *key, unsigned by)
{
  const struct out_profile *profile = &writer->stats->profile;
  switch (by) {
  case CALLSIG_BY_STAGE:
    return key->stage ? out_row_stage(&writer->names, key) : NULL;
  case CALLSIG_BY_THREAD:
    return key->thread == FMT_NONE ? NULL : out_profile_string(profile, key->thread);
  case CALLSIG_BY_MODULE:
    return key->module == FMT_NONE ? NULL : out_profile_string(profile, key->module);
  case CALLSIG_BY_PROCESS:
    return out_row_process(&writer->names, key);
  case CALLSIG_BY_RANK:
    return out_row_rank(&writer->names, key);
  default:
    return site_text(writer, key);
  }
}

/* A column for each that rows are by, as they are numbered in callsig/stats.h. */
static void put_groups(struct writer *writer)
{
  static const unsigned groups[] = {CALLSIG_BY_STAGE,   CALLSIG_BY_THREAD, CALLSIG_BY_MODULE,
                                    CALLSIG_BY_PROCESS, CALLSIG_BY_RANK,   CALLSIG_BY_SITE};
  for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) {
    for (uint32_t j = 0; j < writer->count && writer->stats->by & groups[i]; j++) {
      const char *text = group_text(writer, &row_at(writer, j)->key, groups[i]);
      out_page_number(writer->block, text ? out_page_text(writer->block, text) + 1u : 0);
    }
  }
}

static void put_counts(struct writer *writer)
{
  struct out_page_block *block = writer->block;
  for (uint32_t i = 0; i < writer->listed; i++)
    out_page_number(block, row_at(writer, i)->calls);
  for (uint32_t i = 0; i < writer->listed; i++)
    out_page_number(block, row_at(writer, i)->calls - row_at(writer, i)->primitive);
  for (uint32_t i = 0; i < writer->listed; i++)
    out_page_number(block, row_at(writer, i)->own);
  for (uint32_t i = 0; i < writer->listed; i++)
    out_page_number(block, row_at(writer, i)->cumulative);
  for (uint32_t i = 0; i < writer->listed; i++)
    out_page_number(block, row_at(writer, i)->min);
  for (uint32_t i = 0; i < writer->listed; i++)
    out_page_number(block, row_at(writer, i)->max);
}

static void put_percentiles(struct writer *writer)
{
  const struct out_percentiles *percentiles = writer->stats->percentiles;
  out_page_number(writer->block, percentiles != NULL);
  for (unsigned kind = 0; kind < OUT_PERCENTILES && percentiles; kind++) {
    for (uint32_t i = 0; i < writer->listed; i++)
      put_ticks(writer->block, percentiles[writer->order[i]].value[kind]);
  }
}

static void put_errors(struct writer *writer)
{
  const struct callsig_stats *stats = writer->stats;
  const bool told = out_stats_has_errors(stats);
  out_page_number(writer->block, told);
  for (uint32_t i = 0; i < writer->listed && told; i++) {
    const struct out_row_error error = out_stats_error(stats, writer->order[i]);
    out_page_number(writer->block, error.untimed << 1 | error.is_uncertain);
  }
  for (uint32_t i = 0; i < writer->listed && told; i++)
    out_page_single(writer->block, out_stats_error(stats, writer->order[i]).own);
  for (uint32_t i = 0; i < writer->listed && told; i++)
    out_page_single(writer->block, out_stats_error(stats, writer->order[i]).cumulative);
}

static void put_sleep(struct writer *writer)
{
  const struct callsig_stats *stats = writer->stats;
  const bool told = stats->sleep != NULL;
  out_page_number(writer->block, told);
  for (uint32_t i = 0; i < writer->listed && told; i++)
    out_page_single(writer->block, out_stats_sleep(stats, writer->order[i]).own);
  for (uint32_t i = 0; i < writer->listed && told; i++)
    out_page_single(writer->block, out_stats_sleep(stats, writer->order[i]).own_error);
  for (uint32_t i = 0; i < writer->listed && told; i++)
    out_page_single(writer->block, out_stats_sleep(stats, writer->order[i]).cumulative);
  for (uint32_t i = 0; i < writer->listed && told; i++)
    out_page_single(writer->block, out_stats_sleep(stats, writer->order[i]).cumulative_error);
}

/* A number that may be unknown. */
static void put_amount(struct out_page_block *block, uint64_t amount, bool is_known)
{
  out_page_number(block, is_known ? amount + 1 : 0);
}

static void put_asked(struct writer *writer)
{
  const struct out_row_asked *asked = writer->stats->rows.asked;
  out_page_number(writer->block, asked != NULL);
  for (uint32_t i = 0; i < writer->listed && asked; i++)
    put_amount(writer->block, asked[writer->order[i]].sum.calls, asked[writer->order[i]].is_known);
  for (uint32_t i = 0; i < writer->listed && asked; i++)
    put_amount(writer->block, asked[writer->order[i]].sum.bytes, asked[writer->order[i]].is_known);
  for (uint32_t i = 0; i < writer->listed && asked; i++) {
    const struct out_row_asked *row = &asked[writer->order[i]];
    put_amount(writer->block, out_asked_kept_bytes(&row->sum), out_row_asked_kept_known(row));
  }
}

static void put_folded(struct writer *writer)
{
  struct out_page_block *block = writer->block;
  out_page_number(block, writer->folded.count);
  for (uint32_t i = 0; i < writer->folded.count; i++) {
    const struct folded *folded = base_vector_at(&writer->folded, i);
    out_page_number(block, out_page_function(writer->identities, folded->function));
    out_page_number(block, folded->rows);
    out_page_number(block, folded->sum.calls);
    out_page_number(block, folded->sum.primitive);
    out_page_number(block, folded->sum.own);
    out_page_number(block, folded->sum.min);
    out_page_number(block, folded->sum.max);
  }
}

static int compare_pairs(const void *left, const void *right)
{
  const struct out_pair *a = left, *b = right;
  if (a->callee != b->callee)
    return a->callee < b->callee ? -1 : 1;
  return a->caller < b->caller ? -1 : a->caller > b->caller;
}

/* Rows that were folded may have left pairs of the same two: one now. */
static void join_pairs(struct base_vector *pairs)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < pairs->count; i++) {
    const struct out_pair *pair = base_vector_at(pairs, i);
    struct out_pair *last = kept > 0 ? base_vector_at(pairs, kept - 1) : NULL;
    if (last && compare_pairs(last, pair) == 0) {
      last->calls += pair->calls;
      last->primitive += pair->primitive;
      last->own += pair->own;
      last->cumulative += pair->cumulative;
    } else {
      *(struct out_pair *)base_vector_at(pairs, kept++) = *pair;
    }
  }
  pairs->count = kept;
}

static void put_pairs(struct writer *writer)
{
  struct out_page_block *block = writer->block;
  uint32_t last = 0;
  for (uint32_t i = 0; i < writer->pairs.count; i++) {
    struct out_pair *pair = base_vector_at(&writer->pairs, i);
    pair->caller = writer->number[pair->caller];
    pair->callee = writer->number[pair->callee];
  }
  if (writer->pairs.count > 0)
    qsort(writer->pairs.data, writer->pairs.count, writer->pairs.entry_size, compare_pairs);
  join_pairs(&writer->pairs);
  out_page_number(block, writer->pairs.count);
  for (uint32_t i = 0; i < writer->pairs.count; i++) {
    const struct out_pair *pair = base_vector_at(&writer->pairs, i);
    out_page_number(block, pair->callee - last);
    last = pair->callee;
    out_page_number(block, pair->caller);
    out_page_number(block, pair->calls);
    out_page_number(block, pair->calls - pair->primitive);
    out_page_number(block, pair->own);
    out_page_number(block, pair->cumulative);
  }
}

/* The number of the row that the others of a function are. */
static int fold(struct writer *writer, const struct out_row *row, uint32_t *folded_of, uint32_t *number)
{
  uint32_t *slot = &folded_of[row->function];
  if (*slot == FMT_NONE) {
    struct folded *added = base_vector_add(&writer->folded, 1);
    if (!added)
      return -ENOMEM;
    *added = (struct folded){.function = row->function, .sum = {.min = UINT64_MAX}};
    *slot = writer->folded.count - 1;
  }
  struct folded *folded = base_vector_at(&writer->folded, *slot);
  folded->rows++;
  folded->sum.calls += row->calls;
  folded->sum.primitive += row->primitive;
  folded->sum.own += row->own;
  if (row->calls > 0 && row->min < folded->sum.min)
    folded->sum.min = row->min;
  folded->sum.max = row->max > folded->sum.max ? row->max : folded->sum.max;
  *number = *slot;
  return 0;
}

/* Folds all listed rows but the first `most`; `number` of a folded one is for now that of what it is folded into. */
static int fold_rows(struct writer *writer, uint32_t most, bool *is_folded)
{
  const struct callsig_stats *stats = writer->stats;
  const size_t size = (stats->profile.functions.count + (size_t)1) * sizeof(uint32_t);
  uint32_t *folded_of = malloc(size);
  if (!folded_of)
    return -ENOMEM;
  memset(folded_of, 0xFF, size);
  int result = 0;
  for (uint32_t i = most; i < stats->listed && result == 0; i++) {
    const uint32_t row = stats->order[i];
    is_folded[row] = true;
    result = fold(writer, out_rows_at(&stats->rows, row), folded_of, &writer->number[row]);
  }
  free(folded_of);
  return result;
}

/* Numbers the rows: listed ones, callers that are not listed, and what was folded. */
static int number_rows(struct writer *writer, uint32_t most)
{
  const struct callsig_stats *stats = writer->stats;
  const uint32_t rows = stats->rows.list.count;
  bool *is_folded = calloc(rows + (size_t)1, sizeof *is_folded);
  uint32_t *names = out_export_order(stats);
  writer->order = calloc(rows + (size_t)1, sizeof *writer->order);
  writer->number = malloc((rows + (size_t)1) * sizeof *writer->number);
  int result = is_folded && names && writer->order && writer->number ? 0 : -ENOMEM;
  if (result == 0 && stats->listed > most)
    result = fold_rows(writer, most, is_folded);
  for (uint32_t i = 0; i < stats->listed && result == 0; i++) {
    if (!is_folded[names[i]])
      writer->order[writer->count++] = names[i];
  }
  writer->listed = writer->count;
  for (uint32_t i = stats->listed; i < rows && result == 0; i++)
    writer->order[writer->count++] = i;
  for (uint32_t i = 0; i < rows && result == 0; i++)
    writer->number[i] = is_folded[i] ? writer->count + writer->number[i] : 0;
  for (uint32_t i = 0; i < writer->count && result == 0; i++)
    writer->number[writer->order[i]] = i;
  free(is_folded);
  free(names);
  return result;
}

static void put_rows(struct writer *writer)
{
  out_page_section(writer->block, "rows");
  out_page_number(writer->block, writer->stats->by);
  out_page_double(writer->block, writer->stats->grouping.tick);
  out_page_number(writer->block, writer->listed);
  out_page_number(writer->block, writer->count - writer->listed);
  put_identities(writer);
  put_groups(writer);
  put_counts(writer);
  put_percentiles(writer);
  put_errors(writer);
  put_sleep(writer);
  put_asked(writer);
  put_folded(writer);
  put_pairs(writer);
  out_page_section_end(writer->block);
}

int out_page_rows(struct out_page_identities *identities, uint32_t most)
{
  struct callsig_stats *stats = identities->stats;
  struct writer writer = {.identities = identities,
                          .block = identities->block,
                          .stats = stats,
                          .names = out_stats_names(stats),
                          .pairs = BASE_VECTOR_OF(struct out_pair),
                          .folded = BASE_VECTOR_OF(struct folded)};
  int result = 0;
  /* Callers that are not listed become rows: before rows are numbered. */
  if (stats->by & CALLSIG_BY_FUNCTION)
    result = out_rows_pairs(&stats->profile, &stats->grouping, &stats->rows, &writer.pairs);
  if (result == 0)
    result = number_rows(&writer, most);
  if (result == 0)
    put_rows(&writer);
  base_vector_free(&writer.pairs);
  base_vector_free(&writer.folded);
  free(writer.order);
  free(writer.number);
  out_text_free(&writer.site);
  return result;
}
