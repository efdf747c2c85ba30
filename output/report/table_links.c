/* pstats's tables of callers and callees, byte for byte: what print_callers() and print_callees() print. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/report/table.h"
#include "output/report/table_writer.h"
#include "output/stats/edge_share.h"
#include "output/text/message.h"

/* A caller's or callee's line: the other row, and the counters of the pair. */
struct link {
  uint32_t row, other;
  const struct out_pair *pair;
};

/* What pstats pads by: characters. Where lines are made to fit a terminal, its cells. */
static size_t line_width(const struct out_table *table)
{
  const char *line = out_text_string(&table->line);
  return table->stats->style.width ? out_width_of(&table->cells, line, table->line.length)
                                   : out_text_width(line, table->line.length);
}

static size_t name_width(struct out_table *table, uint32_t row)
{
  out_text_clear(&table->line);
  out_table_put_name(table, row);
  table->name_at = table->file_bytes = 0; /* the name is in no line that is printed */
  out_text_puts(&table->line, out_table_mark(table, row));
  return line_width(table);
}

/* Half of what a terminal's line has beside the numbers and the arrow is left for the other function. */
static size_t most_of_left(const struct out_table *table)
{
  const size_t width = table->stats->style.width, calls = strlen("-> ") + 7 + 1;
  const size_t numbers = calls + 2 * ((size_t)out_time_width(table->unit) + 1), least = OUT_TABLE_LEAST_NAME + 1;
  const size_t half = width > numbers ? (width - numbers) / 2 : 0;
  return half > least ? half : least;
}

/* The widest of the names that are printed, plus two; of all rows' names when none was left out. */
static void measure(struct out_table *table)
{
  for (uint32_t i = 0; i < table->list.count; i++) {
    size_t width = name_width(table, table->list.rows[i]);
    if (width > table->name_width)
      table->name_width = width;
  }
  table->name_width += 2;
  if (table->stats->style.width && table->name_width > most_of_left(table))
    table->name_width = most_of_left(table);
}

static void pad(struct out_text *line, size_t from, size_t width)
{
  for (; from < width; from++)
    out_text_putc(line, ' ');
}

static int print_heading(struct out_table *table, const char *title, bool any)
{
  out_text_clear(&table->line);
  out_text_puts(&table->line, "Function ");
  pad(&table->line, strlen("Function "), table->name_width);
  table->name_at = table->line.length;
  out_text_puts(&table->line, title);
  int result = out_table_put_line(table);
  if (result < 0 || !any)
    return result;
  out_text_clear(&table->line);
  pad(&table->line, 0, table->name_width);
  out_text_printf(&table->line, "    ncalls %*s %*s", out_time_width(table->unit), "tottime",
                  out_time_width(table->unit), "cumtime");
  table->name_at = table->line.length;
  return out_table_put_line(table);
}

static int print_links(struct out_table *table, uint32_t row, const struct link *links, size_t count, const char *arrow)
{
  out_text_clear(&table->line);
  out_table_put_name(table, row);
  const char *mark = out_table_mark(table, row);
  if (table->stats->style.width)
    out_table_fit(table, table->name_width - 1 - strlen(mark));
  out_text_puts(&table->line, mark);
  pad(&table->line, line_width(table), table->name_width);
  out_text_puts(&table->line, arrow);
  out_text_putc(&table->line, ' ');
  table->name_at = table->line.length; /* where the other function begins, if there is one */
  int result = count == 0 ? out_table_put_line(table) : 0;
  for (size_t i = 0; i < count && result == 0; i++) {
    const struct out_pair *pair = links[i].pair;
    if (i > 0) {
      out_text_clear(&table->line);
      pad(&table->line, 0, table->name_width + 1);
    }
    out_put_calls(&table->line, pair->calls, pair->primitive, i > 0 ? 9 : 7);
    const struct out_known_function *callee =
        out_row_function(&table->names, &out_rows_at(&table->stats->rows, pair->callee)->key);
    const bool is_untimed = callee && callee->is_untimed;
    out_put_time(&table->line, is_untimed ? NAN : out_table_seconds(table, pair->own), table->unit);
    out_put_time(&table->line, is_untimed ? NAN : out_table_seconds(table, pair->cumulative), table->unit);
    out_text_putc(&table->line, ' ');
    out_table_put_name(table, links[i].other);
    result = out_table_put_line(table);
  }
  return result;
}

struct link_order {
  const struct out_table *table;
  struct out_text left, right;
  struct out_arguments scratch, compared[2];
};

/* Python's order of the triples (file, line, function text). */
static int compare_triples(struct link_order *order, uint32_t left, uint32_t right)
{
  const struct out_names *names = &order->table->names;
  const struct out_row_key *a = &out_rows_at(&order->table->stats->rows, left)->key;
  const struct out_row_key *b = &out_rows_at(&order->table->stats->rows, right)->key;
  const struct out_known_function *one = out_row_function(names, a), *other = out_row_function(names, b);
  int result = strcmp(out_profile_string(names->profile, one->file), out_profile_string(names->profile, other->file));
  if (result == 0)
    result = one->line < other->line ? -1 : one->line > other->line;
  if (result != 0)
    return result;
  out_text_clear(&order->left);
  out_text_clear(&order->right);
  out_row_function_text(names, a, &order->scratch, &order->left);
  out_row_function_text(names, b, &order->scratch, &order->right);
  return strcmp(out_text_string(&order->left), out_text_string(&order->right));
}

static int compare_links(const void *left, const void *right, void *data)
{
  const struct link *a = left, *b = right;
  if (a->row != b->row)
    return a->row < b->row ? -1 : 1;
  struct link_order *order = data;
  const struct out_rows *rows = &order->table->stats->rows;
  if (a->other == b->other)
    return 0;
  int result = compare_triples(order, a->other, b->other);
  if (result == 0)
    result = out_row_compare(&order->table->names, &out_rows_at(rows, a->other)->key, &out_rows_at(rows, b->other)->key,
                             order->compared);
  return result ? result : a->other < b->other ? -1 : 1;
}

/* The pairs as lines of their rows, row by row. */
static struct link *make_links(struct out_table *table, const struct base_vector *pairs, bool callees)
{
  struct link *links = calloc(pairs->count + 1u, sizeof *links);
  if (!links)
    return NULL;
  for (uint32_t i = 0; i < pairs->count; i++) {
    const struct out_pair *pair = base_vector_at(pairs, i);
    links[i] = (struct link){
        .row = callees ? pair->caller : pair->callee, .other = callees ? pair->callee : pair->caller, .pair = pair};
  }
  struct link_order order = {.table = table};
  qsort_r(links, pairs->count, sizeof *links, compare_links, &order);
  if (order.left.failed || order.right.failed) {
    free(links);
    links = NULL;
  }
  out_text_free(&order.left);
  out_text_free(&order.right);
  out_arguments_free(&order.scratch);
  out_arguments_free(&order.compared[0]);
  out_arguments_free(&order.compared[1]);
  return links;
}

static int compare_row(const void *key, const void *link)
{
  uint32_t wanted = *(const uint32_t *)key, row = ((const struct link *)link)->row;
  return wanted < row ? -1 : wanted > row;
}

/* The lines of one row: a run of `links`. */
static const struct link *links_of(uint32_t row, const struct link *links, uint32_t count, size_t *found)
{
  const struct link *first = bsearch(&row, links, count, sizeof *links, compare_row);
  *found = 0;
  if (!first)
    return NULL;
  while (first > links && first[-1].row == row)
    first--;
  while (first + *found < links + count && first[*found].row == row)
    ++*found;
  return first;
}

static int print_linked_rows(struct out_table *table, const struct base_vector *pairs, bool callees)
{
  struct link *links = make_links(table, pairs, callees);
  if (!links)
    return -ENOMEM;
  measure(table);
  int result = out_table_put_message(table);
  if (result == 0)
    result = print_heading(table, callees ? "called..." : "was called by...", pairs->count > 0);
  for (uint32_t i = 0; i < table->list.count && result == 0; i++) {
    size_t count;
    const struct link *first = links_of(table->list.rows[i], links, pairs->count, &count);
    result = print_links(table, table->list.rows[i], first, count, callees ? "->" : "<-");
  }
  free(links);
  if (result == 0 && fputs("\n\n", table->out) < 0)
    result = -EIO;
  return result;
}

/* By function as it is shown: do its rows tell what calls returned? NULL: no memory. */
static bool *find_returning(const struct callsig_stats *stats)
{
  const struct out_profile *profile = &stats->profile;
  bool *returning = calloc(profile->functions.count + 1u, sizeof *returning);
  for (uint32_t i = 0; i < profile->edges.count && returning; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to != FMT_NONE && edge->is_returned)
      returning[stats->shown_function[out_signature_function(
          profile, out_profile_variant(profile, edge->to)->signature)]] = true;
  }
  return returning;
}

/* Adds to the table the callers of a function that have no calls of their own, as these count by what they returned:
 * what all of them called is known of that row alone. Behind the table's own rows, where one is of the function. */
static int add_rows_of_returning(struct out_table *table, const struct base_vector *pairs)
{
  const struct callsig_stats *stats = table->stats;
  const struct out_rows *rows = &stats->rows;
  bool *returning = find_returning(stats), *listed = calloc(stats->profile.functions.count + 1u, sizeof *listed);
  bool *added = calloc(rows->list.count + 1u, sizeof *added);
  uint32_t *list = realloc(table->list.rows, (rows->list.count + 1u) * sizeof *list);
  table->list.rows = list ? list : table->list.rows;
  const bool is_ready = returning && listed && added && list;
  for (uint32_t i = 0; i < table->list.count && is_ready; i++) {
    added[list[i]] = true;
    listed[out_rows_at(rows, list[i])->function] = true;
  }
  for (uint32_t i = 0; i < pairs->count && is_ready; i++) {
    const uint32_t caller = ((const struct out_pair *)base_vector_at(pairs, i))->caller;
    const struct out_row *row = out_rows_at(rows, caller);
    if (added[caller] || row->calls > 0 || !returning[row->function] || !listed[row->function])
      continue;
    added[caller] = true;
    list[table->list.count++] = caller;
  }
  free(returning);
  free(listed);
  free(added);
  return is_ready ? 0 : -ENOMEM;
}

/* In place of rows by site, what these are of, each once: what was called from which of its places is not known. */
static int list_callers_anywhere(struct out_table *table)
{
  struct callsig_stats *stats = table->stats;
  bool *is_listed = calloc(stats->rows.list.count + (size_t)table->list.count + 1, sizeof *is_listed);
  int result = is_listed ? 0 : -ENOMEM;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < table->list.count && result == 0; i++) {
    uint32_t number;
    result = out_rows_anywhere(&stats->profile, &stats->grouping, &stats->rows, table->list.rows[i], &number);
    if (result < 0 || is_listed[number])
      continue;
    is_listed[number] = true;
    table->list.rows[kept++] = number;
  }
  table->list.count = kept;
  free(is_listed);
  return result;
}

int out_table_print_links(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count,
                          bool callees)
{
  struct out_table table;
  struct base_vector pairs = BASE_VECTOR_OF(struct out_pair);
  int result = out_table_open(&table, stats, out, restrictions, count);
  if (result == 0 && !(stats->by & CALLSIG_BY_FUNCTION))
    result = out_stats_fail(-EINVAL, "callers and callees need rows by function or signature: add --by function");
  if (result == 0)
    result = out_rows_pairs(&stats->profile, &stats->grouping, &stats->rows, &pairs);
  if (result == 0 && callees && stats->by & CALLSIG_BY_SIGNATURE)
    result = add_rows_of_returning(&table, &pairs);
  if (result == 0 && callees && stats->by & CALLSIG_BY_SITE)
    result = list_callers_anywhere(&table);
  if (result == 0 && table.list.count > 0)
    result = print_linked_rows(&table, &pairs, callees);
  base_vector_free(&pairs);
  return out_table_close(&table, result);
}
