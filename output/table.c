/* pstats's tables, byte for byte: what print_stats(), print_callers() and print_callees() print. */
#define _GNU_SOURCE
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "spread.h"

/* One table on its way out. */
struct table {
  struct callsig_stats *stats;
  FILE *out;
  struct cs_names names;
  struct cs_list list;
  struct cs_text message; /* "   Ordered by: ..." and what was reduced */
  struct cs_text line;
  struct cs_arguments scratch;
  size_t width; /* of the name column of the callers and callees */
};

/* A caller's or callee's line: the other row, and the counters of the pair. */
struct link {
  uint32_t row, other;
  const struct cs_pair *pair;
};

static double seconds(const struct table *table, uint64_t ticks)
{
  return (double)ticks * table->stats->grouping.tick;
}

static void name(struct table *table, uint32_t row)
{
  cs_row_name(&table->names, &cs_rows_at(&table->stats->rows, row)->key, &table->scratch, &table->line);
}

static size_t name_width(struct table *table, uint32_t row)
{
  cs_text_clear(&table->line);
  name(table, row);
  return cs_text_width(cs_text_string(&table->line), table->line.length);
}

static int put_line(struct table *table)
{
  if (table->line.failed)
    return -ENOMEM;
  cs_text_putc(&table->line, '\n');
  return fwrite(table->line.data, 1, table->line.length, table->out) == table->line.length ? 0 : -EIO;
}

/* The rows that are left of `order`, and the message of their order. */
static int open_table(struct table *table, struct callsig_stats *stats, FILE *out, const char *const *restrictions,
                      size_t count)
{
  *table = (struct table){.stats = stats, .out = out};
  int result = cs_stats_prepare(stats);
  if (result < 0)
    return result;
  table->names = cs_stats_names(stats);
  table->list.rows = malloc((stats->listed + 1u) * sizeof *table->list.rows);
  if (!table->list.rows)
    return cs_stats_no_memory();
  memcpy(table->list.rows, stats->order, stats->listed * sizeof *table->list.rows);
  table->list.count = stats->listed;
  cs_text_printf(&table->message, "   Ordered by: %s\n", stats->sort.title);
  return cs_restrict(&table->names, &stats->rows, restrictions, count, &table->list, &table->message);
}

static int close_table(struct table *table, int result)
{
  free(table->list.rows);
  cs_text_free(&table->message);
  cs_text_free(&table->line);
  cs_arguments_free(&table->scratch);
  if (result == -ENOMEM)
    return cs_stats_no_memory();
  if (result == -EIO)
    return cs_stats_fail(-EIO, "cannot write the table: the output is full or closed");
  return result;
}

static int print_message(struct table *table)
{
  if (table->message.failed)
    return -ENOMEM;
  return fprintf(table->out, "%s\n", cs_text_string(&table->message)) < 0 ? -EIO : 0;
}

static int print_summary(struct table *table)
{
  const struct callsig_stats_total *total = &table->stats->total;
  cs_text_clear(&table->line);
  cs_text_printf(&table->line, "         %llu function calls ", (unsigned long long)total->calls);
  if (total->calls != total->primitive_calls)
    cs_text_printf(&table->line, "(%llu primitive calls) ", (unsigned long long)total->primitive_calls);
  cs_text_puts(&table->line, "in ");
  cs_text_fixed(&table->line, total->time, 0);
  cs_text_puts(&table->line, " seconds\n");
  return put_line(table);
}

/* "calls" or "calls/primitive", right-justified. */
static void put_calls(struct cs_text *line, uint64_t calls, uint64_t primitive, int width)
{
  char text[48];
  if (calls == primitive) {
    cs_text_integer(line, calls, width);
    cs_text_putc(line, ' ');
    return;
  }
  snprintf(text, sizeof text, "%llu/%llu", (unsigned long long)calls, (unsigned long long)primitive);
  cs_text_printf(line, "%*s ", width, text);
}

static void put_time(struct cs_text *line, double time)
{
  cs_text_fixed(line, time, 8);
  cs_text_putc(line, ' ');
}

static void put_each(struct cs_text *line, double time, uint64_t calls)
{
  if (calls == 0)
    cs_text_puts(line, "         ");
  else
    put_time(line, time / (double)calls);
}

static int print_row(struct table *table, uint32_t number)
{
  const struct cs_row *row = cs_rows_at(&table->stats->rows, number);
  double own = seconds(table, row->own), cumulative = seconds(table, row->cumulative);
  cs_text_clear(&table->line);
  put_calls(&table->line, row->calls, row->primitive, 9);
  put_time(&table->line, own);
  put_each(&table->line, own, row->calls);
  put_time(&table->line, cumulative);
  put_each(&table->line, cumulative, row->primitive);
  if (table->stats->compensating) {
    const struct cs_subtraction *taken = cs_vector_at(&table->stats->rows.subtractions, number);
    put_time(&table->line, taken->own * table->stats->grouping.tick);
  }
  name(table, number);
  return put_line(table);
}

static int print_rows(struct table *table)
{
  int result = print_summary(table);
  if (result < 0 || table->list.count == 0)
    return result;
  result = print_message(table);
  if (result == 0 && fprintf(table->out, "   ncalls  tottime  percall  cumtime  percall %sfilename:lineno(function)\n",
                             table->stats->compensating ? "   hooks " : "") < 0)
    result = -EIO;
  for (uint32_t i = 0; i < table->list.count && result == 0; i++) {
    cs_row_look_ahead(&table->names, &table->stats->rows, table->list.rows + i, table->list.count - i);
    result = print_row(table, table->list.rows[i]);
  }
  if (result == 0 && fputs("\n\n", table->out) < 0)
    result = -EIO;
  return result;
}

/* The row's name without its process and rank, or what stands for all calls. */
static void shared_name(struct table *table, uint32_t row)
{
  struct cs_row_key key = cs_rows_at(&table->stats->rows, row)->key;
  size_t before = table->line.length;
  key.process = key.rank = CS_NONE;
  cs_row_name(&table->names, &key, &table->scratch, &table->line);
  if (table->line.length == before)
    cs_text_puts(&table->line, "all calls");
}

static int print_spread(struct table *table, const struct cs_spreads *spreads, const struct cs_spread *spread, bool own)
{
  const struct cs_spread_time *time = own ? &spread->own : &spread->cumulative;
  const struct cs_row_key *slowest = &cs_rows_at(&table->stats->rows, time->slowest)->key;
  const char *where = spreads->of_ranks ? cs_row_rank(&table->names, slowest) : cs_row_process(&table->names, slowest);
  cs_text_clear(&table->line);
  put_time(&table->line, seconds(table, time->min));
  put_time(&table->line, time->mean * table->stats->grouping.tick);
  put_time(&table->line, seconds(table, time->max));
  cs_text_fixed(&table->line, cs_spread_imbalance(time), 9);
  cs_text_putc(&table->line, ' ');
  shared_name(table, spread->row);
  cs_text_printf(&table->line, " [max: %s %s]", spreads->of_ranks ? "rank" : "process", where);
  return put_line(table);
}

/* Below the rows: how evenly the processes or ranks share each of them, by the time that the rows are ordered by. */
static int print_spreads(struct table *table)
{
  bool own = table->stats->sort.fields[0] == CS_SORT_OWN;
  struct cs_spreads spreads;
  int result = cs_spreads_make(table->stats, table->list.rows, table->list.count, &spreads);
  if (result == 0 && spreads.list.count > 0) {
    const char *members = spreads.of_ranks ? "ranks" : "processes";
    if (fprintf(table->out, "   %s across %u %s\n\n     min     mean      max imbalance filename:lineno(function)\n",
                own ? "Internal time" : "Cumulative time", spreads.count, members) < 0)
      result = -EIO;
    for (uint32_t i = 0; i < spreads.list.count && result == 0; i++)
      result = print_spread(table, &spreads, cs_vector_at(&spreads.list, i), own);
    if (result == 0 && fputs("\n\n", table->out) < 0)
      result = -EIO;
  }
  cs_spreads_free(&spreads);
  return result;
}

int cs_table_print(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count)
{
  struct table table;
  int result = open_table(&table, stats, out, restrictions, count);
  if (result == 0)
    result = print_rows(&table);
  if (result == 0)
    result = print_spreads(&table);
  return close_table(&table, result);
}

/* The widest of the names that are printed, plus two; of all rows' names when none was left out. */
static void measure(struct table *table)
{
  for (uint32_t i = 0; i < table->list.count; i++) {
    size_t width = name_width(table, table->list.rows[i]);
    if (width > table->width)
      table->width = width;
  }
  table->width += 2;
}

static void pad(struct cs_text *line, size_t from, size_t width)
{
  for (; from < width; from++)
    cs_text_putc(line, ' ');
}

static int print_heading(struct table *table, const char *title, bool any)
{
  cs_text_clear(&table->line);
  cs_text_puts(&table->line, "Function ");
  pad(&table->line, strlen("Function "), table->width);
  cs_text_puts(&table->line, title);
  int result = put_line(table);
  if (result < 0 || !any)
    return result;
  cs_text_clear(&table->line);
  pad(&table->line, 0, table->width);
  cs_text_puts(&table->line, "    ncalls  tottime  cumtime");
  return put_line(table);
}

static int print_links(struct table *table, uint32_t row, const struct link *links, size_t count, const char *arrow)
{
  cs_text_clear(&table->line);
  name(table, row);
  pad(&table->line, cs_text_width(cs_text_string(&table->line), table->line.length), table->width);
  cs_text_puts(&table->line, arrow);
  cs_text_putc(&table->line, ' ');
  int result = count == 0 ? put_line(table) : 0;
  for (size_t i = 0; i < count && result == 0; i++) {
    const struct cs_pair *pair = links[i].pair;
    if (i > 0) {
      cs_text_clear(&table->line);
      pad(&table->line, 0, table->width + 1);
    }
    put_calls(&table->line, pair->calls, pair->primitive, i > 0 ? 9 : 7);
    put_time(&table->line, seconds(table, pair->own));
    put_time(&table->line, seconds(table, pair->cumulative));
    cs_text_putc(&table->line, ' ');
    name(table, links[i].other);
    result = put_line(table);
  }
  return result;
}

struct link_order {
  const struct table *table;
  struct cs_text left, right;
  struct cs_arguments scratch, compared[2];
};

/* Python's order of the triples (file, line, function text). */
static int compare_triples(struct link_order *order, uint32_t left, uint32_t right)
{
  const struct cs_names *names = &order->table->names;
  const struct cs_row_key *a = &cs_rows_at(&order->table->stats->rows, left)->key;
  const struct cs_row_key *b = &cs_rows_at(&order->table->stats->rows, right)->key;
  const struct cs_known_function *one = cs_row_function(names, a), *other = cs_row_function(names, b);
  int result = strcmp(cs_profile_string(names->profile, one->file), cs_profile_string(names->profile, other->file));
  if (result == 0)
    result = one->line < other->line ? -1 : one->line > other->line;
  if (result != 0)
    return result;
  cs_text_clear(&order->left);
  cs_text_clear(&order->right);
  cs_row_function_text(names, a, &order->scratch, &order->left);
  cs_row_function_text(names, b, &order->scratch, &order->right);
  return strcmp(cs_text_string(&order->left), cs_text_string(&order->right));
}

static int compare_links(const void *left, const void *right, void *data)
{
  const struct link *a = left, *b = right;
  if (a->row != b->row)
    return a->row < b->row ? -1 : 1;
  struct link_order *order = data;
  const struct cs_rows *rows = &order->table->stats->rows;
  if (a->other == b->other)
    return 0;
  int result = compare_triples(order, a->other, b->other);
  if (result == 0)
    result = cs_row_compare(&order->table->names, &cs_rows_at(rows, a->other)->key, &cs_rows_at(rows, b->other)->key,
                            order->compared);
  return result ? result : a->other < b->other ? -1 : 1;
}

/* The pairs as lines of their rows, row by row. */
static struct link *make_links(struct table *table, const struct cs_vector *pairs, bool callees)
{
  struct link *links = calloc(pairs->count + 1u, sizeof *links);
  if (!links)
    return NULL;
  for (uint32_t i = 0; i < pairs->count; i++) {
    const struct cs_pair *pair = cs_vector_at(pairs, i);
    links[i] = (struct link){
        .row = callees ? pair->caller : pair->callee, .other = callees ? pair->callee : pair->caller, .pair = pair};
  }
  struct link_order order = {.table = table};
  qsort_r(links, pairs->count, sizeof *links, compare_links, &order);
  cs_text_free(&order.left);
  cs_text_free(&order.right);
  cs_arguments_free(&order.scratch);
  cs_arguments_free(&order.compared[0]);
  cs_arguments_free(&order.compared[1]);
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

static int print_linked_rows(struct table *table, const struct cs_vector *pairs, bool callees)
{
  struct link *links = make_links(table, pairs, callees);
  if (!links)
    return -ENOMEM;
  measure(table);
  int result = print_message(table);
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

int cs_table_print_links(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count,
                         bool callees)
{
  struct table table;
  struct cs_vector pairs = CS_VECTOR_OF(struct cs_pair);
  int result = open_table(&table, stats, out, restrictions, count);
  if (result == 0 && !(stats->by & CALLSIG_BY_FUNCTION))
    result = cs_stats_fail(-EINVAL, "callers and callees need rows by function or signature: add --by function");
  if (result == 0)
    result = cs_rows_pairs(&stats->profile, &stats->grouping, &stats->rows, &pairs);
  if (result == 0 && table.list.count > 0)
    result = print_linked_rows(&table, &pairs, callees);
  cs_vector_free(&pairs);
  return close_table(&table, result);
}
