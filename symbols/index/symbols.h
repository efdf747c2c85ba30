/*
 * Signature indexes: made from ELF and DWARF, and cached by build-id. format/open.h opens and checks them.
 *
 * Internal to callsig; libcallsig-stats and the command use it. Functions return 0 or a negative errno after giving one
 * clear line to the message callback. Nothing here is thread-safe except on different objects.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_SYMBOLS_H
#define CALLSIG_SYMBOLS_INDEX_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "format/open.h"

typedef void (*sym_message_fn)(const char *line, void *data);

struct sym_rules;

/* Reads a rules file (docs/rules.md). Errors name the file and the line. */
int sym_rules_load(const char *path, sym_message_fn message, void *data, struct sym_rules **rules);
void sym_rules_free(struct sym_rules *rules);
/* XXH64 (seed 0) of the rules' text; 0 for NULL. */
uint64_t sym_rules_hash(const struct sym_rules *rules);

struct sym_index_options {
  size_t size;
  const struct sym_rules *rules; /* NULL for none */
  sym_message_fn message;        /* NULL: silent */
  void *data;
  FILE *explain;  /* where joins, rules and losses are told, by function and site; NULL: nowhere */
  FILE *coverage; /* where the counts of how parameters are read are told; NULL: nowhere */
};

/* Compiles the index of the ELF file at `path` into memory that the caller frees. A module without DWARF gives an index
 * of its sites and symbols and a message. -ENOEXEC: not an ELF file of a known machine. */
int sym_index_build(const char *path, const struct sym_index_options *options, void **index, size_t *size);

/* After the last module that `rules` were given for: gives an error line, with the file and line, for each rule that
 * names something which none of those modules has, and returns -EINVAL when there is one. sym_rules_seen() tells the
 * rules of a module's index, made now or found in the cache. */
struct fmt_index;
int sym_rules_seen(const struct sym_rules *rules, const struct fmt_index *index);
int sym_rules_check(const struct sym_rules *rules, sym_message_fn message, void *data);

/* Reads the DWARF of `path` a second time, with libdwarf alone, and compares it with `index`, which was made from it.
 * Writes a line for each disagreement and each thing it could not check, then a summary, to `out`. Returns how many
 * disagreements there are, or a negative errno after a message. */
int sym_index_verify(const char *path, const struct fmt_index *index, FILE *out, sym_message_fn message, void *data);

/* Makes sure that the cache holds the index of `path`, and writes its path into `cached` (`cached_size` bytes; NULL:
 * not wanted). The file is written atomically, 0600, under a directory made 0700. */
int sym_index_cache(const char *path, const struct sym_index_options *options, char *cached, size_t cached_size);

#endif
