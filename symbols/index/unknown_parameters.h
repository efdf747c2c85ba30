/*
 * Whether a module's debug information is of the kind that tells of functions and not of their parameters.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_UNKNOWN_PARAMETERS_H
#define CALLSIG_SYMBOLS_INDEX_UNKNOWN_PARAMETERS_H

#include "base/message.h"
#include "format/open.h"

/* Gives one line on an index, made now or found in the cache, whose functions print as name(?) since the module was
 * compiled with -g1, or with what other compilers call so. What has no debug information is told when its index is
 * made. `path` is the module, as messages name it. */
void sym_index_tell_unknown_parameters(const struct fmt_index *index, const char *path, base_message_fn message,
                                       void *data);

#endif
