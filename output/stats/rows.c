/* Sums edges into rows, and into the pairs of caller and callee between them. */
#include "output/stats/rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "callsig/stats.h"
#include "output/beside/hidden.h"
#include "output/sampling/hook_cost.h"
#include "output/stats/edge_share.h"

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
  free(rows->asked);
}

/* Rows by function or signature alone are found by its number. */
static int make_direct(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows)
{
  if (grouping->by & ~(unsigned)(CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE) || out_is_by_callstack(grouping))
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

/* The function that a row is shown as. */
static uint32_t shown_as(const struct out_profile *profile, const struct out_grouping *grouping,
                         const struct out_row_key *key)
{
  if (grouping->by & CALLSIG_BY_SIGNATURE)
    return grouping->shown_function[out_signature_function(profile, key->what)];
  return key->what;
}

uint64_t out_row_key_hash(const struct out_row_key *key)
{
  uint64_t hash = out_hash_mix((uint64_t)key->what << 32 | key->stage, (uint64_t)key->thread << 32 | key->module);
  return out_hash_mix(out_hash_mix(hash, (uint64_t)key->process << 32 | key->rank),
                      (uint64_t)key->place << 32 | key->callstack);
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
  uint64_t hash = out_row_key_hash(key);
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
    return grouping->signature_merge->row_of[variant->signature];
  if (grouping->by & CALLSIG_BY_FUNCTION)
    return grouping->shown_function[out_signature_function(profile, variant->signature)];
  return FMT_NONE;
}

struct out_row_key out_rows_key(const struct out_profile *profile, const struct out_grouping *grouping,
                                const struct out_variant *variant, uint32_t thread)
{
  struct out_row_key key = out_row_key_of(what_of(profile, grouping, variant));
  if (out_is_by_callstack(grouping))
    key.callstack = grouping->callstacks->of_context[variant->context];
  if (grouping->by & CALLSIG_BY_STAGE)
    key.stage = out_profile_context(profile, variant->context)->stage;
  if (grouping->by & CALLSIG_BY_THREAD)
    key.thread = out_profile_thread(profile, thread)->label;
  if (grouping->by & CALLSIG_BY_MODULE)
    key.module = out_profile_label(profile, out_variant_callable(profile, variant)->module);
  if (grouping->by & CALLSIG_BY_PROCESS)
    key.process = out_profile_thread(profile, thread)->recording;
  if (grouping->by & CALLSIG_BY_RANK)
    key.rank = grouping->ranks[out_profile_thread(profile, thread)->recording];
  return key;
}

struct out_row_key out_rows_key_of_edge(const struct out_profile *profile, const struct out_grouping *grouping,
                                        const struct out_edge *edge)
{
  struct out_row_key key = out_rows_key(profile, grouping, out_profile_variant(profile, edge->to), edge->thread);
  if (grouping->by & CALLSIG_BY_SITE)
    key.place = edge->place == FMT_NONE ? OUT_PLACE_UNKNOWN : out_profile_call_place(profile, edge->place)->shown;
  return key;
}

static void add_share(struct out_rows *rows, uint32_t number, const struct out_share *share, bool joined)
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
    subtraction->guessed_own += share->subtraction.guessed_own;
    subtraction->guessed_cumulative += share->subtraction.guessed_cumulative;
    subtraction->own_doubt += share->subtraction.own_doubt;
    subtraction->cumulative_doubt += share->subtraction.cumulative_doubt;
    subtraction->own_drawn += share->subtraction.own_drawn;
  }
}

static uint32_t row_of(const struct out_rows *rows, const struct out_row_key *key)
{
  return rows->direct ? rows->direct[key->what]
                      : out_idset_find(&rows->set, out_row_key_hash(key), rows, key, equal_row);
}

uint32_t out_rows_of_edge(const struct out_profile *profile, const struct out_grouping *grouping,
                          const struct out_rows *rows, uint32_t number)
{
  const struct out_edge *edge = out_profile_edge(profile, number);
  if (!out_edge_is_selected(profile, grouping, edge))
    return FMT_NONE;
  struct out_row_key key = out_rows_key_of_edge(profile, grouping, edge);
  return row_of(rows, &key);
}

uint32_t out_rows_of_variant(const struct out_profile *profile, const struct out_grouping *grouping,
                             const struct out_rows *rows, uint32_t variant, uint32_t thread)
{
  const struct out_edge into = {.from = FMT_NONE, .to = variant, .thread = thread};
  if (!out_edge_is_selected(profile, grouping, &into))
    return FMT_NONE;
  struct out_row_key key = out_rows_key(profile, grouping, out_profile_variant(profile, variant), thread);
  return row_of(rows, &key);
}

static int build(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows)
{
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (!out_edge_is_selected(profile, grouping, edge))
      continue;
    const struct out_variant *to = out_profile_variant(profile, edge->to);
    uint32_t group = out_edge_group(profile, grouping, out_profile_context(profile, to->context));
    struct out_share share = out_edge_share(profile, grouping, edge, group);
    if (!share.is_any)
      continue;
    struct out_row_key key = out_rows_key_of_edge(profile, grouping, edge);
    uint32_t number;
    int result = intern_row(profile, grouping, rows, &key, &number);
    if (result < 0)
      return result;
    add_share(rows, number, &share, grouping->signature_merge && grouping->signature_merge->joined[key.what]);
  }
  for (uint32_t i = 0; i < rows->list.count; i++) {
    struct out_row *row = out_rows_at(rows, i);
    row->min = row->calls > 0 ? row->min : 0;
  }
  return 0;
}

/* Neither the row's cumulative time nor what the clock read of it is more than that of another row. */
static void bound(struct out_rows *rows, uint32_t number, const struct out_rows *others, uint32_t other)
{
  struct out_row *row = out_rows_at(rows, number);
  const struct out_row *most = out_rows_at(others, other);
  const struct out_subtraction none = {0};
  struct out_subtraction *subtraction = rows->subtractions.count ? base_vector_at(&rows->subtractions, number) : NULL;
  const struct out_subtraction *of_most =
      others->subtractions.count ? base_vector_at(&others->subtractions, other) : &none;
  uint64_t read = row->cumulative + (uint64_t)(subtraction ? subtraction->cumulative : 0);
  if (read > most->cumulative + (uint64_t)of_most->cumulative)
    read = most->cumulative + (uint64_t)of_most->cumulative;
  if (row->cumulative > most->cumulative)
    row->cumulative = most->cumulative;
  if (subtraction)
    subtraction->cumulative = (int64_t)(read - row->cumulative);
}

/* The calls of a row by signature lie within the calls of its function: where rows were joined under recursion, so that
 * their sum counts time twice, that is the bound. */
static int bound_by_function(const struct out_profile *profile, const struct out_grouping *grouping,
                             struct out_rows *rows)
{
  struct out_grouping by_function = *grouping;
  by_function.by = grouping->by & ~(unsigned)CALLSIG_BY_SIGNATURE;
  by_function.selected_signatures = NULL;
  by_function.signature_merge = NULL; /* which is of signatures: functions are numbered otherwise */
  struct out_rows functions;
  out_rows_init(&functions);
  int result = make_direct(profile, &by_function, &functions);
  if (result == 0)
    result = build(profile, &by_function, &functions);
  for (uint32_t i = 0; i < rows->list.count && result == 0; i++) {
    struct out_row *row = out_rows_at(rows, i);
    struct out_row_key key = row->key;
    key.what = grouping->shown_function[out_signature_function(profile, key.what)];
    uint32_t number;
    result = intern_row(profile, &by_function, &functions, &key, &number);
    if (result == 0)
      bound(rows, i, &functions, number);
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

/* A call never lasts less than its own part, unless the clock read so. */
static void outlast_own(struct out_rows *rows)
{
  for (uint32_t i = 0; i < rows->subtractions.count; i++) {
    struct out_row *row = out_rows_at(rows, i);
    struct out_subtraction *subtraction = base_vector_at(&rows->subtractions, i);
    const uint64_t read = row->cumulative + (uint64_t)subtraction->cumulative;
    if (row->cumulative < row->own && read >= row->own) {
      row->cumulative = row->own;
      subtraction->cumulative = (int64_t)(read - row->own);
    }
  }
}

/* Own times of all calls, whatever is selected: what is left of them, and what the clock read. */
struct whole {
  uint64_t left, read;
};

static struct whole whole_of(const struct out_profile *profile, const struct out_grouping *grouping)
{
  struct whole whole = {0};
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to == FMT_NONE)
      continue;
    const struct out_context *context = out_profile_context(profile, out_profile_variant(profile, edge->to)->context);
    const struct out_share share = out_edge_share(profile, grouping, edge, out_edge_group(profile, grouping, context));
    whole.left += share.own;
    whole.read += share.own + (uint64_t)share.subtraction.own;
  }
  return whole;
}

/* Under recursion, what hooks cost of a call's whole time is known by the calls that lead back to it together, and what
 * is left of it may seem to be longer than all there is, which the clock did not read. */
static void outlast_all(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows)
{
  uint64_t own = 0, longest = 0;
  for (uint32_t i = 0; i < rows->subtractions.count; i++) {
    const struct out_row *row = out_rows_at(rows, i);
    own += row->own;
    longest = row->cumulative > longest ? row->cumulative : longest;
  }
  if (longest <= own)
    return;
  const struct whole whole = whole_of(profile, grouping);
  for (uint32_t i = 0; i < rows->subtractions.count; i++) {
    struct out_row *row = out_rows_at(rows, i);
    struct out_subtraction *subtraction = base_vector_at(&rows->subtractions, i);
    const uint64_t read = row->cumulative + (uint64_t)subtraction->cumulative;
    if (row->cumulative > whole.left && read <= whole.read) {
      row->cumulative = whole.left;
      subtraction->cumulative = (int64_t)(read - whole.left);
    }
  }
}

struct out_compensated out_rows_compensated(const struct out_rows *rows)
{
  struct out_compensated sum = {0};
  const double z = 1.959964;
  double left = 0, guessed = 0, doubt = 0, drawn = 0;
  for (uint32_t i = 0; i < rows->subtractions.count; i++) {
    const struct out_subtraction *subtraction = base_vector_at(&rows->subtractions, i);
    sum.taken += (double)subtraction->own;
    guessed += (double)subtraction->guessed_own;
    left += (double)out_rows_at(rows, i)->own;
    doubt += subtraction->own_doubt;
    drawn += subtraction->own_drawn;
  }
  /* What is certain of the whole, the samples' number, leaves less open than the rows by themselves do. */
  sum.uncertainty = hypot(doubt * OUT_HIDDEN_IN_SUMS, z * sqrt(drawn)) + out_guess_error(guessed, left);
  return sum;
}

int out_rows_build(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows)
{
  int result = make_direct(profile, grouping, rows);
  if (result == 0)
    result = build(profile, grouping, rows);
  if (result == 0 && grouping->by & CALLSIG_BY_SIGNATURE && any_bound(rows))
    result = bound_by_function(profile, grouping, rows);
  if (result == 0) {
    outlast_own(rows);
    outlast_all(profile, grouping, rows);
  }
  return result;
}

static void add_asked(const struct out_profile *profile, uint32_t number, struct out_row_asked *row)
{
  const struct out_edge *edge = out_profile_edge(profile, number);
  const struct out_recording_info *info =
      out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording);
  if (!out_asked_is_told(info))
    row->is_known = false;
  else if (edge->asked != FMT_NONE)
    out_asked_add(&row->sum, out_profile_asked(profile, edge->asked));
}

int out_rows_asked(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows)
{
  bool any = false;
  for (uint32_t i = 0; i < profile->recordings.count; i++)
    any |= out_asked_is_told(out_profile_recording(profile, i));
  if (!any)
    return 0;
  struct out_row_asked *made = calloc(rows->list.count + 1u, sizeof *made);
  if (!made)
    return -ENOMEM;
  for (uint32_t i = 0; i < rows->list.count; i++)
    made[i].is_known = true;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const uint32_t row =
        out_profile_edge(profile, i)->to == FMT_NONE ? FMT_NONE : out_rows_of_edge(profile, grouping, rows, i);
    if (row != FMT_NONE)
      add_asked(profile, i, &made[row]);
  }
  rows->asked = made;
  return 0;
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
                    struct pairs *pairs, const struct out_edge *edge, const struct out_share *share)
{
  struct out_row_key to = out_rows_key_of_edge(profile, grouping, edge);
  struct out_row_key from = out_rows_key(profile, grouping, out_profile_variant(profile, edge->from), edge->thread);
  struct out_pair key = {0}, *pair = NULL;
  int result = intern_row(profile, grouping, rows, &to, &key.callee);
  if (result == 0)
    result = intern_row(profile, grouping, rows, &from, &key.caller);
  if (result == 0)
    result = intern_pair(pairs, &key, &pair);
  if (result != 0)
    return result;
  pair->calls += share->calls;
  pair->primitive += share->primitive;
  pair->own += share->own;
  pair->cumulative += share->cumulative;
  return 0;
}

int out_rows_pairs(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows,
                   struct base_vector *list)
{
  uint32_t group = out_pair_group(grouping->by);
  struct pairs pairs = {.list = list};
  int result = 0;
  for (uint32_t i = 0; i < profile->edges.count && result == 0; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->from == FMT_NONE || !out_edge_is_selected(profile, grouping, edge))
      continue;
    struct out_share share = out_edge_share(profile, grouping, edge, group);
    if (share.is_any)
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

int out_rows_anywhere(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows,
                      uint32_t row, uint32_t *number)
{
  struct out_row_key key = out_rows_at(rows, row)->key;
  key.place = FMT_NONE;
  return intern_row(profile, grouping, rows, &key, number);
}

bool out_rows_edge(const struct out_profile *profile, const struct out_grouping *grouping, const struct out_edge *edge,
                   struct out_row *counts)
{
  if (!out_edge_is_selected(profile, grouping, edge))
    return false;
  const struct out_context *context = out_profile_context(profile, out_profile_variant(profile, edge->to)->context);
  struct out_share share = out_edge_share(profile, grouping, edge, out_edge_group(profile, grouping, context));
  *counts = (struct out_row){.calls = share.calls,
                             .primitive = share.primitive,
                             .own = share.own,
                             .cumulative = share.cumulative,
                             .min = share.min,
                             .max = share.max};
  return share.is_any;
}
