/* Where a function that a library exports lies in a process. */
#ifndef CALLSIG_CLI_ATTACH_SYMBOLS_H
#define CALLSIG_CLI_ATTACH_SYMBOLS_H

#include <stdint.h>

#include "cli/attach/mappings.h"

/* Looks the function up in the file that is mapped there. Returns its address and its size, or 0. */
uint64_t cli_symbol_find(const struct cli_mappings *mappings, const struct cli_memory_mapping *file, const char *name,
                         uint64_t *size);

#endif
