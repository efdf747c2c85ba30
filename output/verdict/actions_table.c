/* The table of actions, as Lightning's Simple profiler prints it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/pipeline/pipeline.h"
#include "output/text/message.h"

/* Five significant digits. */
static void put_significant(struct out_text *text, double value)
{
  char number[64];
  snprintf(number, sizeof number, "%.5g", value);
  for (char *at = number; *at; at++)
    if (!strchr("0123456789+-e.", *at))
      *at = '.';
  out_text_puts(text, number);
}

/* One line of the table of actions: the cells are padded to the width of their titles. */
static void put_action_row(struct out_text *text, size_t width, const char *const cells[5])
{
  out_text_puts(text, "|");
  for (unsigned i = 0; i < 5; i++) {
    size_t length = out_text_width(cells[i], strlen(cells[i]));
    size_t wanted = i == 0 ? width : 17;
    out_text_printf(text, "  %s%*s|", cells[i], (int)(length < wanted ? wanted - length : 0) + 2, "");
  }
  out_text_putc(text, '\n');
}

static void put_action_rule(struct out_text *text, size_t width)
{
  for (size_t i = 0; i < width + 1 + 4 * 17 + 5 * 5; i++)
    out_text_putc(text, '-');
  out_text_putc(text, '\n');
}

static int compare_totals(const void *left, const void *right)
{
  const struct callsig_action_stats *a = *(const struct callsig_action_stats *const *)left;
  const struct callsig_action_stats *b = *(const struct callsig_action_stats *const *)right;
  if (a->total_time != b->total_time)
    return a->total_time > b->total_time ? -1 : 1;
  return strcmp(a->name, b->name);
}

/* A row. The total has no mean of its own: less than 0. */
static void put_cells(struct out_text *text, size_t width, const struct callsig_action_stats *action, double whole)
{
  struct out_text numbers[4] = {{0}};
  const char *cells[5] = {action->name};
  if (action->mean_time < 0)
    out_text_puts(&numbers[0], "-");
  else
    put_significant(&numbers[0], action->mean_time);
  out_text_printf(&numbers[1], "%llu", (unsigned long long)action->num_calls);
  put_significant(&numbers[2], action->total_time);
  if (action->mean_time < 0)
    out_text_puts(&numbers[3], "100 %");
  else
    put_significant(&numbers[3], whole > 0 ? 100 * action->total_time / whole : 0);
  for (unsigned i = 0; i < 4; i++) {
    text->failed |= numbers[i].failed;
    cells[i + 1] = out_text_string(&numbers[i]);
  }
  put_action_row(text, width, cells);
  for (unsigned i = 0; i < 4; i++)
    out_text_free(&numbers[i]);
}

static void put_table(struct out_text *text, const struct callsig_pipeline *pipeline,
                      const struct callsig_action_stats *const *actions)
{
  struct callsig_action_stats total = {.name = "Total", .mean_time = -1, .total_time = pipeline->info.elapsed};
  size_t width = strlen("Action");
  for (uint32_t i = 0; i < pipeline->actions.count; i++) {
    size_t length = out_text_width(actions[i]->name, strlen(actions[i]->name));
    width = length > width ? length : width;
    total.num_calls += actions[i]->num_calls;
  }
  static const char *const titles[] = {"Action", "Mean duration (s)", "Num calls", "Total time (s)", "Percentage %"};
  out_text_puts(text, "Profiler Report\n\n");
  put_action_rule(text, width);
  put_action_row(text, width, titles);
  put_action_rule(text, width);
  put_cells(text, width, &total, total.total_time);
  put_action_rule(text, width);
  for (uint32_t i = 0; i < pipeline->actions.count; i++)
    put_cells(text, width, actions[i], total.total_time);
  put_action_rule(text, width);
}

int callsig_pipeline_print_actions(const struct callsig_pipeline *pipeline, FILE *out)
{
  uint32_t count = pipeline->actions.count;
  if (count == 0)
    return out_stats_fail(-ENODATA,
                          "%s: no actions are recorded in it; callsig_action_begin() and CALLSIG_ACTION() make them",
                          pipeline->info.path);
  const struct callsig_action_stats **actions = malloc(count * sizeof *actions);
  if (!actions)
    return out_stats_no_memory();
  for (uint32_t i = 0; i < count; i++)
    actions[i] = base_vector_at(&pipeline->actions, i);
  qsort(actions, count, sizeof *actions, compare_totals);
  struct out_text text = {0};
  put_table(&text, pipeline, actions);
  free(actions);
  return out_pipeline_write(&text, out);
}
