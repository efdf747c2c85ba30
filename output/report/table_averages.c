/* torch.profiler's key averages: a line of dashes, names of columns, rows, and the sum of their own times. */
#include <errno.h>
#include <string.h>

#include "output/report/table.h"
#include "output/report/table_writer.h"

enum column { NAME, OWN_PERCENT, OWN, TOTAL_PERCENT, TOTAL, AVERAGE, CALLS, SHAPES, SOURCE, COLUMNS };

static const char *const headings[COLUMNS] = {"Name",        "Self CPU %",   "Self CPU",
                                              "CPU total %", "CPU total",    "CPU time avg",
                                              "# of Calls",  "Input Shapes", "Source Location"};

enum { NUMBER_WIDTH = 12, MARGIN = 4, SPACING = 2, NAME_MAX_CELLS = 55, TEXT_MAX_CELLS = 80 };

struct averages {
  struct out_table table;
  struct out_text cell;
  size_t widths[COLUMNS]; /* 0: the column is left out */
  size_t left;            /* cells of a terminal's line that no column has yet */
};

/* What stands in a column of text; of the source, line `line` of it. False when there is none. */
static bool put_text(struct averages *averages, enum column column, uint32_t number, uint32_t line)
{
  struct out_table *table = &averages->table;
  const struct out_profile *profile = &table->stats->profile;
  const struct out_row_key *key = &out_rows_at(&table->stats->rows, number)->key;
  const struct out_known_function *function = out_row_function(&table->names, key);
  struct out_text *cell = &averages->cell;
  out_text_clear(cell);
  if (column == SOURCE && key->callstack != FMT_NONE)
    return out_row_frame(&table->names, key, line, cell);
  if (line > 0)
    return false;
  if (column == NAME) {
    out_text_puts(cell, function ? out_profile_string(profile, function->name) : "");
    struct out_row_key without = *key;
    without.callstack = FMT_NONE;
    out_row_groups(&table->names, &without, function ? " " : "", cell);
  } else if (column == SHAPES) {
    out_row_arguments(&table->names, key, &table->scratch, cell);
  } else if (function && !function->is_action) {
    out_text_printf(cell, "%s:%u", out_profile_string(profile, function->file), function->line);
  }
  return true;
}

static size_t cells_of(const struct averages *averages)
{
  return out_width_of(&averages->table.cells, out_text_string(&averages->cell), averages->cell.length);
}

/* On a terminal a column of text is no wider than torch makes it, and has its share of what is left for it and for
 * `others` more of them; but enough to tell rows apart. */
static size_t most_of(const struct averages *averages, enum column column, unsigned others)
{
  const size_t most = column == NAME ? NAME_MAX_CELLS : TEXT_MAX_CELLS, share = averages->left / (others + 1);
  return share > most ? most : share > OUT_TABLE_LEAST_NAME ? share : OUT_TABLE_LEAST_NAME;
}

/* As wide as the widest text and a margin. */
static void measure(struct averages *averages, enum column column, unsigned others)
{
  const struct out_table *table = &averages->table;
  const size_t limit = most_of(averages, column, others);
  size_t widest = strlen(headings[column]);
  for (uint32_t i = 0; i < table->list.count; i++) {
    const size_t mark = column == NAME ? strlen(out_table_mark(table, table->list.rows[i])) : 0;
    for (uint32_t line = 0; put_text(averages, column, table->list.rows[i], line); line++) {
      if (cells_of(averages) + mark > widest)
        widest = cells_of(averages) + mark;
    }
  }
  averages->widths[column] = widest + MARGIN;
  if (table->stats->style.width && averages->widths[column] > limit)
    averages->widths[column] = limit;
  const size_t taken = averages->widths[column];
  averages->left -= taken < averages->left ? taken : averages->left;
}

/* Takes folders from the left of the cell's text, until it fits or has none: the line is at its right. */
static void drop_folders(struct averages *averages, size_t limit)
{
  struct out_text *cell = &averages->cell;
  for (char *slash; !cell->failed && cells_of(averages) > limit && (slash = strchr(cell->data + strlen("..."), '/'));) {
    const size_t first = (size_t)(slash - cell->data) + 1 - strlen("...");
    memmove(cell->data, cell->data + first, cell->length - first + 1);
    memcpy(cell->data, "...", strlen("..."));
    cell->length -= first;
  }
}

/* Puts the mark of a row behind its name, which is shortened, not the mark. */
static void put_mark(struct averages *averages, uint32_t number)
{
  const char *mark = out_table_mark(&averages->table, number);
  if (*mark && averages->table.stats->style.width)
    out_width_shorten(&averages->table.cells, &averages->cell, averages->widths[NAME] - strlen(mark));
  out_text_puts(&averages->cell, mark);
}

/* Puts the cell's text at the right of its column. */
static void put_cell(struct averages *averages, enum column column)
{
  struct out_text *line = &averages->table.line;
  if (averages->widths[column] == 0)
    return;
  if (averages->table.stats->style.width && column == SOURCE)
    drop_folders(averages, averages->widths[column]);
  if (averages->table.stats->style.width)
    out_width_shorten(&averages->table.cells, &averages->cell, averages->widths[column]);
  line->failed |= averages->cell.failed;
  for (size_t cells = cells_of(averages); cells < averages->widths[column]; cells++)
    out_text_putc(line, ' ');
  out_text_puts(line, out_text_string(&averages->cell));
  out_text_puts(line, "  ");
}

static int put_line(struct averages *averages)
{
  struct out_table *table = &averages->table;
  if (table->line.failed)
    return -ENOMEM;
  out_text_putc(&table->line, '\n');
  bool written = fwrite(table->line.data, 1, table->line.length, table->out) == table->line.length;
  out_text_clear(&table->line);
  return written ? 0 : -EIO;
}

static int put_dashes(struct averages *averages)
{
  for (unsigned column = 0; column < COLUMNS; column++) {
    if (averages->widths[column] == 0)
      continue;
    for (size_t i = 0; i < averages->widths[column]; i++)
      out_text_putc(&averages->table.line, '-');
    out_text_puts(&averages->table.line, "  ");
  }
  return put_line(averages);
}

static int put_headings(struct averages *averages)
{
  int result = put_dashes(averages);
  for (unsigned column = 0; column < COLUMNS; column++) {
    out_text_clear(&averages->cell);
    out_text_puts(&averages->cell, headings[column]);
    put_cell(averages, column);
  }
  if (result == 0)
    result = put_line(averages);
  return result < 0 ? result : put_dashes(averages);
}

static void put_percent(struct out_text *cell, double part, double whole)
{
  if (whole > 0)
    out_text_printf(cell, "%.2f%%", part / whole * 100);
  else
    out_text_puts(cell, "?");
}

/* The value of a column of numbers. */
static void put_number(struct averages *averages, enum column column, const struct out_row *row)
{
  const struct out_table *table = &averages->table;
  const struct out_known_function *function = out_row_function(&table->names, &row->key);
  struct out_text *cell = &averages->cell;
  double own = out_table_seconds(table, row->own), total = out_table_seconds(table, row->cumulative);
  double whole = table->stats->total.time;
  enum callsig_stats_unit unit = table->unit;
  out_text_clear(cell);
  if (column != CALLS && function && function->is_untimed)
    out_text_putc(cell, '?');
  else if (column == OWN_PERCENT || column == TOTAL_PERCENT)
    put_percent(cell, column == OWN_PERCENT ? own : total, whole);
  else if (column == CALLS)
    out_text_integer(cell, row->calls, 0);
  else if (column != OWN && column != TOTAL && row->calls == 0)
    out_text_putc(cell, '-');
  else if (unit == CALLSIG_UNIT_SECONDS || unit == CALLSIG_UNIT_AUTO)
    out_put_scaled(cell, column == OWN ? own : column == TOTAL ? total : total / (double)row->calls, 0);
  else
    out_put_time(cell, column == OWN ? own : column == TOTAL ? total : total / (double)row->calls, unit);
}

static int put_row(struct averages *averages, uint32_t number)
{
  const struct out_row *row = out_rows_at(&averages->table.stats->rows, number);
  for (unsigned column = 0; column < COLUMNS; column++) {
    bool is_text = column == NAME || column == SHAPES || column == SOURCE;
    if (is_text)
      put_text(averages, column, number, 0);
    else
      put_number(averages, column, row);
    if (column == NAME)
      put_mark(averages, number);
    put_cell(averages, column);
  }
  int result = put_line(averages);
  for (uint32_t line = 1; result == 0 && put_text(averages, SOURCE, number, line); line++) {
    struct out_text frame = averages->cell;
    averages->cell = (struct out_text){0};
    for (unsigned column = 0; column < SOURCE; column++)
      put_cell(averages, column);
    out_text_free(&averages->cell);
    averages->cell = frame;
    put_cell(averages, SOURCE);
    result = put_line(averages);
  }
  return result;
}

static int print(struct averages *averages)
{
  struct out_table *table = &averages->table;
  for (unsigned column = 0; column < COLUMNS; column++)
    averages->widths[column] = NUMBER_WIDTH;
  const unsigned texts = table->stats->by & CALLSIG_BY_SIGNATURE ? 3 : 2;
  const size_t others = (SHAPES - NAME - 1) * NUMBER_WIDTH + (SHAPES - NAME - 1 + texts) * SPACING;
  averages->left = table->stats->style.width > others ? table->stats->style.width - others : 0;
  measure(averages, NAME, texts - 1);
  averages->widths[SHAPES] = 0;
  if (texts > 2)
    measure(averages, SHAPES, 1);
  measure(averages, SOURCE, 0);
  int result = put_headings(averages);
  for (uint32_t i = 0; i < table->list.count && result == 0; i++)
    result = put_row(averages, table->list.rows[i]);
  if (result == 0)
    result = put_dashes(averages);
  out_text_puts(&table->line, "Self CPU time total: ");
  out_put_scaled(&table->line, table->stats->total.time, 0);
  out_text_putc(&table->line, '\n');
  return result < 0 ? result : put_line(averages);
}

int out_table_print_averages(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count)
{
  struct averages averages = {.cell = {0}};
  int result = out_table_open(&averages.table, stats, out, restrictions, count);
  if (result == 0)
    result = print(&averages);
  out_text_free(&averages.cell);
  return out_table_close(&averages.table, result);
}
