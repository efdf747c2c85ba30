/* The same stage in several recordings: which of them takes much longer for its tasks. */
#include <errno.h>
#include <string.h>

#include "output/pipeline/bottleneck.h"
#include "output/pipeline/pipeline_text.h"
#include "output/stats/columns.h"
#include "output/text/message.h"

/* Tasks that succeeded, and their time. */
struct share {
  uint64_t tasks;
  double time;
};

static struct share share_of(const struct out_stage *stage)
{
  return (struct share){.tasks = stage->stats.num_tasks - stage->stats.num_failures, .time = stage->stats.total_time};
}

/* What the stage with this label did in the recordings other than number `except`. */
static struct share elsewhere(const struct callsig_pipeline *const *pipelines, size_t count, size_t except,
                              const char *label)
{
  struct share sum = {0};
  for (size_t i = 0; i < count; i++) {
    for (uint32_t j = 0; i != except && j < pipelines[i]->stages.count; j++) {
      const struct out_stage *stage = out_pipeline_stage_at(pipelines[i], j);
      if (strcmp(stage->stats.label, label) != 0)
        continue;
      sum.tasks += share_of(stage).tasks;
      sum.time += share_of(stage).time;
    }
  }
  return sum;
}

static void put_straggler(struct out_text *text, const struct callsig_pipeline *pipeline, const struct out_stage *stage,
                          struct share others)
{
  struct share own = share_of(stage);
  if (own.tasks < OUT_STRAGGLER_TASKS || others.tasks < OUT_STRAGGLER_TASKS)
    return;
  double mean = own.time / (double)own.tasks, other_mean = others.time / (double)others.tasks;
  if (other_mean <= 0 || mean < OUT_STRAGGLER_RATIO * other_mean)
    return;
  out_text_printf(text, "%s: %s is a straggler: ", pipeline->info.path, stage->stats.label);
  out_put_scaled(text, mean, 0);
  out_text_puts(text, " a task, elsewhere ");
  out_put_scaled(text, other_mean, 0);
  out_text_putc(text, '\n');
}

int callsig_pipeline_print_stragglers(const struct callsig_pipeline *const *pipelines, size_t count, FILE *out)
{
  struct out_text text = {0};
  for (size_t i = 0; i < count; i++) {
    for (uint32_t j = 0; j < pipelines[i]->stages.count; j++) {
      const struct out_stage *stage = out_pipeline_stage_at(pipelines[i], j);
      put_straggler(&text, pipelines[i], stage, elsewhere(pipelines, count, i, stage->stats.label));
    }
  }
  return out_pipeline_write(&text, out);
}
