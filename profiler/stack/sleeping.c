/*
 * Splits the time in which a thread slept among the calls that it may have slept in.
 *
 * Between two looks lie stretches of time, each the own time of one frame: from the last look over the entries of the
 * calls that have begun since to now. How long the thread slept in all of them together is known. One of them has what
 * the others are too short for at the least, and its length at the most; where that leaves a choice, all have the same
 * part of it, and the record says by how much that may be off.
 */
#include "profiler/stack/sleeping.h"

#include "profiler/arch/primitives.h"
#include "profiler/base/clock.h"
#include "profiler/base/counter.h"
#include "profiler/base/lock.h"
#include "profiler/base/proc_files.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/stack/stack.h"

#define STRETCHES   16u /* those farther out count as one, which is the outermost frame's */
#define RECORD_UNIT 8u

/* The time that a frame had to itself. */
struct stretch {
  const struct fmt_rec_edge *edge;
  uint64_t length; /* without what it is taken to have waited for a processor */
  uint64_t queued;
};

struct stretches {
  struct stretch list[STRETCHES];
  uint32_t count;
  uint64_t length, queued; /* of all of them */
};

static struct fmt_rec_sampling *sampling_of(const struct fmt_rec_edge *edge)
{
  return edge->flags & FMT_EDGE_SAMPLED ? (struct fmt_rec_sampling *)(uintptr_t)edge - 1 : NULL;
}

static struct fmt_rec_sleep *known_record(const struct fmt_rec_sampling *sampling)
{
  const uint64_t place = __atomic_load_n(&sampling->sleep, __ATOMIC_ACQUIRE);
  return place ? (struct fmt_rec_sleep *)(uintptr_t)(prof_process.header->base + place * RECORD_UNIT) : NULL;
}

/* With signals blocked. NULL: no space. */
static struct fmt_rec_sleep *make_record(struct prof_tree *tree, struct fmt_rec_sampling *sampling)
{
  struct fmt_rec_sleep *made = prof_record_alloc(tree, sizeof *made);
  const uint64_t place = made ? ((uintptr_t)made - prof_process.header->base) / RECORD_UNIT : 0;
  if (!made || place > UINT32_MAX)
    return NULL;
  made->tag = (struct fmt_rec_tag){FMT_TAG_SLEEP, sizeof *made};
  __atomic_store_n(&sampling->sleep, (uint32_t)place, __ATOMIC_RELEASE);
  return made;
}

/* The edge's record, made when it is new; NULL: the edge can have none, or there is no space. */
static struct fmt_rec_sleep *record_of(struct prof_thread *t, const struct fmt_rec_edge *edge)
{
  struct fmt_rec_sampling *sampling = sampling_of(edge);
  struct fmt_rec_sleep *record = sampling ? known_record(sampling) : NULL;
  if (record || !sampling || !t->tree.record)
    return record;
  const uint64_t mask = prof_block_signals();
  record = known_record(sampling);
  if (!record)
    record = make_record(&t->tree, sampling);
  prof_restore_signals(mask);
  return record;
}

/* `queued` of it waited for a processor. */
static void add_stretch(struct stretches *stretches, const struct fmt_rec_edge *edge, uint64_t whole, uint64_t queued)
{
  if (queued > whole)
    queued = whole;
  const uint64_t length = whole - queued;
  stretches->length += length;
  stretches->queued += queued;
  if (whole == 0)
    return;
  if (stretches->count < STRETCHES) {
    stretches->list[stretches->count++] = (struct stretch){edge, length, queued};
    return;
  }
  struct stretch *outermost = &stretches->list[STRETCHES - 1];
  *outermost = (struct stretch){edge, outermost->length + length, outermost->queued + queued};
}

/* The stretches before `end`, of the frames that are open, from the innermost one outwards. */
static void add_open(const struct prof_thread *t, const struct prof_sleep *sleep, uint64_t end,
                     struct stretches *stretches)
{
  struct prof_place place;
  if (!prof_place_now(t, &place))
    return;
  do {
    for (const struct fmt_rec_frame *frame = place.top; !prof_frame_is_link(place.stack, frame); frame--) {
      const struct fmt_rec_edge *edge = prof_frame_edge(frame);
      const uint64_t start = frame->start_ticks;
      if (!edge || !prof_frame_is_timed(frame) || start > end)
        continue;
      const uint64_t begin = start > sleep->since ? start : sleep->since;
      add_stretch(stretches, edge, end - begin, begin == sleep->before_begin ? sleep->before : 0);
      if (start <= sleep->since)
        return;
      end = begin;
    }
  } while (prof_place_outwards(&place));
}

static void add_to_record(struct prof_thread *t, const struct fmt_rec_edge *edge, uint64_t ticks, uint64_t unsure,
                          bool weighs)
{
  struct fmt_rec_sleep *record = record_of(t, edge);
  if (!record)
    return;
  prof_add(&record->times, 1);
  prof_add(&record->ticks, ticks);
  prof_add(&record->unsure, unsure);
  if (weighs) {
    prof_add(&record->drawn, ticks);
    prof_add(&record->drawn_times, 1);
  }
}

static uint64_t least_in(const struct stretches *stretches, const struct stretch *stretch, uint64_t slept)
{
  const uint64_t others = stretches->length - stretch->length;
  return slept > others ? slept - others : 0;
}

static uint64_t most_in(const struct stretch *stretch, uint64_t slept)
{
  return stretch->length < slept ? stretch->length : slept;
}

/* How much of what was slept may at least be in the stretch, and at most, wherever the thread waited for a processor.
 */
static uint64_t possible_least(const struct stretches *stretches, const struct stretch *stretch, uint64_t slept)
{
  const uint64_t others = stretches->length + stretches->queued - stretch->length - stretch->queued;
  return slept > others ? slept - others : 0;
}

static uint64_t possible_most(const struct stretches *stretches, const struct stretch *stretch, uint64_t slept)
{
  const uint64_t whole = stretch->length + stretch->queued;
  const uint64_t others = stretches->length + stretches->queued - whole;
  const uint64_t queued = stretches->queued > others ? stretches->queued - others : 0;
  return whole - queued < slept ? whole - queued : slept;
}

bool prof_sleeping_place(struct prof_thread *t, const struct prof_ending *call, const struct prof_sleep *sleep)
{
  struct stretches stretches = {.count = 0};
  const uint64_t end = call->end > sleep->since ? call->end : sleep->since;
  const uint64_t start = call->start > sleep->since ? call->start : sleep->since;
  if (call->edge)
    add_stretch(&stretches, call->edge, end > start ? end - start : 0, sleep->in_call);
  const uint32_t of_call = stretches.count;
  add_open(t, sleep, call->edge ? start : end, &stretches);
  const uint64_t slept = sleep->ticks < stretches.length ? sleep->ticks : stretches.length;
  uint64_t sure = 0, open = 0;
  for (uint32_t i = 0; i < stretches.count; i++) {
    const uint64_t least = least_in(&stretches, &stretches.list[i], slept);
    sure += least;
    open += most_in(&stretches.list[i], slept) - least;
  }
  bool may_be_before = false;
  for (uint32_t i = 0; i < stretches.count; i++) {
    const struct stretch *stretch = &stretches.list[i];
    const uint64_t least = least_in(&stretches, stretch, slept), choice = most_in(stretch, slept) - least;
    const uint64_t told = least + prof_part_of(choice, slept - sure, open);
    const uint64_t below = told - possible_least(&stretches, stretch, slept);
    const uint64_t above = possible_most(&stretches, stretch, slept) - told;
    const uint64_t unsure = below > above ? below : above;
    const bool is_call = i < of_call;
    if (told > 0 || unsure > 0)
      add_to_record(t, stretch->edge, told, unsure, is_call && call->weighs);
    may_be_before |= is_call && choice > slept / PROF_UNSURE_PART;
  }
  return may_be_before;
}

bool prof_sleeping_move(struct prof_tree *tree, struct fmt_rec_edge *target, const struct fmt_rec_edge *source)
{
  struct fmt_rec_sampling *from = sampling_of(source), *to = sampling_of(target);
  struct fmt_rec_sleep *moved = from && to ? known_record(from) : NULL;
  if (!moved)
    return true;
  struct fmt_rec_sleep *record = known_record(to);
  if (!record)
    record = make_record(tree, to);
  if (!record)
    return false;
  prof_move(&record->times, &moved->times);
  prof_move(&record->ticks, &moved->ticks);
  prof_move(&record->unsure, &moved->unsure);
  prof_move(&record->drawn, &moved->drawn);
  prof_move(&record->drawn_times, &moved->drawn_times);
  return true;
}

void prof_sleeping_prepare(struct prof_tree *tree, const struct fmt_rec_edge *edge)
{
  struct fmt_rec_sampling *sampling = sampling_of(edge);
  if (sampling && !known_record(sampling))
    (void)make_record(tree, sampling);
}

void prof_sleeping_part(const struct fmt_rec_edge *target, const struct fmt_rec_edge *source, uint64_t part,
                        uint64_t all)
{
  const struct fmt_rec_sampling *from = sampling_of(source), *to = sampling_of(target);
  struct fmt_rec_sleep *of = from ? known_record(from) : NULL, *record = to ? known_record(to) : NULL;
  if (!of || !record || all == 0)
    return;
  const uint64_t slept = of->ticks < all ? of->ticks : all, doubt = of->unsure < all ? of->unsure : all;
  const uint64_t ticks = prof_part_of(slept, part, all), unsure = prof_part_of(doubt, part, all);
  if (ticks == 0 && unsure == 0)
    return;
  prof_add(&record->times, 1);
  prof_add(&record->ticks, ticks);
  prof_add(&record->unsure, unsure);
  prof_add(&of->ticks, -ticks);
  prof_add(&of->unsure, -unsure);
}

void prof_sleeping_clear(const struct fmt_rec_edge *edge)
{
  const struct fmt_rec_sampling *sampling = sampling_of(edge);
  struct fmt_rec_sleep *record = sampling ? known_record(sampling) : NULL;
  if (record)
    *record = (struct fmt_rec_sleep){.tag = record->tag};
}

void prof_sleeping_note_live(const struct prof_thread *t)
{
  char text[PROF_SCHEDSTAT_SIZE];
  if (!t->preemption.word || prof_process.settings.clock == FMT_CLOCK_INJECTED)
    return;
  prof_task_file_read(t->tid, "schedstat", text, sizeof text);
  const uint64_t waited = prof_schedstat_parse(text).waited_ns;
  const uint64_t waited_before = t->waited_ns + t->untold_ns;
  const uint64_t ran_ns = prof_clock_cpu_of(t->tid);
  if (ran_ns == 0)
    return; /* it ends just now */
  const uint64_t ms = 1000000, away = prof_monotonic_ns() - ran_ns;
  const uint64_t queued = waited_before < waited ? waited - waited_before : 0;
  const uint64_t slept = away > t->turns.away_ns + queued ? (away - t->turns.away_ns - queued + ms / 2) / ms : 0;
  if (t->machine)
    t->machine->outermost->slept_ms = slept < UINT32_MAX ? (uint32_t)slept : UINT32_MAX;
}
