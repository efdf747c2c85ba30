/*
 * The hooks beyond the fast path of hooks_x86_64.S.
 *
 * An entry has two parts. The quick part runs with signals open: it finds the edge if there is one, and opens the
 * frame. What it cannot do (make an edge, continue the stack, close dead frames) a slow section prepares, and the quick
 * part is tried again: so the clock is read last on entry, and what the slow section cost is charged to the caller.
 */
#include "hooks.h"

#include <errno.h>

#include "capture.h"
#include "frames.h"
#include "guard.h"
#include "histogram.h"
#include "module.h"
#include "ring.h"
#include "tree.h"

#define QUICK_WORDS 32u /* of a signature on the program's stack, which may be small */
#define ATTEMPTS    8u  /* until a call is given up: something undoes the preparation each time */

/* One entry: what its hook was given, and what was found out. */
struct entry {
  const struct cs_registers *registers;
  uintptr_t function, call_site;
  uint64_t began; /* ticks when the generic path was entered; 0: not measured, the clock is not the TSC */
  bool has_xmm;
  bool first;               /* the site is new to this thread */
  struct cs_rec_edge *made; /* by the slow section */
  uint64_t xmm[16];
};

enum step {
  DONE,    /* the frame is open, or there is none to open */
  PREPARE, /* a slow section has to prepare it */
  AGAIN,   /* it is prepared */
};

static void keep_xmm(struct entry *entry)
{
  if (!entry->has_xmm)
    cs_capture_xmm(entry->xmm);
  entry->has_xmm = true;
}

static int capture(struct entry *entry, const struct cs_plan *plan, uint64_t *words, uint32_t capacity, uint32_t *count)
{
  const struct cs_site *site = plan->site;
  *count = 0;
  if (!plan->arguments)
    return 0;
  if (site->uses_xmm)
    keep_xmm(entry);
  const struct cs_capture what = {.site = site,
                                  .registers = entry->registers,
                                  .xmm = entry->has_xmm ? entry->xmm : NULL,
                                  .levels = cs_function_levels(plan->function),
                                  .cfa = cs_capture_cfa(site, entry->registers),
                                  .first = entry->first};
  return cs_capture_words(&what, words, capacity, count);
}

/* Is this the edge of such a call? */
static bool matches(const struct cs_rec_edge *edge, const struct cs_rec_variant *from, const struct cs_site *site,
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
static struct cs_rec_edge *lookup(const struct cs_tree *tree, struct cs_rec_variant *from, const struct cs_site *site,
                                  const uint64_t *words, uint32_t count)
{
  struct cs_rec_edge *foretold = (struct cs_rec_edge *)((struct cs_rec_edge *)from->last)->after;
  if (matches(foretold, from, site, words, count))
    return foretold;
  struct cs_rec_edge *edge = cs_edge_find(tree, from, site->pc, site->function_address, words, count);
  const struct cs_rec_context *context = (const struct cs_rec_context *)from->context;
  if (!edge && context->merged_variant)
    edge = cs_edge_find(tree, (struct cs_rec_variant *)context->merged_variant, site->pc, site->function_address, words,
                        count);
  return edge;
}

/* Where the fast path looks: the next call from here is foretold to be the one that followed last time, and failing
 * that the one that was made last from here at the same site. */
static void predict(const struct cs_thread *t, struct cs_rec_variant *from, struct cs_rec_edge *edge)
{
  if (edge->from != (uintptr_t)from)
    return;
  struct cs_rec_edge *last = (struct cs_rec_edge *)from->last;
  /* Before its first call every caller's last edge is the root's, which must foretell nothing. */
  if (last->from)
    last->after = (uintptr_t)edge;
  from->last = (uintptr_t)edge;
  *cs_cache_place(t, from, edge->site) = edge;
}

/* The edge of this call, if it was made before. */
static struct cs_rec_edge *known_edge(const struct cs_thread *t, struct cs_rec_variant *from, struct entry *entry,
                                      const struct cs_plan *plan)
{
  uint64_t words[QUICK_WORDS];
  uint32_t count;
  if (entry->made && (entry->made->from == (uintptr_t)from || entry->made->flags & CS_EDGE_ANY))
    return entry->made;
  if (capture(entry, plan, words, QUICK_WORDS, &count) < 0)
    return NULL;
  return lookup(&t->tree, from, plan->site, words, count);
}

/* The same call from elsewhere: from now on the fast path knows it when it comes from there. */
static void follow_caller(struct cs_rec_edge *edge, struct cs_plan *plan)
{
  if (plan->return_pc && plan->fast && plan->compared == cs_edge_plan(edge)->compared &&
      !(edge->flags & CS_EDGE_GENERIC))
    __atomic_store_n(&edge->site_info, (uintptr_t)plan, __ATOMIC_RELEASE);
}

/* Is the frame that begins at `cfa` above all that are open, on the same machine stack? */
static bool in_order(const struct cs_thread *t, const struct cs_site *site, uintptr_t cfa)
{
  const struct cs_rec_frame *top = t->top;
  if (cfa <= t->stack_low || cfa > t->stack_high)
    return false;
  if (cs_stack_at_bottom(t))
    return true;
  if (cs_frame_is_link(t->stack, top))
    top = (const struct cs_rec_frame *)top->flags;
  if (cfa < top->cfa || top->cfa == 0)
    return true;
  return cfa == top->cfa && top->edge && cs_frame_shared(top, site);
}

/* ------------------------------------------------------------------------------------------------------------------ */

uint64_t cs_frame_counters(struct cs_thread *t, struct cs_rec_edge *edge)
{
  if (CS_UNLIKELY(t->warming))
    return (uintptr_t)t->discard | CS_FRAME_GENERIC;
  bool plain = t->mode == CS_MODE_PLAIN ? !(edge->flags & CS_EDGE_BACK) : cs_recursion_outermost(t, edge);
  if (plain)
    return (uintptr_t)&edge->calls;
  uint64_t counters = (uintptr_t) & ((struct cs_rec_recursion *)edge->recursion)->calls;
  if (cs_recursion_active(edge))
    return counters;
  if (!cs_recursion_ready(t, edge))
    return 0;
  return counters | CS_FRAME_GENERIC | CS_FRAME_MARKED | (edge->flags & CS_EDGE_BACK ? CS_FRAME_OPENED : 0u);
}

void cs_frame_push(struct cs_thread *t, struct cs_rec_edge *edge, uintptr_t cfa, uint64_t counters, uint64_t ticks)
{
  bool first = cs_frame_is_first(t->stack, t->top + 1);
  if (first)
    counters |= CS_FRAME_GENERIC;
  struct cs_rec_frame *frame = t->top + 1;
  __atomic_store_n(&frame->cfa, cfa, __ATOMIC_RELEASE);
  __atomic_store_n(&t->top, frame, __ATOMIC_RELEASE);
  frame->flags = counters;
  if (!(counters & CS_FRAME_MARKED)) {
    __atomic_store_n(&frame->start_ticks, ticks ? ticks : cs_clock_now(), __ATOMIC_RELEASE);
    __atomic_store_n(&frame->edge, (uintptr_t)edge, __ATOMIC_RELEASE);
    return;
  }
  if (counters & CS_FRAME_OPENED) {
    t->recursion++;
    t->mode = CS_MODE_RECURSION;
  }
  /* The marks name this frame, so it has to be open before they are made. */
  __atomic_store_n(&frame->start_ticks, CS_NOT_STARTED, __ATOMIC_RELEASE);
  __atomic_store_n(&frame->edge, (uintptr_t)edge, __ATOMIC_RELEASE);
  /* What owns no more than a back edge's frame does on the fast path may end there: unless its edge is none of that
   * path. */
  bool ends_fast = counters & CS_FRAME_OPENED && !first && !(edge->flags & CS_EDGE_GENERIC);
  if (cs_recursion_enter(t, frame, edge) && ends_fast)
    frame->flags = counters & ~(uint64_t)CS_FRAME_GENERIC;
  __atomic_store_n(&frame->start_ticks, ticks ? ticks : cs_clock_now(), __ATOMIC_RELEASE);
}

void cs_frame_count_merged(const struct cs_rec_edge *edge)
{
  if (edge->flags & CS_EDGE_ANY)
    cs_count_loss(CS_LOSS_EDGES_MERGED, 1);
  if (edge->flags & CS_EDGE_MERGED)
    cs_count_loss(CS_LOSS_CONTEXTS_MERGED, 1);
}

static enum step enter_quick(struct cs_thread *t, struct entry *entry)
{
  uintptr_t pc = entry->registers->pc;
  struct cs_plan *plan = cs_plan_find(&t->tree, pc, entry->function, 0);
  if (!plan)
    return PREPARE;
  if (plan->site->excluded)
    return DONE;
  const struct cs_site *site = plan->site;
  uintptr_t cfa = cs_capture_cfa(site, entry->registers);
  if (site->uses_entry)
    plan = cs_plan_find(&t->tree, pc, entry->function, cs_capture_return(site, cfa));
  /* That of another site: of a module that was unloaded from there. */
  if (!plan || plan->site != site)
    return PREPARE;
  if (t->top >= t->limit || !in_order(t, plan->site, cfa))
    return PREPARE;
  struct cs_rec_variant *from = cs_edge_to(cs_frame_caller(t->top));
  struct cs_rec_edge *edge = known_edge(t, from, entry, plan);
  uint64_t counters = edge ? cs_frame_counters(t, edge) : 0;
  if (!counters)
    return PREPARE;
  predict(t, from, edge);
  follow_caller(edge, plan);
  if (CS_UNLIKELY(edge->flags & (CS_EDGE_ANY | CS_EDGE_MERGED)) && !t->warming)
    cs_frame_count_merged(edge);
  cs_frame_push(t, edge, cfa, counters, 0);
  if (entry->began)
    cs_add(&edge->overhead, t->top->start_ticks - entry->began);
  return DONE;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static bool make_edge(struct cs_thread *t, struct entry *entry, const struct cs_site *site)
{
  struct cs_tree *tree = &t->tree;
  uint32_t count;
  entry->first = !cs_plan_find(tree, site->pc, site->function_address, 0);
  cs_tree_check_pressure(tree);
  struct cs_plan *plan = cs_tree_plan(tree, site, 0);
  if (plan && site->uses_entry)
    plan = cs_tree_plan(tree, site, cs_capture_return(site, cs_capture_cfa(site, entry->registers)));
  if (!plan || capture(entry, plan, t->words, CS_SIGNATURE_MAX_WORDS, &count) < 0)
    return false;
  struct cs_rec_variant *from = cs_edge_to(cs_frame_caller(t->top));
  entry->made = cs_tree_edge(tree, from, plan, t->words, count);
  if (!entry->made)
    return false;
  cs_histogram_prepare(t);
  if (!entry->made->calls)
    cs_module_note_pointers(t, site, entry->made->words, entry->made->word_count);
  return cs_frame_counters(t, entry->made) || cs_recursion_prepare(t, entry->made);
}

/* Makes room for the frame: on this machine stack, above frames that are alive. The clock is read only when it is
 * needed, so that an injected clock sees one reading an entry. */
static bool make_room(struct cs_thread *t, const struct cs_site *site, const struct cs_registers *registers)
{
  uintptr_t cfa = cs_capture_cfa(site, registers);
  if (!in_order(t, site, cfa)) {
    uint64_t now = cs_clock_now();
    if (!cs_stack_follow(t, registers->general[7], now))
      return false;
    cs_unwind_for_entry(t, cfa, site, now);
  }
  return t->top < t->limit || cs_stack_grow(t);
}

static enum step prepare_section(struct cs_thread *t, struct entry *entry, bool *failed)
{
  const struct cs_registers *registers = entry->registers;
  const struct cs_site *site =
      cs_site_resolve(t, registers->pc, entry->function, registers->general[7], entry->call_site);
  *failed = true;
  if (!site)
    return DONE;
  if (site->excluded) {
    *failed = !cs_plan_exclude(&t->tree, site);
    return DONE;
  }
  if (!make_room(t, site, registers) || !make_edge(t, entry, site))
    return DONE;
  __atomic_store_n(&cs_process.recorded, 1, __ATOMIC_RELAXED);
  *failed = false;
  return AGAIN;
}

/* Counts a call that cannot be recorded, and has a frame keep its place, so that its exit is not taken for its
 * caller's. */
static void lose(struct cs_thread *t, const struct entry *entry)
{
  const struct cs_plan *plan = cs_plan_find(&t->tree, entry->registers->pc, entry->function, 0);
  uintptr_t sp = entry->registers->general[7];
  cs_count_loss(CS_LOSS_NO_SPACE, 1);
  if (t->top >= t->limit || sp <= t->stack_low || sp > t->stack_high)
    return;
  struct cs_rec_frame *frame = ++t->top;
  frame->flags = CS_FRAME_LOST;
  frame->cfa = plan ? cs_capture_cfa(plan->site, entry->registers) : sp + sizeof(uintptr_t);
}

static CS_COLD enum step prepare(struct cs_thread *t, struct entry *entry)
{
  keep_xmm(entry);
  if (!cs_slow_enter(t)) {
    cs_count_loss(CS_LOSS_NESTED, 1);
    return DONE;
  }
  bool failed;
  enum step step = prepare_section(t, entry, &failed);
  if (failed)
    lose(t, entry);
  if (step == DONE)
    cs_stack_rest(t);
  cs_stamp_last();
  cs_slow_leave(t);
  return step;
}

/* The calling thread's control block, when its hooks are to count; it may have to be made, or to catch up first. */
static CS_COLD struct cs_thread *wake(bool entering)
{
  struct cs_thread *t = cs_self;
  uint32_t state = t ? __atomic_load_n(&t->state, __ATOMIC_RELAXED) : CS_HOOKS_SLOW;
  if (state == CS_HOOKS_OFF)
    return NULL;
  if (state == CS_HOOKS_BUSY || state == CS_HOOKS_GONE) {
    if (entering)
      cs_count_loss(state == CS_HOOKS_BUSY ? CS_LOSS_NESTED : CS_LOSS_LATE, 1);
    return NULL;
  }
  t = cs_thread_enter();
  if (!t) {
    if (entering && __atomic_load_n(&cs_idle.state, __ATOMIC_RELAXED) == CS_HOOKS_SLOW)
      cs_count_loss(CS_LOSS_NO_SPACE, 1);
    return NULL;
  }
  cs_slow_leave(t);
  return cs_thread_running(t) ? t : NULL;
}

void cs_hook_enter(uintptr_t function, uintptr_t call_site, const struct cs_registers *registers)
{
  struct entry entry;
  entry.registers = registers;
  entry.function = function;
  entry.call_site = call_site;
  entry.has_xmm = false;
  entry.first = false;
  entry.made = NULL;
  struct cs_thread *t = cs_self;
  entry.began = t && t->state == CS_HOOKS_ON ? cs_clock_now() : 0;
  if (CS_UNLIKELY(!cs_thread_running(t))) {
    keep_xmm(&entry);
    t = wake(true);
    if (!t)
      return;
  }
  for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++)
    if (enter_quick(t, &entry) == DONE || prepare(t, &entry) == DONE)
      return;
  cs_count_loss(CS_LOSS_NESTED, 1);
  if (cs_slow_enter(t)) {
    cs_stack_rest(t);
    cs_slow_leave(t);
  }
}

bool cs_frame_open(struct cs_thread *t, struct cs_rec_edge *edge, uintptr_t cfa, uint64_t ticks)
{
  if (t->top >= t->limit && !cs_stack_grow(t))
    return false;
  uint64_t counters = cs_frame_counters(t, edge);
  if (!counters && cs_recursion_prepare(t, edge))
    counters = cs_frame_counters(t, edge);
  if (!counters)
    return false;
  cs_frame_push(t, edge, cfa, counters, ticks);
  return true;
}

/* ------------------------------------------------------------------------------------------------------------------ */

void cs_hook_exit_more(struct cs_thread *t, struct cs_rec_edge *edge, uint64_t start, uint64_t ticks)
{
  if (cs_process.settings.percentiles)
    cs_histogram_call(t, edge, ticks);
  if (ticks >= t->timeline_min && start != CS_NOT_STARTED)
    cs_ring_call(t, edge, start, ticks);
}

void cs_frame_end(struct cs_thread *t, uint64_t now)
{
  struct cs_rec_frame *frame = t->top;
  struct cs_rec_edge *edge = cs_frame_edge(frame);
  struct cs_rec_edge *caller = cs_frame_caller(frame - 1);
  uint64_t start = frame->start_ticks;
  uint64_t ticks = start == CS_NOT_STARTED || now < start ? 0 : now - start;
  /* From here on nobody marks the frame, and what it marked is believed no longer. */
  __atomic_store_n(&frame->edge, 0, __ATOMIC_RELEASE);
  uint64_t flags = frame->flags;
  uint32_t owned = flags & CS_FRAME_MARKED ? cs_recursion_leave(t, frame, edge) : 0;
  __atomic_store_n(&t->top, frame - 1, __ATOMIC_RELEASE);
  __atomic_store_n(&frame->cfa, 0, __ATOMIC_RELEASE);
  if (CS_UNLIKELY(cs_frame_is_discarded(t, flags)))
    return;
  uint64_t *counters = (uint64_t *)(flags & ~(uint64_t)CS_FRAME_BITS);
  cs_add(&counters[0], 1);
  cs_add(&counters[1], ticks);
  cs_add(&caller->children, ticks);
  struct cs_rec_recursion *recursion = (struct cs_rec_recursion *)edge->recursion;
  if (recursion && counters == &recursion->calls) {
    for (unsigned group = 0; owned; group++, owned >>= 1) {
      if (owned & 1) {
        cs_add(&recursion->primitive[group], 1);
        cs_add(&recursion->cumulative[group], ticks);
      }
    }
  }
  if (ticks >= t->exit_least)
    cs_hook_exit_more(t, edge, start, ticks);
  cs_note_extremes(&edge->min, &edge->max, ticks);
}

/* Is `top` the frame that this exit ends? The fast path's checks again. */
static bool ends_top(const struct cs_thread *t, uintptr_t function, uintptr_t call_site, uintptr_t sp)
{
  const struct cs_rec_frame *top = t->top;
  const struct cs_rec_edge *edge = cs_frame_edge(top);
  if (!edge || edge->function_address != function || sp <= t->stack_low || sp > t->stack_high ||
      cs_frame_is_first(t->stack, top))
    return false;
  return top->cfa > sp || (top->cfa == sp && ((const uintptr_t *)sp)[-1] == call_site);
}

static CS_COLD void exit_slow(struct cs_thread *t, uintptr_t function, uintptr_t call_site, uintptr_t sp, uint64_t now)
{
  const struct cs_plan *plan = cs_plan_find(&t->tree, function, 0, 0);
  if (plan && plan->site->excluded)
    return;
  if (!cs_slow_enter(t))
    return;
  enum cs_exit ended = CS_EXIT_UNMATCHED;
  if (cs_stack_follow(t, sp, now))
    ended = cs_unwind_for_exit(t, function, call_site, sp, now);
  if (ended == CS_EXIT_TOP)
    cs_frame_end(t, now);
  else if (ended == CS_EXIT_UNMATCHED && !cs_process.scheduled) /* a schedule ends calls that go on */
    cs_count_loss(CS_LOSS_EXIT_UNMATCHED, 1);
  cs_stack_rest(t);
  cs_slow_leave(t);
}

void cs_hook_exit(uintptr_t function, uintptr_t call_site, uintptr_t sp, uint64_t ticks)
{
  struct cs_thread *t = cs_self;
  if (CS_UNLIKELY(!cs_thread_running(t))) {
    /* A thread without a control block has no frame that could end, unless a fork wiped it. */
    if (!t || t == &cs_idle) {
      cs_count_loss(CS_LOSS_EXIT_UNMATCHED, 1);
      return;
    }
    t = wake(false);
    if (!t)
      return;
  }
  uint64_t now = ticks ? ticks : cs_clock_now();
  if (CS_LIKELY(ends_top(t, function, call_site, sp))) {
    struct cs_rec_edge *edge = cs_frame_edge(t->top);
    cs_frame_end(t, now);
    if (ticks)
      cs_add(&edge->overhead, cs_clock_now() - ticks);
  } else
    exit_slow(t, function, call_site, sp, now);
}
