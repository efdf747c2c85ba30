/*
 * What module.c gives beside internal.h.
 */
#ifndef CALLSIG_MODULE_H
#define CALLSIG_MODULE_H

#include "internal.h"

/* Is the module still mapped where it was? Anywhere. */
bool cs_module_present(const struct cs_module *module);

/* Marks the module as unloaded: no address is in it any more, until it comes back to its place. Takes modules_lock. */
void cs_module_gone(struct cs_module *module);

/* Registers the modules that the function pointers of a new signature point into, so that a reader can name them. Takes
 * modules_lock. */
void cs_module_note_pointers(struct cs_thread *t, const struct cs_site *site, const uint64_t *words,
                             uint32_t word_count);

#endif
