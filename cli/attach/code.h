/* The machine code in another process by which functions of it are called. */
#ifndef CALLSIG_CLI_ATTACH_CODE_H
#define CALLSIG_CLI_ATTACH_CODE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/attach/arch/processor.h"
#include "cli/common/mappings.h"

/* Finds in the C library what a thread is made to do something by. Returns 0 or a negative errno. */
int cli_code_find(pid_t pid, const struct cli_mappings *mappings, struct cli_places *places);

/* Makes what is mapped as FMT_ATTACH_MAPPING: the settings, and the code at the end of the last page. Returns NULL
 * without memory; free() it. */
unsigned char *cli_code_image(const char *settings, size_t size, size_t *image_size);

/* Where the code lies in such a mapping, which ends there. */
uint64_t cli_code_address(uint64_t end);

/* The same, of one that an earlier command has made: 0 where it has other code. */
uint64_t cli_code_mapped(pid_t pid, const struct cli_memory_mapping *mapping);

#endif
