/*
 * The function symbols of a module, from .symtab, .dynsym and .gnu_debugdata, one for an address.
 */
#ifndef CALLSIG_SYMBOLS_SYMBOLTABLE_H
#define CALLSIG_SYMBOLS_SYMBOLTABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "debugfile.h"
#include "vector.h"

struct cs_symbol {
  uint64_t address, size;
  const char *name; /* as in the file; owned by libelf */
  uint8_t rank;     /* which of several names of one address is kept: global before weak before local */
};

struct cs_symbol_table {
  struct cs_vector symbols; /* struct cs_symbol, ascending by address, each address once */
  bool has_symtab;          /* local functions have names */
};

/* -ENOMEM. */
int cs_symbol_table_read(struct cs_symbol_table *table, const struct cs_debugfile *file);
void cs_symbol_table_free(struct cs_symbol_table *table);

/* The symbol at exactly `address`, or NULL. */
const struct cs_symbol *cs_symbol_table_exact(const struct cs_symbol_table *table, uint64_t address);

/* The symbol whose code holds `address`, or NULL. A symbol without size reaches to the next one. */
const struct cs_symbol *cs_symbol_table_holding(const struct cs_symbol_table *table, uint64_t address);

/* Length of a linkage name without the suffixes of clones: ".constprop.0", ".isra.0", ".part.0", ".cold",
 * ".lto_priv.0",
 * ".llvm.123". */
size_t cs_symbol_base_length(const char *name);

/* The name as C++ programmers write it, or the name itself when it is not mangled. The caller frees it; NULL when
 * memory is short. */
char *cs_symbol_demangle(const char *name);

#endif
