/* Which stages queues connect with each other, of as many stages and uses of queues as there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "output/pipeline/outside_waits.h"
#include "output/pipeline/pipeline.h"

enum { FIRST = 3, STAGES = 1000, REPEATED = 20, LABEL = 16 };

/* Two rows, of the stages with even and with odd numbers, side by side. The first half of each is connected by what the
 * stages' views have, and the second by what threads were seen to use, several times each. */
static void many_stages(void **state)
{
  (void)state;
  struct callsig_pipeline *pipeline = out_pipeline_new();
  struct out_bottleneck bottleneck = {.count = STAGES};
  struct callsig_queue_stats *queues = calloc(STAGES + 2, sizeof *queues);
  char(*labels)[LABEL] = calloc(STAGES + 2, sizeof *labels);
  bottleneck.views = calloc(STAGES, sizeof *bottleneck.views);
  for (uint32_t i = 0; i < STAGES + 2; i++) {
    snprintf(labels[i], LABEL, "0:%u", i);
    queues[i].label = labels[i];
  }
  for (uint32_t i = 0; i < STAGES; i++) {
    struct out_stage_view *view = &bottleneck.views[i];
    view->number = FIRST + i;
    if (i < STAGES / 2) {
      view->input = &queues[i];
      view->output = &queues[i + 2];
    }
    for (uint32_t j = 0; i >= STAGES / 2 - 2 && j < 2 * REPEATED; j++) {
      struct out_link *link = base_vector_add(&pipeline->links, 1);
      *link = (struct out_link){.stage = view->number, .queue = labels[i + j % 2 * 2]};
    }
  }
  /* Of another pipeline, which uses queues of both. */
  for (uint32_t i = 0; i < 2; i++)
    *(struct out_link *)base_vector_add(&pipeline->links, 1) = (struct out_link){.stage = 0, .queue = labels[4 + i]};
  uint32_t *parts = out_stages_parts(pipeline, &bottleneck);
  assert_non_null(parts);
  for (uint32_t i = 0; i < STAGES; i++)
    assert_int_equal(parts[i], parts[i % 2]);
  assert_int_not_equal(parts[0], parts[1]);
  free(parts);
  free(labels);
  free(queues);
  free(bottleneck.views);
  callsig_pipeline_free(pipeline);
}

static void alone(void **state)
{
  (void)state;
  struct callsig_pipeline *pipeline = out_pipeline_new();
  struct out_stage_view views[2] = {{.number = 0}, {.number = 1}};
  const struct out_bottleneck bottleneck = {.count = 2, .views = views};
  uint32_t *parts = out_stages_parts(pipeline, &bottleneck);
  assert_int_not_equal(parts[0], parts[1]);
  free(parts);
  callsig_pipeline_free(pipeline);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(many_stages), cmocka_unit_test(alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
