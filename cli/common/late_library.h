/*
 * Libraries that few subcommands need, loaded when one does: with all that they bring along they would take longer to
 * load than most commands run.
 */
#ifndef CALLSIG_CLI_COMMON_LATE_LIBRARY_H
#define CALLSIG_CLI_COMMON_LATE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* A function of the library, and where its address goes: a pointer to a function, which is as large as one to data on
 * every system with dlsym(). */
struct cli_late_function {
  const char *name;
  void *pointer;
};

/* Loads the library of this name, as the dynamic linker finds it, and fills the pointers; it stays loaded. Once that
 * has worked, it need not be called again. From one thread. False, after a message: it is not there, or lacks one of
 * the functions. */
bool cli_late_library(const char *soname, const struct cli_late_function *functions, size_t count);

#endif
