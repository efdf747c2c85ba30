/*
 * The stack machine of DWARF expressions.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_RUN_H
#define CALLSIG_SYMBOLS_VERIFY_RUN_H

#include "symbols/verify/evaluate.h"
#include "symbols/verify/expressions.h"

enum { VF_STACK_MAX = 64, VF_NESTING_MAX = 4, VF_RBP = 6 };

/* A stack entry: generic, or of an integer type and kept extended. */
struct vf_entry {
  uint64_t word;
  uint8_t size; /* 0: generic */
  bool is_signed, is_float;
};

struct vf_run {
  const struct vf_place *place;
  enum vf_moment moment;
  Dwarf_Die near; /* of the unit that the expression is in */
  int nesting;
  struct vf_entry stack[VF_STACK_MAX];
  unsigned depth;
  bool uses_entry;
  bool is_beyond_programs; /* used unsigned division or comparison of 8 bytes, or a jump back */
  enum vf_status status;
  const char *why;
};

/* Keeps why the expression has no value; returns false. */
bool vf_stop(struct vf_run *run, enum vf_status status, const char *why);

/* Whether there are `count` entries on the stack; vf_stop() otherwise. */
bool vf_need(struct vf_run *run, unsigned count);

/* Pushes a generic entry. */
bool vf_push(struct vf_run *run, uint64_t word);

/* The register's contents, where the moment lets them be known. */
bool vf_read_register(struct vf_run *run, uint64_t reg, uint64_t *value);

/* Runs the operations. False: run->status says lost or unknown. */
bool vf_run(struct vf_run *run, const struct vf_op *ops, size_t count);

#endif
