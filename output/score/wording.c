/* Says in words what the figures of a score are, how sure they are, and what became of the budget; writes lines. */
#include <errno.h>
#include <math.h>

#include "output/score/report.h"
#include "output/stats/columns.h"
#include "output/stats/compensate.h"

int out_score_flush(struct out_score_report *report)
{
  struct out_text *line = &report->line;
  int result = line->failed ? -ENOMEM : 0;
  if (result == 0 && fwrite(out_text_string(line), 1, line->length, report->out) != line->length)
    result = -EIO;
  out_text_clear(line);
  return result;
}

void out_score_put_factor(struct out_text *text, double factor)
{
  if (isfinite(factor))
    out_text_decimals(text, factor, 0, 2);
  else
    out_text_puts(text, "unbounded");
}

void out_score_range(const struct out_score_costs *costs, double *low, double *high)
{
  const double whole = costs->hooks + costs->own, off = costs->uncertainty, least = fmax(costs->hooks - off, 0);
  *low = out_score_slowdown(least, whole - least);
  /* Two numbers that are the same but for how each was rounded leave nothing. */
  const bool is_bounded = costs->own - off > 1e-9 * costs->own;
  *high = is_bounded ? out_score_slowdown(costs->hooks + off, costs->own - off) : INFINITY;
}

static void say_unknown(const struct out_score *score, struct out_text *text)
{
  const struct out_profile *profile = &score->stats->profile;
  const struct out_recording_info *info = out_profile_recording(profile, score->costs.unknown);
  out_text_puts(text, "what the hooks cost is unknown: ");
  if (info->hook_inner + info->hook_outer > 0)
    out_text_printf(text, "%s has calls that were not timed, and what timing one costs was not measured",
                    out_profile_string(profile, info->path));
  else
    out_compensate_put_unknown(text, profile, info);
}

static void say_costs(const struct out_score *score, struct out_text *text)
{
  const struct out_score_costs *costs = &score->costs;
  out_text_puts(text, "the hooks took ");
  out_put_scaled(text, costs->hooks, 0);
  out_text_puts(text, " of ");
  out_put_scaled(text, costs->hooks + costs->own, 0);
  out_text_printf(text, " in recorded functions, in %llu calls; the program's own are ",
                  (unsigned long long)costs->calls);
  out_put_scaled(text, costs->own, 0);
  out_text_puts(text, ": it ran ");
  out_score_put_factor(text, out_score_slowdown(costs->hooks, costs->own));
  out_text_puts(text, " times as long as without hooks");
}

static void say_uncertainty(const struct out_score *score, struct out_text *text)
{
  const struct out_score_costs *costs = &score->costs;
  double low, high;
  out_score_range(costs, &low, &high);
  if (costs->samples > 0)
    out_text_printf(text, "by samples: %llu of %llu of the run were in hooks; the sums may be off by ",
                    (unsigned long long)costs->in_hooks, (unsigned long long)costs->samples);
  else
    out_text_puts(text, "estimates: they rest on what hooks cost in a loop of empty calls, and may be off by ");
  out_put_scaled(text, costs->uncertainty, 0);
  out_text_puts(text, ", so that the factor is ");
  out_score_put_factor(text, low);
  out_text_puts(text, " to ");
  out_score_put_factor(text, high);
}

static void say_lowered(const struct out_score *score, struct out_text *text)
{
  if (score->costs.samples > 0) {
    out_text_puts(text, "what the calibration says of each function's hooks was taken ");
    out_text_decimals(text, score->costs.lowered, 0, 2);
    out_text_puts(text, " times, so that the sum is that of the samples");
    return;
  }
  if (score->costs.lowered >= .9995)
    return; /* one decimal would say 100.0 % */
  out_text_puts(text, "by the calibration some functions' hooks took more than the whole time of these functions: all "
                      "costs were lowered to ");
  out_text_decimals(text, score->costs.lowered * 100, 0, 1);
  out_text_puts(text, " % of what it says");
}

static void say_budget(const struct out_score *score, struct out_text *text)
{
  const struct out_score_costs *costs = &score->costs;
  if (score->wanted.factor <= 0 || !out_score_is_known(score))
    return;
  out_text_puts(text, "a factor of ");
  out_text_double(text, score->wanted.factor, false);
  if (!score->possible) {
    out_text_puts(text, " cannot be reached: without every function that may be left out it is still ");
    out_score_put_factor(text, out_score_slowdown(costs->hooks - score->most, costs->own));
  } else if (score->left_out == 0) {
    out_text_puts(text, " is kept as it is");
  } else {
    out_text_printf(text, " is kept without %u function%s, marked 'out': then it is ", score->left_out,
                    score->left_out == 1 ? "" : "s");
    out_score_put_factor(text, out_score_slowdown(costs->hooks - score->saved, costs->own));
    out_text_puts(text, ", where functions that are left out have no hooks at all");
  }
}

int out_score_remarks(const struct out_score *score, int (*put)(const char *remark, void *data), void *data)
{
  static void (*const known[])(const struct out_score *, struct out_text *) = {say_costs, say_uncertainty, say_lowered,
                                                                               say_budget};
  struct out_text text = {0};
  int result = 0;
  if (!out_score_is_known(score)) {
    say_unknown(score, &text);
    result = text.failed ? -ENOMEM : put(out_text_string(&text), data);
  }
  for (size_t i = 0; i < sizeof known / sizeof known[0] && result == 0 && out_score_is_known(score); i++) {
    out_text_clear(&text);
    known[i](score, &text);
    if (text.failed)
      result = -ENOMEM;
    else if (text.length > 0)
      result = put(out_text_string(&text), data);
  }
  out_text_free(&text);
  return result;
}
