/*
 * The process's mappings, read from /proc/self/maps with raw system calls.
 */
#ifndef CALLSIG_MAPS_H
#define CALLSIG_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct cs_mapping {
  uintptr_t low, high;
  bool executable;
  bool writable;
  uint64_t offset;
  uint64_t device;  /* major << 32 | minor; 0 when anonymous */
  uint64_t inode;   /* 0 when anonymous */
  const char *path; /* "" when anonymous; "[stack]" and the like; valid during the call */
};

/* Gets each mapping in ascending order; false ends the walk. */
typedef bool (*cs_mapping_fn)(const struct cs_mapping *mapping, void *data);

/* Calls `visit` for the mappings. 0, or a negative errno when they cannot be read. Takes memory of its own with mmap
 * for the time of the call. Anywhere. */
int cs_maps_walk(cs_mapping_fn visit, void *data);

#endif
