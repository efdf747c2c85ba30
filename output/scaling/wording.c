/* Findings in words and figures, as every format of the report has them. */
#include "output/scaling/wording.h"

#include <errno.h>
#include <math.h>

#include "output/scaling/figures.h"
#include "output/scaling/objection.h"
#include "output/scaling/steps.h"

/* A term that makes up less of the time at every point is not printed. */
#define NEGLIGIBLE 1e-4

const char *out_scaling_kind_name(enum out_scaling_kind kind)
{
  static const char *const names[] = {
      [OUT_SCALING_LAW] = "law",
      [OUT_SCALING_CONSTANT] = "constant",
      [OUT_SCALING_NONE] = "none",
      [OUT_SCALING_FEW] = "not enough data",
      [OUT_SCALING_NO_NUMBER] = "no numbers",
      [OUT_SCALING_SHORT] = "too short",
  };
  return names[kind];
}

const char *out_scaling_use_name(enum out_scaling_use use)
{
  static const char *const names[] = {
      [OUT_USE_CANDIDATE] = "candidate", [OUT_USE_ALIKE] = "alike",     [OUT_USE_CONSTANT] = "constant",
      [OUT_USE_FEW] = "few values",      [OUT_USE_NARROW] = "narrow",   [OUT_USE_NEGATIVE] = "negative",
      [OUT_USE_MISSING] = "missing",     [OUT_USE_WIDENED] = "widened", [OUT_USE_TOO_MANY] = "too many",
      [OUT_USE_TEXT] = "no number",
  };
  return names[use];
}

const char *out_scaling_statistic_name(enum out_scaling_statistic statistic)
{
  static const char *const names[] = {
      [OUT_STATISTIC_TRIMMED] = "trimmed",
      [OUT_STATISTIC_MEAN] = "mean",
      [OUT_STATISTIC_MINIMUM] = "min",
  };
  return names[statistic];
}

const char *out_scaling_statistic_text(enum out_scaling_statistic statistic)
{
  static const char *const texts[] = {
      [OUT_STATISTIC_TRIMMED] = "mean of each signature's calls but the longest",
      [OUT_STATISTIC_MEAN] = "mean of each signature's calls",
      [OUT_STATISTIC_MINIMUM] = "the shortest call of each signature",
  };
  return texts[statistic];
}

/* One coefficient and its term; nothing when it makes up a ten thousandth of the time at most. */
static void put_term(struct out_text *text, const struct out_scaling_finding *finding, uint32_t number, bool *is_first)
{
  const struct out_fit *fit = &finding->verdict.fit;
  double coefficient = fit->coefficients[number];
  if (fit->shares[number] < NEGLIGIBLE)
    return;
  if (*is_first)
    out_text_puts(text, coefficient < 0 ? "-" : "");
  else
    out_text_puts(text, coefficient < 0 ? " - " : " + ");
  out_scaling_put_time(text, fabs(coefficient));
  *is_first = false;
  if (number == 0)
    return;
  out_text_puts(text, " * ");
  out_law_term_name(&fit->law, number - 1, finding->names, text);
}

void out_scaling_put_formula(struct out_text *text, const struct out_scaling_finding *finding)
{
  const struct out_law *law = &finding->verdict.fit.law;
  bool is_first = true;
  put_term(text, finding, 0, &is_first);
  for (uint32_t i = law->leading; i < law->term_count; i++)
    put_term(text, finding, 1 + i, &is_first);
  for (uint32_t i = 0; i < law->leading; i++)
    put_term(text, finding, 1 + i, &is_first);
}

static void put_number(struct out_text *text, double value)
{
  if (value == floor(value) && fabs(value) < 1e15)
    out_text_printf(text, "%.0f", value);
  else
    out_text_double(text, value, true);
}

/* True when the argument is in the law; without a law, every candidate counts. */
static bool is_in_law(const struct out_scaling_finding *finding, uint32_t candidate)
{
  const struct out_law *law = &finding->verdict.fit.law;
  for (uint32_t i = 0; i < law->argument_count; i++)
    if (law->arguments[i] == candidate)
      return true;
  return law->argument_count == 0;
}

void out_scaling_put_range(struct out_text *text, const struct out_scaling_analysis *analysis,
                           const struct out_scaling_finding *finding)
{
  const char *separator = "";
  for (uint32_t i = 0; i < finding->points.candidates; i++) {
    if (!is_in_law(finding, i))
      continue;
    const struct out_scaling_role *role = &finding->roles[finding->candidates[i]];
    const struct out_scaling_argument *argument = out_scaling_argument(analysis->samples, finding->candidates[i]);
    out_text_printf(text, "%s%s = ", separator, argument->name);
    put_number(text, role->low);
    out_text_puts(text, " .. ");
    put_number(text, role->high);
    out_text_printf(text, " (%u %s)", role->values, argument->is_bucketed ? "ranges" : "values");
    separator = ", ";
  }
}

static void put_role(struct out_text *text, const char *name, const struct out_scaling_role *role)
{
  switch (role->use) {
  case OUT_USE_CONSTANT:
    out_text_printf(text, "%s is always ", name);
    put_number(text, role->low);
    break;
  case OUT_USE_FEW:
    out_text_printf(text, "%s has %u values, %u are needed", name, role->values, OUT_SCALING_VALUES);
    break;
  case OUT_USE_NARROW:
    out_text_printf(text, "%s is ", name);
    put_number(text, role->low);
    out_text_puts(text, " .. ");
    put_number(text, role->high);
    out_text_printf(text, ", a factor of %.0f is needed", OUT_SCALING_SPAN);
    break;
  case OUT_USE_NEGATIVE:
    out_text_printf(text, "%s is negative in some calls", name);
    break;
  case OUT_USE_WIDENED:
    out_text_printf(text, "%s had more values than the budget of signatures and is known by its type alone", name);
    break;
  case OUT_USE_TOO_MANY:
    out_text_printf(text, "%s is not looked at: %u arguments are", name, OUT_LAW_CANDIDATES);
    break;
  default:
    out_text_printf(text, "%s was not read in enough calls", name);
  }
}

static void put_roles(struct out_text *text, const struct out_scaling_analysis *analysis,
                      const struct out_scaling_finding *finding)
{
  const char *separator = "";
  for (uint32_t i = 0; i < analysis->samples->arguments.count; i++) {
    const struct out_scaling_role *role = &finding->roles[i];
    if (role->use == OUT_USE_TEXT || role->use == OUT_USE_ALIKE || role->use == OUT_USE_CANDIDATE)
      continue;
    out_text_puts(text, separator);
    put_role(text, out_scaling_argument(analysis->samples, i)->name, role);
    separator = "; ";
  }
}

void out_scaling_put_reason(struct out_text *text, const struct out_scaling_analysis *analysis,
                            const struct out_scaling_finding *finding)
{
  switch (finding->kind) {
  case OUT_SCALING_NONE:
    if (finding->verdict.is_steeper) {
      out_text_puts(text, "the time grows faster than n^3");
      break;
    }
    out_scaling_put_doubt(text, analysis, finding);
    break;
  case OUT_SCALING_FEW:
    if (finding->points.candidates == 0)
      put_roles(text, analysis, finding);
    else
      out_text_printf(text, "%u different calls have a time, %u are needed", finding->points.count, OUT_SCALING_VALUES);
    if (finding->points.candidates == 0 && finding->zero > 0)
      out_text_printf(text, "; of %u, no time was measured", finding->zero);
    if (finding->uncertain > 0)
      out_text_printf(text, "; of %u, too few were timed to tell", finding->uncertain);
    break;
  case OUT_SCALING_NO_NUMBER:
    out_text_puts(text, analysis->samples->unknown == analysis->samples->row_count
                            ? "its arguments are not known"
                            : "none of its arguments is an integer, a length or a shape");
    break;
  case OUT_SCALING_SHORT:
    out_text_puts(text, "most of its times are below the clock's tick");
    break;
  default:
    break;
  }
}

/* Warnings on their way. */
struct warnings {
  const struct out_scaling_analysis *analysis;
  const struct out_scaling_finding *finding;
  struct out_text *text;
  int (*warn)(const char *warning, void *data);
  void *data;
};

/* Gives what is in the text and empties it. */
static int give(struct warnings *warnings)
{
  int result = warnings->text->failed ? -ENOMEM : warnings->warn(out_text_string(warnings->text), warnings->data);
  out_text_clear(warnings->text);
  return result;
}

static int warn_of_rivals(struct warnings *warnings)
{
  const struct out_scaling_finding *finding = warnings->finding;
  struct out_text *text = warnings->text;
  if (finding->verdict.rivals.count == 0)
    return 0;
  out_text_puts(text, "these calls do not tell ");
  out_law_name(&finding->verdict.fit.law, finding->names, text);
  for (uint32_t i = 0; i < finding->verdict.rivals.count; i++) {
    out_text_puts(text, i == 0 ? " from " : i == finding->verdict.rivals.count - 1 ? " or " : ", ");
    out_law_name(base_vector_at(&finding->verdict.rivals, i), finding->names, text);
  }
  return give(warnings);
}

static int warn_of_alike(struct warnings *warnings)
{
  const struct out_scaling_finding *finding = warnings->finding;
  int result = 0;
  for (uint32_t i = 0; i < warnings->analysis->samples->arguments.count && result == 0; i++) {
    const struct out_scaling_role *role = &finding->roles[i];
    if (role->use != OUT_USE_ALIKE || finding->kind != OUT_SCALING_LAW || !is_in_law(finding, role->candidate))
      continue;
    const char *name = out_scaling_argument(warnings->analysis->samples, i)->name,
               *other = finding->names[role->candidate];
    out_text_printf(warnings->text, "%s is always ", name);
    if (role->ratio != 1) {
      put_number(warnings->text, role->ratio);
      out_text_puts(warnings->text, " * ");
    }
    out_text_printf(warnings->text, "%s: the law may be one of either, or of both", other);
    result = give(warnings);
  }
  return result;
}

static int warn_of_buckets(struct warnings *warnings)
{
  const struct out_scaling_finding *finding = warnings->finding;
  int result = 0;
  for (uint32_t i = 0; i < finding->points.candidates && result == 0; i++) {
    const struct out_scaling_argument *argument =
        out_scaling_argument(warnings->analysis->samples, finding->candidates[i]);
    double spread = 1;
    for (uint32_t row = 0; row < finding->row_count; row++)
      spread = fmax(spread, argument->spread[finding->rows[row]]);
    if (!argument->is_bucketed || !is_in_law(finding, i))
      continue;
    out_text_printf(warnings->text, "%s is known in ranges, by their geometric middle: it may be ", argument->name);
    out_scaling_put_three_digits(warnings->text, fmin(spread, 999));
    out_text_puts(warnings->text, " times as much or as little, and coefficients with it");
    result = give(warnings);
  }
  return result;
}

static int warn_of_arguments(struct warnings *warnings)
{
  int result = 0;
  for (uint32_t i = 0; i < warnings->analysis->samples->arguments.count && result == 0; i++) {
    const struct out_scaling_role *role = &warnings->finding->roles[i];
    if (role->use != OUT_USE_WIDENED && role->use != OUT_USE_TOO_MANY && role->use != OUT_USE_MISSING)
      continue;
    put_role(warnings->text, out_scaling_argument(warnings->analysis->samples, i)->name, role);
    result = give(warnings);
  }
  return result;
}

/* Which calls the law is of, where it is not of all. */
static int warn_of_basis(struct warnings *warnings)
{
  const struct out_scaling_finding *finding = warnings->finding;
  if (!finding->is_shortest)
    return 0;
  out_text_puts(warnings->text, "of the shortest call of each signature: the means are ");
  out_scaling_put_percent(warnings->text, finding->means_off);
  out_text_puts(warnings->text, " off their best law");
  return give(warnings);
}

/* Puts the size that a step goes by: "n = 64", "n * m = 4096". */
static void put_size(struct out_text *text, const struct out_scaling_finding *finding, double size)
{
  const struct out_law *law = &finding->verdict.fit.law;
  for (uint32_t i = 0; i < law->argument_count; i++) {
    out_text_puts(text, i > 0 ? " * " : "");
    out_text_puts(text, finding->names[law->arguments[i]]);
  }
  out_text_puts(text, " = ");
  put_number(text, size);
}

static int warn_of_step(struct warnings *warnings)
{
  const struct out_scaling_finding *finding = warnings->finding;
  const struct out_fit *fit = &finding->verdict.fit;
  if (!fit->law.is_stepped)
    return 0;
  out_text_puts(warnings->text, "up to ");
  put_size(warnings->text, finding, fit->law.from);
  out_text_puts(warnings->text, "; from ");
  put_size(warnings->text, finding, fit->law.to);
  out_text_puts(warnings->text, " on each step takes ");
  out_scaling_put_three_digits(warnings->text, out_scaling_step_factor(fit));
  out_text_puts(warnings->text, " times as long, as where data leave a cache");
  return give(warnings);
}

static int warn_of_left_out(struct warnings *warnings, uint32_t count, const char *why)
{
  if (count == 0)
    return 0;
  out_text_printf(warnings->text, "%u of %u signatures %s left out: %s", count, warnings->finding->row_count,
                  count == 1 ? "is" : "are", why);
  return give(warnings);
}

/* The law is then that of the other times, though the range that is printed is of all. */
static int warn_of_short(struct warnings *warnings)
{
  const struct out_scaling_finding *finding = warnings->finding;
  if (finding->too_short == 0 || finding->kind != OUT_SCALING_LAW)
    return 0;
  out_text_printf(warnings->text, "the times of %u signature%s, below ", finding->too_short,
                  finding->too_short == 1 ? "" : "s");
  out_scaling_put_time(warnings->text, finding->near);
  out_text_puts(warnings->text, " and so near the least that the clock reads, count little");
  return give(warnings);
}

static int warn_of_rows(struct warnings *warnings)
{
  const struct out_scaling_finding *finding = warnings->finding;
  int result = warn_of_short(warnings);
  if (result == 0)
    result = warn_of_left_out(warnings, finding->strays, "far off the law that the others follow");
  if (result == 0)
    result = warn_of_left_out(warnings, finding->unknown, "an argument was not read");
  if (result == 0)
    result = warn_of_left_out(warnings, finding->zero, "no time of their own was measured");
  if (result == 0)
    result = warn_of_left_out(warnings, finding->uncertain, "too few of their calls were timed to tell");
  if (result == 0 && finding->bound > 0) {
    out_text_printf(warnings->text, "the times of %u signature%s are upper bounds: widened under recursion",
                    finding->bound, finding->bound == 1 ? "" : "s");
    result = give(warnings);
  }
  return result;
}

/* A law is of what the clock read. Where much of that is the hooks', a prediction by the law is of a run with them. */
static int warn_of_hooks(struct warnings *warnings)
{
  const struct out_scaling_finding *finding = warnings->finding;
  const bool is_own = warnings->analysis->measure.own;
  double read = 0, shown = 0;
  for (uint32_t i = 0; i < finding->row_count; i++) {
    const struct out_scaling_row *row = &warnings->analysis->samples->rows[finding->rows[i]];
    read += is_own ? row->own : row->cumulative;
    shown += is_own ? row->shown_own : row->shown_cumulative;
  }
  if (finding->kind > OUT_SCALING_CONSTANT || !(read > 0 && shown < read * exp(-OUT_SCALING_ERROR)))
    return 0;
  out_text_puts(warnings->text, "hooks took ");
  out_scaling_put_share(warnings->text, 1 - shown / read);
  out_text_puts(warnings->text,
                " of what the clock read, which the law is of: times by it are those of a run with hooks");
  return give(warnings);
}

int out_scaling_warnings(const struct out_scaling_analysis *analysis, const struct out_scaling_finding *finding,
                         struct out_text *scratch, int (*warn)(const char *warning, void *data), void *data)
{
  struct warnings warnings = {.analysis = analysis, .finding = finding, .text = scratch, .warn = warn, .data = data};
  out_text_clear(scratch);
  if (finding->kind > OUT_SCALING_NONE)
    return 0;
  int result = warn_of_basis(&warnings);
  if (result == 0)
    result = warn_of_step(&warnings);
  if (result == 0)
    result = warn_of_rivals(&warnings);
  if (result == 0)
    result = warn_of_alike(&warnings);
  if (result == 0)
    result = warn_of_buckets(&warnings);
  if (result == 0)
    result = warn_of_arguments(&warnings);
  if (result == 0)
    result = warn_of_rows(&warnings);
  if (result == 0)
    result = warn_of_hooks(&warnings);
  return result;
}
