/*
 * What makecontext(), swapcontext() and setcontext() in place of the C library's do on every processor.
 */
#ifndef CALLSIG_PROFILER_BASE_MAKE_CONTEXT_H
#define CALLSIG_PROFILER_BASE_MAKE_CONTEXT_H

#include <stdbool.h>
#include <ucontext.h>

/* Notes the stack that a context gets, and gives who makes the context: `own` in a statically linked program, where the
 * C library's makecontext() cannot be found, and where it is better than that; else the next makecontext() that there
 * is. Outside of slow sections. */
void *prof_context_maker(const ucontext_t *context, void *own, bool is_better);

/* The C library's function of this name, kept in *next once it was found; `own` in a statically linked program, where
 * it cannot be. Anywhere once it was found; before that not in signal handlers, as it asks the dynamic linker. */
void *prof_context_next(const char *name, void **next, void *own);

#endif
