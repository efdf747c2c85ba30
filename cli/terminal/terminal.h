/*
 * Is the output a terminal, how wide is it, and are colours wanted there?
 */
#ifndef CALLSIG_CLI_TERMINAL_TERMINAL_H
#define CALLSIG_CLI_TERMINAL_TERMINAL_H

#include <stdbool.h>

/* Cells of the terminal that standard output is; 0 when it is none, or its width is unknown. */
unsigned cli_terminal_width(void);

/* True when standard output is a terminal that shows colours and NO_COLOR (no-color.org) is not set. */
bool cli_terminal_has_color(void);

#endif
