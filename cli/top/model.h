/*
 * What `callsig top` shows: the rows of two readings of one recording as rates, sorted. It reads nothing and prints
 * nothing.
 */
#ifndef CALLSIG_CLI_TOP_MODEL_H
#define CALLSIG_CLI_TOP_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vector.h"

/* Calls of one name from one caller, since the program began. */
struct cli_top_sum {
  const char *name, *caller; /* in the reading's memory; caller "": none */
  double calls, own;         /* own: seconds */
};

/* What a recording had at one moment. Free with cli_top_reading_free(). */
struct cli_top_reading {
  double at;    /* seconds of a clock that never goes back */
  double began; /* when it began to count, seconds since 1970 */
  struct base_arena memory;
  struct base_vector sums; /* struct cli_top_sum */
};

void cli_top_reading_init(struct cli_top_reading *reading, double at);
/* Copies the strings. False when memory is short. */
bool cli_top_reading_add(struct cli_top_reading *reading, const char *name, const char *caller, double calls,
                         double own);
void cli_top_reading_free(struct cli_top_reading *reading);
/* Has it counted on since the reading before, and not from zero? */
bool cli_top_reading_goes_on(const struct cli_top_reading *reading, const struct cli_top_reading *before);

enum cli_top_key { CLI_TOP_SELF, CLI_TOP_CALLS, CLI_TOP_TOTAL_SELF, CLI_TOP_TOTAL_CALLS, CLI_TOP_NAME, CLI_TOP_KEYS };

/* A name with what it did between the readings and since the program began; or one of its callers. */
struct cli_top_row {
  const char *name;
  bool is_caller;
  double calls, own;           /* since the program began */
  double call_rate, own_rate;  /* a second, since the reading before */
  double share_now, share_all; /* of the time of all rows, filtered or not */
};

struct cli_top_model {
  struct cli_top_reading before, now;
  bool has_before, has_now;
  enum cli_top_key key;
  bool reversed;
  char *filter;   /* what names must contain, without regard to case; NULL: nothing. Owned */
  char *expanded; /* the name whose callers are shown; NULL: none. Owned */
  /* What follows from these: cli_top_model_arrange(). */
  struct base_vector rows; /* struct cli_top_row */
  uint32_t names;          /* of all rows, filtered or not */
  double call_rate, own_rate, calls, own;
  double shared; /* own_rate of the rows, each at least 0: what shares are of */
};

void cli_top_model_init(struct cli_top_model *model);
void cli_top_model_free(struct cli_top_model *model);

/* Takes over a reading. It is of a later moment than the last, which stays to compare with unless the recording has
 * counted from zero since; or of the same, whose place it takes. */
void cli_top_model_take(struct cli_top_model *model, struct cli_top_reading *reading);

/* Does the reading before have names that the last one lacks? What they counted is under other names then. */
bool cli_top_model_lacks_names(const struct cli_top_model *model);

/* Forgets the readings: rows are grouped otherwise from now on. */
void cli_top_model_forget(struct cli_top_model *model);

/* Makes the rows anew. False when memory is short: then there are none. */
bool cli_top_model_arrange(struct cli_top_model *model);

/* "self", "calls", ...: what a key is called on the command line and on the screen. */
const char *cli_top_key_name(enum cli_top_key key);
/* False: there is no such key. */
bool cli_top_key_find(const char *name, enum cli_top_key *key);

#endif
