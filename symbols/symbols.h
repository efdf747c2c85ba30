/*
 * Signature indexes: made from ELF and DWARF, cached by build-id, opened and checked.
 *
 * Internal to callsig; libcallsig-stats and the command use it. Functions return 0 or a negative errno after giving one
 * clear line to the message callback. Nothing here is thread-safe except on different objects.
 */
#ifndef CALLSIG_SYMBOLS_H
#define CALLSIG_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "callsig/format/index.h"

typedef void (*cs_message_fn)(const char *line, void *data);

struct cs_rules;

/* Reads a rules file (docs/rules.md). Errors name the file and the line. */
int cs_rules_load(const char *path, cs_message_fn message, void *data, struct cs_rules **rules);
void cs_rules_free(struct cs_rules *rules);
/* XXH64 (seed 0) of the rules' text; 0 for NULL. */
uint64_t cs_rules_hash(const struct cs_rules *rules);

struct cs_index_options {
  size_t size;
  const struct cs_rules *rules; /* NULL for none */
  cs_message_fn message;        /* NULL: silent */
  void *data;
  FILE *explain;  /* where joins, rules and losses are told, by function and site; NULL: nowhere */
  FILE *coverage; /* where the counts of how parameters are read are told; NULL: nowhere */
};

/* Compiles the index of the ELF file at `path` into memory that the caller frees. A module without DWARF gives an index
 * of its sites and symbols and a message. -ENOEXEC: not an ELF file of a known machine. */
int cs_index_build(const char *path, const struct cs_index_options *options, void **index, size_t *size);

/* After the last module that `rules` were given for: gives an error line, with the file and line, for each rule that
 * names something which none of those modules has, and returns -EINVAL when there is one. cs_rules_seen() tells the
 * rules of a module's index, made now or found in the cache. */
struct cs_index;
int cs_rules_seen(const struct cs_rules *rules, const struct cs_index *index);
int cs_rules_check(const struct cs_rules *rules, cs_message_fn message, void *data);

/* Reads the DWARF of `path` a second time, with libdwarf alone, and compares it with `index`, which was made from it.
 * Writes a line for each disagreement and each thing it could not check, then a summary, to `out`. Returns how many
 * disagreements there are, or a negative errno after a message. */
int cs_index_verify(const char *path, const struct cs_index *index, FILE *out, cs_message_fn message, void *data);

/* Makes sure that the cache holds the index of `path`, and writes its path into `cached` (`cached_size` bytes; NULL:
 * not wanted). The file is written atomically, 0600, under a directory made 0700. */
int cs_index_cache(const char *path, const struct cs_index_options *options, char *cached, size_t cached_size);

/* An opened index: `header` and the section arrays, every reference inside checked. It borrows `data`. */
struct cs_index {
  const struct cs_index_header *header;
  const char *strings;
  const struct cs_index_site *sites;
  const struct cs_index_physical *physicals;
  const struct cs_index_function *functions;
  const struct cs_index_arg *args;
  const struct cs_index_type *types;
  const struct cs_index_enumerator *enumerators;
  const struct cs_op *ops;
  const uint64_t *states;
  const int64_t *ranges;
  const struct cs_index_call_site *call_sites;
  const struct cs_index_call_value *call_values;
  const struct cs_index_symbol *symbols;
  const struct cs_index_saved *saved;
  const struct cs_index_rule *rules;
  uint32_t count[CS_SECTION_COUNT];
};

/* Checks everything that using the index relies on: hostile data gives -EINVAL, a newer version -ENOTSUP. */
int cs_index_open(const void *data, size_t size, struct cs_index *index);

/* The string at `offset`, always valid after cs_index_open() for references inside the index. */
static inline const char *cs_index_string(const struct cs_index *index, uint32_t offset)
{
  return index->strings + offset;
}

/* The function symbol that holds the link-time `address`, or NULL. */
const struct cs_index_symbol *cs_index_symbol_at(const struct cs_index *index, uint64_t address);

/* The site whose pc is `pc`, or NULL. */
const struct cs_index_site *cs_index_site_at(const struct cs_index *index, uint64_t pc);

#endif
