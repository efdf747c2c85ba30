/*
 * The process's mappings, read from /proc/self/maps with raw system calls.
 */
#ifndef CALLSIG_PROFILER_BASE_PROC_MAPS_H
#define CALLSIG_PROFILER_BASE_PROC_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At the end of the path of a file whose name is gone, or that never had one. */
#define PROF_DELETED_MARK " (deleted)"

struct prof_mapping {
  uintptr_t low, high;
  bool readable;
  bool executable;
  bool writable;
  uint64_t offset;
  uint64_t device;  /* major << 32 | minor; 0 when anonymous */
  uint64_t inode;   /* 0 when anonymous */
  const char *path; /* as listed; "" when anonymous; "[stack]" and the like; valid during the call */
};

/* May the path be another than is listed? A new line is "\012" there, as that text itself is. */
bool prof_mapping_path_is_escaped(const struct prof_mapping *mapping);
/* Writes the path of the mapped file as it is. Anywhere. */
void prof_mapping_path(const struct prof_mapping *mapping, char *path, size_t size);

/* Gets each mapping in ascending order; false ends the walk. */
typedef bool (*prof_mapping_fn)(const struct prof_mapping *mapping, void *data);

/* The mapping that the address lies in, by asking the kernel for that one alone. False: it cannot tell (before Linux
 * 6.11), none is there, or it is the stack of the main thread, which grows. Anywhere. */
bool prof_proc_maps_at(uintptr_t address, uintptr_t *low, uintptr_t *high);
/* Calls `visit` for the mappings. 0, or a negative errno when they cannot be read. Takes memory of its own with mmap
 * for the time of the call. Anywhere. */
int prof_proc_maps_walk(prof_mapping_fn visit, void *data);

#endif
