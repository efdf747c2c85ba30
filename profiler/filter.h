/*
 * Globs over functions, files and modules. Pure: no state, no allocation.
 */
#ifndef CALLSIG_FILTER_H
#define CALLSIG_FILTER_H

#include <stdbool.h>

#include "internal.h"

/* What is asked about; NULL for what is not known. */
struct cs_filter_subject {
  const char *function, *file, *module;
};

/* Does the whole of `text` match the glob [glob, end)? `*` any text, `?` one byte, `[a-z]`, `[!a-z]`, `\` takes the
 * next byte as it is. */
bool cs_glob_matches(const char *glob, const char *end, const char *text);

/* Is the subject recorded: matched by a line of `include` (NULL: all are) and by no line of `exclude` (NULL: none)? */
bool cs_filter_admits(const char *include, const char *exclude, const struct cs_filter_subject *subject);

/* Is every function of the module with this path left out, whatever its name and file? */
bool cs_filter_excludes_module(const char *include, const char *exclude, const char *path);

#endif
