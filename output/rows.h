/*
 * Rows: what calls are grouped into, and the caller-callee pairs between them.
 */
#ifndef CALLSIG_OUTPUT_ROWS_H
#define CALLSIG_OUTPUT_ROWS_H

#include "callstack.h"
#include "idset.h"
#include "profile.h"
#include "widen.h"

/* Who a row is. */
struct cs_row_key {
  uint32_t what;   /* a signature's or function's number; CS_NONE when rows are by neither */
  uint32_t stage;  /* a stage's number (0: outside of any); CS_NONE when rows are not by stage */
  uint32_t thread; /* the thread's label, a string; CS_NONE when rows are not by thread */
  uint32_t module; /* the module's label, a string (0: no module); CS_NONE when rows are not by module */
  /* The process, and the first process of the same rank; CS_NONE when rows are not by them. */
  uint32_t process, rank;
  uint32_t callstack; /* CS_NONE when rows are not by call stacks */
};

/* A row by function `what`, or signature, alone. */
static inline struct cs_row_key cs_row_key_of(uint32_t what)
{
  return (struct cs_row_key){.what = what,
                             .stage = CS_NONE,
                             .thread = CS_NONE,
                             .module = CS_NONE,
                             .process = CS_NONE,
                             .rank = CS_NONE,
                             .callstack = CS_NONE};
}

/* Counters in ticks of struct cs_grouping.tick. */
struct cs_row {
  struct cs_row_key key;
  uint32_t function; /* what it is shown as; CS_NONE when rows are by neither function nor signature */
  uint32_t is_bound; /* joined by widening under recursion: primitive calls and cumulative time are upper bounds */
  uint64_t calls, primitive, own, cumulative, min, max;
};

/* What --compensate takes off a row, in ticks. */
struct cs_subtraction {
  double own, cumulative;
};

struct cs_rows {
  struct cs_vector list;         /* struct cs_row; a row without calls is a caller that is not listed itself */
  struct cs_vector subtractions; /* struct cs_subtraction by row, when compensating; else empty */
  struct cs_idset set;
  uint32_t *direct; /* by cs_row_key.what, where rows are by nothing else: the row, CS_NONE until there is one. Owned */
};

/* One caller of one row. */
struct cs_pair {
  uint32_t caller, callee; /* rows */
  uint64_t calls, primitive, own, cumulative;
};

/* What the hooks cost, found by compensate.c. */
struct cs_compensation {
  double *own;     /* by variant: ticks of the recording to take off all of its own time. Owned */
  double *share;   /* by context: the part of its time, callees included, that was the hooks'. Owned */
  uint64_t *calls; /* by variant: calls into it. Owned */
};

/* How calls are grouped. */
struct cs_grouping {
  unsigned by;                                /* enum callsig_stats_by, FUNCTION set with SIGNATURE */
  const uint32_t *shown_function;             /* by function: what it is shown as */
  const struct cs_meeting *meeting;           /* by signature: its row; NULL unless by signature */
  const struct cs_compensation *compensation; /* NULL: none */
  /* By number; NULL: all. */
  const uint8_t *selected_functions, *selected_stages, *selected_threads, *selected_modules;
  const uint8_t *selected_signatures; /* by signature; NULL: all */
  const uint32_t *ranks;              /* by process: cs_process_ranks(); NULL unless by rank */
  const struct cs_callstacks *callstacks;
  double tick; /* seconds: the finest of the recordings */
};

void cs_rows_init(struct cs_rows *rows);
void cs_rows_free(struct cs_rows *rows);

static inline struct cs_row *cs_rows_at(const struct cs_rows *rows, uint32_t number)
{
  return cs_vector_at(&rows->list, number);
}

/* Sums all selected edges into rows. 0 or -ENOMEM. */
int cs_rows_build(const struct cs_profile *profile, const struct cs_grouping *grouping, struct cs_rows *rows);

/* What --compensate took off all rows' own time, and by how much their sum may be off: in ticks. What a call's hooks
 * cost depends on what they run beside, by up to a quarter of the time that was measured, and they cost no less than
 * nothing: docs/hot-path.md. */
struct cs_compensated {
  double taken, uncertainty;
};
struct cs_compensated cs_rows_compensated(const struct cs_rows *rows);

/* The row that an edge's calls are part of; CS_NONE when they are of none. */
uint32_t cs_rows_of_edge(const struct cs_profile *profile, const struct cs_grouping *grouping,
                         const struct cs_rows *rows, uint32_t edge);

/* Sums all selected edges between functions into pairs (struct cs_pair), interning callers that are no rows yet. Only
 * for rows by function or signature. 0 or -ENOMEM. */
int cs_rows_pairs(const struct cs_profile *profile, const struct cs_grouping *grouping, struct cs_rows *rows,
                  struct cs_vector *pairs);

/* The key of the row that calls of a variant by a thread are in. */
struct cs_row_key cs_rows_key(const struct cs_profile *profile, const struct cs_grouping *grouping,
                              const struct cs_variant *variant, uint32_t thread);

/* What one edge adds to the counters of its row. False when it is not selected or counts no calls. */
bool cs_rows_edge(const struct cs_profile *profile, const struct cs_grouping *grouping, const struct cs_edge *edge,
                  struct cs_row *counts);

#endif
