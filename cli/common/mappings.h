/* The memory of another process: what is mapped where, and reading it. */
#ifndef CALLSIG_CLI_COMMON_MAPPINGS_H
#define CALLSIG_CLI_COMMON_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vector.h"

struct cli_memory_mapping {
  uint64_t start, end;
  uint64_t offset; /* of `start`, in the file */
  bool readable, writable, executable;
  char *path; /* with " (deleted)" where that is so; of no file as the kernel prints it, "" for none; owned */
};

struct cli_mappings {
  struct base_vector list; /* struct cli_memory_mapping, in ascending order */
};

/* Reads them from /proc. Returns 0, or a negative errno without a message; *mappings is the caller's to free in either
 * case. */
int cli_mappings_read(pid_t pid, struct cli_mappings *mappings);
void cli_mappings_free(struct cli_mappings *mappings);

/* The mapping that holds `address`, or NULL. */
const struct cli_memory_mapping *cli_mappings_at(const struct cli_mappings *mappings, uint64_t address);

/* The first mapping of the file whose name, without its folder, begins with `name`; NULL for none. */
const struct cli_memory_mapping *cli_mappings_of_file(const struct cli_mappings *mappings, const char *name);

/* The mapping that is called just so, or NULL. */
const struct cli_memory_mapping *cli_mappings_named(const struct cli_mappings *mappings, const char *path);

/* Whether it is of a file, which "[stack]" and "//anon" are not. */
bool cli_mapping_is_file(const struct cli_memory_mapping *mapping);

/* Was the file removed, or replaced by another, since it was mapped? */
bool cli_mapping_is_removed(const struct cli_memory_mapping *mapping);

/* Reads or writes the process's memory. Returns 0 or a negative errno. */
int cli_memory_read(pid_t pid, uint64_t address, void *data, size_t size);
int cli_memory_write(pid_t pid, uint64_t address, const void *data, size_t size);

/* Reads a text of at most `size` - 1 bytes and its NUL. Returns 0, -ENAMETOOLONG, or another negative errno. */
int cli_memory_read_text(pid_t pid, uint64_t address, char *text, size_t size);

#endif
