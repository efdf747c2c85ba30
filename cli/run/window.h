/*
 * When a run records: from some time after its start, and for some time. The program and what it starts are told so in
 * their environment, for their own beginning; who runs at one of the two moments is asked by its recording.
 */
#ifndef CALLSIG_CLI_RUN_WINDOW_H
#define CALLSIG_CLI_RUN_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/common/subcommand.h"
#include "cli/run/recording_place.h"

struct cli_window {
  bool off;          /* not before it is asked to, from outside */
  uint64_t after_ns; /* of the run's start; 0: at once */
  uint64_t for_ns;   /* 0: to the end */
};

struct cli_window_timer;

static inline bool cli_window_is_given(const struct cli_window *window)
{
  return window->off || window->after_ns != 0 || window->for_ns != 0;
}

/* Reads the values of --after and --for, NULL where they were not given, beside --off, which is known. Returns an exit
 * status, after a message. */
int cli_window_read(const struct cli_command *command, const char *after, const char *record_for,
                    struct cli_window *window);

/* From now on: puts the window into the environment, and has what this run records at `place` switched at its moments.
 * Returns 0, also when there is none (*timer is NULL then), or a negative errno without a message. */
int cli_window_begin(const struct cli_window *window, const struct cli_recording_place *place,
                     struct cli_window_timer **timer);

/* The program has ended. NULL is allowed. */
void cli_window_end(struct cli_window_timer *timer);

#endif
