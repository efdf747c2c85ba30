/*
 * Finds the stretch that a wait fits into, by what the call that ended usually takes.
 */
#include "profiler/stack/wait_place.h"

#include "profiler/stack/sleeping.h"
#include "profiler/stack/stack.h"

/* 1 for a stretch of `least` ticks or more, else 0. */
static unsigned consider(struct prof_stretch *longest, uint64_t least, uint64_t begin, uint64_t end)
{
  uint64_t length = end > begin ? end - begin : 0;
  if (length >= least && length > longest->length)
    *longest = (struct prof_stretch){begin, length};
  return length >= least;
}

/* Considers what lies between the last look, the entries of the calls that have begun since and are open, and `end`.
 * How many stretches are of `least` ticks or more. */
static unsigned consider_entries(const struct prof_thread *t, const struct prof_look *look, uint64_t end,
                                 uint64_t least, struct prof_stretch *longest)
{
  struct prof_place place;
  unsigned count = 0;
  if (!prof_place_now(t, &place))
    return 0;
  do {
    for (const struct fmt_rec_frame *frame = place.top; !prof_frame_is_link(place.stack, frame); frame--) {
      const uint64_t start = frame->start_ticks;
      if (!frame->edge || !prof_frame_is_timed(frame) || start > end)
        continue;
      if (start <= look->since)
        return count + consider(longest, least, look->since, end);
      count += consider(longest, least, start, end);
      end = start;
    }
  } while (prof_place_outwards(&place));
  return count + consider(longest, least, look->since, end);
}

static uint64_t apart(uint64_t a, uint64_t b)
{
  return a > b ? a - b : b - a;
}

bool prof_wait_fits(const struct prof_ending *call, uint64_t ticks, uint64_t waited)
{
  return apart(ticks - waited, call->usual) < apart(ticks, call->usual);
}

/* The longest stretch before the call that ended (`end`: when it began, or when it ended where it has its own place),
 * if it is of `least` ticks; length 0 for none. */
static struct prof_stretch find(const struct prof_thread *t, const struct prof_look *look, uint64_t end, uint64_t least)
{
  struct prof_stretch longest = {0, 0};
  if (end > look->since)
    (void)consider_entries(t, look, end, least, &longest);
  return longest;
}

static struct prof_wait_place before_call(struct prof_stretch stretch, uint64_t waited)
{
  return (struct prof_wait_place){.before = waited < stretch.length ? waited : stretch.length, .stretch = stretch};
}

/* Since when, after the last look, the call has its own stretch: from its end on, where none ends. */
static uint64_t begin_of(const struct prof_look *look, const struct prof_ending *call)
{
  const uint64_t begin = call->frame ? call->start : call->end;
  return begin > look->since ? begin : look->since;
}

/* The length of that stretch. */
static uint64_t length_of(const struct prof_look *look, const struct prof_ending *call)
{
  const uint64_t begin = begin_of(look, call);
  return call->end > begin ? call->end - begin : 0;
}

/* Had the call begun when the thread was looked at last? Then whatever it did since, until the call's end, it did in
 * the call, of which this stretch may be a small part. */
static bool has_all_since(const struct prof_look *look, const struct prof_ending *call)
{
  return call->frame && call->start <= look->since;
}

/* Of such a call: did the thread wait while it asked, rather? */
static bool is_behind(const struct prof_look *look, const struct prof_ending *call, uint64_t waited)
{
  return waited <= look->since_end && call->usual != PROF_USUAL_UNKNOWN &&
         !prof_wait_fits(call, call->end - call->start, waited);
}

/* Finds the place of one wait: a stretch that it fits into. The call has it when it then took about what such calls
 * take, and has it not when it did so anyhow; else the longest stretch has it. */
static struct prof_wait_place find_one(const struct prof_thread *t, const struct prof_look *look,
                                       const struct prof_ending *call, uint64_t waited)
{
  const uint64_t ticks = length_of(look, call);
  if (has_all_since(look, call))
    return (struct prof_wait_place){.in_call = ticks < waited || is_behind(look, call, waited) ? 0 : waited};
  const struct prof_stretch before = find(t, look, begin_of(look, call), waited);
  if (ticks < waited || (call->usual != PROF_USUAL_UNKNOWN && !prof_wait_fits(call, ticks, waited)) ||
      (call->usual == PROF_USUAL_UNKNOWN && ticks < before.length))
    return before_call(before, waited);
  return (struct prof_wait_place){.in_call = waited};
}

/* The same for several waits at once: the call has what it took longer than such calls do, and the longest stretch the
 * rest. */
static struct prof_wait_place find_several(const struct prof_thread *t, const struct prof_look *look,
                                           const struct prof_ending *call, uint64_t waited)
{
  const uint64_t ticks = length_of(look, call);
  if (has_all_since(look, call))
    return (struct prof_wait_place){.in_call = ticks < waited ? ticks : waited};
  const uint64_t usual = call->usual == PROF_USUAL_UNKNOWN ? ticks / 2 : call->usual;
  const uint64_t longer = ticks > usual ? ticks - usual : 0, in_call = longer < waited ? longer : waited;
  struct prof_wait_place place = before_call(find(t, look, begin_of(look, call), 1), waited - in_call);
  place.in_call = in_call;
  return place;
}

struct prof_wait_place prof_wait_find_place(const struct prof_thread *t, const struct prof_look *look,
                                            const struct prof_ending *call)
{
  const struct prof_wait_place nowhere = {.in_call = 0, .before = 0};
  uint64_t waited = look->waited;
  if (waited == 0)
    return nowhere;
  struct prof_wait_place place = find_one(t, look, call, waited);
  if (place.in_call > 0 || (place.before > 0 && look->since_end < waited))
    return place;
  /* Asking took longer than it has to: it was then, or it was several times. */
  waited -= look->since_end < waited ? look->since_end : waited;
  if (waited == 0)
    return nowhere;
  place = find_one(t, look, call, waited);
  return place.in_call > 0 || place.before > 0 ? place : find_several(t, look, call, waited);
}

/* How many stretches of at least `least` ticks a wait may lie in: that of the call, and those before it. */
static unsigned count_stretches(const struct prof_thread *t, const struct prof_look *look,
                                const struct prof_ending *call, uint64_t least)
{
  const uint64_t begin = begin_of(look, call);
  struct prof_stretch longest = {0, 0};
  const unsigned before = begin > look->since ? consider_entries(t, look, begin, least, &longest) : 0;
  return before + (length_of(look, call) >= least);
}

bool prof_wait_is_ambiguous(const struct prof_thread *t, const struct prof_look *look, const struct prof_ending *call,
                            uint64_t waited)
{
  return waited / PROF_SURELY_AWAY > look->least && count_stretches(t, look, call, waited / PROF_UNSURE_PART + 1) > 1;
}
