/*
 * Which ELF file is mapped at an address, found without the dynamic linker's lock.
 */
#ifndef CALLSIG_PROFILER_MODULE_LOCATE_H
#define CALLSIG_PROFILER_MODULE_LOCATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "profiler/base/settings.h"

/* By what a module is known again without the kernel's list of mappings, which is as long as there are modules. */
struct prof_linked {
  uintptr_t start, bias;
  uint64_t name;         /* hash of the dynamic linker's name for it; 0: that told nothing */
  uintptr_t build_id_at; /* where the build-id lies, 0 without one */
};

struct prof_located {
  uintptr_t start, end;   /* its mappings, end exclusive */
  uint64_t bias;          /* run-time address = link-time address + bias */
  uint64_t device, inode; /* of the mapped file, as /proc/self/maps names it; 0 when unknown */
  bool deleted;           /* the file at `path` is no longer the one that is mapped */
  bool main_program;
  bool tls_known;     /* the static offset of its thread-local block can be computed: the main program's */
  int64_t tls_offset; /* from the thread pointer */
  uint8_t build_id[32];
  uint32_t build_id_size; /* 0: none */
  struct prof_linked linked;
  char path[PROF_MAX_PATH]; /* absolute, without " (deleted)" */
};

/* Fills *found for the module that holds `address`. 0, or -ENOENT when no ELF file is mapped there. Anywhere; `found`
 * is large: not for the stack of a hook. */
int prof_locate(uintptr_t address, struct prof_located *found);

/* Does the linker still tell the same of a module with this build-id? False also where it is not known, and all of
 * prof_locate() is to be asked. Anywhere. */
bool prof_located_still(const struct prof_linked *linked, const uint8_t *build_id, uint32_t build_id_size);

/* What the kernel tells of the module's file; false where its path does not have the one that is mapped. Anywhere. */
bool prof_located_status(const struct prof_located *found, struct stat *status);

/* Tells files apart that were at one path one after the other, and may have one build-id: 0 where the path does not
 * have the one that is mapped. Anywhere. */
uint64_t prof_located_version(const struct prof_located *found);

/* Where this process can open the module's file: the program's own also when its name is gone, or when it never had one
 * (memfd_create). Anywhere. */
static inline const char *prof_located_file(const struct prof_located *found)
{
  return found->deleted && found->main_program ? "/proc/self/exe" : found->path;
}

#endif
