/*
 * Whether the calling thread had to leave its processor, told without a system call, and how long it has waited for
 * one.
 */
#ifndef CALLSIG_PROFILER_BASE_PREEMPTION_H
#define CALLSIG_PROFILER_BASE_PREEMPTION_H

#include <stdbool.h>
#include <stdint.h>

/* A word of the calling thread, and what is stored there to have the kernel store 0 when it takes the processor from
 * the thread, or delivers a signal to it. Any other word is the program's own, and to be left alone. */
struct prof_preemption {
  uint64_t *word; /* NULL: there is none */
  uint64_t armed;
};

/* The calling thread's. Nothing is stored there yet. With signals blocked. */
struct prof_preemption prof_preemption_word(void);

/* How long the calling thread has waited for a processor so far, in nanoseconds; false where the kernel does not tell.
 * Some system calls. Anywhere. */
bool prof_preemption_waited(uint64_t *ns);

/* How often the calling thread left its processor, and for how long it did not run, counted from some moment on: system
 * calls that open no file, as one of /proc costs as much as a short thread does. Anywhere. */
struct prof_turns {
  uint64_t slept, preempted; /* of itself; or it could have gone on */
  uint64_t away_ns;
};
struct prof_turns prof_preemption_turns(void);

#endif
