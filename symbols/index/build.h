/*
 * Signature indexes made from ELF and DWARF. format/open.h opens and checks them, cache.h keeps them by build-id.
 *
 * Internal to callsig; the command uses it. Functions return 0 or a negative errno after giving one clear line to the
 * message callback. Nothing here is thread-safe except on different objects.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_BUILD_H
#define CALLSIG_SYMBOLS_INDEX_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/message.h"
#include "symbols/plan/rules.h"

struct sym_index_options {
  size_t size;
  const struct sym_rules *rules; /* NULL for none */
  bool library_calls;            /* also the functions that the module imports */
  /* Which functions have FMT_FUNCTION_TOP: those of which it is true, asked with `below_data` and the name as a report
   * has it, "file:line(function)". NULL: none. `below_hash`: of what it goes by, not 0. */
  bool (*is_top)(const char *name, void *below_data);
  void *below_data;
  uint64_t below_hash;
  base_message_fn message; /* NULL: silent */
  void *data;
  FILE *explain;  /* where joins, rules and losses are told, by function and site; NULL: nowhere */
  FILE *coverage; /* where the counts of how parameters are read are told; NULL: nowhere */
};

/* Compiles the index of the ELF file at `path` into memory that the caller frees. A module without DWARF gives an index
 * of its sites and symbols and a message. -ENOEXEC: not an ELF file of a known machine. */
int sym_index_build(const char *path, const struct sym_index_options *options, void **index, size_t *size);

#endif
