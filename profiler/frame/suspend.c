/*
 * Machine stacks that are put away while another one runs: their clock stands still, and what they marked as active is
 * not.
 */
#include "profiler/frame/suspend.h"

#include "profiler/frame/recursion.h"
#include "profiler/stack/modes.h"
#include "profiler/stack/waiting.h"

void prof_stack_suspend(struct prof_thread *t, uint64_t now)
{
  struct prof_machine *machine = t->machine;
  prof_waiting_settle(t, now, false);
  prof_recursion_suspend(t);
  machine->stack = t->stack;
  machine->top = t->top;
  machine->marked = t->marked;
  machine->recursion = t->recursion;
  machine->outermost->suspended = now;
}

void prof_stack_resume(struct prof_thread *t, struct prof_machine *machine, uint64_t now)
{
  prof_machine_use(t, machine);
  prof_stack_use(t, machine->stack, machine->top);
  t->marked = machine->marked;
  t->recursion = machine->recursion;
  t->mode = t->recursion ? PROF_MODE_RECURSION : PROF_MODE_PLAIN;
  prof_recursion_resume(t);
  prof_frames_shift(t, now - machine->outermost->suspended);
  machine->outermost->suspended = 0;
}
