/*
 * Globs over functions, files and modules. Pure: no state, no allocation.
 */
#ifndef CALLSIG_PROFILER_MODULE_FILTER_H
#define CALLSIG_PROFILER_MODULE_FILTER_H

#include <stdbool.h>

#include "format/index.h"
#include "profiler/base/process.h"
#include "profiler/module/module_find.h"

/* What is asked about; NULL for what is not known. */
struct prof_filter_subject {
  const char *function, *file, *module;
};

/* Does the whole of `text` match the glob [glob, end)? `*` any text, `?` one byte, `[a-z]`, `[!a-z]`, `\` takes the
 * next byte as it is. */
bool prof_glob_matches(const char *glob, const char *end, const char *text);

/* Is the subject recorded: matched by a line of `include` (NULL: all are) and by no line of `exclude` (NULL: none)? */
bool prof_filter_admits(const char *include, const char *exclude, const struct prof_filter_subject *subject);

/* Is every function of the module with this path left out, whatever its name and file? */
bool prof_filter_excludes_module(const char *include, const char *exclude, const char *path);

/* Is this function of the module recorded, by the process's settings? `function` is NULL when it has no name, `module`
 * when there is none. Anywhere. */
bool prof_filter_allows(const struct prof_process *process, const struct prof_module *module,
                        const struct fmt_index_function *function);

#endif
