/* Opens a table, writes its lines, and closes it. */
#include "output/report/table_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/notes/notes.h"
#include "output/text/message.h"

/* Remembers what is in the table, which its notes are about. */
static int remember_printed(struct out_table *table)
{
  struct callsig_stats *stats = table->stats;
  free(stats->printed);
  stats->printed = calloc(stats->profile.functions.count + 1u, 1);
  if (!stats->printed)
    return -ENOMEM;
  stats->printed_rows = table->list.count;
  stats->printed_uncertain = 0;
  for (uint32_t i = 0; i < table->list.count; i++) {
    stats->printed_uncertain += out_stats_error(stats, table->list.rows[i]).is_uncertain;
    uint32_t function = out_stats_function(stats, &out_rows_at(&stats->rows, table->list.rows[i])->key);
    if (function != FMT_NONE)
      stats->printed[function] = 1;
  }
  return 0;
}

int out_table_open(struct out_table *table, struct callsig_stats *stats, FILE *out, const char *const *restrictions,
                   size_t count)
{
  *table = (struct out_table){.stats = stats, .out = out, .columns = stats->columns, .unit = stats->style.unit};
  out_width_init(&table->cells);
  int result = out_stats_prepare(stats);
  if (result == 0 && out_columns_have_percentiles(&table->columns))
    result = out_stats_percentiles(stats);
  if (result == 0 && out_columns_have_waits(&table->columns))
    result = out_stats_inclusive_sleep(stats);
  table->is_told = result < 0;
  if (result < 0)
    return result;
  if (stats->compensating == OUT_COMPENSATE_ALL)
    out_columns_add(&table->columns, OUT_COLUMN_HOOKS);
  table->names = out_stats_names(stats);
  table->list.rows = malloc((stats->listed + 1u) * sizeof *table->list.rows);
  if (!table->list.rows)
    return -ENOMEM;
  memcpy(table->list.rows, stats->order, stats->listed * sizeof *table->list.rows);
  table->list.count = stats->listed;
  out_text_printf(&table->message, "   Ordered by: %s%s\n", stats->sort.title,
                  stats->has_asleep ? "; threads that only slept come last" : "");
  if (out_unit_name(table->unit))
    out_text_printf(&table->message, "   Times in %s\n", out_unit_name(table->unit));
  result = out_restrict(&table->names, &stats->rows, restrictions, count, &table->list, &table->message);
  return result < 0 ? result : remember_printed(table);
}

/* Where a character of UTF-8 begins, from `at` on. */
static size_t character_from(const struct out_text *text, size_t at)
{
  while (at < text->length && ((unsigned char)text->data[at] & 0xC0) == 0x80)
    at++;
  return at;
}

static const char dots[] = "...";

/* Takes the middle out of what the line has from `first` on: who is called and with what stays to be seen. */
static void shorten_name(struct out_text *line, size_t first, size_t limit)
{
  const size_t length = line->length - first, kept = limit - strlen(dots);
  if (line->failed || length <= limit)
    return;
  size_t head = character_from(line, first + kept / 2), tail = character_from(line, line->length - (kept - kept / 2));
  if (head + strlen(dots) >= tail)
    return;
  memcpy(line->data + head, dots, strlen(dots));
  memmove(line->data + head + strlen(dots), line->data + tail, line->length - tail + 1);
  line->length -= tail - head - strlen(dots);
}

void out_table_put_key(struct out_table *table, const struct out_row_key *key)
{
  const struct out_known_function *function = out_row_function(&table->names, key);
  table->name_at = table->line.length;
  table->file_bytes =
      function && !function->is_action ? strlen(out_profile_string(table->names.profile, function->file)) : 0;
  out_row_name(&table->names, key, &table->scratch, &table->line);
}

const char *out_table_mark(const struct out_table *table, uint32_t row)
{
  return out_stats_error(table->stats, row).is_uncertain ? OUT_UNCERTAIN_MARK : "";
}

void out_table_put_name(struct out_table *table, uint32_t row)
{
  out_table_put_key(table, &out_rows_at(&table->stats->rows, row)->key);
  const size_t limit = table->stats->style.name_width, before = table->line.length;
  if (limit > 0)
    shorten_name(&table->line, table->name_at, limit);
  /* The dots may be in the path. */
  if (table->line.length != before && table->file_bytes > (limit - strlen(dots)) / 2)
    table->file_bytes = 0;
}

/* Puts dots in place of leading folders of the name's file: of as few as make the line fit, or of all. What the
 * function is called, and with what, tells rows apart sooner than where its file lies. */
static void drop_folders(struct out_table *table, size_t limit)
{
  struct out_text *line = &table->line;
  const char *path = line->data + table->name_at;
  const size_t width = out_width_of(&table->cells, line->data, line->length);
  size_t dropped = 0, saved = 0;
  for (size_t i = 0; i < table->file_bytes && width - saved > limit; i++) {
    const size_t cells = path[i] == '/' ? out_width_of(&table->cells, path, i + 1) : 0;
    if (cells > strlen(dots)) {
      dropped = i + 1;
      saved = cells - strlen(dots);
    }
  }
  table->file_bytes = 0;
  if (dropped == 0)
    return;
  memcpy(line->data + table->name_at, dots, strlen(dots));
  memmove(line->data + table->name_at + strlen(dots), path + dropped, line->length - table->name_at - dropped + 1);
  line->length -= dropped - strlen(dots);
}

void out_table_fit(struct out_table *table, size_t limit)
{
  if (!table->line.failed && table->file_bytes > 0)
    drop_folders(table, limit);
  out_width_shorten(&table->cells, &table->line, limit);
}

int out_table_close(struct out_table *table, int result)
{
  free(table->list.rows);
  out_text_free(&table->message);
  out_text_free(&table->line);
  out_arguments_free(&table->scratch);
  out_width_free(&table->cells);
  if (result == -ENOMEM && !table->is_told)
    return out_stats_no_memory();
  if (result == -EIO)
    return out_stats_fail(-EIO, "cannot write the table: the output is full or closed");
  return result;
}

/* How many cells the line may take. Where the columns leave the name hardly any, it is wider than the terminal: a row
 * whose name is cut away tells nothing. */
static size_t line_limit(const struct out_table *table)
{
  const size_t width = table->stats->style.width;
  if (table->name_at == 0)
    return width;
  const size_t least = out_width_of(&table->cells, table->line.data, table->name_at) + OUT_TABLE_LEAST_NAME;
  return width > least + table->mark_bytes ? width - table->mark_bytes : least;
}

static void fit_line(struct out_table *table)
{
  struct out_text *line = &table->line;
  char marks[sizeof OUT_LIBRARY_MARK OUT_UNCERTAIN_MARK] = "";
  if (table->mark_bytes > 0) {
    line->length -= table->mark_bytes;
    memcpy(marks, line->data + line->length, table->mark_bytes);
    line->data[line->length] = '\0';
  }
  out_table_fit(table, line_limit(table));
  out_text_puts(line, marks);
}

int out_table_end_line(struct out_table *table)
{
  if (table->stats->style.width > 0 && !table->line.failed)
    fit_line(table);
  table->name_at = table->file_bytes = table->mark_bytes = 0;
  if (table->line.failed)
    return -ENOMEM;
  out_text_putc(&table->line, '\n');
  return table->line.failed ? -ENOMEM : 0;
}

static int write_line(const struct out_table *table)
{
  return fwrite(table->line.data, 1, table->line.length, table->out) == table->line.length ? 0 : -EIO;
}

int out_table_put_line(struct out_table *table)
{
  int result = out_table_end_line(table);
  return result < 0 ? result : write_line(table);
}

int out_table_put_whole_line(struct out_table *table)
{
  out_text_putc(&table->line, '\n');
  return table->line.failed ? -ENOMEM : write_line(table);
}

int out_table_put_message(struct out_table *table)
{
  if (table->message.failed)
    return -ENOMEM;
  return fprintf(table->out, "%s\n", out_text_string(&table->message)) < 0 ? -EIO : 0;
}
