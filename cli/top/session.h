/*
 * One run of `callsig top`: what it looks at, what is shown of it, and what keys do. It draws nothing.
 */
#ifndef CALLSIG_CLI_TOP_SESSION_H
#define CALLSIG_CLI_TOP_SESSION_H

#include "cli/top/source.h"
#include "cli/top/view.h"

enum { CLI_TOP_MOST_TYPED = 200 };

struct cli_top_session {
  struct cli_top_source source;
  struct cli_top_model model;
  bool frozen, help, typing, quit;
  char typed[CLI_TOP_MOST_TYPED + 1];
  char message[512]; /* "": none */
  uint32_t selected, first;
  uint32_t page; /* rows that the screen had room for */
};

/* Keys that are no characters. */
enum cli_top_press {
  CLI_TOP_PRESS_UP = 0x110000,
  CLI_TOP_PRESS_DOWN,
  CLI_TOP_PRESS_PAGE_UP,
  CLI_TOP_PRESS_PAGE_DOWN,
  CLI_TOP_PRESS_HOME,
  CLI_TOP_PRESS_ENTER,
  CLI_TOP_PRESS_ESCAPE,
  CLI_TOP_PRESS_ERASE,
};

/* How rows are grouped: "signature", "function", "stage", "thread" or "module". False: by none of them. */
bool cli_top_group_find(const char *name, unsigned *by);

void cli_top_session_init(struct cli_top_session *session);
void cli_top_session_free(struct cli_top_session *session);

/* Looks at the recording. False when it cannot be read: the message callback was told. */
bool cli_top_session_look(struct cli_top_session *session);

/* Does what a key says: a character, or an enum cli_top_press. */
void cli_top_session_press(struct cli_top_session *session, int key);

/* The lines to show, as cli_top_view(). */
bool cli_top_session_lines(struct cli_top_session *session, unsigned width, unsigned height, struct base_vector *lines);

#endif
