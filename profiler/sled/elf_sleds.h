/*
 * Does an ELF file list sleds?
 */
#ifndef CALLSIG_PROFILER_SLED_ELF_SLEDS_H
#define CALLSIG_PROFILER_SLED_ELF_SLEDS_H

/* 1 when the file has a section of sleds that is not empty, 0 when it has none, is no ELF file or is gone, and a
 * negative errno when it cannot be read. Anywhere. */
int prof_elf_has_sleds(const char *path);
/* The same for a file that has sleds or imports __cyg_profile_func_enter. */
int prof_elf_is_instrumented(const char *path);

#endif
