#include "output/stats/rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "callsig/stats.h"

/* What one edge adds. */
struct share {
  uint64_t calls, primitive, own, cumulative, min, max;
  struct out_subtraction subtraction;
  bool is_bound;
};

/* The kinds of group beside those that the runtime counts for: calls without a caller, and none at all. */
enum { GROUP_OUTERMOST = FMT_GROUP_COUNT, GROUP_NONE };

void out_rows_init(struct out_rows *rows)
{
  *rows =
      (struct out_rows){.list = BASE_VECTOR_OF(struct out_row), .subtractions = BASE_VECTOR_OF(struct out_subtraction)};
}

void out_rows_free(struct out_rows *rows)
{
  base_vector_free(&rows->list);
  base_vector_free(&rows->subtractions);
  out_idset_free(&rows->set);
  free(rows->direct);
}

static bool is_by_callstack(const struct out_grouping *grouping)
{
  return grouping->callstacks && grouping->callstacks->frames > 0;
}

/* Rows by function or signature alone are found by its number. */
static int make_direct(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows)
{
  if (grouping->by & ~(unsigned)(CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE) || is_by_callstack(grouping))
    return 0;
  size_t count = grouping->by & CALLSIG_BY_SIGNATURE ? profile->signatures.count : profile->functions.count;
  rows->direct = malloc((count + 1) * sizeof *rows->direct);
  if (!rows->direct)
    return -ENOMEM;
  memset(rows->direct, 0xFF, (count + 1) * sizeof *rows->direct);
  return 0;
}

static bool equal_row(const void *owner, uint32_t number, const void *key)
{
  return memcmp(&out_rows_at(owner, number)->key, key, sizeof(struct out_row_key)) == 0;
}

static const struct out_code *code_of(const struct out_profile *profile, const struct out_variant *variant)
{
  return out_profile_code(profile, out_profile_context(profile, variant->context)->code);
}

static uint32_t function_of(const struct out_profile *profile, uint32_t signature)
{
  return out_profile_layout(profile, out_profile_signature(profile, signature)->layout)->function;
}

/* The function that a row is shown as. */
static uint32_t shown_as(const struct out_profile *profile, const struct out_grouping *grouping,
                         const struct out_row_key *key)
{
  if (grouping->by & CALLSIG_BY_SIGNATURE)
    return grouping->shown_function[function_of(profile, key->what)];
  return key->what;
}

static uint64_t hash_row(const struct out_row_key *key)
{
  uint64_t hash = out_hash_mix((uint64_t)key->what << 32 | key->stage, (uint64_t)key->thread << 32 | key->module);
  return out_hash_mix(out_hash_mix(hash, (uint64_t)key->process << 32 | key->rank), key->callstack);
}

static int add_row(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows,
                   const struct out_row_key *key, uint32_t *number)
{
  struct out_row *added = base_vector_add(&rows->list, 1);
  if (!added || (grouping->compensation && !base_vector_add(&rows->subtractions, 1)))
    return -ENOMEM;
  *added = (struct out_row){.key = *key, .function = shown_as(profile, grouping, key), .min = UINT64_MAX};
  *number = rows->list.count - 1;
  return 0;
}

static int intern_row(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows,
                      const struct out_row_key *key, uint32_t *number)
{
  if (rows->direct) {
    uint32_t *slot = &rows->direct[key->what];
    int result = *slot == FMT_NONE ? add_row(profile, grouping, rows, key, slot) : 0;
    *number = *slot;
    return result;
  }
  uint64_t hash = hash_row(key);
  *number = out_idset_find(&rows->set, hash, rows, key, equal_row);
  if (*number != FMT_NONE)
    return 0;
  int result = add_row(profile, grouping, rows, key, number);
  return result < 0 ? result : out_idset_add(&rows->set, hash, *number);
}

static uint32_t what_of(const struct out_profile *profile, const struct out_grouping *grouping,
                        const struct out_variant *variant)
{
  if (grouping->by & CALLSIG_BY_SIGNATURE)
    return grouping->meeting->row_of[variant->signature];
  if (grouping->by & CALLSIG_BY_FUNCTION)
    return grouping->shown_function[function_of(profile, variant->signature)];
  return FMT_NONE;
}

struct out_row_key out_rows_key(const struct out_profile *profile, const struct out_grouping *grouping,
                                const struct out_variant *variant, uint32_t thread)
{
  struct out_row_key key = out_row_key_of(what_of(profile, grouping, variant));
  if (is_by_callstack(grouping))
    key.callstack = grouping->callstacks->of_context[variant->context];
  if (grouping->by & CALLSIG_BY_STAGE)
    key.stage = out_profile_context(profile, variant->context)->stage;
  if (grouping->by & CALLSIG_BY_THREAD)
    key.thread = out_profile_thread(profile, thread)->label;
  if (grouping->by & CALLSIG_BY_MODULE)
    key.module = out_profile_label(profile, code_of(profile, variant)->module);
  if (grouping->by & CALLSIG_BY_PROCESS)
    key.process = out_profile_thread(profile, thread)->recording;
  if (grouping->by & CALLSIG_BY_RANK)
    key.rank = grouping->ranks[out_profile_thread(profile, thread)->recording];
  return key;
}

static bool is_selected(const struct out_profile *profile, const struct out_grouping *grouping,
                        const struct out_edge *edge)
{
  if (edge->to == FMT_NONE)
    return false;
  const struct out_variant *to = out_profile_variant(profile, edge->to);
  if (grouping->selected_threads && !grouping->selected_threads[edge->thread])
    return false;
  if (grouping->selected_functions && !grouping->selected_functions[function_of(profile, to->signature)])
    return false;
  if (grouping->selected_stages && !grouping->selected_stages[out_profile_context(profile, to->context)->stage])
    return false;
  if (grouping->selected_signatures && !grouping->selected_signatures[to->signature])
    return false;
  if (grouping->selected_modules) {
    uint32_t module = code_of(profile, to)->module;
    return module != FMT_NONE && grouping->selected_modules[module];
  }
  return true;
}

/* A pair is one pair whatever the stage, the thread and the module of its calls. */
static uint32_t pair_group_of(unsigned by)
{
  return by & CALLSIG_BY_SIGNATURE ? FMT_GROUP_SIGNATURE_PAIR : FMT_GROUP_FUNCTION_PAIR;
}

/* The group whose outermost activations are the primitive calls of a row with calls into `context`. By call stacks the
 * pair of caller and callee comes nearest. */
static uint32_t group_of(const struct out_profile *profile, const struct out_grouping *grouping,
                         const struct out_context *context)
{
  unsigned by = grouping->by;
  if (is_by_callstack(grouping))
    return pair_group_of(by);
  bool in_stage = by & CALLSIG_BY_STAGE && context->stage;
  if (by & CALLSIG_BY_SIGNATURE)
    return in_stage ? FMT_GROUP_SIGNATURE_STAGE : FMT_GROUP_SIGNATURE;
  if (by & CALLSIG_BY_FUNCTION)
    return in_stage ? FMT_GROUP_FUNCTION_STAGE : FMT_GROUP_FUNCTION;
  if (by & CALLSIG_BY_MODULE)
    return in_stage ? FMT_GROUP_MODULE_STAGE : FMT_GROUP_MODULE;
  /* A stage's calls lie inside of its tasks, and a task is a call of the stage's own function. */
  if (in_stage)
    return out_profile_code(profile, context->code)->stage ? FMT_GROUP_FUNCTION : (uint32_t)GROUP_NONE;
  return GROUP_OUTERMOST;
}

/* Calls made while no recursion was open count as outermost in the recording, and are: the path of contexts is the
 * stack. Except where the path itself shows what encloses them. */
static bool is_enclosed(const struct out_grouping *grouping, const struct out_context *context, bool is_root,
                        uint32_t group)
{
  uint32_t of_function = grouping->by & CALLSIG_BY_MODULE ? OUT_COVER_MODULE_CODE : OUT_COVER_FUNCTION;
  switch (group) {
  case FMT_GROUP_FUNCTION:
    return context->cover & of_function;
  case FMT_GROUP_FUNCTION_STAGE:
    return context->cover & of_function << OUT_COVER_STAGE_SHIFT;
  case FMT_GROUP_MODULE:
    return context->cover & OUT_COVER_MODULE;
  case FMT_GROUP_MODULE_STAGE:
    return context->cover & OUT_COVER_MODULE << OUT_COVER_STAGE_SHIFT;
  case GROUP_OUTERMOST:
    return !is_root;
  default:
    return group == GROUP_NONE;
  }
}

/* Does the call lead back to an ancestor, which is around it? */
static bool is_back(const struct out_profile *profile, const struct out_edge *edge)
{
  if (edge->from == FMT_NONE)
    return false;
  const struct out_variant *from = out_profile_variant(profile, edge->from),
                           *to = out_profile_variant(profile, edge->to);
  return out_profile_context(profile, to->context)->parent != from->context;
}

static bool is_by_signature(uint32_t group)
{
  return group == FMT_GROUP_SIGNATURE || group == FMT_GROUP_SIGNATURE_STAGE;
}

/* A caller in the same row is around the call, though their signatures were apart when it was recorded. (Functions that
 * are one row by strip_dirs() alone are added up, as in pstats.) */
static bool is_joined_with_caller(const struct out_profile *profile, const struct out_grouping *grouping,
                                  const struct out_edge *edge, uint32_t group)
{
  if (!is_by_signature(group) || edge->from == FMT_NONE)
    return false;
  const struct out_variant *from = out_profile_variant(profile, edge->from),
                           *to = out_profile_variant(profile, edge->to);
  if (group == FMT_GROUP_SIGNATURE_STAGE &&
      out_profile_context(profile, from->context)->stage != out_profile_context(profile, to->context)->stage)
    return false;
  return from->signature != to->signature &&
         grouping->meeting->row_of[from->signature] == grouping->meeting->row_of[to->signature] &&
         function_of(profile, from->signature) == function_of(profile, to->signature);
}

static uint64_t scaled(uint64_t ticks, double scale)
{
  long double exact = (long double)ticks * (long double)scale + 0.5L;
  if (scale == 1.0)
    return ticks;
  return exact >= (long double)UINT64_MAX ? UINT64_MAX : (uint64_t)exact;
}

/* `amount` as whole ticks, at most `limit`: what can be taken off a time. */
static uint64_t take_off(double amount, uint64_t limit)
{
  if (!(amount > 0))
    return 0;
  return amount >= (double)limit ? limit : (uint64_t)(amount + 0.5);
}

static double round_parts(double ticks)
{
  const double parts = 1024;
  return rint(ticks * parts) / parts;
}

static void subtract(const struct out_profile *profile, const struct out_grouping *grouping,
                     const struct out_edge *edge, double scale, struct share *share)
{
  const struct out_compensation *compensation = grouping->compensation;
  uint64_t calls = compensation->calls[edge->to];
  /* Whole parts of a tick, so that sums are exact and the order of recordings does not show. What a variant's callees
   * cost is known of all its calls together: an edge takes its part of them. */
  if (calls > 0)
    share->subtraction.own = round_parts(compensation->own[edge->to] * ((double)share->calls / (double)calls) * scale);
  share->subtraction.cumulative =
      round_parts((double)share->cumulative * compensation->share[out_profile_variant(profile, edge->to)->context]);
}

static struct share share_of(const struct out_profile *profile, const struct out_grouping *grouping,
                             const struct out_edge *edge, uint32_t group)
{
  const struct out_recursion none = {0}, *recursion = edge->recursion == FMT_NONE
                                                          ? &none
                                                          : out_profile_recursion(profile, edge->recursion);
  double tick = out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording)->tick;
  double scale = tick / grouping->tick;
  uint64_t inclusive = edge->total + recursion->total;
  struct share share = {.calls = edge->calls + recursion->calls,
                        .own = inclusive > edge->children ? scaled(inclusive - edge->children, scale) : 0,
                        .min = edge->min == UINT64_MAX ? UINT64_MAX : scaled(edge->min, scale),
                        .max = scaled(edge->max, scale)};
  const struct out_context *context = out_profile_context(profile, out_profile_variant(profile, edge->to)->context);
  bool enclosed = is_by_callstack(grouping) ? is_back(profile, edge)
                                            : is_enclosed(grouping, context, edge->from == FMT_NONE, group);
  bool joined = is_joined_with_caller(profile, grouping, edge, group);
  if (!enclosed && !joined) {
    bool outermost = group == GROUP_OUTERMOST;
    share.primitive = edge->calls + (outermost ? recursion->calls : recursion->primitive[group]);
    share.cumulative = scaled(edge->total + (outermost ? recursion->total : recursion->cumulative[group]), scale);
  } else if (!enclosed || group == FMT_GROUP_MODULE || group == FMT_GROUP_MODULE_STAGE) {
    /* Calls of an open recursion were judged one by one. */
    share.primitive = joined ? 0 : recursion->primitive[group];
    share.cumulative = joined ? 0 : scaled(recursion->cumulative[group], scale);
  }
  share.is_bound = recursion->calls > 0;
  if (grouping->compensation)
    subtract(profile, grouping, edge, scale, &share);
  return share;
}

static void add_share(struct out_rows *rows, uint32_t number, const struct share *share, bool joined)
{
  struct out_row *row = out_rows_at(rows, number);
  row->calls += share->calls;
  row->primitive += share->primitive;
  row->own += share->own;
  row->cumulative += share->cumulative;
  row->is_bound |= joined && share->is_bound;
  if (share->min < row->min)
    row->min = share->min;
  if (share->max > row->max)
    row->max = share->max;
  if (rows->subtractions.count) {
    struct out_subtraction *subtraction = base_vector_at(&rows->subtractions, number);
    subtraction->own += share->subtraction.own;
    subtraction->cumulative += share->subtraction.cumulative;
  }
}

uint32_t out_rows_of_edge(const struct out_profile *profile, const struct out_grouping *grouping,
                          const struct out_rows *rows, uint32_t number)
{
  const struct out_edge *edge = out_profile_edge(profile, number);
  if (!is_selected(profile, grouping, edge))
    return FMT_NONE;
  struct out_row_key key = out_rows_key(profile, grouping, out_profile_variant(profile, edge->to), edge->thread);
  return rows->direct ? rows->direct[key.what] : out_idset_find(&rows->set, hash_row(&key), rows, &key, equal_row);
}

static int build(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows)
{
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (!is_selected(profile, grouping, edge))
      continue;
    const struct out_variant *to = out_profile_variant(profile, edge->to);
    uint32_t group = group_of(profile, grouping, out_profile_context(profile, to->context));
    struct share share = share_of(profile, grouping, edge, group);
    if (share.calls == 0)
      continue;
    struct out_row_key key = out_rows_key(profile, grouping, to, edge->thread);
    uint32_t number;
    int result = intern_row(profile, grouping, rows, &key, &number);
    if (result < 0)
      return result;
    add_share(rows, number, &share, grouping->meeting && grouping->meeting->joined[key.what]);
  }
  return 0;
}

/* The calls of a row by signature lie within the calls of its function: where rows were joined under recursion, so that
 * their sum counts time twice, that is the bound. */
static int bound_by_function(const struct out_profile *profile, const struct out_grouping *grouping,
                             struct out_rows *rows)
{
  struct out_grouping by_function = *grouping;
  by_function.by = grouping->by & ~(unsigned)CALLSIG_BY_SIGNATURE;
  by_function.compensation = NULL;
  by_function.selected_signatures = NULL;
  by_function.meeting = NULL; /* which is of signatures: functions are numbered otherwise */
  struct out_rows functions;
  out_rows_init(&functions);
  int result = make_direct(profile, &by_function, &functions);
  if (result == 0)
    result = build(profile, &by_function, &functions);
  for (uint32_t i = 0; i < rows->list.count && result == 0; i++) {
    struct out_row *row = out_rows_at(rows, i);
    struct out_row_key key = row->key;
    key.what = grouping->shown_function[function_of(profile, key.what)];
    uint32_t number;
    result = intern_row(profile, &by_function, &functions, &key, &number);
    if (result == 0 && row->cumulative > out_rows_at(&functions, number)->cumulative)
      row->cumulative = out_rows_at(&functions, number)->cumulative;
  }
  out_rows_free(&functions);
  return result;
}

static bool any_bound(const struct out_rows *rows)
{
  for (uint32_t i = 0; i < rows->list.count; i++) {
    if (out_rows_at(rows, i)->is_bound)
      return true;
  }
  return false;
}

/* Takes the hooks' cost off; times stay at or above zero, and a call never lasts less than its own part. */
static void compensate(struct out_rows *rows)
{
  for (uint32_t i = 0; i < rows->list.count; i++) {
    struct out_row *row = out_rows_at(rows, i);
    struct out_subtraction *subtraction = base_vector_at(&rows->subtractions, i);
    uint64_t own = row->own - take_off(subtraction->own, row->own);
    uint64_t cumulative = row->cumulative - take_off(subtraction->cumulative, row->cumulative);
    if (cumulative < own && row->cumulative >= own)
      cumulative = own;
    subtraction->own = (double)(row->own - own);
    subtraction->cumulative = (double)(row->cumulative - cumulative);
    row->own = own;
    row->cumulative = cumulative;
  }
}

struct out_compensated out_rows_compensated(const struct out_rows *rows)
{
  struct out_compensated sum = {0};
  double left = 0;
  for (uint32_t i = 0; i < rows->subtractions.count; i++) {
    sum.taken += ((const struct out_subtraction *)base_vector_at(&rows->subtractions, i))->own;
    left += (double)out_rows_at(rows, i)->own;
  }
  double quarter = (sum.taken + left) / 4;
  sum.uncertainty = sum.taken < quarter ? sum.taken : quarter;
  return sum;
}

int out_rows_build(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows)
{
  int result = make_direct(profile, grouping, rows);
  if (result == 0)
    result = build(profile, grouping, rows);
  if (result == 0 && grouping->by & CALLSIG_BY_SIGNATURE && any_bound(rows))
    result = bound_by_function(profile, grouping, rows);
  if (result == 0 && grouping->compensation)
    compensate(rows);
  return result;
}

struct pairs {
  struct base_vector *list;
  struct out_idset set;
};

static bool equal_pair(const void *owner, uint32_t number, const void *key)
{
  const struct out_pair *there = base_vector_at(((const struct pairs *)owner)->list, number), *wanted = key;
  return there->caller == wanted->caller && there->callee == wanted->callee;
}

static int intern_pair(struct pairs *pairs, const struct out_pair *key, struct out_pair **pair)
{
  uint64_t hash = out_hash_mix(key->caller, key->callee);
  uint32_t number = out_idset_find(&pairs->set, hash, pairs, key, equal_pair);
  if (number == FMT_NONE) {
    *pair = base_vector_add(pairs->list, 1);
    if (!*pair)
      return -ENOMEM;
    **pair = *key;
    return out_idset_add(&pairs->set, hash, pairs->list->count - 1);
  }
  *pair = base_vector_at(pairs->list, number);
  return 0;
}

static int add_pair(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows,
                    struct pairs *pairs, const struct out_edge *edge, const struct share *share)
{
  struct out_row_key to = out_rows_key(profile, grouping, out_profile_variant(profile, edge->to), edge->thread);
  struct out_row_key from = out_rows_key(profile, grouping, out_profile_variant(profile, edge->from), edge->thread);
  struct out_pair key = {0}, *pair = NULL;
  int result = intern_row(profile, grouping, rows, &to, &key.callee);
  if (result == 0)
    result = intern_row(profile, grouping, rows, &from, &key.caller);
  if (result == 0)
    result = intern_pair(pairs, &key, &pair);
  if (result < 0)
    return result;
  pair->calls += share->calls;
  pair->primitive += share->primitive;
  pair->own += share->own - take_off(share->subtraction.own, share->own);
  pair->cumulative += share->cumulative - take_off(share->subtraction.cumulative, share->cumulative);
  return 0;
}

int out_rows_pairs(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows,
                   struct base_vector *list)
{
  uint32_t group = pair_group_of(grouping->by);
  struct pairs pairs = {.list = list};
  int result = 0;
  for (uint32_t i = 0; i < profile->edges.count && result == 0; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->from == FMT_NONE || !is_selected(profile, grouping, edge))
      continue;
    struct share share = share_of(profile, grouping, edge, group);
    if (share.calls > 0)
      result = add_pair(profile, grouping, rows, &pairs, edge, &share);
  }
  out_idset_free(&pairs.set);
  /* No pair outlasts its callee: what widening joined may have counted a nested pair twice. */
  for (uint32_t i = 0; i < list->count && result == 0; i++) {
    struct out_pair *pair = base_vector_at(list, i);
    if (pair->cumulative > out_rows_at(rows, pair->callee)->cumulative)
      pair->cumulative = out_rows_at(rows, pair->callee)->cumulative;
  }
  return result;
}

bool out_rows_edge(const struct out_profile *profile, const struct out_grouping *grouping, const struct out_edge *edge,
                   struct out_row *counts)
{
  if (!is_selected(profile, grouping, edge))
    return false;
  const struct out_context *context = out_profile_context(profile, out_profile_variant(profile, edge->to)->context);
  struct share share = share_of(profile, grouping, edge, group_of(profile, grouping, context));
  *counts = (struct out_row){.calls = share.calls,
                             .primitive = share.primitive,
                             .own = share.own - take_off(share.subtraction.own, share.own),
                             .cumulative = share.cumulative - take_off(share.subtraction.cumulative, share.cumulative),
                             .min = share.min,
                             .max = share.max};
  return share.calls > 0;
}
