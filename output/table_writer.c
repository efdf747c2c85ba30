#include "table_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

int cs_table_open(struct cs_table *table, struct callsig_stats *stats, FILE *out, const char *const *restrictions,
                  size_t count)
{
  *table = (struct cs_table){.stats = stats, .out = out, .columns = stats->columns, .unit = stats->style.unit};
  cs_width_init(&table->cells);
  int result = cs_stats_prepare(stats);
  if (result == 0 && cs_columns_have_percentiles(&table->columns))
    result = cs_stats_percentiles(stats);
  table->is_told = result < 0;
  if (result < 0)
    return result;
  if (stats->compensating)
    cs_columns_add(&table->columns, CS_COLUMN_HOOKS);
  table->names = cs_stats_names(stats);
  table->list.rows = malloc((stats->listed + 1u) * sizeof *table->list.rows);
  if (!table->list.rows)
    return -ENOMEM;
  memcpy(table->list.rows, stats->order, stats->listed * sizeof *table->list.rows);
  table->list.count = stats->listed;
  cs_text_printf(&table->message, "   Ordered by: %s\n", stats->sort.title);
  if (cs_unit_name(table->unit))
    cs_text_printf(&table->message, "   Times in %s\n", cs_unit_name(table->unit));
  return cs_restrict(&table->names, &stats->rows, restrictions, count, &table->list, &table->message);
}

int cs_table_close(struct cs_table *table, int result)
{
  free(table->list.rows);
  cs_text_free(&table->message);
  cs_text_free(&table->line);
  cs_arguments_free(&table->scratch);
  cs_width_free(&table->cells);
  if (result == -ENOMEM && !table->is_told)
    return cs_stats_no_memory();
  if (result == -EIO)
    return cs_stats_fail(-EIO, "cannot write the table: the output is full or closed");
  return result;
}

int cs_table_end_line(struct cs_table *table)
{
  if (table->stats->style.width > 0)
    cs_width_shorten(&table->cells, &table->line, table->stats->style.width);
  if (table->line.failed)
    return -ENOMEM;
  cs_text_putc(&table->line, '\n');
  return table->line.failed ? -ENOMEM : 0;
}

int cs_table_put_line(struct cs_table *table)
{
  int result = cs_table_end_line(table);
  if (result < 0)
    return result;
  return fwrite(table->line.data, 1, table->line.length, table->out) == table->line.length ? 0 : -EIO;
}

int cs_table_put_message(struct cs_table *table)
{
  if (table->message.failed)
    return -ENOMEM;
  return fprintf(table->out, "%s\n", cs_text_string(&table->message)) < 0 ? -EIO : 0;
}
