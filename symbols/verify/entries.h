/*
 * The out-of-line functions of a module by name, to tell which of them the first argument of a hook is.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_ENTRIES_H
#define CALLSIG_SYMBOLS_VERIFY_ENTRIES_H

#include "symbols/verify/code.h"
#include "symbols/verify/functions.h"

/* An out-of-line function. */
struct vf_entry {
  uint64_t address;
  struct vf_scope *scope;
  const struct vf_function *function;
};

/* All of a module, by name. Zero-initialise; free() `all` in the end. */
struct vf_entries {
  struct vf_entry *all; /* NULL before they are listed */
  size_t count;
};

/* A call of the hook in the function [low, high). */
struct vf_entered {
  const char *name;                    /* of the function that is looked for */
  const struct vf_function *innermost; /* of the innermost scope there, where it has this name; or NULL */
  uint64_t low, high, call;
};

/* Lists the out-of-line functions, once. -ENOMEM. */
int vf_entries_list(struct vf_entries *entries, struct vf_module *module, struct vf_functions *functions);

/* The out-of-line scope of a function of this name that the hook's first argument is. NULL when none is known to be, or
 * when the innermost scope's own function may be. A function of one name may have several addresses: static functions
 * of a header. */
struct vf_scope *vf_entries_other(const struct vf_entries *entries, const struct vf_code *code,
                                  const struct vf_entered *entered);

#endif
