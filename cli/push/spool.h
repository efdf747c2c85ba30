/*
 * Profiles that are to be sent, as files in a folder: what could not be sent yet outlives the command, oldest first.
 */
#ifndef CALLSIG_CLI_PUSH_SPOOL_H
#define CALLSIG_CLI_PUSH_SPOOL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

/* All files together; the oldest are dropped, with a message, when more would be there. */
#define CLI_SPOOL_MOST_BYTES (UINT64_C(64) << 20)

struct cli_spool {
  char path[PATH_MAX];
  int folder;                /* -1: closed */
  struct base_vector passed; /* struct cli_spooled: those that this command leaves alone */
};

/* A profile of the spool. */
struct cli_spooled {
  char name[64];
  uint64_t from_ms, until_ms; /* since 1970 */
  uint64_t bytes;
  bool is_sent; /* it is there only since it could not be removed */
};

/* Opens the folder, which is made with mode 0700 when it is not there, and must be this user's alone, and
 * locks it: one command at a time has it. 0, or a negative errno after a message. */
int cli_spool_open(struct cli_spool *spool, const char *path);
void cli_spool_close(struct cli_spool *spool);

/* Adds a profile: it is there as a whole, or not. 0, or a negative errno after a message. */
int cli_spool_add(const struct cli_spool *spool, uint64_t from_ms, uint64_t until_ms, const void *data, size_t size);

/* The oldest profile that is not passed over: 1, or 0 when there is none; a negative errno after a message. */
int cli_spool_oldest(const struct cli_spool *spool, struct cli_spooled *oldest);
/* Leaves a profile alone from now on, for another command: it would keep those behind it from being sent. 0, or a
 * negative errno after a message. */
int cli_spool_pass_over(struct cli_spool *spool, const struct cli_spooled *spooled);
/* Removes those that were passed over as sent, where that can be done by now. Tells nothing. */
void cli_spool_remove_sent(const struct cli_spool *spool);
/* Is there nothing, passed over or not? False after a message where that cannot be read. */
bool cli_spool_is_empty(const struct cli_spool *spool);
/* Its bytes, which the caller frees; NULL after a message. */
void *cli_spool_read(const struct cli_spool *spool, const struct cli_spooled *spooled);
/* 0, or a negative errno after a message. */
int cli_spool_remove(const struct cli_spool *spool, const struct cli_spooled *spooled);

#endif
