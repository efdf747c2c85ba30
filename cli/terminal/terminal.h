/*
 * Is the output a terminal, how wide is it, and are colours wanted there?
 */
#ifndef CALLSIG_CLI_TERMINAL_TERMINAL_H
#define CALLSIG_CLI_TERMINAL_TERMINAL_H

#include <stdbool.h>

/* Cells of the terminal that the descriptor is of; 0 when it is of none, or the width is unknown. */
unsigned cli_terminal_width(int file);

/* True when the descriptor is of a terminal that shows colours and NO_COLOR (no-color.org) is not set. */
bool cli_terminal_has_color(int file);

/* Can the cursor be moved anywhere on the terminal that `file` is, by what TERM says of its kind? */
bool cli_terminal_moves(int file);

#endif
