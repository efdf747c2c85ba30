/*
 * The function symbols of a module, from .symtab, .dynsym and .gnu_debugdata, one for an address.
 */
#ifndef CALLSIG_SYMBOLS_ELF_SYMBOLTABLE_H
#define CALLSIG_SYMBOLS_ELF_SYMBOLTABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "symbols/elf/debugfile.h"

struct sym_symbol {
  uint64_t address, size;
  const char *name; /* as in the file; owned by libelf */
  bool is_local;
  uint8_t rank; /* which of several names of one address is kept: global before weak before local */
};

struct sym_symbol_table {
  struct base_vector symbols; /* struct sym_symbol, ascending by address, each address once */
  bool has_symtab;            /* local functions have names */
};

/* -ENOMEM. */
int sym_symbol_table_read(struct sym_symbol_table *table, const struct sym_debugfile *file);
void sym_symbol_table_free(struct sym_symbol_table *table);

/* The symbol at exactly `address`, or NULL. */
const struct sym_symbol *sym_symbol_table_exact(const struct sym_symbol_table *table, uint64_t address);

/* The symbol whose code holds `address`, or NULL. A symbol without size reaches to the next one. */
const struct sym_symbol *sym_symbol_table_holding(const struct sym_symbol_table *table, uint64_t address);

/* Length of a linkage name without the suffixes of clones: ".constprop.0", ".isra.0", ".part.0", ".cold",
 * ".lto_priv.0",
 * ".llvm.123". */
size_t sym_symbol_base_length(const char *name);

/* Whether a linkage name is of a clone that is called in another way than its source says: some of its arguments are
 * not passed, or others are. */
bool sym_symbol_is_rebuilt(const char *name);

/* Whether it is one of a clone that has constants in the place of some of its source's parameters. */
bool sym_symbol_is_specialised(const char *name);

/* Whether a linkage name is of a part of a function that gcc split off (f.part.0): it runs where the function went on.
 */
bool sym_symbol_is_part(const char *name);

#endif
