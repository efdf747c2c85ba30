/*
 * Takes waits for a processor out of the frames that were open over them.
 *
 * That there was one is seen when a timed call ends; how long it took, the kernel tells; where it lies,
 * wait_place.h says.
 */
#include "profiler/stack/waiting.h"

#include "profiler/arch/primitives.h"
#include "profiler/base/clock.h"
#include "profiler/base/counter.h"
#include "profiler/base/preemption.h"
#include "profiler/base/process.h"
#include "profiler/stack/sleeping.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/wait_place.h"

#define READINGS 3u /* of what the kernel tells, while the thread is preempted again each time */

/* What asking takes at the most that is taken for its least as long as no quicker one is known. */
#define ASKING_NS 20000u
/* A tracer stops the thread at each system call, which looks like a wait, so that it would ask at every timed call.
 * Where it was so in all readings of so many looks, one after the other, it pauses for so many times what asking takes.
 */
#define TRACED_LOOKS 4u
#define TRACED_PAUSE 16u
/* Frames: more take some time to go through. */
#define DEEP 16384u
/* ns for each of them between two times: some ten times as long as that takes. */
#define DEEP_PAUSE_NS 64u

/* What the kernel told. */
struct told {
  struct prof_turns turns;
  bool is_known;    /* false: not all that it was asked for */
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

static void read_once(const struct prof_thread *t, struct told *told)
{
  told->turns = prof_preemption_turns();
  told->has_account = needs_account(t, &told->turns);
  told->is_known = !told->has_account || prof_preemption_waited(&told->account_ns);
  if (told->has_account)
    told->turns = prof_preemption_turns();
}

/* Arms the word and reads what the kernel tells, once more when the thread was preempted meanwhile. False: it was so
 * each time. */
static bool read_told(struct prof_thread *t, struct told *told)
{
  for (unsigned i = 0; i < READINGS; i++) {
    __atomic_store_n(t->preemption.word, t->preemption.armed, __ATOMIC_RELAXED);
    read_once(t, told);
    if (__atomic_load_n(t->preemption.word, __ATOMIC_RELAXED) == t->preemption.armed)
      return true;
  }
  __atomic_store_n(t->preemption.word, t->preemption.armed, __ATOMIC_RELAXED);
  return false;
}

/* What the thread has surely waited by the kernel's account since the last look. How much of it was before a thread was
 * looked at nobody knows, nor how much while the account could not be read (there was no free descriptor): at most all
 * the time that it did not run then. */
static uint64_t advance_account(struct prof_thread *t, uint64_t ns)
{
  const uint64_t before = t->waited_ns, counted = before + t->untold_ns;
  const bool was_told = t->is_told;
  t->is_told = true;
  t->untold_ns = 0;
  return prof_replace(&t->waited_ns, before, ns) && was_told && ns > counted ? ns - counted : 0;
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
  if (!told->is_known) {
    prof_add(&t->untold_ns, ns);
    return away;
  }
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
  t->look_least[false] = t->look_least[true] = UINT64_MAX;
  t->traced = (struct prof_traced){.looks = 0};
  t->waited_ns = t->untold_ns = 0;
  t->is_told = false;
  if (t->preemption.word && __atomic_load_n(&prof_process.header->flags, __ATOMIC_RELAXED) & FMT_REC_WAITS_TAKEN) {
    start_later(t);
    return;
  }
  struct told told = {.is_known = false};
  if (t->preemption.word)
    read_told(t, &told);
  t->turns = told.turns;
  if (told.is_known)
    (void)advance_account(t, told.account_ns);
  t->looked_at = prof_clock_now();
  __atomic_fetch_or(&prof_process.header->flags,
                    told.is_known ? FMT_REC_WAITS_TAKEN | FMT_REC_SLEEP : FMT_REC_WAITS_UNKNOWN, __ATOMIC_RELAXED);
}

/* Has the next calls of those that are open, and began since the last look, looked at when they begin. */
static void look_at_entries(const struct prof_thread *t, const struct prof_look *look)
{
  struct prof_place place;
  if (!prof_place_now(t, &place))
    return;
  do {
    for (const struct fmt_rec_frame *frame = place.top; !prof_frame_is_link(place.stack, frame); frame--) {
      struct fmt_rec_edge *edge = prof_frame_edge(frame);
      if (!edge || !prof_frame_is_timed(frame))
        continue;
      if (frame->start_ticks <= look->since)
        return;
      prof_waiting_look_at_entries(edge);
    }
  } while (prof_place_outwards(&place));
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
  return call->usual == PROF_USUAL_UNKNOWN || prof_wait_fits(call, ticks, look.waited) ? look.waited : 0;
}

/* A call that waits for others wants no processor until they are ready: one that looks for them again and again, and
 * loses its processor meanwhile, waits as one does that sleeps. */
static void take_for_sleep(struct prof_look *look, const struct prof_ending *call)
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
  return t->shifted_frames > DEEP && now - t->shifted_at < prof_clock_ticks_passed(t->shifted_frames * DEEP_PAUSE_NS);
}

/* What nobody is told of. */
static struct prof_waited untold(void)
{
  __atomic_fetch_or(&prof_process.header->flags, FMT_REC_WAITS_UNKNOWN, __ATOMIC_RELAXED);
  return (struct prof_waited){.uncertain = true};
}

/* The kernel is not asked now, as somebody stops the thread each time. */
static struct prof_waited pass_over(struct prof_thread *t)
{
  t->traced.passed_over = true;
  return untold();
}

/* Asking took so many ticks. The first time it may have been away as well. Its least so far. */
static uint64_t note_asking(struct prof_thread *t, bool has_account, uint64_t asked)
{
  uint64_t *least = &t->look_least[has_account];
  if (*least == UINT64_MAX)
    *least = prof_clock_ticks_passed(ASKING_NS);
  if (asked < *least)
    *least = asked;
  return *least;
}

/* Has a thread that is stopped at each system call ask seldom. `undisturbed`: it was not, now. */
static void note_asked(struct prof_thread *t, bool undisturbed, uint64_t asked, uint64_t now)
{
  struct prof_traced *traced = &t->traced;
  traced->looks = undisturbed ? 0 : traced->looks + (traced->looks < TRACED_LOOKS);
  traced->until = traced->looks == TRACED_LOOKS ? now + TRACED_PAUSE * asked : 0;
}

/* What was told of the time from the last look to now. */
static struct prof_look look_of(struct prof_thread *t, const struct told *told, uint64_t began, uint64_t now)
{
  struct prof_look look = {.since = t->looked_at, .now = now, .asked = now - began};
  t->looked_at = now;
  look.least = note_asking(t, told->has_account, look.asked);
  return look;
}

/* Where the thread was surely away behind the call's end, or while it asked, that is of no call, and no price of
 * asking. */
static void leave_out_asking(struct prof_look *look, const struct prof_ending *call)
{
  const uint64_t end = call->end > look->since ? call->end : look->since, least = end + look->least;
  look->since_end = look->now > least ? look->now - least : 0;
  if (look->since_end / PROF_SURELY_AWAY < look->least)
    return;
  look->waited -= look->since_end < look->waited ? look->since_end : look->waited;
  look->since_end = 0;
  if (look->asked / PROF_SURELY_AWAY >= look->least)
    look->asked = look->least;
}

/* Notes how much of what was waited is in no row: what was taken out of calls, and what lies behind the end of one. */
static void count_waited(const struct prof_wait_place *place, uint64_t waited, uint64_t since_end)
{
  const uint64_t found = place->in_call + place->before, rest = waited > found ? waited - found : 0;
  __atomic_fetch_add(&prof_process.header->loss[FMT_LOSS_WAITED], found + (since_end < rest ? since_end : rest),
                     __ATOMIC_RELAXED);
}

/* Takes what the look found out of the frames that are open, and tells what of it lies in the call. */
static struct prof_waited distribute(struct prof_thread *t, struct prof_look *look, const struct prof_ending *call,
                                     bool running)
{
  const uint64_t away = look->waited;
  leave_out_asking(look, call);
  const uint64_t behind = away - look->waited;
  take_for_sleep(look, call);
  struct prof_wait_place place = prof_wait_find_place(t, look, call);
  const bool ambiguous = prof_wait_is_ambiguous(t, look, call, place.in_call + place.before);
  if (ambiguous)
    look_at_entries(t, look);
  /* A call that counts for many should not have what it cost to change places either. */
  const uint64_t own = call->end - call->start - place.in_call;
  const bool changed =
      place.in_call > 0 && call->weighs && own > call->usual && own - call->usual < PROF_CHANGE_COST * look->asked;
  if (changed)
    place.in_call += own - call->usual;
  const struct prof_sleep sleep = {.since = look->since,
                                   .ticks = look->slept,
                                   .in_call = place.in_call,
                                   .before = place.before,
                                   .before_begin = place.stretch.begin};
  const bool slept_before = look->slept > 0 && prof_sleeping_place(t, call, &sleep);
  const uint64_t since_end = running && look->now > call->end ? look->now - call->end : 0;
  t->shifted_frames = prof_frames_shift_since(t, place.stretch.begin, place.before, place.in_call + since_end);
  if (t->shifted_frames > DEEP)
    t->shifted_at = prof_clock_now();
  if (place.before + since_end > 0)
    t->stale_look = (struct prof_interrupted){in_progress(t), look->now, place.before + since_end};
  count_waited(&place, behind + look->waited, since_end);
  return (struct prof_waited){.ticks = place.in_call, .uncertain = changed, .may_be_before = slept_before || ambiguous};
}

/* Asks the kernel what there was since the last look. False: it does not tell. */
static bool ask(struct prof_thread *t, struct prof_look *look)
{
  const uint64_t began = prof_clock_now();
  struct told told;
  const bool undisturbed = read_told(t, &told);
  /* What it did since then may have been in calls that have ended. */
  if (t->traced.passed_over)
    told.is_known = t->traced.passed_over = false;
  *look = look_of(t, &told, began, prof_clock_now());
  note_asked(t, undisturbed, look->asked, look->now);
  const struct away away = advance(t, &told);
  look->waited = prof_clock_ticks_passed(away.waited_ns);
  look->slept = prof_clock_ticks_passed(away.slept_ns);
  /* Before the last look it may not have run either, for interrupts or another machine on its processor. */
  if (!told.has_account && look->waited > look->now - look->since)
    look->waited = look->now - look->since;
  return told.is_known;
}

/* Takes what a look found out of calls. */
static struct prof_waited place_look(struct prof_thread *t, struct prof_look *look, const struct prof_ending *call,
                                     bool running)
{
  if (look->waited > 0)
    t->waited_at = look->now;
  return is_too_deep(t, look->now) ? untold() : distribute(t, look, call, running);
}

/* What the kernel tells, distributed. */
static struct prof_waited take_told(struct prof_thread *t, const struct prof_ending *call, bool running)
{
  struct prof_look look;
  return ask(t, &look) ? place_look(t, &look, call, running) : untold();
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
    waited = call->end < t->traced.until ? pass_over(t) : take_told(t, &rest, running);
  waited.ticks += at_entry;
  return waited;
}

void prof_waiting_settle(struct prof_thread *t, uint64_t now, bool running)
{
  const struct prof_ending none = {.frame = NULL, .end = now, .usual = PROF_USUAL_UNKNOWN};
  if (prof_waiting_look(t, NULL, now))
    (void)prof_waiting_take(t, &none, running);
}

uint64_t prof_waiting_within(struct prof_thread *t, uint64_t began, uint64_t now)
{
  const uint64_t before = t->waited_ns + t->untold_ns;
  const bool was_told = t->is_told;
  prof_waiting_settle(t, now, true);
  /* What was told for the first time is of all the thread's life. */
  if (t->waited_ns <= before || (t->is_told && !was_told))
    return 0;
  const uint64_t waited = prof_clock_ticks_passed(t->waited_ns - before);
  return waited < now - began ? waited : now - began;
}

void prof_waiting_forget(struct prof_thread *t)
{
  if (!t->preemption.word || prof_process.settings.clock == FMT_CLOCK_INJECTED)
    return;
  /* Where the word is still as it was armed before the last reading, the kernel would tell the same again. */
  if (__atomic_load_n(t->preemption.word, __ATOMIC_RELAXED) == t->preemption.armed) {
    t->looked_at = prof_clock_now();
    return;
  }
  struct prof_look look;
  if (prof_clock_now() < t->traced.until)
    (void)pass_over(t);
  else
    (void)ask(t, &look);
}

/* What of so many ticks since the last look was after `at`. */
static uint64_t later_part(const struct prof_look *look, uint64_t ticks, uint64_t at)
{
  const uint64_t all = look->now - look->since;
  return prof_part_of(ticks < all ? ticks : all, look->now - at, all);
}

void prof_waiting_cut(struct prof_thread *t, uint64_t at, struct prof_look *look)
{
  *look = (struct prof_look){.waited = 0};
  if (!prof_waiting_is_due(t) || prof_process.settings.clock == FMT_CLOCK_INJECTED)
    return;
  struct prof_look found;
  if (prof_clock_now() < t->traced.until) {
    (void)pass_over(t);
  } else if (!ask(t, &found)) {
    (void)untold();
  } else if (found.now > at) {
    *look = found;
    if (look->since >= at)
      return;
    look->waited = later_part(&found, found.waited, at);
    look->slept = later_part(&found, found.slept, at);
    look->since = at;
  }
}

void prof_waiting_place(struct prof_thread *t, struct prof_look *look)
{
  const struct prof_ending none = {.frame = NULL, .end = look->now, .usual = PROF_USUAL_UNKNOWN};
  if (look->waited > 0 || look->slept > 0)
    (void)place_look(t, look, &none, true);
}
