/*
 * The lines that `callsig top` shows, as text: what a terminal draws and --batch prints. It knows no terminal.
 */
#ifndef CALLSIG_CLI_TOP_VIEW_H
#define CALLSIG_CLI_TOP_VIEW_H

#include "cli/top/model.h"

enum cli_top_look {
  CLI_TOP_PLAIN,
  CLI_TOP_TITLE,
  CLI_TOP_HEADING,
  CLI_TOP_SELECTED,
  CLI_TOP_CALLER,
  CLI_TOP_MESSAGE,
};

struct cli_top_line {
  char *text; /* owned */
  enum cli_top_look look;
};

/* What is shown beside the rows. Strings are borrowed; NULL: none. */
struct cli_top_state {
  const char *program, *group;
  unsigned pid, others;     /* the process; those that it started and that run */
  double running;           /* seconds that the program runs, or ran */
  bool ended, frozen;       /* what is shown is the last state, or one that was kept */
  bool is_off;              /* recording is switched off */
  const char *const *notes; /* of queues and of what bounds the pipelines, a line each */
  uint32_t note_count;
  const char *message;
  bool help;
  const char *typed;        /* a filter that is being typed */
  uint32_t selected, first; /* rows: the one that is marked, the first on the screen */
};

/* The lines for a terminal of `width` cells and `height` lines (at least 1), the keys in the last one; 0: all rows,
 * whole, without a mark and without keys. `lines` is a vector of struct cli_top_line; free it with
 * cli_top_lines_free(). False when memory is short. */
bool cli_top_view(const struct cli_top_model *model, const struct cli_top_state *state, unsigned width, unsigned height,
                  struct base_vector *lines);

/* How many rows such a screen has room for; at least 1. */
uint32_t cli_top_view_rows(const struct cli_top_state *state, unsigned height);

void cli_top_lines_free(struct base_vector *lines);

#endif
