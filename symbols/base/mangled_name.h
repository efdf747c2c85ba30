/*
 * Mangled names of C++, of the Itanium C++ ABI.
 */
#ifndef CALLSIG_SYMBOLS_BASE_MANGLED_NAME_H
#define CALLSIG_SYMBOLS_BASE_MANGLED_NAME_H

#include <stdbool.h>

/* The name as C++ programmers write it, or the name itself when it is not mangled. The caller frees it; NULL when
 * memory is short. */
char *sym_demangle(const char *name);

/* Whether a linkage name is of a thunk: code in a table of virtual functions that adjusts `this`, or what a function
 * returns, and goes on in the function or has a copy of it. */
bool sym_name_is_thunk(const char *name);

#endif
