/*
 * What makecontext() in place of the C library's does on every processor.
 */
#ifndef CALLSIG_PROFILER_BASE_MAKE_CONTEXT_H
#define CALLSIG_PROFILER_BASE_MAKE_CONTEXT_H

#include <ucontext.h>

/* Notes the stack that a context gets, and gives who makes the context: the C library's makecontext(), or `own` in a
 * statically linked program, where that cannot be found. Outside of slow sections. */
void *prof_context_maker(const ucontext_t *context, void *own);

#endif
