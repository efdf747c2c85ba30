/*
 * Notes of open calls whose return value is told at their end, in the order in which they began.
 *
 * While such a call is open, what its callees take goes to the edge that it was opened in; when its value is known,
 * that has to follow it to another edge. Calls of one edge that are open at once lie inside one another, so the share
 * of one is what the edge has more than when it began: what calls inside it had was taken away when they ended. A frame
 * has no room for that number.
 */
#include "profiler/frame/returning.h"

#include "profiler/base/arena.h"

#define FIRST_NOTES 64u

struct prof_returning {
  const struct fmt_rec_frame *frame;
  uintptr_t cfa; /* of a note whose frame has gone without an end, another than the frame's */
  uint64_t children;
};

bool prof_returning_begins(struct prof_thread *t, const struct fmt_rec_frame *frame, uintptr_t cfa,
                           const struct fmt_rec_edge *edge)
{
  const uint64_t at = t->returning_count;
  if (at >= t->returning_room)
    return false;
  /* Its place first: hooks of a signal handler put their notes above it, and take them off again. One that leaves by
   * longjmp leaves a note of no frame, or of one that a later note is about as well. */
  __atomic_store_n(&t->returning_count, at + 1, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST); /* those hooks may have made room elsewhere */
  t->returning[at] = (struct prof_returning){frame, cfa, edge->children};
  return true;
}

bool prof_returning_ends(struct prof_thread *t, const struct fmt_rec_frame *frame, uint64_t *before)
{
  for (uint64_t at = t->returning_count; at-- > 0;) {
    const struct prof_returning *note = &t->returning[at];
    if (note->frame != frame || note->cfa != frame->cfa)
      continue;
    *before = note->children;
    __atomic_store_n(&t->returning_count, at, __ATOMIC_RELEASE);
    return true;
  }
  return false;
}

/* Takes off the notes of frames that are gone, and a place that a hook which was interrupted has not filled yet. */
static void compact(struct prof_thread *t)
{
  uint64_t kept = 0;
  for (uint64_t at = 0; at < t->returning_count; at++) {
    const struct prof_returning *note = &t->returning[at];
    if (note->frame && note->frame->cfa == note->cfa)
      t->returning[kept++] = *note;
  }
  t->returning_count = kept;
}

bool prof_returning_prepare(struct prof_thread *t)
{
  if (t->returning_count < t->returning_room)
    return true;
  compact(t);
  if (t->returning_count < t->returning_room / 2)
    return true;
  const uint64_t room = t->returning_room ? t->returning_room * 2 : FIRST_NOTES;
  struct prof_returning *made = prof_arena_alloc(&t->tree.arena, room * sizeof *made);
  if (!made)
    return false;
  for (uint64_t at = 0; at < t->returning_count; at++)
    made[at] = t->returning[at];
  t->returning = made;
  t->returning_room = room;
  return true;
}
