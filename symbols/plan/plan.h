/*
 * The plan of a function: which args its signature has, and for each the way from a source parameter to the value,
 * before any location is known.
 *
 * Two parts meet here. The planner (planner.h) decides from types, names and rules what is printed. The lowering
 * (symbols/index/lower.h) joins each path with the DWARF location of its parameter at one probe site and makes struct
 * fmt_op of it. A plan is the same for every site of a function, inlined or not.
 */
#ifndef CALLSIG_SYMBOLS_PLAN_PLAN_H
#define CALLSIG_SYMBOLS_PLAN_PLAN_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/index.h"

enum sym_step_kind {
  SYM_STEP_OFFSET, /* to the part of the current object that begins `offset` bytes into it (a member or array element)
                    */
  SYM_STEP_DEREF,  /* the current object is a pointer of 8 bytes: to what it points to */
  SYM_STEP_BITS,   /* always the last: `bit_size` bits from bit `offset` of the current object, little-endian */
};

struct sym_step {
  uint8_t kind;     /* enum sym_step_kind */
  uint8_t bit_size; /* of SYM_STEP_BITS: 1 to 64 */
  int64_t offset;   /* bytes, or bits of SYM_STEP_BITS; two SYM_STEP_OFFSET never follow each other */
};

/* From a source parameter to a part of it or of what it points to. */
struct sym_plan_path {
  uint16_t parameter;  /* ordinal, an index of sym_plan.parameters */
  uint16_t step_count; /* 0: the parameter itself */
  const struct sym_step *steps;
  uint32_t size;  /* bytes of the object reached; for SYM_STEP_BITS, of the storage that holds the bits */
  bool is_signed; /* how its integer value extends to 64 bits */
};

enum sym_emit {
  SYM_EMIT_NONE,  /* TYPE, GROUP, IGNORED: no ops, state READ wherever the parameter is */
  SYM_EMIT_VALUE, /* the integer value of path, or the bits of a float: FMT_OP_EMIT* with size and sign of the path */
  SYM_EMIT_NULLNESS, /* whether the pointer that path reaches is NULL */
  SYM_EMIT_STRING,   /* path reaches the string's first char: its address is wanted. A pointer to it is a path that ends
                       in SYM_STEP_DEREF, so the address is that pointer's value and nothing is read to get it. */
  SYM_EMIT_STRING_LENGTH, /* the same with the length in bytes from `count` */
  SYM_EMIT_LOG2,          /* the log2 bucket of the value of path */
  SYM_EMIT_RANGE,         /* the bucket in the range list at arg.aux */
  SYM_EMIT_SPAN, /* path reaches the first element: its address is wanted, as for strings; path.size and .is_signed are
                   the element's; `count` says how many */
  SYM_EMIT_DISTANCE, /* how many elements of `limit` bytes the pointer of path lies behind that of `count` */
};

/* A count or length: a constant, or the integer value of a path. */
struct sym_count {
  bool is_constant;
  uint64_t constant;
  struct sym_plan_path path;
};

struct sym_plan_arg {
  struct fmt_index_arg arg; /* as written: name, type and text are references into the planner's tables */
  uint8_t emit;             /* enum sym_emit */
  struct sym_plan_path path;
  struct sym_count count; /* of SYM_EMIT_STRING_LENGTH, SYM_EMIT_SPAN and SYM_EMIT_DISTANCE */
  uint32_t limit;         /* of strings: bytes at most, the imm of the op; of SYM_EMIT_DISTANCE an element's */
  const char *why; /* for --explain: what decided the kind or the join, one clause; "" when nothing needs saying */
};

struct sym_plan_parameter {
  Dwarf_Die die; /* DW_TAG_formal_parameter of the declaring function (abstract instance root or only definition): a
                    concrete or inlined parameter belongs to it when its DW_AT_abstract_origin leads here */
  uint32_t name; /* string; "$N" (N from 1) when the source gives none */
  uint32_t type; /* index of a type */
  uint16_t first_arg;
  uint16_t arg_count; /* args made from it; they follow each other except those of `show` rules, which come last */
};

struct sym_plan {
  uint32_t name;  /* string: as sym_types_qualified_name() gives it */
  uint32_t flags; /* enum fmt_function_flag: CXX and VARIADIC */
  uint16_t parameter_count;
  uint16_t arg_count;
  bool is_thunk;   /* its debug information has a symbol and no parameters */
  bool has_return; /* the last arg is what the function returns (FMT_ARG_RETURN) */
  const struct sym_plan_parameter *parameters;
  const struct sym_plan_arg *args; /* preorder: a group is followed by its children */
  const char *const *notes;        /* for --explain: near misses of joins, rules applied; NULL-terminated lines */
};

/* The ordinal of a parameter DIE of any instance of the plan's function, or -1 when it is none of them. */
int sym_plan_ordinal(const struct sym_plan *plan, Dwarf_Die *parameter);

struct sym_planner;

/* Makes the plan of the function with this root DIE, which owns nothing: all of it is the planner's. -ENOMEM, -E2BIG.
 */
int sym_plan_make(struct sym_planner *planner, Dwarf_Die *root, struct sym_plan *plan);

#endif
