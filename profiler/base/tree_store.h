/*
 * What a calling-context tree consists of, and the parts of a tree's memory.
 *
 * tree/ makes and searches it. The structure lies here because the recording hands its blocks to it, and every thread's
 * control block holds one.
 */
#ifndef CALLSIG_PROFILER_BASE_TREE_STORE_H
#define CALLSIG_PROFILER_BASE_TREE_STORE_H

#include <stdint.h>

#include "format/recording.h"
#include "profiler/base/arena.h"
#include "profiler/base/table.h"

/* How near the recording is to its limit; each level merges more. */
enum prof_pressure {
  PROF_PRESSURE_NONE,
  PROF_PRESSURE_CONTEXTS,   /* new contexts merge into one for each function */
  PROF_PRESSURE_SIGNATURES, /* new signatures merge into one for each function */
};

/* The calling-context tree of one thread, or of the folded ones. One writer. */
struct prof_tree {
  struct fmt_rec_thread *record;
  struct fmt_rec_variant *root;
  struct fmt_rec_edge *root_edge;
  struct prof_arena arena;
  struct prof_table edges;           /* by caller node, site and words */
  struct prof_table contexts;        /* by parent context and function */
  struct prof_table cct_nodes;       /* by context and signature */
  struct prof_table signatures;      /* by function and words */
  struct prof_table signature_lists; /* those with recorded words, by function */
  struct prof_table functions;       /* by module and index, or address */
  struct prof_table pairs;           /* activation words of caller-callee pairs and of modules */
  struct prof_table fast_compares;   /* struct prof_fast_compare by probe site: the newest of each */
  uint64_t first_stand_in;           /* edges that stand for calls outside of the bounds: see tree/bounds.h */
  uint32_t stand_ins;
  uint32_t pressure;          /* enum prof_pressure */
  uint8_t *block, *block_end; /* what is left of the newest block of the recording */
  uint64_t block_bytes;       /* of all of them */
  void *blocks; /* every block of this tree, for prof_tree_release(): struct prof_block_list in the arena */
};

#endif
