/*
 * What --explain and --coverage tell: how every arg of every site is read, and why the lost ones are lost.
 *
 * The build gives each site to the report once its ops are made; the texts are written at the end.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_COVERAGE_H
#define CALLSIG_SYMBOLS_INDEX_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "symbols/plan/plan.h"

/* Why an arg is lost at a site. The lowering names the first that holds. */
enum sym_lost {
  SYM_LOST_NOT,          /* it is read */
  SYM_LOST_NO_PARAMETER, /* this instance of the function does not have the parameter (removed by the optimiser) */
  SYM_LOST_NO_LOCATION,  /* the parameter has neither location nor constant value */
  SYM_LOST_NO_RANGE,     /* its location list has nothing at this PC */
  SYM_LOST_EMPTY,        /* its location at this PC is empty: optimised out */
  SYM_LOST_ENTRY_VALUE,  /* only the value on entry is known, and no call site tells it */
  SYM_LOST_REGISTER, /* in a register that the hook does not see (vector beyond xmm7, segment, clobbered by the call) */
  SYM_LOST_PIECE,    /* a part of the value is optimised out */
  SYM_LOST_IMPLICIT_POINTER, /* it points to an object that no longer exists in memory */
  SYM_LOST_NO_ADDRESS,       /* the address of an object is wanted that is not in memory */
  SYM_LOST_OPERATION,        /* an operation of its DWARF expression is not supported */
  SYM_LOST_TOO_LONG,         /* its program would exceed FMT_STACK_MAX or the length limit */
  SYM_LOST_FRAME_NUMBER, /* a number that is told as an address in the frame: clang 14 leaves out the load of a spilled
                           register, so what is told is not the value */
  SYM_LOST_CORRUPT,      /* libdw cannot read its location */
  SYM_LOST_COUNT
};

/* One site as the build has compiled it. Everything is borrowed for the call. */
struct sym_report_site {
  uint64_t pc; /* of the site */
  bool inlined;
  uint32_t function; /* index of the function: the key that sites are grouped by */
  const char *file;  /* of the function */
  uint32_t line;
  uint32_t site_line;          /* fmt_index_site.line */
  const struct sym_plan *plan; /* NULL: the function has no DWARF */
  const struct fmt_op *ops;    /* the site's program */
  uint32_t op_count;
  const uint8_t *lost; /* enum sym_lost, plan->arg_count of them */
};

/* Where an arg's value comes from, judged by its ops. */
enum sym_source {
  SYM_SOURCE_TYPE,     /* nowhere: it prints as its type, is a group, or is ignored */
  SYM_SOURCE_REGISTER, /* a register as it is */
  SYM_SOURCE_FRAME,    /* the function's own frame */
  SYM_SOURCE_CONSTANT, /* known when the index is made */
  SYM_SOURCE_COMPUTED, /* an expression over registers, frame and constants */
  SYM_SOURCE_POINTER,  /* memory that a pointer leads to: by rule */
  SYM_SOURCE_CALLER,   /* what the caller's call site tells of the value on entry */
  SYM_SOURCE_COUNT
};

struct sym_report;

/* A report on what `planner` plans (borrowed: it must outlive the report). -ENOMEM. */
int sym_report_new(const struct base_strings *strings, struct sym_planner *planner, struct sym_report **report);
void sym_report_free(struct sym_report *report);

/* -ENOMEM. */
int sym_report_add(struct sym_report *report, const struct sym_report_site *site);

/* Writes what was added. `module` is the path to print. -EIO when `out` fails, -ENOMEM. */
int sym_report_explain(struct sym_report *report, const char *module, FILE *out);
int sym_report_coverage(struct sym_report *report, const char *module, FILE *out);

/* What each reason means, a phrase such as "optimised out at this point". */
const char *sym_lost_text(enum sym_lost lost);

/* The source of the arg number `arg` in a site's program. */
enum sym_source sym_source_of(const struct fmt_op *ops, uint32_t op_count, uint16_t arg);

/* Writes the ops of one arg as text, "rdi" or "[rbp-24]" where one op does it all. -EIO. */
int sym_ops_print(const struct fmt_op *ops, uint32_t op_count, uint16_t arg, FILE *out);

#endif
