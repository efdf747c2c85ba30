/*
 * `callsig top` on a terminal.
 */
#ifndef CALLSIG_CLI_TOP_SCREEN_H
#define CALLSIG_CLI_TOP_SCREEN_H

#include "cli/top/session.h"

/* Shows the session until it is quit, with a look each `interval` seconds. An exit status, after a message where it is
 * not CLI_EXIT_OK. */
int cli_top_screen(struct cli_top_session *session, double interval);

#endif
