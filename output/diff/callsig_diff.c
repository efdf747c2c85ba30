/* The public object callsig_diff: recordings of two sides, their comparison, and the rows that its view shows. */
#include "callsig/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/diff/print.h"
#include "output/stats/public_struct.h"
#include "output/text/message.h"
#include "output/text/output_file.h"

#define DEFAULT_LEVEL 0.05

/* What a row's strings are, once callsig_diff_row() was asked for it. */
struct row_texts {
  const char *name;      /* NULL: not yet made */
  const char *signature; /* "": it has none */
};

struct callsig_diff {
  struct callsig_stats *stats; /* all recordings of both sides; owned */
  struct base_vector files;    /* struct out_diff_file, in the order in which they were added */
  struct callsig_diff_view view;

  bool compared; /* the rest is there */
  struct out_diff comparison;
  struct out_diff_shown shown; /* what the view shows of it */
  struct row_texts *texts;     /* by number of comparison.rows; in `memory`. NULL until a row was asked for */
  struct base_arena memory;
};

static const struct callsig_diff_view default_view = {.size = sizeof default_view};

static void forget_comparison(struct callsig_diff *diff)
{
  free(diff->shown.list);
  diff->shown = (struct out_diff_shown){0};
  base_arena_free(&diff->memory);
  diff->texts = NULL;
  out_diff_free(&diff->comparison);
  diff->compared = false;
}

static int say_no_memory(void)
{
  return out_stats_fail(-ENOMEM, "out of memory while recordings were compared");
}

int callsig_diff_new(struct callsig_diff **made)
{
  *made = NULL;
  struct callsig_diff *diff = calloc(1, sizeof *diff);
  if (!diff)
    return say_no_memory();
  int result = callsig_stats_new(NULL, &diff->stats);
  if (result < 0) {
    free(diff);
    return result;
  }
  diff->files = (struct base_vector)BASE_VECTOR_OF(struct out_diff_file);
  diff->view = default_view;
  *made = diff;
  return 0;
}

void callsig_diff_free(struct callsig_diff *diff)
{
  if (!diff)
    return;
  forget_comparison(diff);
  base_vector_free(&diff->files);
  callsig_stats_free(diff->stats);
  free(diff);
}

int callsig_diff_add(struct callsig_diff *diff, enum callsig_diff_side side, const char *path)
{
  if (side != CALLSIG_DIFF_OLD && side != CALLSIG_DIFF_NEW)
    return out_stats_fail(-EINVAL, "a recording is compared on the old or the new side, not on side %u",
                          (unsigned)side);
  int result = callsig_stats_add(diff->stats, path);
  if (result < 0 && result != -ENOMEM)
    return result;
  forget_comparison(diff);
  if (result < 0)
    return result;
  struct out_diff_file *file = base_vector_add(&diff->files, 1);
  if (!file)
    return say_no_memory();
  *file = (struct out_diff_file){.end = diff->stats->profile.recordings.count, .is_new = side == CALLSIG_DIFF_NEW};
  return 0;
}

/* Reads and checks the options; the defaults are there for what is not given. */
static int read_options(const struct callsig_diff_options *given, struct callsig_diff_options *options)
{
  *options = (struct callsig_diff_options){.size = sizeof *options};
  int result = given ? out_struct_read("callsig_diff_options", options, sizeof *options, given) : 0;
  if (result < 0)
    return result;
  if (options->level == 0)
    options->level = DEFAULT_LEVEL;
  if (options->by == 0)
    options->by = CALLSIG_BY_SIGNATURE;
  if (options->metric > CALLSIG_DIFF_PERCALL)
    return out_stats_fail(-EINVAL, "what is compared is tottime, cumtime or percall, not metric %u", options->metric);
  if (!(options->level > 0 && options->level < 1))
    return out_stats_fail(-EINVAL, "the level is a probability between 0 and 1, not %g", options->level);
  if (!(options->min_time >= 0 && isfinite(options->min_time)))
    return out_stats_fail(-EINVAL, "the least time is a number of seconds of at least 0, not %g", options->min_time);
  return 0;
}

/* Groups and filters the recordings of both sides. */
static int select_calls(struct callsig_stats *stats, const struct callsig_diff_options *options)
{
  static const struct callsig_stats_filter all = {.size = sizeof all};
  int result = callsig_stats_filter(stats, options->filter ? options->filter : &all);
  if (result == 0)
    result = callsig_stats_group(stats, options->by);
  if (result == 0)
    result = callsig_stats_compensate(stats, options->compensate > 0);
  if (result == 0 && options->compensate == 0)
    stats->compensating = OUT_COMPENSATE_SAMPLED;
  if (result == 0)
    stats->strip_dirs = options->strip_dirs != 0;
  return result;
}

static bool has_both_sides(const struct callsig_diff *diff)
{
  bool has[2] = {false, false};
  for (uint32_t i = 0; i < diff->files.count; i++)
    has[((const struct out_diff_file *)base_vector_at(&diff->files, i))->is_new] = true;
  return has[0] && has[1];
}

/* Makes the rows that `view` shows, in place of those that were shown, which stay after an error. */
static int show(struct callsig_diff *diff, const struct callsig_diff_view *view)
{
  struct out_diff_shown shown;
  if (out_diff_show(&diff->comparison, view, &shown) < 0)
    return say_no_memory();
  free(diff->shown.list);
  diff->shown = shown;
  return 0;
}

int callsig_diff_compare(struct callsig_diff *diff, const struct callsig_diff_options *given)
{
  struct callsig_diff_options options;
  forget_comparison(diff);
  int result = read_options(given, &options);
  if (result == 0 && !has_both_sides(diff))
    result = out_stats_fail(-EINVAL, "nothing to compare: either side needs a recording");
  if (result == 0)
    result = select_calls(diff->stats, &options);
  if (result < 0)
    return result;
  const struct out_diff_options wanted = {
      .metric = options.metric, .level = options.level, .min_time = options.min_time};
  result = out_diff_make(diff->stats, (const struct out_diff_file *)diff->files.data, diff->files.count, &wanted,
                         &diff->comparison);
  if (result == 0)
    result = show(diff, &diff->view);
  if (result < 0)
    forget_comparison(diff);
  diff->compared = result == 0;
  return result;
}

int callsig_diff_arrange(struct callsig_diff *diff, const struct callsig_diff_view *given)
{
  struct callsig_diff_view view = default_view;
  int result = given ? out_struct_read("callsig_diff_view", &view, sizeof view, given) : 0;
  if (result < 0)
    return result;
  if (view.sort > CALLSIG_DIFF_UNSORTED)
    return out_stats_fail(-EINVAL, "there is no order %u of compared rows", view.sort);
  result = diff->compared ? show(diff, &view) : 0;
  if (result == 0)
    diff->view = view;
  return result;
}

/* The comparison was made. */
static int check_compared(const struct callsig_diff *diff)
{
  return diff->compared ? 0 : out_stats_fail(-EINVAL, "nothing was compared yet");
}

size_t callsig_diff_row_count(const struct callsig_diff *diff)
{
  return diff->compared ? diff->shown.count : 0;
}

/* Makes the strings of row `number` of the comparison; they stay as long as it. */
static int make_texts(struct callsig_diff *diff, uint32_t number, const struct out_names *names)
{
  const struct out_diff_row *row = base_vector_at(&diff->comparison.rows, number);
  if (!diff->texts)
    diff->texts = base_arena_alloc(&diff->memory, diff->comparison.rows.count * sizeof *diff->texts);
  if (!diff->texts)
    return say_no_memory();
  struct row_texts *texts = &diff->texts[number];
  if (texts->name)
    return 0;
  struct out_text name = {0}, signature = {0};
  struct out_arguments scratch = {0};
  out_row_name(names, &row->key, &scratch, &name);
  out_row_signature(names, &row->key, &scratch, &signature);
  if (!name.failed && !signature.failed) {
    texts->signature = base_arena_copy(&diff->memory, out_text_string(&signature), signature.length);
    texts->name = texts->signature ? base_arena_copy(&diff->memory, out_text_string(&name), name.length) : NULL;
  }
  out_text_free(&name);
  out_text_free(&signature);
  out_arguments_free(&scratch);
  return texts->name ? 0 : say_no_memory();
}

int callsig_diff_row(struct callsig_diff *diff, size_t index, struct callsig_diff_row *row)
{
  int result = check_compared(diff);
  if (result < 0)
    return result;
  if (index >= diff->shown.count)
    return out_stats_fail(-EINVAL, "there is no row %zu: there are %u", index, diff->shown.count);
  uint32_t number = diff->shown.list[index];
  struct out_names names = out_diff_names(&diff->comparison);
  result = make_texts(diff, number, &names);
  if (result < 0)
    return result;
  const struct out_profile *profile = &diff->stats->profile;
  const struct out_diff_row *known = base_vector_at(&diff->comparison.rows, number);
  const struct out_diff_change *change = &known->change;
  const struct out_known_function *function = out_row_function(&names, &known->key);
  const struct row_texts *texts = &diff->texts[number];
  enum callsig_diff_metric metric = diff->comparison.options.metric;
  bool judged = diff->comparison.judged;
  const struct callsig_diff_row full = {
      .name = texts->name,
      .file = function ? out_profile_string(profile, function->file) : NULL,
      .line = function ? function->line : 0,
      .function = function ? out_profile_string(profile, function->name) : NULL,
      .signature = texts->signature[0] ? texts->signature : NULL,
      .stage = out_row_stage(&names, &known->key),
      .module = known->key.module == FMT_NONE ? NULL : out_profile_string(profile, known->key.module),
      .verdict = change->verdict,
      .old_ncalls = change->old.calls,
      .old_tottime = change->old.own,
      .old_cumtime = change->old.cumulative,
      .new_ncalls = change->new.calls,
      .new_tottime = change->new.own,
      .new_cumtime = change->new.cumulative,
      .change = out_diff_amount(change, metric),
      .relative = out_diff_relative(change, metric),
      .low = judged ? change->low : NAN,
      .high = judged ? change->high : NAN,
      .p = judged ? change->p : NAN,
      .adjusted = judged ? change->adjusted : NAN,
  };
  out_struct_hand_out(row, &full, sizeof full);
  return 0;
}

int callsig_diff_total(const struct callsig_diff *diff, struct callsig_diff_total *total)
{
  int result = check_compared(diff);
  if (result < 0)
    return result;
  const struct out_diff *comparison = &diff->comparison;
  const struct out_diff_change *change = &comparison->total;
  const struct callsig_diff_total full = {
      .old_recordings = comparison->old_count,
      .new_recordings = comparison->new_count,
      .judged = comparison->judged,
      .compared = comparison->rows.count,
      .left_out = comparison->left_out,
      .verdict = change->verdict,
      .old_ncalls = change->old.calls,
      .old_tottime = change->old.own,
      .new_ncalls = change->new.calls,
      .new_tottime = change->new.own,
      .change = out_diff_amount(change, CALLSIG_DIFF_TOTTIME),
      .relative = out_diff_relative(change, CALLSIG_DIFF_TOTTIME),
      .low = comparison->judged ? change->low : NAN,
      .high = comparison->judged ? change->high : NAN,
      .p = comparison->judged ? change->p : NAN,
      .damaged = callsig_stats_damaged(diff->stats),
      .timed_differently = comparison->timed_differently,
  };
  out_struct_hand_out(total, &full, sizeof full);
  return 0;
}

typedef int print_fn(const struct out_diff *diff, const struct out_diff_shown *shown, FILE *out);

static int print(const struct callsig_diff *diff, print_fn *printer, FILE *out)
{
  int result = check_compared(diff);
  if (result < 0)
    return result;
  result = printer(&diff->comparison, &diff->shown, out);
  if (result == -EIO)
    return out_stats_fail(-EIO, "cannot write the comparison: the output is full or closed");
  return result < 0 ? say_no_memory() : 0;
}

int callsig_diff_print(const struct callsig_diff *diff, FILE *out)
{
  return print(diff, out_diff_print_table, out);
}

int callsig_diff_print_json(const struct callsig_diff *diff, FILE *out)
{
  return print(diff, out_diff_print_json, out);
}

int callsig_diff_print_csv(const struct callsig_diff *diff, FILE *out)
{
  return print(diff, out_diff_print_csv, out);
}

int callsig_diff_write_html(struct callsig_diff *diff, const char *path)
{
  struct out_output_file file;
  int result = check_compared(diff);
  if (result == 0)
    result = out_output_file_open(&file, path);
  if (result != 0)
    return result;
  const struct out_diff_file *files = (const struct out_diff_file *)diff->files.data;
  return out_output_file_close(&file, out_diff_print_html(&diff->comparison, files, file.stream));
}
