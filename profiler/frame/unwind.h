/*
 * Frames that control left without an exit hook: found, and ended.
 */
#ifndef CALLSIG_PROFILER_FRAME_UNWIND_H
#define CALLSIG_PROFILER_FRAME_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"
#include "profiler/module/site.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"

/* Ends `top`, which is open, at `now` without an exit hook. In a slow section. */
void prof_frame_close(struct prof_thread *t, uint64_t now);
/* The CFA of the innermost frame that has one, be it open or in progress; UINTPTR_MAX without one. Anywhere. */
static inline uintptr_t prof_frame_cfa(struct prof_place place)
{
  while (!place.top->edge && !place.top->cfa && !prof_frame_is_link(place.stack, place.top))
    place.top--;
  if (prof_frame_is_link(place.stack, place.top))
    (void)prof_place_outwards(&place);
  return place.top->cfa ? place.top->cfa : UINTPTR_MAX;
}
/* May a function begin in the frame of `top`, which is open, with the same CFA: it is inlined there? */
bool prof_frame_shared(const struct fmt_rec_frame *top, const struct prof_site *site);
/* Is the innermost frame alive, and its machine stack the one that runs, when `sp` is the stack pointer? Anywhere. */
static inline bool prof_frame_live(const struct prof_thread *t, struct prof_place place, uintptr_t sp)
{
  if (sp <= t->stack_low || sp > t->stack_high)
    return false;
  if (prof_frame_is_link(place.stack, place.top) && place.stack->outer)
    return ((const struct fmt_rec_frame *)place.top->flags)->cfa > sp && place.stack != t->machine->outermost;
  return place.top->cfa > sp || place.top->cfa == 0;
}
/* Is it for the hook that was interrupted to end what is innermost? */
bool prof_unwind_held(const struct prof_thread *t);
/* Ends the frames of the current machine stack that are dead when a function with this CFA begins. In a slow section.
 */
void prof_unwind_for_entry(struct prof_thread *t, uintptr_t cfa, const struct prof_site *site, uint64_t now);

/* What an exit hook ends. */
enum prof_exit {
  PROF_EXIT_TOP,       /* `top` is the frame that ends */
  PROF_EXIT_LOST,      /* a call that could not be recorded ended: its place was taken off */
  PROF_EXIT_UNMATCHED, /* nobody's */
};

/* The same when control is in a function whose exit hook was called with rsp `sp`: whose end this is. */
enum prof_exit prof_unwind_for_exit(struct prof_thread *t, uintptr_t function, uintptr_t call_site, uintptr_t sp,
                                    uint64_t now);

/* Is the frame that begins at `cfa` above all that are open, on the same machine stack? `site`: NULL where it is not
 * known. Anywhere. */
bool prof_unwind_in_order(const struct prof_thread *t, struct prof_place place, const struct prof_site *site,
                          uintptr_t cfa);
/* What prof_unwind_openly() goes by: an exit of `function`, below whose frame all that begin at `last` or deeper are
 * dead. `function` 0: its frame begins one word above. */
struct prof_leaving {
  uintptr_t function, last;
  uint64_t now; /* of the time stamp counter, which is the clock */
};

/* Ends the frames above that of the function that ends, which control left without their exits, when all of them are
 * open calls of functions in the segment that runs, as nearly always. Then that function's is `place->top`. False: at
 * most some of them have ended, and prof_unwind_for_exit() ends the rest. Signals may be open: so a program that throws
 * or jumps all the time makes no system call for each. Anywhere. */
bool prof_unwind_openly(struct prof_thread *t, const struct prof_leaving *leaving, struct prof_place *place);

/* Ends every open frame of the thread, on all of its machine stacks, at `now`, as finished calls. `left`: the thread
 * does not come back to its tasks, which have failed. In a slow section. */
void prof_frames_close_all(struct prof_thread *t, uint64_t now, bool left);
/* `top` lies in another segment than the thread's: a hook went on that a signal had interrupted. Either frames of the
 * handler never ended, since recording was switched off meanwhile: they end. Or the hook had prepared a segment, which
 * was empty when the handler's hooks were done. The segment is that of `top` again. In a slow section. */
void prof_frames_mend(struct prof_thread *t);

#endif
