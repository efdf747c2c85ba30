/*
 * What --explain and --coverage tell: how every arg of every site is read, and why the lost ones are lost.
 *
 * The build gives each site to the report once its ops are made; the texts are written at the end.
 */
#ifndef CALLSIG_SYMBOLS_COVERAGE_H
#define CALLSIG_SYMBOLS_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "plan.h"

/* Why an arg is lost at a site. The lowering names the first that holds. */
enum cs_lost {
  CS_LOST_NOT,          /* it is read */
  CS_LOST_NO_PARAMETER, /* this instance of the function does not have the parameter (removed by the optimiser) */
  CS_LOST_NO_LOCATION,  /* the parameter has neither location nor constant value */
  CS_LOST_NO_RANGE,     /* its location list has nothing at this PC */
  CS_LOST_EMPTY,        /* its location at this PC is empty: optimised out */
  CS_LOST_ENTRY_VALUE,  /* only the value on entry is known, and no call site tells it */
  CS_LOST_REGISTER, /* in a register that the hook does not see (vector beyond xmm7, segment, clobbered by the call) */
  CS_LOST_PIECE,    /* a part of the value is optimised out */
  CS_LOST_IMPLICIT_POINTER, /* it points to an object that no longer exists in memory */
  CS_LOST_NO_ADDRESS,       /* the address of an object is wanted that is not in memory */
  CS_LOST_OPERATION,        /* an operation of its DWARF expression is not supported */
  CS_LOST_TOO_LONG,         /* its program would exceed CS_STACK_MAX or the length limit */
  CS_LOST_FRAME_NUMBER, /* a number that is told as an address in the frame: clang 14 leaves out the load of a spilled
                           register, so what is told is not the value */
  CS_LOST_CORRUPT,      /* libdw cannot read its location */
  CS_LOST_COUNT
};

/* One site as the build has compiled it. Everything is borrowed for the call. */
struct cs_report_site {
  uint64_t pc; /* of the site */
  bool inlined;
  uint32_t function; /* index of the function: the key that sites are grouped by */
  const char *file;  /* of the function */
  uint32_t line;
  uint32_t site_line;         /* cs_index_site.line */
  const struct cs_plan *plan; /* NULL: the function has no DWARF */
  const struct cs_op *ops;    /* the site's program */
  uint32_t op_count;
  const uint8_t *lost; /* enum cs_lost, plan->arg_count of them */
};

/* Where an arg's value comes from, judged by its ops. */
enum cs_source {
  CS_SOURCE_TYPE,     /* nowhere: it prints as its type, is a group, or is ignored */
  CS_SOURCE_REGISTER, /* a register as it is */
  CS_SOURCE_FRAME,    /* the function's own frame */
  CS_SOURCE_CONSTANT, /* known when the index is made */
  CS_SOURCE_COMPUTED, /* an expression over registers, frame and constants */
  CS_SOURCE_POINTER,  /* memory that a pointer leads to: by rule */
  CS_SOURCE_CALLER,   /* what the caller's call site tells of the value on entry */
  CS_SOURCE_COUNT
};

struct cs_report;

/* A report on what `planner` plans (borrowed: it must outlive the report). -ENOMEM. */
int cs_report_new(const struct cs_strings *strings, struct cs_planner *planner, struct cs_report **report);
void cs_report_free(struct cs_report *report);

/* -ENOMEM. */
int cs_report_add(struct cs_report *report, const struct cs_report_site *site);

/* Writes what was added. `module` is the path to print. -EIO when `out` fails, -ENOMEM. */
int cs_report_explain(struct cs_report *report, const char *module, FILE *out);
int cs_report_coverage(struct cs_report *report, const char *module, FILE *out);

/* What each reason means, a phrase such as "optimised out at this point". */
const char *cs_lost_text(enum cs_lost lost);

/* The source of the arg number `arg` in a site's program. */
enum cs_source cs_source_of(const struct cs_op *ops, uint32_t op_count, uint16_t arg);

/* Writes the ops of one arg as text, "rdi" or "[rbp-24]" where one op does it all. -EIO. */
int cs_ops_print(const struct cs_op *ops, uint32_t op_count, uint16_t arg, FILE *out);

#endif
