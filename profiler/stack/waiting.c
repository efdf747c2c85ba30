/*
 * Takes waits for a processor out of the frames that were open over them.
 *
 * That there was one is seen when a timed call ends; how long it took, the kernel tells. Since when is not known, but
 * between two readings of the clock: the thread ran when it made each. So the wait lies in one of the stretches from
 * the last look over the entries of the calls that have begun since (those that ended were looked at) to now, and it
 * has to fit there.
 */
#include "profiler/stack/waiting.h"

#include "profiler/arch/primitives.h"
#include "profiler/base/clock.h"
#include "profiler/base/counter.h"
#include "profiler/base/preemption.h"
#include "profiler/base/process.h"
#include "profiler/stack/sleeping.h"
#include "profiler/stack/stack.h"

#define READINGS 3u /* of what the kernel tells, while the thread is preempted again each time */

/* What asking takes at the most that is taken for its least as long as no quicker one is known. */
#define ASKING_NS 20000u
/* A thread that takes so many times the least to ask was away while it asked. */
#define SURELY_AWAY 16u

/* Frames: more take some time to go through. */
#define DEEP 16384u
/* ns for each of them between two times: some ten times as long as that takes. */
#define DEEP_PAUSE_NS 64u

/* A stretch of time in which the wait may lie. */
struct stretch {
  uint64_t begin, length;
};

/* A look: when it was made, and what it found. */
struct look {
  uint64_t since;  /* the last one */
  uint64_t now;    /* when the kernel had told */
  uint64_t waited; /* ticks, up to `now` */
  uint64_t slept;  /* the same */
};

/* What the kernel told. */
struct told {
  struct prof_turns turns;
  bool has_account; /* it was asked for that, too */
  uint64_t account_ns;
};

/* Is the kernel's account of waiting needed? It is in a file, whose descriptor, for that moment, another thread does
 * not get when it opens one of its own, and a forked child has. A thread that has not slept since it was looked at last
 * waited whenever it did not run, which other system calls tell. */
static bool needs_account(const struct prof_thread *t, const struct prof_turns *turns)
{
  return turns->slept != t->turns.slept ||
         !(__atomic_load_n(&prof_process.header->flags, __ATOMIC_RELAXED) & FMT_REC_WAITS_TAKEN);
}

/* False: the kernel does not tell. */
static bool read_once(const struct prof_thread *t, struct told *told)
{
  told->turns = prof_preemption_turns();
  told->has_account = needs_account(t, &told->turns);
  if (!told->has_account)
    return true;
  const bool known = prof_preemption_waited(&told->account_ns);
  told->turns = prof_preemption_turns();
  return known;
}

/* Arms the word and reads what the kernel tells, once more when the thread was preempted meanwhile. */
static bool read_told(struct prof_thread *t, struct told *told)
{
  bool known = false;
  for (unsigned i = 0; i < READINGS; i++) {
    __atomic_store_n(t->preemption.word, t->preemption.armed, __ATOMIC_RELAXED);
    known = read_once(t, told);
    if (__atomic_load_n(t->preemption.word, __ATOMIC_RELAXED) == t->preemption.armed)
      return known;
  }
  __atomic_store_n(t->preemption.word, t->preemption.armed, __ATOMIC_RELAXED);
  return known;
}

/* What the thread has waited by the kernel's account since that was last known. How much of it was before a thread was
 * looked at nobody knows. */
static uint64_t advance_account(struct prof_thread *t, uint64_t ns)
{
  const uint64_t before = t->waited_ns;
  const bool was_told = t->is_told;
  t->is_told = true;
  return prof_replace(&t->waited_ns, before, ns) && was_told && ns > before ? ns - before : 0;
}

struct away {
  uint64_t waited_ns, slept_ns;
};

/* What the thread did since the last reading while it did not run, for the one that asks first: a handler may ask in
 * between. */
static struct away advance(struct prof_thread *t, const struct told *told)
{
  const struct prof_turns before = t->turns, *now = &told->turns;
  struct away away = {0, 0};
  if (now->away_ns < before.away_ns || !prof_replace(&t->turns.away_ns, before.away_ns, now->away_ns))
    return away;
  t->turns.slept = now->slept;
  t->turns.preempted = now->preempted;
  const uint64_t ns = now->away_ns - before.away_ns;
  if (told->has_account) {
    away.waited_ns = advance_account(t, told->account_ns);
  } else if (now->preempted != before.preempted) { /* else there was a signal */
    away.waited_ns = ns;
    prof_add(&t->waited_ns, ns);
  }
  if (now->slept != before.slept && ns > away.waited_ns)
    away.slept_ns = ns - away.waited_ns;
  return away;
}

/* Where the kernel is known to tell, a thread asks when it was preempted: many never are. */
static void start_later(struct prof_thread *t)
{
  __atomic_store_n(t->preemption.word, t->preemption.armed, __ATOMIC_RELAXED);
  t->turns = prof_preemption_turns();
  t->looked_at = prof_clock_now();
}

void prof_waiting_start(struct prof_thread *t)
{
  const struct prof_settings *settings = &prof_process.settings;
  if (!settings->sample_times || settings->timeline ||
      (settings->clock != FMT_CLOCK_TSC && settings->clock != FMT_CLOCK_MONOTONIC))
    return;
  t->preemption = prof_preemption_word();
  t->look_least = UINT64_MAX;
  t->waited_ns = 0;
  t->is_told = false;
  if (t->preemption.word && __atomic_load_n(&prof_process.header->flags, __ATOMIC_RELAXED) & FMT_REC_WAITS_TAKEN) {
    start_later(t);
    return;
  }
  struct told told = {.has_account = false};
  const bool known = t->preemption.word && read_told(t, &told);
  t->turns = told.turns;
  if (known)
    (void)advance_account(t, told.account_ns);
  t->looked_at = prof_clock_now();
  __atomic_fetch_or(&prof_process.header->flags, known ? FMT_REC_WAITS_TAKEN | FMT_REC_SLEEP : FMT_REC_WAITS_UNKNOWN,
                    __ATOMIC_RELAXED);
}

static void consider(struct stretch *longest, uint64_t least, uint64_t begin, uint64_t end)
{
  uint64_t length = end > begin ? end - begin : 0;
  if (length >= least && length > longest->length)
    *longest = (struct stretch){begin, length};
}

/* Considers what lies between the last look, the entries of the calls that have begun since and are open, and `end`. */
static void consider_entries(const struct prof_thread *t, const struct look *look, uint64_t end, uint64_t least,
                             struct stretch *longest)
{
  struct prof_place place;
  if (!prof_place_now(t, &place))
    return;
  do {
    for (const struct fmt_rec_frame *frame = place.top; !prof_frame_is_link(place.stack, frame); frame--) {
      const uint64_t start = frame->start_ticks;
      if (!frame->edge || !prof_frame_is_timed(frame) || start > end)
        continue;
      if (start <= look->since) {
        consider(longest, least, look->since, end);
        return;
      }
      consider(longest, least, start, end);
      end = start;
    }
  } while (prof_place_outwards(&place));
  consider(longest, least, look->since, end);
}

static uint64_t apart(uint64_t a, uint64_t b)
{
  return a > b ? a - b : b - a;
}

/* Did a call that took `ticks` wait so much of them, by what such calls take? */
static bool fits(const struct prof_ending *call, uint64_t ticks, uint64_t waited)
{
  return apart(ticks - waited, call->usual) < apart(ticks, call->usual);
}

/* The longest stretch before the call that ended (`end`: when it began, or when it ended where it has its own place),
 * if it is of `least` ticks; length 0 for none. */
static struct stretch find(const struct prof_thread *t, const struct look *look, uint64_t end, uint64_t least)
{
  struct stretch longest = {0, 0};
  if (end > look->since)
    consider_entries(t, look, end, least, &longest);
  return longest;
}

/* Where a wait before the call's end lies, as far as it was found: `in_call` of it in the call itself. */
struct place {
  uint64_t in_call, before;
  struct stretch stretch; /* that has what lies before the call */
};

static struct place before_call(struct stretch stretch, uint64_t waited)
{
  return (struct place){.before = waited < stretch.length ? waited : stretch.length, .stretch = stretch};
}

/* Finds the place of one wait: a stretch that it fits into. The call has it when it then took about what such calls
 * take, and has it not when it did so anyhow; else the longest stretch has it. */
static struct place find_one(const struct prof_thread *t, const struct look *look, const struct prof_ending *call,
                             uint64_t begin, uint64_t waited)
{
  const uint64_t ticks = call->end > begin ? call->end - begin : 0;
  const struct stretch before = find(t, look, begin, waited);
  if (ticks < waited || (call->usual != PROF_USUAL_UNKNOWN && !fits(call, ticks, waited)) ||
      (call->usual == PROF_USUAL_UNKNOWN && ticks < before.length))
    return before_call(before, waited);
  return (struct place){.in_call = waited};
}

/* The same for several waits at once: the call has what it took longer than such calls do, and the longest stretch the
 * rest. */
static struct place find_several(const struct prof_thread *t, const struct look *look, const struct prof_ending *call,
                                 uint64_t begin, uint64_t waited)
{
  const uint64_t ticks = call->end > begin ? call->end - begin : 0;
  const uint64_t usual = call->usual == PROF_USUAL_UNKNOWN ? ticks / 2 : call->usual;
  const uint64_t longer = ticks > usual ? ticks - usual : 0, in_call = longer < waited ? longer : waited;
  struct place place = before_call(find(t, look, begin, 1), waited - in_call);
  place.in_call = in_call;
  return place;
}

/* Where the thread waited before the call ended. */
static struct place find_place(const struct prof_thread *t, const struct look *look, const struct prof_ending *call)
{
  const struct place nowhere = {.in_call = 0, .before = 0};
  const uint64_t end = call->end > look->since ? call->end : look->since, least = end + t->look_least;
  uint64_t begin = end, waited = look->waited, since_end = look->now > least ? look->now - least : 0;
  if (call->frame)
    begin = call->start > look->since ? call->start : look->since;
  if (since_end / SURELY_AWAY >= t->look_least) {
    waited -= since_end < waited ? since_end : waited;
    since_end = 0;
  }
  if (waited == 0)
    return nowhere;
  struct place place = find_one(t, look, call, begin, waited);
  if (place.in_call > 0 || (place.before > 0 && since_end < waited))
    return place;
  /* Asking took longer than it has to: it was then, or it was several times. */
  waited -= since_end < waited ? since_end : waited;
  if (waited == 0)
    return nowhere;
  place = find_one(t, look, call, begin, waited);
  return place.in_call > 0 || place.before > 0 ? place : find_several(t, look, call, begin, waited);
}

/* Might more than a small part of the wait be in the call, and as well before it? */
static bool may_be_either(const struct prof_thread *t, const struct look *look, const struct prof_ending *call,
                          uint64_t waited)
{
  const uint64_t begin = call->start > look->since ? call->start : look->since, part = waited / PROF_UNSURE_PART;
  return call->edge && waited / SURELY_AWAY > t->look_least && call->end > begin && call->end - begin > part &&
         find(t, look, begin, part + 1).length > 0;
}

/* The innermost frame whose hook was interrupted by what runs now; NULL for none. */
static const struct fmt_rec_frame *in_progress(const struct prof_thread *t)
{
  struct prof_place place;
  if (!prof_place_now(t, &place))
    return NULL;
  do {
    for (const struct fmt_rec_frame *frame = place.top; !prof_frame_is_link(place.stack, frame); frame--)
      if (!frame->edge && !prof_frame_is_lost(frame))
        return frame;
  } while (prof_place_outwards(&place));
  return NULL;
}

/* What the call waited while its entry was interrupted: a handler's look came between its reading of the clock and its
 * frame, which therefore was passed over. */
static uint64_t waited_at_entry(struct prof_thread *t, const struct prof_ending *call)
{
  const struct prof_interrupted look = t->stale_look;
  if (!call->frame || call->frame != look.frame)
    return 0;
  t->stale_look.frame = NULL;
  const uint64_t ticks = call->end - call->start;
  if (call->start > look.at || ticks < look.waited)
    return 0;
  return call->usual == PROF_USUAL_UNKNOWN || fits(call, ticks, look.waited) ? look.waited : 0;
}

/* A call that waits for others wants no processor until they are ready: one that looks for them again and again, and
 * loses its processor meanwhile, waits as one does that sleeps. */
static void take_for_sleep(struct look *look, const struct prof_ending *call)
{
  if (!call->edge || !(call->edge->flags & FMT_EDGE_TIMED))
    return;
  look->slept += look->waited;
  look->waited = 0;
}

/* Whether taking a wait out of the open frames now would have the thread do little else: they are so many that it takes
 * about as long as the thread has the processor, where others want it too, so that it would wait again meanwhile. */
static bool is_too_deep(const struct prof_thread *t, uint64_t now)
{
  return t->shifted_frames > DEEP && now - t->shifted_at < prof_clock_ticks_at(t->shifted_frames * DEEP_PAUSE_NS, now);
}

/* What nobody is told of. */
static struct prof_waited untold(void)
{
  __atomic_fetch_or(&prof_process.header->flags, FMT_REC_WAITS_UNKNOWN, __ATOMIC_RELAXED);
  return (struct prof_waited){.uncertain = true};
}

/* Asking took so many ticks. The first time it may have been away as well. */
static void note_asking(struct prof_thread *t, uint64_t asked, uint64_t now)
{
  if (t->look_least == UINT64_MAX)
    t->look_least = prof_clock_ticks_at(ASKING_NS, now);
  if (asked < t->look_least)
    t->look_least = asked;
}

/* What the kernel tells, distributed. */
static struct prof_waited take_told(struct prof_thread *t, const struct prof_ending *call, bool running)
{
  struct look look = {.since = t->looked_at};
  const uint64_t began = prof_clock_now();
  struct told told;
  const bool known = read_told(t, &told);
  look.now = prof_clock_now();
  t->looked_at = look.now;
  note_asking(t, look.now - began, look.now);
  if (!known)
    return untold();
  const struct away away = advance(t, &told);
  look.waited = prof_clock_ticks_at(away.waited_ns, look.now);
  /* Before the last look it may not have run either, for interrupts or another machine on its processor. */
  if (!told.has_account && look.waited > look.now - look.since)
    look.waited = look.now - look.since;
  if (look.waited > 0)
    t->waited_at = look.now;
  look.slept = prof_clock_ticks_at(away.slept_ns, look.now);
  if (is_too_deep(t, look.now))
    return untold();
  take_for_sleep(&look, call);
  struct place place = find_place(t, &look, call);
  /* A call that counts for many should not have what it cost to change places either. */
  const uint64_t own = call->end - call->start - place.in_call;
  const bool changed = place.in_call > 0 && call->weighs && own > call->usual &&
                       own - call->usual < PROF_CHANGE_COST * (look.now - began);
  if (changed)
    place.in_call += own - call->usual;
  const struct prof_sleep sleep = {.since = look.since,
                                   .ticks = look.slept,
                                   .in_call = place.in_call,
                                   .before = place.before,
                                   .before_begin = place.stretch.begin};
  bool may_be_before = look.slept > 0 && prof_sleeping_place(t, call, &sleep);
  may_be_before |= may_be_either(t, &look, call, place.in_call + place.before);
  const uint64_t since_end = running && look.now > call->end ? look.now - call->end : 0;
  t->shifted_frames = prof_frames_shift_since(t, place.stretch.begin, place.before, place.in_call + since_end);
  if (t->shifted_frames > DEEP)
    t->shifted_at = prof_clock_now();
  if (place.before + since_end > 0)
    t->stale_look = (struct prof_interrupted){in_progress(t), look.now, place.before + since_end};
  __atomic_fetch_add(&prof_process.header->loss[FMT_LOSS_WAITED], running ? look.waited : place.in_call + place.before,
                     __ATOMIC_RELAXED);
  return (struct prof_waited){.ticks = place.in_call, .uncertain = changed, .may_be_before = may_be_before};
}

struct prof_waited prof_waiting_take(struct prof_thread *t, const struct prof_ending *call, bool running)
{
  /* The program may have put a clock of its own in place since. */
  if (prof_process.settings.clock == FMT_CLOCK_INJECTED) {
    t->preemption.word = NULL;
    return (struct prof_waited){0};
  }
  struct prof_ending rest = *call;
  const uint64_t at_entry = waited_at_entry(t, call);
  rest.start += at_entry;
  struct prof_waited waited = {0};
  if (__atomic_load_n(t->preemption.word, __ATOMIC_RELAXED) == 0)
    waited = take_told(t, &rest, running);
  waited.ticks += at_entry;
  return waited;
}

void prof_waiting_settle(struct prof_thread *t, uint64_t now, bool running)
{
  const struct prof_ending none = {.frame = NULL, .end = now, .usual = PROF_USUAL_UNKNOWN};
  if (prof_waiting_look(t, NULL, now))
    (void)prof_waiting_take(t, &none, running);
}

void prof_waiting_forget(struct prof_thread *t)
{
  struct told told;
  if (!t->preemption.word)
    return;
  /* Where the word is still as it was armed before the last reading, the kernel would tell the same again. */
  if (__atomic_load_n(t->preemption.word, __ATOMIC_RELAXED) != t->preemption.armed && read_told(t, &told))
    (void)advance(t, &told);
  t->looked_at = prof_clock_now();
}
