/*
 * Demangles names of C++.
 */
#include "symbols/base/mangled_name.h"

#include <stdlib.h>
#include <string.h>

/* libstdc++'s, of the Itanium C++ ABI: returns a malloc'ed text, or NULL with a status below 0. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

char *sym_demangle(const char *name)
{
  int status = -1;
  char *demangled = strncmp(name, "_Z", 2) == 0 ? __cxa_demangle(name, NULL, NULL, &status) : NULL;
  return demangled && status == 0 ? demangled : strdup(name);
}

bool sym_name_is_thunk(const char *name)
{
  return strncmp(name, "_ZTh", 4) == 0 || strncmp(name, "_ZTv", 4) == 0 || strncmp(name, "_ZTc", 4) == 0;
}
