/* What is to be known of a compiler before it is told to instrument: whose it is, its version, and what it takes. */
#ifndef CALLSIG_CLI_COMMON_COMPILER_H
#define CALLSIG_CLI_COMMON_COMPILER_H

#include <limits.h>
#include <stdbool.h>

enum cli_compiler_maker { CLI_COMPILER_GCC, CLI_COMPILER_CLANG, CLI_COMPILER_OTHER };

struct cli_compiler {
  char path[PATH_MAX];
  enum cli_compiler_maker maker;
  unsigned major; /* of its version; 0 where the maker is another */
  bool is_musl;   /* its programs are linked with musl, as its name says */
  bool has_sleds; /* it compiles for x86-64, whose sleds the runtime switches on */
};

/* Finds the compiler `name` as execvp() would and asks it who it is. One that does not answer is one of another maker.
 * Returns 0 or a negative errno: it cannot be found, or cannot be run. No message. */
int cli_compiler_ask(const char *name, struct cli_compiler *compiler);

/* True when the compiler compiles an empty C file with `options` (NULL-terminated, at most CLI_COMPILER_OPTIONS) and
 * has nothing to say about them. */
bool cli_compiler_takes(const struct cli_compiler *compiler, const char *const *options);

enum { CLI_COMPILER_OPTIONS = 8 };

#endif
