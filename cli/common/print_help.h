/*
 * Help texts as a terminal of 80 columns shows them.
 */
#ifndef CALLSIG_CLI_COMMON_PRINT_HELP_H
#define CALLSIG_CLI_COMMON_PRINT_HELP_H

#include <stdio.h>

/* Writes a help text, in which what a line describes stands behind two spaces or more ("  -s KEY   sort by ..."), and
 * goes on in lines that are indented as far. Where a line is too wide, it and those that it goes on in are filled anew,
 * each word below the text; what fits stays as it is written. The first paragraph, which is the usage, stays, too. */
void cli_print_help(FILE *out, const char *help);

#endif
