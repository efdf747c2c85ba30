/*
 * What a row is called: pstats's "file:line(function)", with the signature, the stage, the thread and the module where
 * rows are by them.
 */
#ifndef CALLSIG_OUTPUT_STATS_NAMES_H
#define CALLSIG_OUTPUT_STATS_NAMES_H

#include "output/profile/signature.h"
#include "output/stats/rows.h"
#include "output/text/text.h"

/* What tables have behind the names of rows of imported functions, and regular expressions may ask for. */
#define OUT_LIBRARY_MARK " [library]"

struct out_names {
  const struct out_profile *profile;
  const uint32_t *shown_function;
  unsigned by;                             /* enum callsig_stats_by */
  const uint32_t *row_of;                  /* by signature: its row's, where names were stripped; else NULL */
  const struct out_callstacks *callstacks; /* where rows are by them */
  bool strip_dirs;
};

/* The function that a row is shown as, NULL when rows are by neither function nor signature. */
const struct out_known_function *out_row_function(const struct out_names *names, const struct out_row_key *key);

/* Appends the printed name. `scratch` is reused from call to call. */
void out_row_name(const struct out_names *names, const struct out_row_key *key, struct out_arguments *scratch,
                  struct out_text *text);

/* Appends the signature: "dot(n=16)". Nothing when rows are not by signature, or when the row's calls were recorded
 * without. */
void out_row_signature(const struct out_names *names, const struct out_row_key *key, struct out_arguments *scratch,
                       struct out_text *text);

/* Appends the arguments of a row's signature alone: "(n=16)". Nothing where it has none. */
void out_row_arguments(const struct out_names *names, const struct out_row_key *key, struct out_arguments *scratch,
                       struct out_text *text);

/* Appends frame `frame` of the row's call stack, the innermost is 0: "file:line(function)". False when there is none.
 */
bool out_row_frame(const struct out_names *names, const struct out_row_key *key, uint32_t frame, struct out_text *text);

/* Appends "function" or "function(n=16)": the third part of pstats's triple. */
void out_row_function_text(const struct out_names *names, const struct out_row_key *key, struct out_arguments *scratch,
                           struct out_text *text);

/* The label of the stage that rows are by: "-" outside of any. NULL when rows are not by stage. */
const char *out_row_stage(const struct out_names *names, const struct out_row_key *key);

/* The label of the process that rows are by, and of the rank ("-" without one). NULL when rows are not by them. */
const char *out_row_process(const struct out_names *names, const struct out_row_key *key);
const char *out_row_rank(const struct out_names *names, const struct out_row_key *key);

/* Appends where the row's calls were made: "file.c:12(name)", with "<" before where that function is inlined; "?" where
 * it is not known. False, and nothing, where rows are not by site. */
bool out_row_site(const struct out_names *names, const struct out_row_key *key, struct out_text *text);

/* Appends what rows are by beside their function: `separator`, then "[stage 0:1:decode] [thread main (12)] [module
 * /bin/x]". Nothing when they are by the function alone. */
void out_row_groups(const struct out_names *names, const struct out_row_key *key, const char *separator,
                    struct out_text *text);

/* Orders two rows as people read them: by file, line, function, then argument by argument (numbers by value), stage
 * (pipeline, index, label), thread and module. Negative, 0 or positive. */
int out_row_compare(const struct out_names *names, const struct out_row_key *left, const struct out_row_key *right,
                    struct out_arguments scratch[2]);

#endif
