/*
 * Triggers as a command line gives them: 'stage decode > 50ms', 'parse(n >= 4096) > 1ms', 'parse > 1ms'.
 */
#ifndef CALLSIG_CLI_RUN_TRIGGER_H
#define CALLSIG_CLI_RUN_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "callsig/stats.h"
#include "cli/common/subcommand.h"

#define CLI_TRIGGERS_MOST     32u
#define CLI_TRIGGERS_SNAPSHOT 10 /* so many snapshots are written by default */

struct cli_trigger {
  const char *text;                   /* as given. Borrowed */
  char *name;                         /* of the function, as given. Owned; NULL: a stage's */
  char *function, *stage, *signature; /* what calls it is of, as for callsig_stats_filter(). Owned; NULL: any */
  uint64_t ns;                        /* that they take */
  bool includes;                      /* that time itself, too */
};

/* Zero-initialised: none. Free with cli_triggers_free(). */
struct cli_triggers {
  struct base_vector list; /* struct cli_trigger */
  unsigned limit;          /* snapshots; 0: the default */
};

/* Adds the one that `text` says, which stays the caller's and must outlive the triggers. An exit status, after a
 * message. */
int cli_triggers_add(const struct cli_command *command, struct cli_triggers *triggers, const char *text);
/* Reads how many snapshots are written at most. The same. */
int cli_triggers_limit(const struct cli_command *command, struct cli_triggers *triggers, const char *text);
/* Sees to what triggers need of a run: *timeline (NULL: none was asked for) becomes one that has each of their calls,
 * whose text stays valid. The same. */
int cli_triggers_check(const struct cli_command *command, const struct cli_triggers *triggers, const char *times,
                       bool no_signatures, const char **timeline);
void cli_triggers_free(struct cli_triggers *triggers);

/* The calls that a trigger is of, without its condition on arguments where `any_arguments`. */
struct callsig_stats_filter cli_trigger_filter(const struct cli_trigger *trigger, bool any_arguments);
/* Filters by it without a message: what a condition names may be recorded later, or not at all, which is told in other
 * words at the end. As callsig_stats_filter() otherwise. */
int cli_trigger_select(struct callsig_stats *stats, const struct callsig_stats_filter *filter);

#endif
