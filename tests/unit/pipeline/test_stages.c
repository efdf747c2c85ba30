/* Rows by every grouping, of random traces with nested, interleaved and recursive stages, beside a plain model: every
 * call with the whole stack around it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/output_sample.h"
#include "tests/support/pipeline_writer.h"

enum { FUNCTIONS = 5, STAGES = 3, SIGNATURES = 2, THREADS = 3, DEPTH_MAX = 12, ROWS_MAX = 4096, MODULES = 2 };

/* A call as a row may name it. Stage 0: outside of any. */
struct call {
  int kind; /* 'f' function, 'a' action, 't' task */
  int module, function, signature, stage, thread;
  uint64_t start, children;
};

struct model_row {
  struct call key;
  uint64_t calls, primitive, own, cumulative, min, max;
};

struct model {
  unsigned by;
  struct model_row rows[ROWS_MAX];
  size_t count;
};

static const unsigned groupings[] = {
    CALLSIG_BY_FUNCTION,
    CALLSIG_BY_SIGNATURE,
    CALLSIG_BY_STAGE,
    CALLSIG_BY_THREAD,
    CALLSIG_BY_MODULE,
    CALLSIG_BY_FUNCTION | CALLSIG_BY_STAGE,
    CALLSIG_BY_SIGNATURE | CALLSIG_BY_STAGE,
    CALLSIG_BY_STAGE | CALLSIG_BY_THREAD,
    CALLSIG_BY_STAGE | CALLSIG_BY_MODULE,
    CALLSIG_BY_THREAD | CALLSIG_BY_MODULE,
    CALLSIG_BY_FUNCTION | CALLSIG_BY_MODULE,
    CALLSIG_BY_FUNCTION | CALLSIG_BY_STAGE | CALLSIG_BY_MODULE,
    CALLSIG_BY_SIGNATURE | CALLSIG_BY_STAGE | CALLSIG_BY_MODULE | CALLSIG_BY_THREAD,
};

enum { GROUPINGS = sizeof groupings / sizeof groupings[0] };

struct trace {
  struct sample sample;
  uint64_t modules[MODULES], stages[STAGES];
  struct recording_thread *threads[THREADS];
  struct call stacks[THREADS][DEPTH_MAX];
  size_t depth[THREADS];
  uint64_t now, state;
  struct model models[GROUPINGS];
};

static const char *const stage_names[STAGES] = {"read", "decode", "write"};

static unsigned roll(struct trace *trace, unsigned sides)
{
  trace->state = trace->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(trace->state >> 33) % sides;
}

/* What is left of a call when rows are by `by`. */
static struct call key_of(const struct call *call, unsigned by)
{
  struct call key = {0};
  if (by & (CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE)) {
    key.kind = call->kind;
    key.function = call->function;
  }
  if (by & CALLSIG_BY_SIGNATURE)
    key.signature = call->signature;
  if (by & CALLSIG_BY_STAGE)
    key.stage = call->stage;
  if (by & CALLSIG_BY_THREAD)
    key.thread = call->thread;
  if (by & CALLSIG_BY_MODULE)
    key.module = call->module;
  return key;
}

static int same_key(struct call a, struct call b)
{
  return a.kind == b.kind && a.module == b.module && a.function == b.function && a.signature == b.signature &&
         a.stage == b.stage && a.thread == b.thread;
}

static struct model_row *row_of(struct model *model, struct call key)
{
  for (size_t i = 0; i < model->count; i++) {
    if (same_key(model->rows[i].key, key))
      return &model->rows[i];
  }
  assert_true(model->count < ROWS_MAX);
  model->rows[model->count] = (struct model_row){.key = key, .min = UINT64_MAX};
  return &model->rows[model->count++];
}

/* The innermost call of the thread ends now, in the model. */
static void end_call(struct trace *trace, int thread)
{
  struct call *stack = trace->stacks[thread], call = stack[--trace->depth[thread]];
  size_t depth = trace->depth[thread];
  uint64_t duration = trace->now - call.start;
  if (depth)
    stack[depth - 1].children += duration;
  for (size_t i = 0; i < GROUPINGS; i++) {
    struct model *model = &trace->models[i];
    struct call key = key_of(&call, model->by);
    struct model_row *row = row_of(model, key);
    int outermost = 1;
    for (size_t k = 0; k < depth; k++)
      outermost &= !same_key(key_of(&stack[k], model->by), key);
    row->calls++;
    row->primitive += (uint64_t)outermost;
    row->own += duration - call.children;
    row->cumulative += outermost ? duration : 0;
    row->min = duration < row->min ? duration : row->min;
    row->max = duration > row->max ? duration : row->max;
  }
}

static void begin_call(struct trace *trace, int thread)
{
  struct recording_thread *recorded = trace->threads[thread];
  struct call call = {.thread = thread, .start = trace->now, .signature = (int)roll(trace, SIGNATURES)};
  size_t depth = trace->depth[thread];
  if (depth)
    call.stage = trace->stacks[thread][depth - 1].stage;
  unsigned kind = roll(trace, 10);
  if (kind < 3) {
    call.kind = 't';
    call.function = (int)roll(trace, STAGES);
    call.stage = call.function + 1;
    recording_enter_task(recorded, trace->stages[call.function], call.signature ? "width=640" : NULL, trace->now);
  } else if (kind == 3) {
    call.kind = 'a';
    call.signature = 0;
    recording_enter_action(recorded, "step", trace->now);
  } else {
    call.kind = 'f';
    call.function = (int)roll(trace, FUNCTIONS);
    call.module = 1 + call.function % MODULES;
    recording_enter(recorded, trace->modules[call.module - 1], (uint32_t)call.function,
                    (const uint64_t[]){0, (uint64_t)call.signature}, 2, trace->now);
  }
  trace->stacks[thread][trace->depth[thread]++] = call;
}

static void begin_trace(struct trace *trace, uint64_t seed)
{
  memset(trace, 0, sizeof *trace);
  trace->state = seed * 977 + 1;
  for (size_t i = 0; i < GROUPINGS; i++)
    trace->models[i].by = groupings[i];
  sample_begin(&trace->sample);
  for (uint32_t i = 0; i < FUNCTIONS; i++) {
    char name[8] = {'f', (char)('0' + i), 0};
    index_writer_function(trace->sample.index, "a.c", i, name, 0);
    index_writer_arg(trace->sample.index, FMT_ARG_VALUE, "n", trace->sample.int_type);
  }
  size_t size;
  void *index = index_writer_finish(trace->sample.index, &size);
  struct recording_writer *writer = trace->sample.recording;
  trace->modules[0] = recording_writer_module(writer, "/lib/one.so", 0x10000, 0x10000, index, size);
  trace->modules[1] = recording_writer_module(writer, "/lib/two.so", 0x90000, 0x10000, index, size);
  free(index);
  for (uint32_t i = 0; i < STAGES; i++)
    trace->stages[i] = pipeline_writer_stage(writer, 0, i, stage_names[i], i + 1, 0);
  for (uint32_t i = 0; i < THREADS; i++)
    trace->threads[i] = recording_writer_thread(writer, i, "worker");
}

/* Random calls on all threads, of which some are still open at the end. */
static struct callsig_stats *run_trace(struct trace *trace, unsigned steps)
{
  for (unsigned i = 0; i < steps; i++) {
    int thread = (int)roll(trace, THREADS);
    size_t depth = trace->depth[thread];
    trace->now += roll(trace, 5);
    if (depth && (depth == DEPTH_MAX || roll(trace, 11) < 5)) {
      recording_exit(trace->threads[thread], trace->now);
      end_call(trace, thread);
    } else {
      begin_call(trace, thread);
    }
  }
  trace->now += 10;
  for (int thread = 0; thread < THREADS; thread++) {
    while (trace->depth[thread])
      end_call(trace, thread);
  }
  return sample_load(&trace->sample, trace->now);
}

/* What a row of the model prints as, as one text. */
static void describe(const struct call *key, unsigned by, char text[256])
{
  char name[64] = "", signature[96] = "", stage[32] = "", label[32] = "";
  if (key->kind == 't')
    snprintf(label, sizeof label, key->function ? "0:%d:%s[%d]" : "0:%d:%s", key->function, stage_names[key->function],
             key->function + 1);
  if (key->kind == 'f')
    snprintf(name, sizeof name, "f%d", key->function);
  else if (key->kind)
    snprintf(name, sizeof name, "{%s}", key->kind == 'a' ? "step" : label);
  if (by & CALLSIG_BY_SIGNATURE && key->kind == 'f')
    snprintf(signature, sizeof signature, "f%d(n=%d)", key->function, key->signature);
  else if (by & CALLSIG_BY_SIGNATURE && key->kind == 't' && key->signature)
    snprintf(signature, sizeof signature, "{%s(width=640)}", label);
  if (key->stage)
    snprintf(stage, sizeof stage, key->stage > 1 ? "0:%d:%s[%d]" : "0:%d:%s", key->stage - 1,
             stage_names[key->stage - 1], key->stage);
  snprintf(text, 256, "%s|%s|%s|%d|%s", name, signature, stage, by & CALLSIG_BY_THREAD ? key->thread : -1,
           key->module == 1   ? "/lib/one.so"
           : key->module == 2 ? "/lib/two.so"
                              : "");
}

static void describe_row(const struct callsig_stats_row *row, char text[256])
{
  int thread = -1;
  if (row->thread)
    sscanf(row->thread, "worker (%d)", &thread);
  snprintf(text, 256, "%s|%s|%s|%d|%s", row->function ? row->function : "", row->signature ? row->signature : "",
           row->stage ? row->stage : "", thread, row->module ? row->module : "");
}

static uint64_t ticks(double seconds)
{
  return (uint64_t)(seconds * 1000 + .5);
}

static void expect_model(struct callsig_stats *stats, const struct model *model)
{
  assert_int_equal(callsig_stats_group(stats, model->by), 0);
  assert_int_equal(callsig_stats_row_count(stats), model->count);
  for (size_t i = 0; i < model->count; i++) {
    const struct model_row *wanted = &model->rows[i];
    char text[256], found[256] = "";
    struct callsig_stats_row row = {.size = sizeof row};
    describe(&wanted->key, model->by, text);
    for (size_t k = 0; k < model->count && strcmp(text, found) != 0; k++) {
      assert_int_equal(callsig_stats_row(stats, k, &row), 0);
      describe_row(&row, found);
    }
    assert_string_equal(found, text);
    if (row.ncalls != wanted->calls || row.pcalls != wanted->primitive || ticks(row.tottime) != wanted->own ||
        ticks(row.cumtime) != wanted->cumulative || ticks(row.min) != wanted->min || ticks(row.max) != wanted->max)
      fail_msg("by %#x %s: %llu/%llu %.3f %.3f, not %llu/%llu %llu %llu", model->by, text,
               (unsigned long long)row.ncalls, (unsigned long long)row.pcalls, row.tottime, row.cumtime,
               (unsigned long long)wanted->calls, (unsigned long long)wanted->primitive,
               (unsigned long long)wanted->own, (unsigned long long)wanted->cumulative);
  }
}

static void every_grouping(void **state)
{
  (void)state;
  struct trace *trace = malloc(sizeof *trace);
  assert_non_null(trace);
  for (uint64_t seed = 0; seed < 60; seed++) {
    begin_trace(trace, seed);
    struct callsig_stats *stats = run_trace(trace, seed < 50 ? 60 : 1500);
    for (size_t i = 0; i < GROUPINGS; i++)
      expect_model(stats, &trace->models[i]);
    callsig_stats_free(stats);
  }
  free(trace);
}

/* Filtering by each stage in turn leaves, row by row, what all calls together are. */
static void filters(void **state)
{
  (void)state;
  struct trace *trace = malloc(sizeof *trace);
  assert_non_null(trace);
  begin_trace(trace, 7);
  struct callsig_stats *stats = run_trace(trace, 1500);
  struct callsig_stats_total whole = {.size = sizeof whole};
  assert_int_equal(callsig_stats_total(stats, &whole), 0);
  const char *const globs[] = {"-", "read", "0:1:decode[2]", "w*"};
  uint64_t calls = 0, time = 0;
  for (size_t i = 0; i < 4; i++) {
    struct callsig_stats_filter filter = {.size = sizeof filter, .stage = globs[i]};
    assert_int_equal(callsig_stats_filter(stats, &filter), 0);
    struct callsig_stats_total total = {.size = sizeof total};
    assert_int_equal(callsig_stats_total(stats, &total), 0);
    assert_true(total.calls > 0);
    calls += total.calls;
    time += ticks(total.time);
  }
  assert_int_equal(calls, whole.calls);
  assert_int_equal(time, ticks(whole.time));
  callsig_stats_free(stats);
  free(trace);
}

/* How stages print, and that a recording without any says so. */
static void prints(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  index_writer_function(sample.index, "a.c", 1, "f", 0);
  sample_calls(&sample);
  uint64_t stage = pipeline_writer_stage(sample.recording, 0, 1, "decode", 4, 0);
  recording_enter(sample.thread, sample.module, 0, (const uint64_t[]){0}, 0, 0);
  recording_enter_task(sample.thread, stage, "width=640, kind=\"a\"", 10);
  recording_enter(sample.thread, sample.module, 0, (const uint64_t[]){0}, 0, 20);
  recording_exit(sample.thread, 50);
  recording_exit(sample.thread, 60);
  recording_exit(sample.thread, 100);
  struct callsig_stats *stats = sample_load(&sample, 100);
  char *table = printed(stats, callsig_stats_print, NULL);
  assert_non_null(
      strstr(table, "        1    0.020    0.020    0.050    0.050 {0:1:decode[4](width=640, kind=\"a\")}\n"));
  free(table);
  callsig_stats_group(stats, CALLSIG_BY_FUNCTION | CALLSIG_BY_STAGE);
  table = printed(stats, callsig_stats_print, NULL);
  assert_non_null(strstr(table, "        1    0.050    0.050    0.100    0.100 a.c:1(f) [stage -]\n"));
  assert_non_null(strstr(table, "        1    0.030    0.030    0.030    0.030 a.c:1(f) [stage 0:1:decode[4]]\n"));
  assert_null(strstr(table, "no stages"));
  free(table);
  callsig_stats_group(stats, CALLSIG_BY_STAGE);
  table = printed(stats, callsig_stats_print, NULL);
  assert_non_null(strstr(table, "      2/1    0.050    0.025    0.050    0.050 [stage 0:1:decode[4]]\n"));
  free(table);
  callsig_stats_free(stats);
  sample_begin(&sample);
  index_writer_function(sample.index, "a.c", 1, "f", 0);
  sample_calls(&sample);
  sample_call(&sample, 0, (const uint64_t[]){0}, 0, 0, 1);
  stats = sample_load(&sample, 1);
  callsig_stats_group(stats, CALLSIG_BY_STAGE);
  table = printed(stats, callsig_stats_print, NULL);
  assert_non_null(strstr(table, "\nno stages were recorded: every call is outside of any\n"));
  free(table);
  callsig_stats_free(stats);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_grouping),
      cmocka_unit_test(filters),
      cmocka_unit_test(prints),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
