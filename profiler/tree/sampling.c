/*
 * Which calls of an edge are timed: decided by what the timed ones took.
 *
 * The draw is random, since a fixed stride falls into step with the program (Mytkowicz et al., PLDI 2010), and it is
 * the thread's, not the edge's: one counter runs through the calls of all edges that are sampled, so that each call is
 * timed with the same probability, whatever came before it.
 */
#include "profiler/tree/sampling.h"

#include "profiler/base/clock.h"
#include "profiler/base/compiler.h"
#include "profiler/base/counter.h"
#include "profiler/base/process.h"
#include "profiler/stack/sleeping.h"
#include "profiler/tree/fast_compare.h"

#define REVIEW_CALLS   32u /* timed calls from one decision to the next */
#define DRAWN_LEAST    32u /* with a budget, what is drawn from lies between these */
#define DRAWN_MOST     1024u
#define LONGER_MOST    6                     /* and as far below */
#define BUDGET_CALLS   512u                  /* timed calls of a thread from one look at the budget to the next */
#define DRAWN_LONG     (4 * PROF_DRAWN_FROM) /* without a budget, what is drawn from in the end */
#define ENOUGH_DRAWN   32768u                /* calls, until it is twice as many that are drawn from */
#define MEMORY         8u   /* timed calls that the imputed time is the mean of, the older ones fading: docs/times.md */
#define PARTS          256u /* of a tick, in `recent` */
#define PARTS_OF_PRICE 1024u /* of a tick, in header.sample_price */
#define FALLBACK_PRICE 64u   /* ticks, where nothing was measured */

/* Ticks that timing a call costs above counting it. */
static uint64_t price_of_timing(void)
{
  const uint64_t price = prof_process.header->sample_price;
  return price ? price / PARTS_OF_PRICE : FALLBACK_PRICE;
}

/* A call at least this long may be timed each time: by default the price of timing is a sixteenth of it then. */
static uint64_t worth_timing(const struct prof_thread *t)
{
  const uint64_t price = price_of_timing(), least = price * 4;
  const uint32_t overhead = prof_process.settings.overhead;
  if (overhead <= 1024)
    return price * 16;
  /* At first an eighth of the budget goes to clocks that are read for each call. */
  uint64_t ticks = price * 8 * 1024 / (overhead - 1024);
  const int32_t longer = t->budget.longer;
  ticks = longer >= 0 ? ticks << longer : ticks >> -longer;
  return ticks < least ? least : ticks;
}

static uint64_t next_random(struct prof_thread *t)
{
  uint64_t x = t->random;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return t->random = x;
}

static void draw(struct prof_thread *t)
{
  t->sample_next = (int32_t)((uint32_t)(next_random(t) >> 32) & t->sample_mask) + 1;
}

void prof_sampling_start(struct prof_thread *t)
{
  /* Any state but 0 will do; threads should not draw alike. */
  t->random = ((uintptr_t)t ^ (uint64_t)t->tid * 0x9E3779B97F4A7C15u) | 1;
  t->sample_mask = prof_process.settings.sample_times ? PROF_DRAWN_FROM - 1 : 0;
  t->budget = (struct prof_budget){.at = 0};
  for (unsigned i = 0; i < 8; i++)
    draw(t);
}

bool prof_sampling_draw(struct prof_thread *t)
{
  /* A handler's hooks may have come to the end of the count since it was looked at, or have been left before they drew
   * anew: what lies beyond is due as well. The assembly has it so, too. */
  if (--t->sample_next > 0)
    return true;
  draw(t);
  return false;
}

static void set_rate(const struct prof_thread *t, struct fmt_rec_edge *edge, bool sampled)
{
  prof_edge_sampling(edge)->rate = sampled ? (t->sample_mask + 2) / 2 : 0;
  const bool looked = sampled && edge->flags & FMT_EDGE_LOOKS;
  if (looked) /* which costs more than such calls are worth */
    __atomic_fetch_and(&edge->flags, ~(uint32_t)FMT_EDGE_LOOKS, __ATOMIC_RELAXED);
  if (edge->recursion)
    return; /* the mode depends on whether it is active */
  if (looked)
    __atomic_fetch_and(&edge->mode, ~(uint32_t)PROF_MODE_APART, __ATOMIC_RELAXED);
  /* One instruction, since a handler may mark or clear the edge at any moment. */
  if (sampled)
    __atomic_fetch_or(&edge->mode, PROF_MODE_SAMPLED, __ATOMIC_RELAXED);
  else
    __atomic_fetch_and(&edge->mode, ~(uint32_t)PROF_MODE_SAMPLED, __ATOMIC_RELAXED);
}

/* The time that calls count with from now on: what they took of late, rounded at random so that no part of a tick is
 * lost in the long run. */
static void impute(struct prof_thread *t, struct fmt_rec_sampling *sampling)
{
  sampling->imputed = (sampling->recent + (next_random(t) >> 32) % PARTS) / PARTS;
}

static void add_square(struct fmt_rec_sampling *sampling, uint64_t ticks)
{
  unsigned __int128 square = (unsigned __int128)ticks * ticks;
  uint64_t low = (uint64_t)square;
  sampling->squares_low += low;
  sampling->squares_high += (uint64_t)(square >> 64) + (sampling->squares_low < low);
}

/* Raises what the recording tells of the thinnest sample. */
static void tell_drawn(uint32_t drawn_from)
{
  uint32_t *told = &prof_process.header->drawn_from;
  uint32_t known = __atomic_load_n(told, __ATOMIC_RELAXED);
  while (known < drawn_from &&
         !__atomic_compare_exchange_n(told, &known, drawn_from, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

/* What timing may cost in so many ticks that passed, beside counting all calls. */
static uint64_t left_for_timing(const struct prof_thread *t, uint64_t passed, uint64_t timing)
{
  const struct fmt_rec_header *header = prof_process.header;
  const uint64_t whole = header->hook_inner + header->hook_outer;
  const uint64_t count_price = whole > header->sample_price ? whole - header->sample_price : 0;
  const uint64_t calls = t->budget.timed + (uint64_t)t->budget.drawn * t->sample_mask / 2;
  const uint64_t counting = calls * count_price / PARTS_OF_PRICE, hooks = counting + timing;
  /* The calibration was in a loop of its own, and hooks may cost less where they are. */
  const uint64_t own = hooks < passed - passed / 8 ? passed - hooks : passed / 8;
  const uint64_t allowed = own / 1024 * (prof_process.settings.overhead - 1024);
  return allowed > counting ? allowed - counting : 0;
}

/* Holds what timing has cost against what the budget leaves for it, one half for calls that are timed each and one for
 * samples: either is doubled or halved when it is out by more. The calls that are timed stay random ones, and what is
 * imputed is made of the last few, however many others lie between: so no estimate depends on how thin the sample is.
 */
static void keep_budget(struct prof_thread *t, uint64_t now)
{
  struct prof_budget *budget = &t->budget;
  const uint64_t price = price_of_timing(), passed = now > budget->at ? now - budget->at : 0;
  const uint64_t each = (budget->timed - budget->drawn) * price, drawn = budget->drawn * price;
  const uint64_t half = left_for_timing(t, passed, each + drawn) / 2;
  if (budget->at && drawn > half && t->sample_mask + 1 < DRAWN_MOST)
    t->sample_mask = t->sample_mask * 2 + 1;
  else if (budget->at && drawn < half / 2 && t->sample_mask + 1 > DRAWN_LEAST)
    t->sample_mask /= 2;
  if (budget->at && each > half && budget->longer < LONGER_MOST)
    budget->longer++;
  else if (budget->at && each < half / 2 && budget->longer > -LONGER_MOST)
    budget->longer--;
  tell_drawn(t->sample_mask + 1);
  budget->at = now;
  budget->timed = budget->drawn = 0;
}

/* Where no budget is asked for, the sample of a thread with many calls becomes thinner: by then it has timed so many
 * that what more of them would tell is not worth their clock. An edge that is new then begins with its first calls, as
 * all do. */
static void thin_out(struct prof_thread *t)
{
  struct prof_budget *budget = &t->budget;
  if (budget->drawn >= ENOUGH_DRAWN && t->sample_mask + 1 < DRAWN_LONG) {
    t->sample_mask = t->sample_mask * 2 + 1;
    tell_drawn(t->sample_mask + 1);
    budget->drawn = 0;
  }
  budget->timed = 0;
}

/* What calls took of late, in parts, with one more that took `ticks`; `timed`: how many there were, with it. */
static void remember(uint64_t *recent, uint64_t timed, uint64_t ticks)
{
  const uint64_t memory = timed < MEMORY ? timed : MEMORY;
  const int64_t change = (int64_t)(ticks * PARTS - *recent) / (int64_t)memory;
  *recent += (uint64_t)change;
}

/* Decides whether each call is timed from now on. */
static void review(const struct prof_thread *t, struct fmt_rec_edge *edge)
{
  const struct fmt_rec_sampling *sampling = prof_edge_sampling(edge);
  /* By what the calls take of late: the first one also had the program's pages to fetch. Back again only when all of
   * them took long as well: a rate that follows each long spell would time those more often than the short ones. */
  const uint64_t limit = worth_timing(t);
  if (edge->flags & FMT_EDGE_TIMED)
    return;
  if (!sampling->rate && sampling->recent / PARTS < limit)
    set_rate(t, edge, true);
  else if (sampling->rate && sampling->recent / PARTS > 2 * limit &&
           sampling->timed_total / sampling->timed > 2 * limit)
    set_rate(t, edge, false);
}

/* Of an outermost call: true where such calls are each timed, so that it tells nothing of the others. They are drawn as
 * those once they are no longer than what need not be timed each. */
static bool note_outermost(const struct prof_thread *t, struct fmt_rec_recursion *recursion, uint64_t ticks)
{
  uint64_t *drawn = &recursion->active[PROF_OUTERMOST_DRAWN], *timed = &recursion->active[PROF_OUTERMOST_TIMED],
           *recent = &recursion->active[PROF_OUTERMOST_RECENT];
  const bool is_apart = !*drawn;
  prof_add(timed, 1);
  remember(recent, *timed, ticks);
  if (is_apart) {
    prof_add(&recursion->primitive[FMT_GROUP_EDGE], 1);
    prof_add(&recursion->cumulative[FMT_GROUP_EDGE], ticks);
  }
  const uint64_t limit = worth_timing(t), usual = *recent / PARTS;
  if (*timed % REVIEW_CALLS == 0)
    *drawn = is_apart ? usual < limit : usual <= 2 * limit;
  return is_apart;
}

bool prof_sampling_note(struct prof_thread *t, struct fmt_rec_edge *edge, uint64_t ticks, bool outermost)
{
  struct fmt_rec_sampling *sampling = prof_edge_sampling(edge);
  struct fmt_rec_recursion *recursion = (struct fmt_rec_recursion *)edge->recursion;
  const uint64_t rate = sampling->rate, drawn = recursion ? recursion->active[PROF_OUTERMOST_DRAWN] : 0;
  const bool is_apart = outermost && recursion && note_outermost(t, recursion, ticks);
  t->budget.timed++;
  t->budget.drawn += rate != 0 && !is_apart;
  if (PROF_UNLIKELY(t->budget.timed >= BUDGET_CALLS)) {
    if (prof_process.settings.overhead > 1024)
      keep_budget(t, prof_clock_now());
    else
      thin_out(t);
  }
  if (!is_apart) {
    prof_add(&sampling->timed, 1);
    prof_add(&sampling->timed_total, ticks);
    add_square(sampling, ticks);
    remember(&sampling->recent, sampling->timed, ticks);
    impute(t, sampling);
    if (sampling->timed % REVIEW_CALLS == 0)
      review(t, edge);
  }
  return recursion && (!rate != !sampling->rate || recursion->active[PROF_OUTERMOST_DRAWN] != drawn);
}

void prof_sampling_tell(struct fmt_rec_edge *edge, uint64_t ticks)
{
  if (!(edge->flags & FMT_EDGE_SAMPLED))
    return;
  struct fmt_rec_sampling *sampling = prof_edge_sampling(edge);
  prof_add(&sampling->timed, 1);
  prof_add(&sampling->timed_total, ticks);
  add_square(sampling, ticks);
}

uint64_t prof_sampling_usual(const struct fmt_rec_edge *edge)
{
  const struct fmt_rec_sampling *sampling = prof_edge_sampling(edge);
  return sampling->timed ? sampling->recent / PARTS : UINT64_MAX;
}

void prof_sampling_clear(struct fmt_rec_edge *edge)
{
  struct fmt_rec_recursion *recursion = (struct fmt_rec_recursion *)edge->recursion;
  if (recursion)
    recursion->active[PROF_OUTERMOST_DRAWN] = recursion->active[PROF_OUTERMOST_TIMED] =
        recursion->active[PROF_OUTERMOST_RECENT] = 0;
  if (!(edge->flags & FMT_EDGE_SAMPLED))
    return;
  struct fmt_rec_sampling *sampling = prof_edge_sampling(edge);
  *sampling = (struct fmt_rec_sampling){.tag = sampling->tag, .sleep = sampling->sleep};
  prof_sleeping_clear(edge);
}

void prof_sampling_move(struct fmt_rec_edge *target, struct fmt_rec_edge *source)
{
  if (!(source->flags & FMT_EDGE_SAMPLED) || !(target->flags & FMT_EDGE_SAMPLED))
    return;
  struct fmt_rec_sampling *from = prof_edge_sampling(source), *to = prof_edge_sampling(target);
  prof_move(&to->timed, &from->timed);
  prof_move(&to->timed_total, &from->timed_total);
  to->squares_low += from->squares_low;
  to->squares_high += from->squares_high + (to->squares_low < from->squares_low);
  from->squares_low = from->squares_high = 0;
}
