/*
 * The stack of a DWARF expression while it runs.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_STACK_H
#define CALLSIG_SYMBOLS_VERIFY_STACK_H

#include "symbols/verify/expressions.h"
#include "symbols/verify/place.h"

enum { VF_STACK_MAX = 64, VF_NESTING_MAX = 4, VF_RBP = 6 };

/* A stack entry: generic, or of an integer type and kept extended. */
struct vf_stack_entry {
  uint64_t word;
  uint8_t size; /* 0: generic */
  uint8_t bits; /* that count, of an integer: all of its size, or fewer */
  bool is_signed, is_float;
  uint8_t width; /* of a generic one: the bytes that clang computes with, where it tells 8, or one of these */
};

enum { VF_WIDTH_REGISTER = 254, VF_WIDTH_ANY = 255 /* a constant */ };

struct vf_run {
  const struct vf_place *place;
  enum vf_moment moment;
  Dwarf_Die near; /* of the unit that the expression is in */
  int nesting;
  struct vf_stack_entry stack[VF_STACK_MAX];
  unsigned depth;
  bool uses_entry;
  bool takes_bit;          /* converted to an integer of one bit */
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

/* Pushes an entry of any type. */
bool vf_push_entry(struct vf_run *run, struct vf_stack_entry entry);

/* An entry's word, extended by its type. */
uint64_t vf_extended(struct vf_stack_entry entry);

/* An operation that takes two entries and leaves one. */
bool vf_arithmetic(struct vf_run *run, uint8_t atom);

/* dup, drop, over, pick, swap, rot. */
bool vf_shuffle(struct vf_run *run, const struct vf_op *op);

/* An operation that takes one entry and leaves one, loads included. */
bool vf_unary(struct vf_run *run, const struct vf_op *op);

#endif
