/* callsig_stats_export(): finds the format by its name, checks what was asked of it, and has it written. */
#include "output/export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/report/csv.h"
#include "output/report/json.h"
#include "output/stats/public_struct.h"
#include "output/text/message.h"
#include "output/text/output_file.h"

static int export_json(const struct out_export *export)
{
  return out_json_print(export->stats, export->out, NULL, 0);
}

static int export_csv(const struct out_export *export)
{
  return out_csv_print(export->stats, export->out, NULL, 0);
}

static const struct format {
  const char *name;
  out_export_fn *write;
  bool is_weighted; /* it has room for one number: time or calls */
  bool is_cut;      /* it leaves out what is too small to be seen */
  bool needs_rows;  /* it reads the object's rows, or its notes, which are made of them */
  bool tells;       /* it says itself when memory is short */
  bool is_folder;   /* of files, and no stream */
} formats[] = {
    {"callgrind", out_export_callgrind, false, false, false, false, false},
    {"chrome", out_export_chrome, false, false, false, false, false},
    {"csv", export_csv, false, false, true, true, false},
    {"dot", out_export_dot, false, true, false, false, false},
    {"flamegraph", out_export_flamegraph, true, true, false, false, false},
    {"folded", out_export_folded, true, false, false, false, false},
    {"html", out_export_html, false, false, false, true, false},
    {"json", export_json, false, false, true, true, false},
    {"otf2", out_export_otf2, false, false, false, true, true},
    {"otlp", out_export_otlp, false, false, true, false, false},
    {"perfetto", out_export_perfetto, false, false, false, false, false},
    {"pprof", out_export_pprof, false, false, true, false, false},
    {"pstats", out_export_pstats, false, false, true, false, false},
    {"speedscope", out_export_speedscope, false, false, false, false, false},
};

#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

const char *callsig_stats_export_format(size_t index)
{
  return index < FORMAT_COUNT ? formats[index].name : NULL;
}

static void say_unknown(const char *name)
{
  struct out_text list = {0};
  for (size_t i = 0; i < FORMAT_COUNT; i++)
    out_text_printf(&list, "%s%s", i ? ", " : "", formats[i].name);
  out_stats_message("there is no format '%s' to export to: the formats are %s", name, out_text_string(&list));
  out_text_free(&list);
}

/* The format of this name (NULL: none was named); NULL after a message that lists them. */
static const struct format *find_format(const char *name)
{
  for (size_t i = 0; name && i < FORMAT_COUNT; i++) {
    if (strcmp(formats[i].name, name) == 0)
      return &formats[i];
  }
  say_unknown(name ? name : "");
  return NULL;
}

/* What was asked for, checked. -EINVAL after a message. */
static int read_wanted(const struct callsig_stats_export *wanted, const struct format **format,
                       struct out_export *export)
{
  struct callsig_stats_export known;
  if (out_struct_read("callsig_stats_export", &known, sizeof known, wanted) < 0)
    return -EINVAL;
  *format = find_format(known.format);
  if (!*format)
    return -EINVAL;
  if (known.weight && strcmp(known.weight, "time") != 0 && strcmp(known.weight, "calls") != 0)
    return out_stats_fail(-EINVAL, "'%s' is no weight: the weights are time and calls", known.weight);
  if (known.weight && !(*format)->is_weighted)
    return out_stats_fail(-EINVAL, "%s has no choice of weights: it holds times and calls", (*format)->name);
  if (known.has_cutoff && !(known.cutoff >= 0 && known.cutoff < 1))
    return out_stats_fail(-EINVAL, "a cutoff is a part of the whole, at least 0 and below 1");
  if (known.has_cutoff && !(*format)->is_cut)
    return out_stats_fail(-EINVAL, "%s has no cutoff: it holds everything", (*format)->name);
  if (known.database && (*format)->write != out_export_html)
    return out_stats_fail(-EINVAL, "%s has no place for a database of intervals", (*format)->name);
  export->database = known.database;
  export->calls = known.weight && strcmp(known.weight, "calls") == 0;
  export->cutoff = known.has_cutoff ? known.cutoff : -1;
  return 0;
}

/*
 * Makes what the format needs of the object, and writes it. -ENOMEM comes from the formats without a message, which is
 * given here, unless the format gives its own. -EIO has none: the owner of `out` tells of it.
 */
static int write_format(const struct format *format, const struct out_export *export)
{
  int result = format->needs_rows ? out_stats_prepare(export->stats) : out_stats_group(export->stats);
  if (result < 0)
    return result;
  result = format->write(export);
  return result == -ENOMEM && !format->tells ? out_stats_no_memory() : result;
}

int callsig_stats_export(struct callsig_stats *stats, const struct callsig_stats_export *wanted, FILE *out)
{
  struct out_export export = {.stats = stats, .out = out};
  const struct format *format;
  int result = read_wanted(wanted, &format, &export);
  if (result < 0)
    return result;
  if (format->is_folder)
    return out_stats_fail(-EINVAL, "%s is a folder of files: name the folder", format->name);
  result = write_format(format, &export);
  if (result == 0 && fflush(out) != 0)
    result = -EIO;
  return result == -EIO ? out_stats_fail(-EIO, "cannot write the export: the output is full or closed") : result;
}

int callsig_stats_export_file(struct callsig_stats *stats, const struct callsig_stats_export *wanted, const char *path)
{
  struct out_export export = {.stats = stats};
  const struct format *format;
  struct out_output_file file = {0};
  int result = read_wanted(wanted, &format, &export);
  if (result == 0 && format->is_folder) {
    export.folder = path;
    return write_format(format, &export);
  }
  if (result == 0)
    result = out_output_file_open(&file, path);
  if (result < 0)
    return result;
  export.out = file.stream;
  return out_output_file_close(&file, write_format(format, &export));
}
