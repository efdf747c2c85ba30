/*
 * The part of a site's code that depends on how its arguments are compared, and what the parts of that code share.
 */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_STUB_ARGUMENT_CODE_H
#define CALLSIG_PROFILER_ARCH_X86_64_STUB_ARGUMENT_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/arch/x86_64/stub/code_writer.h"
#include "profiler/tree/fast_compare.h"

#define PROF_PIECE_MISSES 80u

/* What is written, for which calls. */
struct prof_piece {
  struct prof_code_writer w;
  const struct prof_fast_compare *compare;
  uint32_t nulls;                     /* ops, one bit each, whose being NULL is part of the hash */
  bool free;                          /* nothing is in rax, r10 and r11 */
  bool spare;                         /* nor in r8 and r9 */
  bool leaf;                          /* the function calls nothing */
  bool rcx_saved, rdx_saved;          /* it is the code's own here */
  bool crc;                           /* the processor has an instruction for it */
  unsigned temporary;                 /* for values that are compared */
  unsigned caller, frame;             /* the caller's edge and the innermost frame, in turn where it is one register */
  int32_t place;                      /* where the edge's word for the op lies that is compared next: from rax, or */
  bool behind_text;                   /* from where the last text's words end */
  int32_t stepped;                    /* where the last pointer that was followed to is put away, while verifying */
  unsigned loads;                     /* values from behind pointers that were put away so far */
  uint8_t *misses[PROF_PIECE_MISSES]; /* jumps to where the hook takes over */
  uint32_t miss_count;
};

/* Arguments from behind pointers that code can compare at most: there are so many places for their values. */
#define PROF_PIECE_LOADS 4u

/* May code compare it, on a processor with crc32 or without? */
bool prof_compare_is_known(const struct prof_fast_compare_op *op, bool crc);
/* Does it name a register that the sled says nothing is in? */
bool prof_compare_names_spare(const struct prof_fast_compare_op *op);
/* Does hashing the value take rdx? */
bool prof_compare_takes_register(const struct prof_fast_compare_op *op);

/* Jumps to where the hook takes over. */
void prof_piece_miss_if(struct prof_piece *p, unsigned condition);
/* eax: a hash of the site, whose link is r11, and the arguments, while the caller's edge, which takes longer, is not
 * known yet. */
void prof_piece_hash_arguments(struct prof_piece *p);
/* Adds a register to the hash, eax. */
void prof_piece_mix_register(struct prof_piece *p, unsigned size, unsigned reg);
/* Compares the argument, the next of those that were hashed, with its word of the edge in rax, at `place`. Changes
 * `temporary`, and rdx where it is the code's. */
void prof_piece_verify_argument(struct prof_piece *p, const struct prof_fast_compare_op *op);

#endif
