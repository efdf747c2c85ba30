#include "export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "json.h"
#include "message.h"
#include "output_file.h"

static int export_json(const struct cs_export *export)
{
  return cs_json_print(export->stats, export->out, NULL, 0);
}

static int export_csv(const struct cs_export *export)
{
  return cs_csv_print(export->stats, export->out, NULL, 0);
}

static const struct format {
  const char *name;
  cs_export_fn *write;
} formats[] = {
    {"csv", export_csv},
    {"json", export_json},
    {"pstats", cs_export_pstats},
};

#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

const char *callsig_stats_export_format(size_t index)
{
  return index < FORMAT_COUNT ? formats[index].name : NULL;
}

int cs_export_write(const struct cs_export *export, const void *bytes, size_t size)
{
  return fwrite(bytes, 1, size, export->out) == size ? 0 : -EIO;
}

int cs_export_flush(const struct cs_export *export, struct cs_text *text)
{
  int result = text->failed ? -ENOMEM : cs_export_write(export, text->data, text->length);
  cs_text_clear(text);
  return result;
}

uint32_t *cs_export_order(const struct callsig_stats *stats)
{
  uint32_t *order = malloc((stats->listed + 1u) * sizeof *order);
  if (!order)
    return NULL;
  memcpy(order, stats->order, stats->listed * sizeof *order);
  const struct cs_sort by_name_alone = {.count = 0};
  struct cs_names names = cs_stats_names(stats);
  if (cs_sort_rows(&by_name_alone, &stats->rows, &names, order, stats->listed) < 0) {
    free(order);
    return NULL;
  }
  return order;
}

/* The format of this name; NULL after a message that lists them. */
static const struct format *find_format(const char *name)
{
  struct cs_text list = {0};
  for (size_t i = 0; i < FORMAT_COUNT; i++) {
    if (strcmp(formats[i].name, name) == 0) {
      cs_text_free(&list);
      return &formats[i];
    }
    cs_text_printf(&list, "%s%s", i ? ", " : "", formats[i].name);
  }
  cs_stats_message("there is no format '%s' to export to: the formats are %s", name, cs_text_string(&list));
  cs_text_free(&list);
  return NULL;
}

/* Writes the format. No message when `out` could not be written: its owner gives one. */
static int write_format(struct callsig_stats *stats, const struct format *format, FILE *out)
{
  int result = cs_stats_prepare(stats);
  if (result < 0)
    return result;
  struct cs_export export = {.stats = stats, .out = out};
  result = format->write(&export);
  return result == -ENOMEM ? cs_stats_no_memory() : result;
}

int callsig_stats_export(struct callsig_stats *stats, const struct callsig_stats_export *wanted, FILE *out)
{
  struct callsig_stats_export known = {.size = sizeof known};
  memcpy(&known, wanted, wanted->size < sizeof known ? wanted->size : sizeof known);
  const struct format *format = find_format(known.format);
  if (!format)
    return -EINVAL;
  int result = write_format(stats, format, out);
  if (result == 0 && fflush(out) != 0)
    result = -EIO;
  if (result == -EIO)
    cs_stats_message("cannot write the export: the output is full or closed");
  return result;
}

int callsig_stats_export_file(struct callsig_stats *stats, const struct callsig_stats_export *wanted, const char *path)
{
  struct callsig_stats_export known = {.size = sizeof known};
  memcpy(&known, wanted, wanted->size < sizeof known ? wanted->size : sizeof known);
  const struct format *format = find_format(known.format);
  if (!format)
    return -EINVAL;
  struct cs_output_file file;
  int result = cs_output_file_open(&file, path);
  if (result < 0)
    return result;
  result = write_format(stats, format, file.stream);
  return cs_output_file_close(&file, result);
}
