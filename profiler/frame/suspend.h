/*
 * Machine stacks that are put away while another one runs.
 */
#ifndef CALLSIG_PROFILER_FRAME_SUSPEND_H
#define CALLSIG_PROFILER_FRAME_SUSPEND_H

#include <stdint.h>

#include "profiler/stack/stack.h"

/* Stops the clock of the running machine stack and puts it away. In a slow section. */
void prof_stack_suspend(struct prof_thread *t, uint64_t now);
/* Takes up a machine stack that was put away: its clock goes on. In a slow section. */
void prof_stack_resume(struct prof_thread *t, struct prof_machine *machine, uint64_t now);

#endif
