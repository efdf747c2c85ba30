/*
 * The hooks beyond the fast path, which is assembly (arch/.../hooks/).
 *
 * An entry has two parts. The quick part runs with signals open: it finds the edge if there is one, and opens the
 * frame. What it cannot do (make an edge, continue the stack, close dead frames) a slow section prepares, and the quick
 * part is tried again: so the clock is read last on entry, and what the slow section cost is charged to the caller.
 */
#include "profiler/hook/generic_path.h"

#include <errno.h>

#include "format/index.h"
#include "format/recording.h"
#include "profiler/arch/primitives.h"
#include "profiler/base/clock.h"
#include "profiler/base/compiler.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/base/request.h"
#include "profiler/frame/follow.h"
#include "profiler/frame/frame.h"
#include "profiler/frame/recursion.h"
#include "profiler/frame/returning.h"
#include "profiler/frame/unwind.h"
#include "profiler/hook/left_out.h"
#include "profiler/hook/lost_call.h"
#include "profiler/hook/wake.h"
#include "profiler/lifetime/title.h"
#include "profiler/module/module.h"
#include "profiler/module/site.h"
#include "profiler/stack/histogram.h"
#include "profiler/stack/modes.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "profiler/stack/waiting.h"
#include "profiler/tree/call.h"
#include "profiler/tree/caller_values.h"
#include "profiler/tree/cardinality_limit.h"
#include "profiler/tree/edge_places.h"
#include "profiler/tree/edge_probe.h"
#include "profiler/tree/fast_compare.h"
#include "profiler/tree/sampling.h"
#include "profiler/tree/tree.h"

#define QUICK_WORDS      32u /* of a signature on the program's stack, which may be small */
#define PROBES_A_MEASURE 16u /* calls that a probe finds, for each whose own cost is measured */
#define ATTEMPTS         8u  /* until a call is given up: something undoes the preparation each time */

/* One entry: what its hook was given, and what was found out. */
struct entry {
  const struct prof_registers *registers;
  uintptr_t function, call_site;
  uint64_t began; /* ticks when the generic path was entered, or where not every call is timed its slow section; 0: not
                     measured, the clock is not the TSC */
  bool has_xmm;
  bool first;                /* the site is new to this thread */
  struct fmt_rec_edge *made; /* by the slow section, or found by a probe */
  bool probed;               /* it was found, and its comparison is the call's */
  uint64_t xmm[PROF_VECTORS];
};

enum step {
  DONE,    /* the frame is open, or there is none to open */
  PREPARE, /* a slow section has to prepare it */
  AGAIN,   /* it is prepared */
};

static void keep_xmm(struct entry *entry)
{
  if (!entry->has_xmm)
    prof_capture_xmm(entry->xmm);
  entry->has_xmm = true;
}

/* Appends where the call was made, when that is recorded. */
static int note_call_site(const struct entry *entry, const struct prof_fast_compare *compare, uint64_t *words,
                          uint32_t capacity, uint32_t *count)
{
  if (!compare->call_site)
    return 0;
  if (*count == capacity)
    return -ENOBUFS;
  words[(*count)++] = compare->site->inlined ? compare->site->pc : entry->call_site;
  return 0;
}

static int capture(struct entry *entry, const struct prof_fast_compare *compare, uint64_t *words, uint32_t capacity,
                   uint32_t *count)
{
  const struct prof_site *site = compare->site;
  *count = 0;
  if (!compare->arguments)
    return note_call_site(entry, compare, words, capacity, count);
  if (site->uses_xmm)
    keep_xmm(entry);
  const struct prof_capture what = {.site = site,
                                    .registers = entry->registers,
                                    .xmm = entry->has_xmm ? entry->xmm : NULL,
                                    .levels = prof_function_levels(compare->function),
                                    .cfa = prof_capture_cfa(site, entry->registers),
                                    .first = entry->first};
  const int error = prof_capture_words(&what, words, capacity, count);
  return error < 0 ? error : note_call_site(entry, compare, words, capacity, count);
}

/* Is this the edge of such a call? */
static bool matches(const struct fmt_rec_edge *edge, const struct fmt_rec_variant *from, const struct prof_site *site,
                    const uint64_t *words, uint32_t count)
{
  if (edge->site != site->pc || edge->function_address != site->function_address || edge->from != (uintptr_t)from ||
      edge->word_count != count)
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (edge->words[i] != words[i])
      return false;
  return true;
}

/* The edge with these words from `from`, or from any signature of the caller when its own were merged. */
static struct fmt_rec_edge *lookup(const struct prof_tree *tree, struct fmt_rec_variant *from,
                                   const struct prof_site *site, const uint64_t *words, uint32_t count)
{
  struct fmt_rec_edge *foretold = (struct fmt_rec_edge *)((struct fmt_rec_edge *)from->last)->after;
  if (matches(foretold, from, site, words, count))
    return foretold;
  struct fmt_rec_edge *edge = prof_edge_find(tree, from, site->pc, site->function_address, words, count);
  const struct fmt_rec_context *context = (const struct fmt_rec_context *)from->context;
  if (!edge && context->merged_variant)
    edge = prof_edge_find(tree, (struct fmt_rec_variant *)context->merged_variant, site->pc, site->function_address,
                          words, count);
  return edge;
}

/* Where the fast path looks: the next call from here is foretold to be the one that followed last time, and failing
 * that the one that was made last from here at the same site. */
static void predict(const struct prof_thread *t, struct fmt_rec_variant *from, struct fmt_rec_edge *edge)
{
  if (edge->from != (uintptr_t)from)
    return;
  struct fmt_rec_edge *last = (struct fmt_rec_edge *)from->last;
  /* Before its first call every caller's last edge is the root's, which must foretell nothing. */
  if (last->from)
    last->after = (uintptr_t)edge;
  from->last = (uintptr_t)edge;
  if (edge->mode >> PROF_MODE_CODE_SHIFT)
    *t->pending = edge;
  *prof_cache_place(t, from, edge->site) = edge;
  prof_edge_probe_note(t, edge);
}

/* The edge of this call, if it was made before. */
static struct fmt_rec_edge *known_edge(const struct prof_thread *t, struct fmt_rec_variant *from, struct entry *entry,
                                       const struct prof_fast_compare *compare)
{
  uint64_t words[QUICK_WORDS];
  uint32_t count;
  if (entry->made && (entry->made->from == (uintptr_t)from || entry->made->flags & FMT_EDGE_ANY))
    return entry->made;
  if (capture(entry, compare, words, QUICK_WORDS, &count) < 0)
    return NULL;
  return lookup(&t->tree, from, compare->site, words, count);
}

/* The call returns to another place than when the edge was made. From now on the edge is compared as calls that return
 * there are, so that the fast path knows the next one. */
static void follow_caller(struct fmt_rec_edge *edge, struct prof_fast_compare *compare)
{
  if (compare->return_pc && compare->fast && compare->compared == prof_edge_fast_compare(edge)->compared &&
      !(edge->flags & FMT_EDGE_GENERIC))
    __atomic_store_n(&edge->site_info, (uintptr_t)compare, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* Where the recording is full for good, what is missing for this call will not come: it is counted as lost, as cheaply
 * as if it were there. `site` as in_order() has it. */
static enum step refuse(struct prof_thread *t, const struct prof_site *site, uintptr_t cfa)
{
  struct prof_place place;
  if (PROF_LIKELY(!t->full) || !prof_place_now(t, &place) || !prof_unwind_in_order(t, place, site, cfa) ||
      (place.top >= t->limit && place.stack->inner))
    return PREPARE;
  prof_lost_begin(t, place, cfa);
  return DONE;
}

static enum step enter_quick(struct prof_thread *t, struct entry *entry)
{
  struct prof_place place;
  uintptr_t pc = entry->registers->pc;
  struct prof_fast_compare *compare = entry->probed && entry->made
                                          ? prof_edge_fast_compare(entry->made)
                                          : prof_fast_compare_find(&t->tree, pc, entry->function, 0);
  if (!compare)
    return refuse(t, NULL, entry->registers->general[PROF_SP] + sizeof(uintptr_t));
  const struct prof_site *site = compare->site;
  if (PROF_UNLIKELY(!entry->made && prof_site_in_doubt(site)))
    return PREPARE;
  if (site->excluded)
    return DONE;
  uintptr_t cfa = prof_capture_cfa(site, entry->registers);
  const enum prof_bound bound =
      entry->made ? PROF_BOUND_INSIDE : prof_left_out_entry(t, site, entry->registers->pc, cfa);
  if (PROF_UNLIKELY(bound != PROF_BOUND_INSIDE))
    return bound == PROF_BOUND_OUTSIDE ? DONE : PREPARE;
  if (site->uses_entry && !entry->probed)
    compare = prof_fast_compare_find(&t->tree, pc, entry->function,
                                     prof_capture_return(site, cfa, entry->registers->general[PROF_SP]));
  /* It is another site's when its module was unloaded and another one lies at this address by now. */
  if (!compare || compare->site != site)
    return PREPARE;
  if (!prof_place_now(t, &place) || place.top >= t->limit || !prof_unwind_in_order(t, place, site, cfa))
    return refuse(t, site, cfa);
  const struct fmt_rec_edge *caller = prof_place_caller(place);
  if (!caller)
    return PREPARE;
  struct fmt_rec_variant *from = prof_edge_to(caller);
  struct fmt_rec_edge *edge = known_edge(t, from, entry, compare);
  uint64_t counters = edge ? prof_frame_counters(t, place, edge) : 0;
  if (!counters)
    return refuse(t, site, cfa);
  predict(t, from, edge);
  follow_caller(edge, compare);
  if (PROF_UNLIKELY(edge->flags & (FMT_EDGE_ANY | FMT_EDGE_MERGED)) && !t->warming)
    prof_frame_count_merged(edge);
  uint64_t waited = 0;
  if (PROF_UNLIKELY(entry->began && prof_waiting_is_due(t)))
    waited = prof_waiting_within(t, entry->began, prof_clock_now());
  else if (PROF_UNLIKELY(edge->flags & FMT_EDGE_LOOKS))
    prof_waiting_settle(t, prof_clock_now(), true);
  if (PROF_UNLIKELY(edge->flags & FMT_EDGE_RETURNS) && !prof_returning_begins(t, place.top + 1, cfa, edge))
    return PREPARE;
  prof_frame_push(t, place, edge, cfa, counters, 0);
  if (entry->began && place.top[1].start_ticks != PROF_NOT_TIMED)
    prof_add(&edge->overhead, place.top[1].start_ticks - entry->began - waited);
  return DONE;
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* The canonical frame address of a call of `edge` above the frame `top`, as the fast path computes it; 0: only
 * enter_quick() can open it. */
static inline uintptr_t cfa_of(const struct prof_thread *t, const struct fmt_rec_frame *top,
                               const struct fmt_rec_edge *edge, const struct prof_registers *registers)
{
  /* With PROF_CFA_STRICT for what is not inlined, so that equality fails then. */
  const int64_t code = (int32_t)edge->cfa;
  uintptr_t cfa = code & PROF_CFA_RBP ? registers->general[PROF_FP] - PROF_CFA_RBP : registers->general[PROF_SP];
  cfa += (uintptr_t)code;
  return cfa <= top->cfa && (cfa & ~(uintptr_t)7) > t->stack_low ? cfa & ~(uintptr_t)7 : 0;
}

/* May the frame of an edge that a probe found be opened as the assembly opens one? So it is when the edge is in the
 * thread's mode. One whose arguments only an interpreter can read is in none, but is the same without recursion. */
static inline bool opens_plainly(const struct prof_thread *t, const struct fmt_rec_edge *edge)
{
  if (PROF_LIKELY(((edge->mode ^ t->mode) & PROF_MODE_DECIDES) == PROF_MODE_OPS))
    return true;
  return (edge->mode & PROF_MODE_DECIDES) == PROF_MODE_NEVER && t->mode == PROF_MODE_PLAIN && edge->cfa &&
         !(edge->flags & (FMT_EDGE_BACK | FMT_EDGE_ANY | FMT_EDGE_MERGED));
}

/* The fast path once more, for a call that it did not foretell: the comparison is that of the last call from here at
 * this site, and a probe finds the edge. Opens the frame; false: nothing is done but that the edge, if it was found, is
 * *found. */
static inline bool enter_probed(struct prof_thread *t, uintptr_t function, const struct prof_registers *registers,
                                struct fmt_rec_edge **found)
{
  struct fmt_rec_frame *frame = t->top;
  const struct fmt_rec_edge *caller = prof_frame_edge(frame);
  if (PROF_UNLIKELY(frame >= t->limit || !caller))
    return false;
  struct fmt_rec_variant *from = prof_edge_to(caller);
  struct fmt_rec_edge **newest = prof_cache_place(t, from, registers->pc), *edge = *newest;
  if (!edge || edge->site != registers->pc || edge->from != (uintptr_t)from || edge->function_address != function ||
      !edge->site_info)
    return false;
  /* One in so many probes is measured, and counts as all of them. Where not every call is timed none is. */
  uint64_t began = t->probed++ % PROBES_A_MEASURE || prof_process.settings.sample_times ? 0 : prof_time_stamp();
  edge = prof_edge_probe(t, from, prof_edge_fast_compare(edge), registers);
  *found = edge;
  if (!edge || !opens_plainly(t, edge))
    return false;
  uintptr_t cfa = cfa_of(t, frame, edge, registers);
  if (PROF_UNLIKELY(!cfa))
    return false;
  /* From here on what the assembly does, in its order. */
  struct fmt_rec_edge *last = (struct fmt_rec_edge *)from->last;
  if (PROF_LIKELY(last->from))
    last->after = (uintptr_t)edge;
  *newest = edge;
  if (edge->mode >> PROF_MODE_CODE_SHIFT)
    *t->pending = edge;
  bool counted = prof_sampling_skips(t, edge);
  frame++;
  prof_frame_reserve(t, frame, cfa);
  frame->flags = edge->counters;
  from->last = (uintptr_t)edge;
  if (PROF_UNLIKELY(began))
    prof_add(&edge->overhead, PROBES_A_MEASURE * (prof_time_stamp() - began));
  __atomic_store_n(&frame->start_ticks, counted ? PROF_NOT_TIMED : prof_time_stamp(), __ATOMIC_RELEASE);
  __atomic_store_n(&frame->edge, (uintptr_t)edge, __ATOMIC_RELEASE);
  return true;
}

/* Opens a frame of an edge that the assembly found, wherever recursion stands. False: nothing is done. */
static inline bool enter_known(struct prof_thread *t, const struct prof_registers *registers, struct fmt_rec_edge *edge)
{
  struct prof_place place;
  if (PROF_UNLIKELY((edge->mode & PROF_MODE_DECIDES) == PROF_MODE_NEVER || !prof_place_now(t, &place) ||
                    place.top >= t->limit))
    return false;
  uintptr_t cfa = cfa_of(t, place.top, edge, registers);
  if (PROF_UNLIKELY(!cfa))
    return false;
  const uint64_t began = prof_process.settings.sample_times ? 0 : prof_time_stamp();
  uint64_t counters = prof_frame_counters(t, place, edge);
  if (PROF_UNLIKELY(!counters))
    return false;
  ((struct fmt_rec_variant *)edge->from)->last = (uintptr_t)edge;
  if (PROF_UNLIKELY(edge->flags & FMT_EDGE_LOOKS))
    prof_waiting_settle(t, prof_clock_now(), true);
  prof_frame_push(t, place, edge, cfa, counters, 0);
  if (began && place.top[1].start_ticks != PROF_NOT_TIMED)
    prof_add(&edge->overhead, place.top[1].start_ticks - began);
  return true;
}

static bool make_edge(struct prof_thread *t, struct entry *entry, const struct prof_site *site)
{
  struct prof_tree *tree = &t->tree;
  uint32_t count;
  const struct prof_fast_compare *met = prof_fast_compare_find(tree, site->pc, site->function_address, 0);
  entry->first = !met || !met->function;
  prof_tree_check_pressure(tree);
  struct prof_fast_compare *compare = prof_fast_compare_of(tree, site, 0);
  if (compare && site->uses_entry)
    compare = prof_fast_compare_of(
        tree, site,
        prof_capture_return(site, prof_capture_cfa(site, entry->registers), entry->registers->general[PROF_SP]));
  if (!compare)
    return false;
  while (capture(entry, compare, t->words, t->word_room, &count) < 0)
    if (!prof_thread_more_words(t))
      return false;
  const struct prof_place place = prof_place_settled(t);
  struct fmt_rec_variant *from = prof_edge_to(prof_place_caller(place));
  entry->made = prof_tree_edge(tree, from, compare, t->words, count);
  entry->probed = false;
  if (!entry->made)
    return false;
  prof_histogram_prepare(t);
  if (entry->made->flags & FMT_EDGE_RETURNS && !prof_returning_prepare(t))
    return false;
  prof_edge_places_grow(t);
  if (!entry->made->calls) {
    prof_module_note_pointers(t, site, entry->made->words, entry->made->word_count);
    prof_title_look();
  }
  return prof_frame_counters(t, place, entry->made) || prof_recursion_prepare(t, entry->made);
}

/* Makes room for the frame: on this machine stack, above frames that are alive. The clock is read only when it is
 * needed, so that an injected clock sees one reading an entry. */
static bool make_room(struct prof_thread *t, const struct prof_site *site, const struct prof_registers *registers)
{
  uintptr_t cfa = prof_capture_cfa(site, registers);
  if (!prof_unwind_in_order(t, prof_place_settled(t), site, cfa)) {
    uint64_t now = prof_clock_now();
    if (!prof_stack_follow(t, registers->general[PROF_SP], now))
      return false;
    prof_unwind_for_entry(t, cfa, site, now);
  }
  return t->top < t->limit || prof_stack_grow(t);
}

static enum step prepare_section(struct prof_thread *t, struct entry *entry, bool *failed)
{
  const struct prof_registers *registers = entry->registers;
  const struct prof_site *site =
      prof_site_resolve(t, registers->pc, entry->function, registers->general, entry->call_site);
  *failed = true;
  if (!site)
    return DONE;
  if (site->excluded) {
    *failed = !prof_fast_compare_exclude(&t->tree, site);
    return DONE;
  }
  if (!make_room(t, site, registers))
    return DONE;
  if (prof_left_out_prepare(t, site)) {
    *failed = false;
    return DONE;
  }
  if (!make_edge(t, entry, site))
    return DONE;
  __atomic_store_n(&prof_process.recorded, 1, __ATOMIC_RELAXED);
  *failed = false;
  return AGAIN;
}

/* In the slow section that found no room for the call. */
static void lose(struct prof_thread *t, const struct entry *entry)
{
  const struct prof_fast_compare *compare = prof_fast_compare_find(&t->tree, entry->registers->pc, entry->function, 0);
  uintptr_t sp = entry->registers->general[PROF_SP];
  t->full = prof_process.full;
  if (sp <= t->stack_low || sp > t->stack_high)
    prof_count_loss(FMT_LOSS_NO_SPACE, 1);
  else
    prof_lost_begin(t, prof_place_settled(t),
                    compare ? prof_capture_cfa(compare->site, entry->registers) : sp + sizeof(uintptr_t));
}

static PROF_COLD enum step prepare(struct prof_thread *t, struct entry *entry)
{
  const uint32_t state = t->state;
  keep_xmm(entry);
  if (!prof_slow_enter(t)) {
    prof_count_loss(FMT_LOSS_NESTED, 1);
    return DONE;
  }
  if (!entry->began && state == PROF_HOOKS_ON)
    entry->began = prof_clock_now();
  bool failed;
  enum step step = prepare_section(t, entry, &failed);
  if (failed)
    lose(t, entry);
  if (step == DONE)
    prof_stack_rest(t);
  prof_stamp_last();
  prof_slow_leave(t);
  /* Where recording was switched off meanwhile, what was open has ended, and nobody would hear the end of this call. */
  return __atomic_load_n(&t->state, __ATOMIC_RELAXED) == PROF_HOOKS_OFF ? DONE : step;
}

/* The whole generic path; `found`: the edge, if a probe found it. */
static __attribute__((noinline)) void enter_generic(uintptr_t function, uintptr_t call_site,
                                                    const struct prof_registers *registers, struct fmt_rec_edge *found)
{
  struct entry entry;
  entry.registers = registers;
  entry.function = function;
  entry.call_site = call_site;
  entry.has_xmm = false;
  entry.first = false;
  entry.made = found;
  entry.probed = found != NULL;
  struct prof_thread *t = prof_self;
  entry.began = t && t->state == PROF_HOOKS_ON && !prof_process.settings.sample_times ? prof_clock_now() : 0;
  if (PROF_UNLIKELY(!prof_thread_running(t))) {
    keep_xmm(&entry);
    t = prof_hook_wake(true);
    if (!t)
      return;
    if (t->interrupted)
      prof_hook_shield(t, registers->general[PROF_SP]);
  }
  enum step step = AGAIN;
  for (unsigned attempt = 0; attempt < ATTEMPTS && step != DONE; attempt++)
    step = enter_quick(t, &entry) == DONE ? DONE : prepare(t, &entry);
  struct prof_place place;
  if (step != DONE)
    prof_count_loss(FMT_LOSS_NESTED, 1);
  else if (PROF_LIKELY(prof_place_now(t, &place) &&
                       (!prof_frame_is_link(place.stack, place.top) || !place.stack->outer)))
    return;
  prof_hook_unshield(t);
}

void prof_hook_enter(uintptr_t function, uintptr_t call_site, const struct prof_registers *registers)
{
  struct prof_thread *t = prof_self;
  struct fmt_rec_edge *found = NULL;
  if (PROF_LIKELY(t && t->state == PROF_HOOKS_ON && !prof_request_waits())) {
    if (enter_probed(t, function, registers, &found))
      return;
  } else if (t)
    prof_thread_look(t);
  enter_generic(function, call_site, registers, found);
}

void prof_hook_enter_known(uintptr_t function, uintptr_t call_site, const struct prof_registers *registers,
                           struct fmt_rec_edge *edge)
{
  struct prof_thread *t = prof_self;
  if (PROF_UNLIKELY(!t || t->state != PROF_HOOKS_ON) || !enter_known(t, registers, edge))
    prof_hook_enter(function, call_site, registers);
}
