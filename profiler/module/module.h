/*
 * The modules of this process: registered with their index when an address in them first matters, and marked when they
 * are unloaded.
 */
#ifndef CALLSIG_PROFILER_MODULE_MODULE_H
#define CALLSIG_PROFILER_MODULE_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/module/module_find.h"
#include "profiler/module/site.h"
#include "profiler/stack/thread.h"

/* The module that `address` lies in, registered (with its index, made by the helper command when missing)
 * when it is new; NULL when no module holds it. Takes modules_lock itself only inside prof_site_resolve(), which holds
 * it. May run a command: it calls prof_pause(t) and prof_resume(t) around what is long. */
struct prof_module *prof_module_for_address(struct prof_thread *t, uintptr_t address);

/* The program has not begun: the modules that are known now are never unloaded, and the recording
 * says so. With signals blocked. */
void prof_modules_note_staying(void);

/* Is the module still mapped where it was? Under modules_lock. */
bool prof_module_present(struct prof_module *module);

/* Marks the module as unloaded: no address is in it any more, until it comes back to its place. Under
 * modules_lock. */
void prof_module_gone(struct prof_module *module);

/* The module may have been loaded anew where it was: if its imports were counted, the next call in it has them looked
 * at again. Under modules_lock. */
void prof_module_doubt_imports(struct prof_module *module);

/* Notes that the runtime has written machine code there, and records it, so that a reader knows whose it is. Where the
 * recording is full no reader will know. In a slow section. False: no memory, and the code may not be run. */
bool prof_module_note_code(uintptr_t start, size_t size);

/* Registers the modules that the function pointers of a new signature point into, so that a reader can name them. Takes
 * modules_lock. */
void prof_module_note_pointers(struct prof_thread *t, const struct prof_site *site, const uint64_t *words,
                               uint32_t word_count);

#endif
