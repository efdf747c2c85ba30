/*
 * Does an ELF file list sleds?
 */
#ifndef CALLSIG_PROFILER_SLED_ELF_SLEDS_H
#define CALLSIG_PROFILER_SLED_ELF_SLEDS_H

#include "profiler/base/proc_maps.h"

/* 1 when the file has a section of sleds that is not empty, 0 when it has none, is no ELF file or is gone, and a
 * negative errno when it cannot be read. Anywhere. */
int prof_elf_has_sleds(const char *path);
/* The same of a file that is mapped, which may have no name any more. -ENOENT: it is a library that never had one, and
 * what it has cannot be known. */
int prof_elf_mapped_has_sleds(const struct prof_mapping *mapping);
/* The same for a file that has sleds or imports __cyg_profile_func_enter. */
int prof_elf_is_instrumented(const char *path);

#endif
