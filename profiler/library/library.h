/*
 * Calls of imported functions: the slots of a module that lead to them, led to stubs that count.
 */
#ifndef CALLSIG_PROFILER_LIBRARY_LIBRARY_H
#define CALLSIG_PROFILER_LIBRARY_LIBRARY_H

#include "profiler/module/module_find.h"

/* What prof_upcalls.count_imports is: has the calls of the module's imports counted that the settings ask for, from now
 * on. Told where that cannot be, once. For a module at its place whose code runs, each time that it may have been
 * loaded anew; nothing is done where its slots lead to stubs already. Under modules_lock, in a slow section. */
void prof_library_count(struct prof_module *module);

#endif
