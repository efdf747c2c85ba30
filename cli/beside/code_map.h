/* Which files the code of a process is mapped from, as it changes while the process runs. */
#ifndef CALLSIG_CLI_BESIDE_CODE_MAP_H
#define CALLSIG_CLI_BESIDE_CODE_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "base/strings.h"
#include "base/vector.h"

struct cli_mapping {
  uint64_t start, end;
  uint64_t offset; /* of `start`, in the file */
  uint32_t module; /* string: the file's path, or CLI_VDSO; 0: neither */
};

/* Zero-initialised but for the entry size of the vector. */
struct cli_code_map {
  struct base_vector mappings; /* struct cli_mapping, later ones cover earlier ones */
};

/* What the kernel calls its own library, which every process has in its memory (vdso(7)). */
#define CLI_VDSO "[vdso]"

/* Whether what the kernel calls a mapping is the path of a file, or its own library: "[heap]" and "//anon" are none. */
static inline bool cli_code_map_is_module(const char *name)
{
  return (name[0] == '/' && name[1] != '/') || strcmp(name, CLI_VDSO) == 0;
}

/* -ENOMEM. */
int cli_code_map_add(struct cli_code_map *map, const struct cli_mapping *mapping);

/* The process runs another program from now on. */
void cli_code_map_clear(struct cli_code_map *map);

/* Takes the mappings of code from /proc in the place of those that were known. -ENOMEM, or the error of reading it. */
int cli_code_map_read(struct cli_code_map *map, struct base_strings *strings, pid_t pid);

/* The mapping that holds `address`, NULL when nothing is known to be there. */
const struct cli_mapping *cli_code_map_find(const struct cli_code_map *map, uint64_t address);

void cli_code_map_free(struct cli_code_map *map);

/* Is the file of that path the runtime? By its name. */
bool cli_is_runtime(const char *path);

#endif
