/*
 * Random recursion on the fast path, under the time stamp counter: which calls are the outermost activation of their
 * function, signature, pairs and module, and of the function, signature and module in their stage, and what time they
 * took, must equal a model with plain activation counters. (The oracle of recursion compares with CPython under an
 * injected clock, which takes the generic path.) Tasks of several stages, nested in one another and in themselves, are
 * calls among the others; without an argument there are none. "merged": in so little space that contexts merge.
 *
 * The model learns a call's ticks from the totals of its edge before and after.
 */
/* ctest: records */
/* ctest: build _O0 -g -O0 -finstrument-functions */
/* ctest: build _O2 -g -O2 -finstrument-functions */
/* ctest: case _plain quick plain */
/* ctest: case _stages quick stages */
/* ctest: case _merged quick merged */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/base/process.h"
#include "profiler/stack/thread.h"
#include "tests/support/check.h"

#define QUIET      __attribute__((no_instrument_function, noinline))
#define NOINLINE   __attribute__((noinline))
#define NODES      6
#define STAGES     3
#define FUNCTIONS  (NODES + STAGES) /* tasks are the last ones */
#define NO_STAGE   STAGES
#define SIGNATURES 3
#define KINDS      (FUNCTIONS * SIGNATURES)
#define MODULES    2           /* the program, and none */
#define CALLERS    (KINDS + 1) /* the last one: whoever calls the first */
#define MAX_DEPTH  40
#define MAX_EDGES  (1u << 20)

/* One group's activations, as cProfile counts them. */
struct group {
  uint64_t level, calls, primitive, cumulative;
};

static struct {
  struct group functions[FUNCTIONS], signatures[KINDS];
  struct group function_pairs[FUNCTIONS + 1][FUNCTIONS], signature_pairs[CALLERS][KINDS];
  struct group modules[MODULES], stage_functions[STAGES + 1][FUNCTIONS], stage_signatures[STAGES + 1][KINDS];
  struct group stage_modules[STAGES + 1][MODULES];
  uint64_t own[FUNCTIONS];
} model;

static struct open_call {
  int kind, caller, stage;
  struct fmt_rec_edge *edge;
  uint64_t children;
  bool counted; /* when it began, with so many ticks */
  uint64_t ticks;
} calls[MAX_DEPTH + 2];
static int depth;
static int budget;
static unsigned branches; /* 3: many small trees, 4: few large ones */
static bool with_stages, merged;
static uint64_t seed;
static struct callsig_stage *stages[STAGES];
static const char *const texts[SIGNATURES] = {NULL, "n=1", "n=2"};

/* What the model has seen of each edge's total. */
static struct {
  const struct fmt_rec_edge *edge;
  uint64_t total;
} seen[MAX_EDGES];

static QUIET unsigned choose(unsigned limit)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(seed >> 33) % limit;
}

static QUIET uint64_t total_of(const struct fmt_rec_edge *edge)
{
  const struct fmt_rec_recursion *recursion = (const struct fmt_rec_recursion *)edge->recursion;
  return edge->total + (recursion ? recursion->total : 0);
}

static QUIET uint64_t new_ticks(const struct fmt_rec_edge *edge)
{
  uint64_t place = (uintptr_t)edge / 64 % MAX_EDGES;
  while (seen[place].edge && seen[place].edge != edge)
    place = (place + 1) % MAX_EDGES;
  static unsigned edges;
  CHECK(seen[place].edge || ++edges < MAX_EDGES / 2);
  uint64_t ticks = total_of(edge) - seen[place].total;
  seen[place].edge = edge;
  seen[place].total += ticks;
  return ticks;
}

static QUIET void enter_group(struct group *group)
{
  group->calls++;
  group->level++;
}

static QUIET void leave_group(struct group *group, uint64_t ticks)
{
  if (--group->level == 0) {
    group->primitive++;
    group->cumulative += ticks;
  }
}

static QUIET void each_group(const struct open_call *call, int entering, uint64_t ticks)
{
  int function = call->kind / SIGNATURES, caller = call->caller / SIGNATURES;
  int module = function >= NODES;
  struct group *groups[] = {&model.functions[function],
                            &model.signatures[call->kind],
                            &model.function_pairs[caller][function],
                            &model.signature_pairs[call->caller][call->kind],
                            &model.modules[module],
                            &model.stage_functions[call->stage][function],
                            &model.stage_signatures[call->stage][call->kind],
                            &model.stage_modules[call->stage][module]};
  for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) {
    if (entering)
      enter_group(groups[i]);
    else
      leave_group(groups[i], ticks);
  }
}

/* The first thing in each function: its frame is open. */
static QUIET void entered(void)
{
  struct open_call *call = &calls[depth];
  call->edge = (struct fmt_rec_edge *)prof_self->top->edge;
  call->counted = prof_self->top->start_ticks >= FMT_START_COUNTED && prof_self->top->start_ticks != FMT_START_AHEAD;
  call->ticks = call->counted ? new_ticks(call->edge) : 0;
}

static QUIET void call_some(void);

#define NODE(number)                                                                                                   \
  static NOINLINE int node##number(int signature)                                                                      \
  {                                                                                                                    \
    entered();                                                                                                         \
    __asm__ volatile("" : "+r"(signature));                                                                            \
    call_some();                                                                                                       \
    return signature + number;                                                                                         \
  }
NODE(0)
NODE(1)
NODE(2)
NODE(3)
NODE(4)
NODE(5)

/* The last one's argument is read by the interpreter, so its calls take the generic path. */
CALLSIG_BUCKET(node5, signature, "0,1,2");

static int (*const nodes[NODES])(int) = {node0, node1, node2, node3, node4, node5};

static QUIET void run_task(int stage, int text)
{
  const struct callsig_task_options options = {.size = sizeof options, .signature = texts[text]};
  CHECK(callsig_task_begin(stages[stage], &options) == 0);
  entered();
  call_some();
  CHECK(callsig_task_end(stages[stage], 0) == 0);
}

static QUIET void call(int kind)
{
  struct open_call *caller = &calls[depth], *callee = &calls[++depth];
  int function = kind / SIGNATURES, signature = kind % SIGNATURES;
  *callee = (struct open_call){
      .kind = kind, .caller = caller->kind, .stage = function < NODES ? caller->stage : function - NODES};
  each_group(callee, 1, 0);
  if (function < NODES)
    CHECK(nodes[function](signature) == signature + function);
  else
    run_task(function - NODES, signature);
  uint64_t ticks = callee->counted ? callee->ticks : new_ticks(callee->edge);
  each_group(callee, 0, ticks);
  model.own[kind / SIGNATURES] += ticks - callee->children;
  caller->children += ticks;
  depth--;
}

static QUIET int any_kind(void)
{
  /* Not so many tasks that every stage is always open. */
  bool task = with_stages && choose(8) == 0;
  return task ? NODES * SIGNATURES + (int)choose(STAGES * SIGNATURES) : (int)choose(NODES * SIGNATURES);
}

/* Few functions, so that recursion is the rule, and some shapes often: a leaf, a call of itself, two that alternate. */
static QUIET void call_some(void)
{
  unsigned count = choose(branches);
  for (unsigned i = 0; i < count && depth < MAX_DEPTH && budget > 0; i++) {
    budget--;
    unsigned shape = choose(8);
    int kind = shape == 0 && depth ? calls[depth].kind : shape == 1 && depth > 1 ? calls[depth - 1].kind : any_kind();
    call(kind);
  }
}

/* ------------------------------------------------------------------------------------------------------------------ */

static QUIET int function_of(const struct fmt_rec_variant *variant)
{
  const struct fmt_rec_context *context = (const struct fmt_rec_context *)variant->context;
  const struct fmt_rec_function *function = (const struct fmt_rec_function *)context->function;
  for (int i = 0; function && i < NODES; i++)
    if (function->address == (uintptr_t)nodes[i])
      return i;
  if (function && function->kind == FMT_FUNCTION_KIND_TASK)
    return NODES + (int)((const struct fmt_rec_stage *)function->address)->number;
  return FUNCTIONS;
}

static QUIET int kind_of(const struct fmt_rec_variant *variant)
{
  int function = function_of(variant);
  const struct fmt_rec_signature *signature = (const struct fmt_rec_signature *)variant->signature;
  if (function == FUNCTIONS)
    return KINDS;
  if (function >= NODES) {
    int text = signature->word_count ? 1 : 0;
    const char *of = text ? ((const struct fmt_rec_name *)signature->words[0])->text : NULL;
    CHECK(signature->flags == (text ? FMT_SIGNATURE_TEXT : FMT_SIGNATURE_NONE));
    while (of && text < SIGNATURES && strcmp(of, texts[text]) != 0)
      text++;
    CHECK(text < SIGNATURES);
    return function * SIGNATURES + text;
  }
  CHECK(signature->word_count == 2 && signature->words[0] == 0);
  int value = (int)signature->words[1] - (function == NODES - 1); /* the bucket of 0 is the second */
  CHECK(value >= 0 && value < SIGNATURES);
  return function * SIGNATURES + value;
}

static QUIET uint64_t recursive(const struct fmt_rec_edge *edge, bool ticks, enum fmt_group which)
{
  const struct fmt_rec_recursion *recursion = (const struct fmt_rec_recursion *)edge->recursion;
  return !recursion ? 0 : ticks ? recursion->cumulative[which] : recursion->primitive[which];
}

/* `outermost`: the calls that the edge counts itself are outermost in the group. */
static QUIET void subtract(struct group *group, const struct fmt_rec_edge *edge, enum fmt_group which, bool outermost)
{
  const struct fmt_rec_recursion *recursion = (const struct fmt_rec_recursion *)edge->recursion;
  group->calls -= edge->calls + (recursion ? recursion->calls : 0);
  group->primitive -= (outermost ? edge->calls : 0) + recursive(edge, false, which);
  group->cumulative -= (outermost ? edge->total : 0) + recursive(edge, true, which);
}

static QUIET const struct fmt_rec_function *function_at(const struct fmt_rec_context *context)
{
  return (const struct fmt_rec_function *)context->function;
}

static QUIET bool is_task_at(const struct fmt_rec_context *context)
{
  return context->function && function_at(context)->kind == FMT_FUNCTION_KIND_TASK;
}

/* The stage of a context, and in *outermost whether no context above it in the stage is of its module. */
static QUIET int stage_of(const struct fmt_rec_context *context, bool *outermost)
{
  const struct fmt_rec_context *at = context;
  *outermost = true;
  while (at && at->function && !is_task_at(at)) {
    at = (const struct fmt_rec_context *)at->parent;
    if (at && at->function && function_at(at)->module == function_at(context)->module)
      *outermost = false;
  }
  return at && at->function ? (int)((const struct fmt_rec_stage *)function_at(at)->address)->number : NO_STAGE;
}

static QUIET void subtract_by_stage(const struct fmt_rec_edge *edge, int kind)
{
  const struct fmt_rec_variant *to = (const struct fmt_rec_variant *)edge->to;
  int function = kind / SIGNATURES, module = function >= NODES;
  bool outermost;
  int stage = stage_of((const struct fmt_rec_context *)to->context, &outermost);
  /* Outside of all stages, the groups without the stage say it. */
  bool own = stage != NO_STAGE;
  outermost = own ? outermost : (edge->flags & FMT_EDGE_MODULE) != 0;
  subtract(&model.stage_functions[stage][function], edge, own ? FMT_GROUP_FUNCTION_STAGE : FMT_GROUP_FUNCTION, true);
  subtract(&model.stage_signatures[stage][kind], edge, own ? FMT_GROUP_SIGNATURE_STAGE : FMT_GROUP_SIGNATURE, true);
  subtract(&model.stage_modules[stage][module], edge, own ? FMT_GROUP_MODULE_STAGE : FMT_GROUP_MODULE, outermost);
}

static QUIET void expect_zero(const struct group *groups, size_t count, const char *what)
{
  for (size_t i = 0; i < count; i++) {
    if (groups[i].level || groups[i].calls || groups[i].primitive || groups[i].cumulative) {
      fprintf(stderr, "%s %zu: the model has %ld calls, %ld primitive calls, %ld ticks more than the recording\n", what,
              i, (long)groups[i].calls, (long)groups[i].primitive, (long)groups[i].cumulative);
      exit(1);
    }
  }
}

/* Takes what was recorded from the model: nothing must be left. */
static QUIET void compare(void)
{
  const struct prof_tree *tree = &prof_self->tree;
  for (uint64_t at = tree->record->first_edge; at; at = ((const struct fmt_rec_edge *)at)->next) {
    const struct fmt_rec_edge *edge = (const struct fmt_rec_edge *)at;
    const struct fmt_rec_variant *from = (const struct fmt_rec_variant *)edge->from,
                                 *to = (const struct fmt_rec_variant *)edge->to;
    int kind = kind_of(to), caller = kind_of(from);
    if (kind == KINDS)
      continue; /* not one of the nodes */
    subtract(&model.functions[kind / SIGNATURES], edge, FMT_GROUP_FUNCTION, true);
    subtract(&model.signatures[kind], edge, FMT_GROUP_SIGNATURE, true);
    subtract(&model.function_pairs[caller / SIGNATURES][kind / SIGNATURES], edge, FMT_GROUP_FUNCTION_PAIR, true);
    subtract(&model.signature_pairs[caller][kind], edge, FMT_GROUP_SIGNATURE_PAIR, true);
    subtract(&model.modules[kind / SIGNATURES >= NODES], edge, FMT_GROUP_MODULE, (edge->flags & FMT_EDGE_MODULE) != 0);
    subtract_by_stage(edge, kind);
    model.own[kind / SIGNATURES] -= total_of(edge) - edge->children;
  }
  expect_zero(model.functions, FUNCTIONS, "function");
  expect_zero(model.signatures, KINDS, "signature");
  expect_zero(model.function_pairs[0], (FUNCTIONS + 1) * FUNCTIONS, "pair of functions");
  expect_zero(model.signature_pairs[0], CALLERS * KINDS, "pair of signatures");
  expect_zero(model.modules, MODULES, "module");
  expect_zero(model.stage_functions[0], (STAGES + 1) * FUNCTIONS, "function and stage");
  expect_zero(model.stage_signatures[0], (STAGES + 1) * KINDS, "signature and stage");
  expect_zero(model.stage_modules[0], (STAGES + 1) * MODULES, "module and stage");
  for (int i = 0; i < FUNCTIONS; i++)
    CHECK(model.own[i] == 0);
  CHECK(prof_self->recursion == 0);
  for (size_t i = 0; i < FMT_LOSS_COUNT; i++)
    CHECK(i == FMT_LOSS_WAITED || (prof_process.header->loss[i] != 0) == (merged && i == FMT_LOSS_CONTEXTS_MERGED));
}

static QUIET void open_stages(void)
{
  static const char *const names[STAGES] = {"read", "decode", "write"};
  for (unsigned i = 0; i < STAGES; i++) {
    const struct callsig_stage_options options = {.size = sizeof options, .index = i, .name = names[i]};
    CHECK(callsig_stage_open(&options, &stages[i]) == 0);
  }
}

QUIET int main(int argc, char **argv)
{
  merged = argc > 1 && strcmp(argv[1], "merged") == 0;
  with_stages = merged || (argc > 1 && strcmp(argv[1], "stages") == 0);
  if (merged)
    CHECK(setenv("CALLSIG_MEMORY", "32M", 1) == 0);
  if (with_stages)
    open_stages();
  prof_process.settings.overhead = 1025; /* so that calls are timed as seldom as may be */
  calls[0].kind = KINDS;
  calls[0].stage = NO_STAGE;
  for (unsigned round = 0, rounds = with_stages ? 60 : 150; round < rounds; round++) {
    seed = round + 1;
    budget = 2000;
    branches = 3 + round % 2;
    while (budget > 0) {
      budget--;
      call(any_kind());
    }
  }
  CHECK(prof_process.settings.clock == FMT_CLOCK_TSC || prof_process.settings.clock == FMT_CLOCK_MONOTONIC);
  compare();
  CHECK(unlink(callsig_path()) == 0);
  return 0;
}
