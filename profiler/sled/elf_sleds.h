/*
 * Does an ELF file list sleds?
 */
#ifndef CALLSIG_PROFILER_SLED_ELF_SLEDS_H
#define CALLSIG_PROFILER_SLED_ELF_SLEDS_H

#include <stdbool.h>

/* Has the file a section of sleds that is not empty? False as well when it cannot be read or is no ELF file. Anywhere.
 */
bool prof_elf_has_sleds(const char *path);

#endif
