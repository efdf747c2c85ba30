/*
 * What the hazards share. A hazard is a small guest that counts its calls not on stdout but in a file that all of its
 * processes, images and modules have mapped: so nothing that it does to its descriptors, its environment or itself
 * loses a count, and the sum over all recordings must be that of the file. tests/guest/matrix.py makes the file and
 * names it in HAZARD_COUNTS; without it, the counts go nowhere.
 *
 *   CALLED(name)   stands first in each function that has hooks
 *   OWN            before each such function: it is called as it is written, neither inlined nor cloned
 */
#ifndef CALLSIG_TESTS_HAZARD_H
#define CALLSIG_TESTS_HAZARD_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "tests/guest/guest.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OWN APART

#define HAZARD_SLOTS 64

struct hazard_count {
  uint64_t hash, calls;
  char name[48];
};

/* Exactly one page, over which the file is mapped. */
static struct hazard_count hazard_counts[HAZARD_SLOTS] __attribute__((aligned(4096)));

static QUIET inline uint64_t *hazard_calls(const char *name)
{
  uint64_t hash = 14695981039346656037u;
  for (const volatile char *at = name; *at; at++)
    hash = (hash ^ (unsigned char)*at) * 1099511628211u;
  for (unsigned probe = (unsigned)hash;; probe++) {
    struct hazard_count *count = &hazard_counts[probe % HAZARD_SLOTS];
    uint64_t found = 0;
    if (__atomic_compare_exchange_n(&count->hash, &found, hash, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      volatile char *to = count->name;
      for (const volatile char *at = name; *at; at++)
        *to++ = *at;
      return &count->calls;
    }
    if (found == hash)
      return &count->calls;
  }
}

#define ADD_CALLS(name, number) ((void)__atomic_add_fetch(hazard_calls(#name), (uint64_t)(number), __ATOMIC_RELAXED))
#define CALLED(name)            ADD_CALLS(name, 1)

/* Before every constructor that a hazard has; what was counted until then is carried over. */
static QUIET __attribute__((constructor(101))) void hazard_begin(void)
{
  const char *path = getenv("HAZARD_COUNTS");
  if (!path)
    return;
  const long file = syscall(SYS_openat, (long)AT_FDCWD, path, (long)O_RDWR, 0L);
  if (file < 0)
    _exit(99);
  static struct hazard_count before[HAZARD_SLOTS];
  for (int i = 0; i < HAZARD_SLOTS; i++)
    before[i] = hazard_counts[i];
  const long access = PROT_READ | PROT_WRITE, way = MAP_SHARED | MAP_FIXED;
  if (syscall(SYS_mmap, hazard_counts, sizeof hazard_counts, access, way, file, 0L) < 0)
    _exit(99);
  syscall(SYS_close, file);
  for (int i = 0; i < HAZARD_SLOTS; i++)
    if (before[i].hash)
      __atomic_add_fetch(hazard_calls(before[i].name), before[i].calls, __ATOMIC_RELAXED);
}

#endif
