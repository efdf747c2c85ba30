/*
 * Rows: what calls are grouped into, and the caller-callee pairs between them.
 */
#ifndef CALLSIG_OUTPUT_STATS_ROWS_H
#define CALLSIG_OUTPUT_STATS_ROWS_H

#include "output/profile/profile.h"
#include "output/stats/callstack.h"
#include "output/stats/signature_merge.h"
#include "output/text/idset.h"

/* Who a row is. */
struct out_row_key {
  uint32_t what;   /* a signature's or function's number; FMT_NONE when rows are by neither */
  uint32_t stage;  /* a stage's number (0: outside of any); FMT_NONE when rows are not by stage */
  uint32_t thread; /* the thread's label, a string; FMT_NONE when rows are not by thread */
  uint32_t module; /* the module's label, a string (0: no module); FMT_NONE when rows are not by module */
  /* The process, and the first process of the same rank; FMT_NONE when rows are not by them. */
  uint32_t process, rank;
  uint32_t callstack; /* FMT_NONE when rows are not by call stacks */
  uint32_t place; /* a call place's number, OUT_PLACE_UNKNOWN; FMT_NONE when rows are not by site, and of a caller */
};

/* Of calls whose place was not recorded. */
#define OUT_PLACE_UNKNOWN (FMT_NONE - 1)

/* A row by function `what`, or signature, alone. */
static inline struct out_row_key out_row_key_of(uint32_t what)
{
  return (struct out_row_key){.what = what,
                              .stage = FMT_NONE,
                              .thread = FMT_NONE,
                              .module = FMT_NONE,
                              .process = FMT_NONE,
                              .rank = FMT_NONE,
                              .callstack = FMT_NONE,
                              .place = FMT_NONE};
}

/* Of all of the key. */
uint64_t out_row_key_hash(const struct out_row_key *key);

/* Counters in ticks of struct out_grouping.tick. */
struct out_row {
  struct out_row_key key;
  uint32_t function; /* what it is shown as; FMT_NONE when rows are by neither function nor signature */
  uint32_t is_bound; /* joined by widening under recursion: primitive calls and cumulative time are upper bounds */
  /* Without calls: all of it is of frames that forked children have of their parents'. */
  uint64_t calls, primitive, own, cumulative, min, max;
};

/* What the calls of a row asked the allocator for, without their callees. */
struct out_row_asked {
  struct out_asked sum;
  bool is_known; /* false: some of its calls are of a recording that does not tell */
};

/* What was taken off times for hooks, in the same ticks: added to them it gives what the clock read. */
struct out_subtraction {
  int64_t own, cumulative;
  int64_t guessed_own, guessed_cumulative; /* of these, what was taken off without samples of the run */
  double own_doubt, cumulative_doubt;      /* what samples of the run leave open of the times, not as a draw */
  double own_drawn;                        /* and the square of what they do as a draw (Poisson's variance) */
};

struct out_rows {
  struct base_vector list;         /* struct out_row; behind those of out_rows_build(), callers that are not listed */
  struct base_vector subtractions; /* struct out_subtraction by row, when compensating; else empty */
  struct out_row_asked *asked;     /* by row; NULL: no recording tells, or it was not asked. Owned */
  struct out_idset set;
  uint32_t
      *direct; /* by out_row_key.what, where rows are by nothing else: the row, FMT_NONE until there is one. Owned */
};

/* One caller of one row. */
struct out_pair {
  uint32_t caller, callee; /* rows */
  uint64_t calls, primitive, own, cumulative;
};

/* What the hooks cost, found by compensate.c. */
struct out_compensation {
  /* By edge, in ticks of its recording, what to take off its own time, and off its whole time with callees; below 0
   * where samples say that it took more than the clock read. Owned. */
  int64_t *own, *all;
  /* The same of times that samples of the run tell: how far they may be off (struct out_in_place_doubts). Owned. */
  double *own_doubt, *all_doubt;
};

/* How calls are grouped. */
struct out_grouping {
  unsigned by;                                       /* enum callsig_stats_by, FUNCTION set with SIGNATURE */
  const uint32_t *shown_function;                    /* by function: what it is shown as */
  const struct out_signature_merge *signature_merge; /* by signature: its row; NULL unless by signature */
  const struct out_compensation *compensation;       /* NULL: none */
  /* By number; NULL: all. */
  const uint8_t *selected_functions, *selected_contexts, *selected_threads, *selected_modules;
  const uint8_t *selected_signatures; /* by signature; NULL: all */
  const uint32_t *depths; /* by context, struct out_selection; NULL: calls are selected wherever they lie in the tree */
  uint32_t deepest;       /* calls below such a depth are left out; 0: none */
  bool is_subtree;        /* the tree begins at the contexts of depth 1: what is around them does not count */
  const uint32_t *ranks;  /* by process: out_process_ranks(); NULL unless by rank */
  const struct out_callstacks *callstacks;
  double tick; /* seconds: the finest of the recordings */
};

/* Does the recording tell what was asked for? */
static inline bool out_asked_is_told(const struct out_recording_info *info)
{
  return info->flags & FMT_REC_ASKED;
}

/* The row's; of one that is not known, `is_known` is false. */
static inline struct out_row_asked out_row_asked(const struct out_rows *rows, uint32_t row)
{
  return rows->asked ? rows->asked[row] : (struct out_row_asked){.is_known = false};
}

/* Are there more bytes than a sum can tell? It stands still then. */
static inline bool out_asked_is_full(const struct out_asked *asked)
{
  return asked->bytes == UINT64_MAX;
}

/* Is it known what of the row's blocks was given back? */
static inline bool out_row_asked_kept_known(const struct out_row_asked *asked)
{
  return asked->is_known && asked->sum.lost_calls == 0 && !out_asked_is_full(&asked->sum);
}

/* Bytes that were asked for and not given back; blocks, likewise. */
static inline uint64_t out_asked_kept_bytes(const struct out_asked *asked)
{
  return asked->bytes - asked->freed_bytes - asked->lost_bytes;
}
static inline uint64_t out_asked_kept_calls(const struct out_asked *asked)
{
  return asked->calls - asked->freed_calls - asked->lost_calls;
}

void out_rows_init(struct out_rows *rows);
void out_rows_free(struct out_rows *rows);

static inline struct out_row *out_rows_at(const struct out_rows *rows, uint32_t number)
{
  return base_vector_at(&rows->list, number);
}

/* Sums all selected edges into rows. 0 or -ENOMEM. */
int out_rows_build(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows);

/* Makes rows.asked of rows that have been built, where a recording tells. 0 or -ENOMEM. */
int out_rows_asked(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows);

/* What was taken off all rows' own time, and by how much their sum may be off: in ticks. By samples of the run it may
 * be by a quarter of the time that was measured, and no more than was taken off. */
struct out_compensated {
  double taken, uncertainty;
};
struct out_compensated out_rows_compensated(const struct out_rows *rows);

/* The row that an edge's calls are part of; FMT_NONE when they are of none. */
uint32_t out_rows_of_edge(const struct out_profile *profile, const struct out_grouping *grouping,
                          const struct out_rows *rows, uint32_t edge);

/* The row of calls of a variant by a thread; FMT_NONE when they are not selected or there is none. */
uint32_t out_rows_of_variant(const struct out_profile *profile, const struct out_grouping *grouping,
                             const struct out_rows *rows, uint32_t variant, uint32_t thread);

/* Sums all selected edges between functions into pairs (struct out_pair), interning callers that are no rows yet. Only
 * for rows by function or signature. 0 or -ENOMEM. */
int out_rows_pairs(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows,
                   struct base_vector *pairs);

/* The row of what a row by site is of, wherever it was called, which is what callers are: interned when it is new. 0 or
 * -ENOMEM. */
int out_rows_anywhere(const struct out_profile *profile, const struct out_grouping *grouping, struct out_rows *rows,
                      uint32_t row, uint32_t *number);

/* The key of the row that an edge's calls are in. */
struct out_row_key out_rows_key_of_edge(const struct out_profile *profile, const struct out_grouping *grouping,
                                        const struct out_edge *edge);

/* The key of the row that calls of a variant by a thread are in, wherever they are made. */
struct out_row_key out_rows_key(const struct out_profile *profile, const struct out_grouping *grouping,
                                const struct out_variant *variant, uint32_t thread);

/* What one edge adds to the counters of its row. False when it is not selected or counts no calls. */
bool out_rows_edge(const struct out_profile *profile, const struct out_grouping *grouping, const struct out_edge *edge,
                   struct out_row *counts);

#endif
