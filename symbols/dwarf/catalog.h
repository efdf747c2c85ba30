/*
 * The names of a module's functions and types: to find definitions of what is only declared, and what a rule that names
 * nothing may have meant. It is made when it is first asked for, in one walk over the units, and only for rules.
 */
#ifndef CALLSIG_SYMBOLS_DWARF_CATALOG_H
#define CALLSIG_SYMBOLS_DWARF_CATALOG_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

enum sym_catalog_kind { SYM_CATALOG_FUNCTION, SYM_CATALOG_TYPE, SYM_CATALOG_BASIC /* types of the language itself */ };

struct sym_catalog_entry {
  const char *name; /* with namespaces and classes; a struct's without "struct" */
  Dwarf_Die die;
  unsigned char kind; /* enum sym_catalog_kind */
  bool is_declaration;
};

struct sym_catalog;

/* A catalog of `dwarf` (borrowed; NULL: an empty catalog). Nothing is read yet. NULL when memory is short. */
struct sym_catalog *sym_catalog_new(Dwarf *dwarf);
void sym_catalog_free(struct sym_catalog *catalog);

/* All entries of `kind` called `name`, which follow each other; `count` of them, NULL for none. -ENOMEM. */
int sym_catalog_find(struct sym_catalog *catalog, enum sym_catalog_kind kind, const char *name,
                     const struct sym_catalog_entry **entries, size_t *count);

/* The entries of `kind`, ascending by name. */
int sym_catalog_all(struct sym_catalog *catalog, enum sym_catalog_kind kind, const struct sym_catalog_entry **entries,
                    size_t *count);

/* The existing name that is the fewest edits from `name`, NULL when there is none at all. With `is_defined`
 * not one that is declared here for being defined in another module. */
int sym_catalog_nearest(struct sym_catalog *catalog, enum sym_catalog_kind kind, const char *name, bool is_defined,
                        const char **nearest);

/* Replaces a declaration of a struct, union or class by its definition, when the module has one of that name. */
int sym_catalog_complete(struct sym_catalog *catalog, Dwarf_Die *type);

#endif
