/*
 * Where this copy of callsig stands: the command itself, the runtime and the headers, found relative to the running
 * executable, so that an installed tree can be moved and a build folder needs no installation.
 */
#ifndef CALLSIG_CLI_INSTALL_PATHS_H
#define CALLSIG_CLI_INSTALL_PATHS_H

#include <limits.h>

struct cli_place {
  char command[PATH_MAX]; /* the running `callsig` */
  char runtime[PATH_MAX]; /* libcallsig.so.0 */
  char lib[PATH_MAX];     /* the folder of the libraries */
  char include[PATH_MAX]; /* the folder that holds callsig/callsig.h */
};

/* Fills *place. Returns 0, or a negative errno after a message. */
int cli_place_find(struct cli_place *place);

#endif
