/*
 * The times that laws are fitted to, as text that Extra-P reads: a file has one set of parameters and of points, so
 * each finding has a file of its own. docs/scaling.md describes it; the format is docs/file-formats.md of Extra-P 4.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output/scaling/report.h"
#include "output/scaling/wording.h"
#include "output/text/message.h"
#include "output/text/output_file.h"

#define PARAMETERS 4u /* more the text cannot have */

/* What is written of a finding. */
struct sheet {
  struct out_scaling_report *report;
  const struct out_scaling_entry *entry;
  const struct out_scaling_finding *finding;
  uint32_t parameters[PARAMETERS]; /* candidates */
  uint32_t parameter_count;
  uint32_t *order; /* the points, by their parameters */
};

static int begin(struct out_scaling_report *report)
{
  if (!report->directory || mkdir(report->directory, 0777) == 0 || errno == EEXIST)
    return 0;
  return out_stats_fail(-errno, "%s: %s; name a folder that can be made", report->directory, strerror(errno));
}

/* The law's arguments, then the others while there is room. */
static void choose_parameters(struct sheet *sheet)
{
  const struct out_scaling_finding *finding = sheet->finding;
  const struct out_law *law = &finding->verdict.fit.law;
  for (uint32_t i = 0; i < law->argument_count; i++)
    sheet->parameters[sheet->parameter_count++] = law->arguments[i];
  for (uint32_t i = 0; i < finding->points.candidates && sheet->parameter_count < PARAMETERS; i++) {
    bool is_there = false;
    for (uint32_t j = 0; j < sheet->parameter_count; j++)
      is_there |= sheet->parameters[j] == i;
    if (!is_there)
      sheet->parameters[sheet->parameter_count++] = i;
  }
}

static double coordinate(const struct sheet *sheet, uint32_t point, uint32_t parameter)
{
  const struct out_points *points = &sheet->finding->points;
  return points->values[(size_t)point * points->candidates + sheet->parameters[parameter]];
}

static int compare_points(const void *left, const void *right, void *data)
{
  const struct sheet *sheet = data;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  for (uint32_t i = 0; i < sheet->parameter_count; i++) {
    double x = coordinate(sheet, a, i), y = coordinate(sheet, b, i);
    if (x != y)
      return x < y ? -1 : 1;
  }
  return (a > b) - (a < b);
}

/* What the law is of: times that are left out of it are no data. -ENOMEM. */
static int order_points(struct sheet *sheet)
{
  const uint32_t count = sheet->finding->points.count;
  sheet->order = calloc(count + 1u, sizeof *sheet->order);
  if (!sheet->order)
    return -ENOMEM;
  for (uint32_t i = 0; i < count; i++)
    sheet->order[i] = i;
  qsort_r(sheet->order, count, sizeof *sheet->order, compare_points, sheet);
  return 0;
}

/* True when the point is not where the one before it is. */
static bool is_new_point(const struct sheet *sheet, uint32_t place)
{
  for (uint32_t i = 0; i < sheet->parameter_count; i++)
    if (place == 0 || coordinate(sheet, sheet->order[place], i) != coordinate(sheet, sheet->order[place - 1], i))
      return true;
  return false;
}

/* Positional notation with ten digits: the grammar has no exponents. */
static void put_number(struct out_text *text, double value)
{
  int decimals = value == floor(value) ? 0 : 9 - (int)floor(log10(value));
  out_text_decimals(text, value, 0, decimals > 0 ? decimals : 0);
}

static void put_points(struct sheet *sheet)
{
  struct out_text *line = &sheet->report->line;
  out_text_puts(line, "POINTS");
  for (uint32_t place = 0; place < sheet->finding->points.count; place++) {
    if (!is_new_point(sheet, place))
      continue;
    for (uint32_t i = 0; i < sheet->parameter_count; i++) {
      out_text_puts(line, i == 0 ? " (" : " ");
      put_number(line, coordinate(sheet, sheet->order[place], i));
    }
    out_text_putc(line, ')');
  }
  out_text_putc(line, '\n');
}

/* The times of one point are its repetitions. */
static void put_data(struct sheet *sheet)
{
  struct out_text *line = &sheet->report->line;
  for (uint32_t place = 0; place < sheet->finding->points.count; place++) {
    if (is_new_point(sheet, place))
      out_text_puts(line, place == 0 ? "DATA" : "\nDATA");
    out_text_putc(line, ' ');
    put_number(line, sheet->finding->points.times[sheet->order[place]]);
  }
  out_text_putc(line, '\n');
}

/* Names end at white space, and "->" would make a path of calls. */
static void put_word(struct out_text *line, const char *name, bool is_parameter)
{
  for (; *name; name++) {
    if (!is_parameter && name[0] == '-' && name[1] == '>') {
      out_text_puts(line, "- ");
    } else {
      bool is_space = isspace((unsigned char)*name);
      out_text_putc(line, is_space ? (is_parameter ? '_' : ' ') : *name);
    }
  }
}

static void put_comments(struct sheet *sheet)
{
  struct out_text *line = &sheet->report->line;
  const struct out_scaling_finding *finding = sheet->finding;
  out_text_printf(
      line, "# callsig scaling: %s time per call in seconds, %s\n", sheet->report->measure.own ? "own" : "cumulative",
      out_scaling_statistic_text(finding->is_shortest ? OUT_STATISTIC_MINIMUM : sheet->report->measure.statistic));
  out_text_puts(line, "# law: ");
  if (finding->kind <= OUT_SCALING_CONSTANT)
    out_law_name(&finding->verdict.fit.law, finding->names, line);
  else
    out_text_puts(line, "none");
  out_text_putc(line, '\n');
  if (finding->points.candidates > sheet->parameter_count)
    out_text_printf(line, "# %u of %u arguments are parameters: the format has room for no more\n",
                    sheet->parameter_count, finding->points.candidates);
}

static void put_sheet(struct sheet *sheet)
{
  struct out_scaling_report *report = sheet->report;
  put_comments(sheet);
  out_text_puts(&report->line, "PARAMETER");
  for (uint32_t i = 0; i < sheet->parameter_count; i++) {
    out_text_putc(&report->line, ' ');
    put_word(&report->line, sheet->finding->names[sheet->parameters[i]], true);
  }
  out_text_putc(&report->line, '\n');
  put_points(sheet);
  out_text_puts(&report->line, "METRIC time\nREGION ");
  out_text_clear(&report->text);
  out_row_name(&report->names, &sheet->entry->function->key, &report->scratch, &report->text);
  if (sheet->finding->where)
    out_text_printf(&report->text, " [%s]", sheet->finding->where);
  put_word(&report->line, out_text_string(&report->text), false);
  out_text_putc(&report->line, '\n');
  put_data(sheet);
}

/* "003-sort.txt": numbered, as several functions may have one name. */
static void put_path(struct out_scaling_report *report, const struct out_scaling_entry *entry)
{
  const struct out_known_function *function = out_row_function(&report->names, &entry->function->key);
  const char *name = out_profile_string(&report->stats->profile, function->name);
  out_text_clear(&report->text);
  out_text_printf(&report->text, "%s/%03u-", report->directory, report->written);
  for (uint32_t i = 0; i < 100 && name[i]; i++)
    out_text_putc(&report->text, isalnum((unsigned char)name[i]) ? name[i] : '_');
  out_text_puts(&report->text, ".txt");
}

/* Writes the line to a file of the folder. */
static int write_file(struct out_scaling_report *report, const struct out_scaling_entry *entry)
{
  struct out_output_file file;
  put_path(report, entry);
  if (report->text.failed || report->line.failed)
    return -ENOMEM;
  int result = out_output_file_open(&file, out_text_string(&report->text));
  report->is_told = result < 0;
  if (result < 0)
    return result;
  size_t length = report->line.length;
  result = fwrite(out_text_string(&report->line), 1, length, file.stream) == length ? 0 : -EIO;
  out_text_clear(&report->line);
  result = out_output_file_close(&file, result);
  report->is_told = result < 0;
  return result;
}

static int put_finding(struct out_scaling_report *report, const struct out_scaling_entry *entry,
                       const struct out_scaling_finding *finding)
{
  struct sheet sheet = {.report = report, .entry = entry, .finding = finding};
  if (finding->kind > OUT_SCALING_NONE)
    return 0;
  if (report->written > 0 && !report->directory)
    return out_stats_fail(-EINVAL,
                          "--format extrap: a text has the points of one function: choose it with --function, or "
                          "name a folder for several with --directory");
  report->written++;
  choose_parameters(&sheet);
  int result = order_points(&sheet);
  if (result == 0)
    put_sheet(&sheet);
  free(sheet.order);
  return result == 0 && report->directory ? write_file(report, entry) : result;
}

static int end(struct out_scaling_report *report, int result)
{
  if (result < 0)
    return result;
  if (report->written == 0)
    return out_stats_fail(-ENODATA,
                          "--format extrap: no function has calls with %u different values of an argument; "
                          "'callsig scaling --all' says what each lacks",
                          OUT_SCALING_VALUES);
  return report->directory ? 0 : out_scaling_flush(report);
}

const struct out_scaling_format out_scaling_extrap_format = {"extrap", begin, put_finding, end};
