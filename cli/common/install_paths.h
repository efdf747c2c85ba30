/*
 * Where this copy of callsig stands: the command itself, the runtime and the headers, found relative to the running
 * executable, so that an installed tree can be moved and a build folder needs no installation.
 */
#ifndef CALLSIG_CLI_COMMON_INSTALL_PATHS_H
#define CALLSIG_CLI_COMMON_INSTALL_PATHS_H

#include <limits.h>

struct cli_install_paths {
  char command[PATH_MAX]; /* the running `callsig` */
  char runtime[PATH_MAX]; /* libcallsig.so.0 */
  char lib[PATH_MAX];     /* the folder of the libraries */
  char include[PATH_MAX]; /* the folder that holds callsig/callsig.h */
  char rules[PATH_MAX];   /* presets.rules; empty when it is not there */
  char plugins[PATH_MAX]; /* the folder that holds gcc-VERSION/callsig_sleds.so; empty when there is none */
};

/* Fills *paths. Returns 0, or a negative errno after a message. */
int cli_install_paths_find(struct cli_install_paths *paths);

#endif
