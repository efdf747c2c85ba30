/*
 * What module.c gives beside internal.h.
 */
#ifndef CALLSIG_PROFILER_MODULE_MODULE_H
#define CALLSIG_PROFILER_MODULE_MODULE_H

#include "profiler/base/internal.h"

/* Is the module still mapped where it was? Anywhere. */
bool prof_module_present(const struct prof_module *module);

/* Marks the module as unloaded: no address is in it any more, until it comes back to its place. Takes modules_lock. */
void prof_module_gone(struct prof_module *module);

/* Registers the modules that the function pointers of a new signature point into, so that a reader can name them. Takes
 * modules_lock. */
void prof_module_note_pointers(struct prof_thread *t, const struct prof_site *site, const uint64_t *words,
                               uint32_t word_count);

#endif
