/* Where a function that a library exports lies in a process. */
#ifndef CALLSIG_CLI_ATTACH_SYMBOLS_H
#define CALLSIG_CLI_ATTACH_SYMBOLS_H

#include <stdint.h>
#include <sys/types.h>

/* Looks the function up in the library whose ELF header the process has at `header`: in memory, since its file may have
 * been replaced. Returns its address and its size, or 0. */
uint64_t cli_symbol_find(pid_t pid, uint64_t header, const char *name, uint64_t *size);

#endif
