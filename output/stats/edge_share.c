/* What the calls of one edge add to the row that they are in: which count, as what, and how long. */
#include "output/stats/edge_share.h"

#include <math.h>

#include "callsig/stats.h"
#include "output/beside/in_place.h"
#include "output/profile/edge_time.h"
#include "output/sampling/sampling_error.h"

/* The kinds of group beside those that the runtime counts for: calls without a caller, and none at all. */
enum { GROUP_OUTERMOST = FMT_GROUP_COUNT, GROUP_NONE };

/* Do the calls lie where the filters ask for them? Calls that leave a subtree by recursion were made in it. */
static bool is_in_place(const struct out_profile *profile, const struct out_grouping *grouping,
                        const struct out_edge *edge)
{
  const uint32_t depth = grouping->depths[out_profile_variant(profile, edge->to)->context];
  if (depth > 0)
    return grouping->deepest == 0 || depth <= grouping->deepest;
  return out_edge_leaves_subtree(profile, grouping, edge) &&
         (grouping->deepest == 0 ||
          grouping->depths[out_profile_variant(profile, edge->from)->context] < grouping->deepest);
}

bool out_edge_is_selected(const struct out_profile *profile, const struct out_grouping *grouping,
                          const struct out_edge *edge)
{
  if (edge->to == FMT_NONE)
    return false;
  const struct out_variant *to = out_profile_variant(profile, edge->to);
  if (grouping->selected_threads && !grouping->selected_threads[edge->thread])
    return false;
  if (grouping->selected_functions && !grouping->selected_functions[out_signature_function(profile, to->signature)])
    return false;
  if (grouping->selected_contexts && !grouping->selected_contexts[to->context])
    return false;
  if (grouping->selected_signatures && !grouping->selected_signatures[to->signature])
    return false;
  if (grouping->depths && !is_in_place(profile, grouping, edge))
    return false;
  if (grouping->selected_modules) {
    uint32_t module = out_variant_callable(profile, to)->module;
    return module != FMT_NONE && grouping->selected_modules[module];
  }
  return true;
}

/* A pair is one pair whatever the stage, the thread and the module of its calls. */
uint32_t out_pair_group(unsigned by)
{
  return by & CALLSIG_BY_SIGNATURE ? FMT_GROUP_SIGNATURE_PAIR : FMT_GROUP_FUNCTION_PAIR;
}

/* The group whose outermost activations are the primitive calls of a row with calls into `context`. By call stacks the
 * pair of caller and callee comes nearest. */
uint32_t out_edge_group(const struct out_profile *profile, const struct out_grouping *grouping,
                        const struct out_context *context)
{
  unsigned by = grouping->by;
  if (out_is_by_callstack(grouping))
    return out_pair_group(by);
  bool in_stage = by & CALLSIG_BY_STAGE && context->stage;
  if (by & CALLSIG_BY_SIGNATURE)
    return in_stage ? FMT_GROUP_SIGNATURE_STAGE : FMT_GROUP_SIGNATURE;
  if (by & CALLSIG_BY_FUNCTION)
    return in_stage ? FMT_GROUP_FUNCTION_STAGE : FMT_GROUP_FUNCTION;
  if (by & CALLSIG_BY_MODULE)
    return in_stage ? FMT_GROUP_MODULE_STAGE : FMT_GROUP_MODULE;
  /* A stage's calls lie inside of its tasks, and a task is a call of the stage's own function. */
  if (in_stage)
    return out_profile_callable(profile, context->callable)->stage ? FMT_GROUP_FUNCTION : (uint32_t)GROUP_NONE;
  return GROUP_OUTERMOST;
}

/* Calls made while no recursion was open count as outermost in the recording, and are: the path of contexts is the
 * stack. Except where the path itself shows what encloses them. */
static bool is_enclosed(const struct out_grouping *grouping, const struct out_context *context, bool is_root,
                        uint32_t group)
{
  uint32_t of_function = grouping->by & CALLSIG_BY_MODULE ? OUT_ENCLOSING_MODULE_FUNCTION : OUT_ENCLOSING_FUNCTION;
  switch (group) {
  case FMT_GROUP_FUNCTION:
    return context->enclosing & of_function;
  case FMT_GROUP_FUNCTION_STAGE:
    return context->enclosing & of_function << OUT_ENCLOSING_STAGE_SHIFT;
  case FMT_GROUP_MODULE:
    return context->enclosing & OUT_ENCLOSING_MODULE;
  case FMT_GROUP_MODULE_STAGE:
    return context->enclosing & OUT_ENCLOSING_MODULE << OUT_ENCLOSING_STAGE_SHIFT;
  case GROUP_OUTERMOST:
    return !is_root;
  default:
    return group == GROUP_NONE;
  }
}

/* Is a function of the context's module around it, in the subtree that is looked at? */
static bool has_module_around(const struct out_profile *profile, const struct out_grouping *grouping,
                              const struct out_context *context, bool in_stage)
{
  const uint32_t label = out_profile_label(profile, out_profile_callable(profile, context->callable)->module);
  const uint32_t stage = context->stage;
  while (context->parent != FMT_NONE && grouping->depths[context->parent] > 0) {
    context = out_profile_context(profile, context->parent);
    if (in_stage && context->stage != stage)
      return false;
    if (out_profile_label(profile, out_profile_callable(profile, context->callable)->module) == label)
      return true;
  }
  return false;
}

/* The same as is_enclosed() of an edge in a subtree: what is around that does not count. */
static bool is_enclosed_below(const struct out_profile *profile, const struct out_grouping *grouping,
                              const struct out_edge *edge, uint32_t group)
{
  const struct out_variant *to = out_profile_variant(profile, edge->to);
  const struct out_context *context = out_profile_context(profile, to->context);
  if (out_edge_leaves_subtree(profile, grouping, edge))
    return !(grouping->by & CALLSIG_BY_FUNCTION);
  if (group == FMT_GROUP_MODULE || group == FMT_GROUP_MODULE_STAGE)
    return has_module_around(profile, grouping, context, group == FMT_GROUP_MODULE_STAGE);
  return is_enclosed(grouping, context, grouping->depths[to->context] == 1, group);
}

static bool is_edge_enclosed(const struct out_profile *profile, const struct out_grouping *grouping,
                             const struct out_edge *edge, uint32_t group)
{
  if (out_is_by_callstack(grouping))
    return out_edge_is_back(profile, edge);
  if (grouping->is_subtree)
    return is_enclosed_below(profile, grouping, edge, group);
  const struct out_context *context = out_profile_context(profile, out_profile_variant(profile, edge->to)->context);
  return is_enclosed(grouping, context, edge->from == FMT_NONE, group);
}

/* The group whose counters tell an edge's primitive calls. In a subtree calls may be primitive that are not so in the
 * whole tree: those that leave it, of which the pair of caller and callee tells which are outermost, and the outermost
 * calls of the functions that it begins with. */
static uint32_t counted_group(const struct out_profile *profile, const struct out_grouping *grouping,
                              const struct out_edge *edge, uint32_t group)
{
  if (out_edge_leaves_subtree(profile, grouping, edge))
    return out_pair_group(grouping->by);
  return grouping->is_subtree && group == GROUP_OUTERMOST ? (uint32_t)FMT_GROUP_FUNCTION : group;
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
         grouping->signature_merge->row_of[from->signature] == grouping->signature_merge->row_of[to->signature] &&
         out_signature_function(profile, from->signature) == out_signature_function(profile, to->signature);
}

/* Are there calls that are outermost in the group by signature, and within a call of the same function? Where
 * signatures are joined that one may be of the same row. */
static bool may_be_nested(const struct out_recursion *recursion, uint32_t group)
{
  const uint32_t wider = group == FMT_GROUP_SIGNATURE_STAGE  ? FMT_GROUP_FUNCTION_STAGE
                         : group == FMT_GROUP_SIGNATURE_PAIR ? FMT_GROUP_FUNCTION_PAIR
                                                             : FMT_GROUP_FUNCTION;
  if (!is_by_signature(group) && group != FMT_GROUP_SIGNATURE_PAIR)
    return recursion->calls > 0;
  return recursion->primitive[group] > recursion->primitive[wider];
}

static uint64_t scaled(uint64_t ticks, double scale)
{
  long double exact = (long double)ticks * (long double)scale + 0.5L;
  if (scale == 1.0)
    return ticks;
  return exact >= (long double)UINT64_MAX ? UINT64_MAX : (uint64_t)exact;
}

/* What is taken off a part of the edge's time, where `taken` is taken off all of it. */
static int64_t part_of(int64_t taken, uint64_t part, uint64_t whole)
{
  if (part >= whole)
    return taken;
  return (int64_t)floorl((long double)taken * ((long double)part / (long double)whole) + 0.5L);
}

/* Tells times from `time` ticks of the recording, of which the hooks' are `taken`. */
static void set_time(uint64_t time, int64_t taken, double scale, uint64_t *left, int64_t *subtracted)
{
  *left = scaled(time - (uint64_t)taken, scale);
  *subtracted = (int64_t)(scaled(time, scale) - *left);
}

struct out_share out_edge_share(const struct out_profile *profile, const struct out_grouping *grouping,
                                const struct out_edge *edge, uint32_t group)
{
  const struct out_recursion none = {0}, *recursion = edge->recursion == FMT_NONE
                                                          ? &none
                                                          : out_profile_recursion(profile, edge->recursion);
  const struct out_recording_info *recording =
      out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording);
  double scale = recording->tick / grouping->tick;
  const uint64_t calls = edge->calls + recursion->calls;
  struct out_share share = {.calls = calls,
                            .is_any = calls > 0 || edge->inherited > 0 || edge->asked != FMT_NONE,
                            .min = edge->min == UINT64_MAX ? UINT64_MAX : scaled(edge->min, scale),
                            .max = scaled(edge->max, scale)};
  bool enclosed = is_edge_enclosed(profile, grouping, edge, group);
  group = counted_group(profile, grouping, edge, group);
  bool joined = is_joined_with_caller(profile, grouping, edge, group);
  uint64_t cumulative = 0;
  if (!enclosed && !joined) {
    bool outermost = group == GROUP_OUTERMOST;
    share.primitive = edge->calls + (outermost ? recursion->calls : recursion->primitive[group]);
    cumulative = edge->total + (outermost ? recursion->total : recursion->cumulative[group]);
  } else if (!enclosed || group == FMT_GROUP_MODULE || group == FMT_GROUP_MODULE_STAGE) {
    /* Calls of an open recursion were judged one by one. */
    share.primitive = joined ? 0 : recursion->primitive[group];
    cumulative = joined ? 0 : recursion->cumulative[group];
  }
  share.is_bound = may_be_nested(recursion, group);
  const struct out_compensation *compensation = grouping->compensation;
  const size_t number = compensation ? (size_t)(edge - (const struct out_edge *)profile->edges.data) : 0;
  const uint64_t whole = out_edge_total(profile, edge);
  set_time(out_edge_own(profile, edge), compensation ? compensation->own[number] : 0, scale, &share.own,
           &share.subtraction.own);
  set_time(cumulative, compensation ? part_of(compensation->all[number], cumulative, whole) : 0, scale,
           &share.cumulative, &share.subtraction.cumulative);
  if (compensation && out_in_place_timed_run(profile, recording)) {
    const double part = whole > 0 ? fmin((double)cumulative / (double)whole, 1) : 0;
    share.subtraction.own_doubt = compensation->own_doubt[number] * scale;
    share.subtraction.cumulative_doubt = compensation->all_doubt[number] * part * scale;
    share.subtraction.own_drawn = out_sample_period(profile, edge) * scale * (double)share.own;
  } else if (compensation) {
    share.subtraction.guessed_own = share.subtraction.own;
    share.subtraction.guessed_cumulative = share.subtraction.cumulative;
  }
  return share;
}
