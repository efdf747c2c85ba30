/*
 * When a program that is sampled recorded: of its samples, those taken meanwhile tell where the recorded time went.
 *
 * The recording's header says when it was switched last. It is looked at again and again, so that a switch is known to
 * the moment while there is one between two looks; where there were more, what was recorded between them is not known.
 */
#ifndef CALLSIG_CLI_BESIDE_RECORDED_H
#define CALLSIG_CLI_BESIDE_RECORDED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

enum cli_recorded_state { CLI_RECORDED, CLI_NOT_RECORDED, CLI_NOT_KNOWN };

struct cli_recorded {
  int file;                  /* of the recording, not owned; -1: all is taken for recorded */
  struct base_vector coming; /* changes of the state, from where cli_recorded_at() came to, in order; owned */
  enum cli_recorded_state state;
  uint64_t until, ns;   /* cli_recorded_at() came to this moment, up to which so much was recorded */
  uint64_t looked;      /* when the header was looked at last */
  uint64_t switched_ns; /* what it said then */
  bool is_off, was_switched;
};

/* Before the program starts. Free with cli_recorded_free(). */
void cli_recorded_init(struct cli_recorded *recorded, int file);
void cli_recorded_free(struct cli_recorded *recorded);

/* Looks at the header: `now` is CLOCK_MONOTONIC, and `realtime` CLOCK_REALTIME at the same moment. -ENOMEM. */
int cli_recorded_look(struct cli_recorded *recorded, uint64_t now, uint64_t realtime);

/* Goes on to the moment `time`, which is neither before the last one nor after the last look; returns what the program
 * did then, and leaves in recorded->ns how long it has recorded. */
enum cli_recorded_state cli_recorded_at(struct cli_recorded *recorded, uint64_t time);

#endif
