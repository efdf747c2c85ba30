/* Which threads are a pool that several pipelines share, and when that bounds one of them. */
#include <math.h>
#include <string.h>

#include "output/pipeline/shared_pool.h"
#include "tests/support/output_sample.h"

#define SECOND UINT64_C(1000000) /* ticks */
#define STAGES 3                 /* one in each pipeline */

/* Three pipelines of one stage each, which ran for ten seconds, and what is to be known of the first one. */
struct pools {
  struct callsig_pipeline *pipeline;
  struct out_stage_view view;
  struct out_bottleneck bottleneck;
};

static void set_up(struct pools *pools)
{
  *pools = (struct pools){.pipeline = out_pipeline_new()};
  assert_non_null(pools->pipeline);
  pools->pipeline->tick = 1.0 / SECOND;
  struct out_stage *stages = base_vector_add(&pools->pipeline->stages, STAGES);
  assert_non_null(stages);
  static const char *const labels[STAGES] = {"0:1:decode", "1:1:render", "2:1:store"};
  for (unsigned i = 0; i < STAGES; i++) {
    stages[i].stats.label = labels[i];
    stages[i].stats.pipeline = i;
    stages[i].stats.index = 1;
    stages[i].stats.num_tasks = 100;
    stages[i].last_ticks = 10 * SECOND;
  }
  pools->view = (struct out_stage_view){.stage = stages, .busy = 0.4};
  pools->bottleneck = (struct out_bottleneck){.views = &pools->view, .count = 1, .stage = &pools->view};
}

/* A thread that works so many seconds for each stage; 0: it runs no tasks of it. */
static void add_thread(const struct pools *pools, double decode, double render, double store)
{
  const uint32_t first = pools->pipeline->replicas.count;
  const double times[STAGES] = {decode, render, store};
  for (uint32_t i = 0; i < STAGES; i++) {
    if (times[i] == 0)
      continue;
    struct out_replica *replica = base_vector_add(&pools->pipeline->replicas, 1);
    assert_non_null(replica);
    replica->stage = i;
    replica->first = first;
    replica->tasks = 100;
    replica->own_time = times[i];
  }
}

static const struct out_pool *find(struct pools *pools)
{
  assert_int_equal(out_shared_pool_find(pools->pipeline, &pools->bottleneck, 0), 0);
  return &pools->bottleneck.pool;
}

static void assert_near(double value, double expected)
{
  if (!(fabs(value - expected) < 1e-9))
    fail_msg("%g is not %g", value, expected);
}

/* Each pipeline has but half of the threads' time, so that none of its stages is busy: the pool is. */
static void busy_pool(void **state)
{
  (void)state;
  struct pools pools;
  set_up(&pools);
  add_thread(&pools, 4, 4, 0);
  add_thread(&pools, 5, 5, 0);
  const struct out_pool *pool = find(&pools);
  assert_int_equal(pool->threads, 2);
  assert_near(pool->busy, 0.9);
  assert_near(pool->here, 0.5);
  assert_int_equal(pool->num_others, 1);
  assert_int_equal(pool->others[0], 1);
  assert_ptr_equal(pool->most, &pools.view);
  assert_true(pools.view.pooled);
  assert_true(out_shared_pool_bounds(&pools.bottleneck));
  struct out_text text = {0};
  out_put_shared_pool(&text, &pools.bottleneck);
  assert_string_equal(
      text.data,
      "the pool of 2 threads that it shares with pipeline 1 bounds it: its threads work 90.0% of their time, "
      "50.0% of that in this pipeline, most of it in 0:1:decode");
  out_text_free(&text);
  callsig_pipeline_free(pools.pipeline);
}

/* Threads that have half of the time to spare hold nobody back. */
static void idle_pool(void **state)
{
  (void)state;
  struct pools pools;
  set_up(&pools);
  add_thread(&pools, 4, 1, 0);
  assert_int_equal(find(&pools)->threads, 1);
  assert_false(out_shared_pool_bounds(&pools.bottleneck));
  callsig_pipeline_free(pools.pipeline);
}

static void threads_of_their_own(void **state)
{
  (void)state;
  struct pools pools;
  set_up(&pools);
  add_thread(&pools, 9, 0, 0);
  add_thread(&pools, 0, 9, 9);
  assert_int_equal(find(&pools)->threads, 0);
  assert_null(pools.bottleneck.pool.most);
  assert_false(pools.view.pooled);
  assert_false(out_shared_pool_bounds(&pools.bottleneck));
  callsig_pipeline_free(pools.pipeline);
}

/* Pipelines that ran one after the other share nothing. */
static void one_after_the_other(void **state)
{
  (void)state;
  struct pools pools;
  set_up(&pools);
  struct out_stage *render = out_pipeline_stage_at(pools.pipeline, 1);
  render->first_ticks = 10 * SECOND;
  render->last_ticks = 20 * SECOND;
  add_thread(&pools, 9, 9, 0);
  assert_int_equal(find(&pools)->threads, 0);
  assert_false(out_shared_pool_bounds(&pools.bottleneck));
  callsig_pipeline_free(pools.pipeline);
}

/* A thread that happened to run no task of this pipeline belongs to the pool by the stages that it shares with others.
 */
static void reached_by_stages(void **state)
{
  (void)state;
  struct pools pools;
  set_up(&pools);
  add_thread(&pools, 4, 4, 0);
  add_thread(&pools, 0, 4, 4);
  const struct out_pool *pool = find(&pools);
  assert_int_equal(pool->threads, 2);
  assert_near(pool->busy, 0.8);
  assert_near(pool->here, 0.25);
  assert_int_equal(pool->num_others, 2);
  assert_true(out_shared_pool_bounds(&pools.bottleneck));
  callsig_pipeline_free(pools.pipeline);
}

/* Where a stage with threads of its own is busy, that one bounds the pipeline, however busy the pool is. */
static void busy_stage_beside_the_pool(void **state)
{
  (void)state;
  struct pools pools;
  set_up(&pools);
  add_thread(&pools, 4, 5, 0);
  assert_int_equal(find(&pools)->threads, 1);
  struct out_stage_view other = {.busy = 0.95};
  pools.bottleneck.stage = &other;
  assert_false(out_shared_pool_bounds(&pools.bottleneck));
  other.busy = 0.5;
  assert_true(out_shared_pool_bounds(&pools.bottleneck));
  callsig_pipeline_free(pools.pipeline);
}

/* What threads did that ended, or that is not known, says nothing of a pool. */
static void folded_or_unknown(void **state)
{
  (void)state;
  struct pools pools;
  set_up(&pools);
  add_thread(&pools, 4, 4, 0);
  struct out_replica *replica = base_vector_at(&pools.pipeline->replicas, 1);
  replica->folded = true;
  assert_int_equal(find(&pools)->threads, 0);
  replica->folded = false;
  replica->own_time = -1;
  assert_int_equal(find(&pools)->threads, 0);
  replica->own_time = 4;
  assert_int_equal(find(&pools)->threads, 1);
  callsig_pipeline_free(pools.pipeline);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(busy_pool),
      cmocka_unit_test(idle_pool),
      cmocka_unit_test(threads_of_their_own),
      cmocka_unit_test(one_after_the_other),
      cmocka_unit_test(reached_by_stages),
      cmocka_unit_test(busy_stage_beside_the_pool),
      cmocka_unit_test(folded_or_unknown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
