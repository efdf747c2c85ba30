/*
 * The server beside a program that `callsig run` runs: a process of its own, which the program is not related to.
 */
#ifndef CALLSIG_CLI_SERVE_SIDE_SERVER_H
#define CALLSIG_CLI_SERVE_SIDE_SERVER_H

#include <sys/types.h>

#include "cli/serve/listener.h"
#include "cli/serve/token.h"

struct cli_side_server {
  const char *address, *token_file; /* of --serve and --token-file; NULL: not given */
  struct cli_listener listener;
  struct cli_token token;
  pid_t pid; /* 0: it does not run */
};

#define CLI_SIDE_SERVER_NONE ((struct cli_side_server){.listener = {.fd = -1}})

/* Listens, where an address was given: before anything is started. An exit status, after a message where it is not
 * CLI_EXIT_OK. */
int cli_side_server_open(struct cli_side_server *server);

/* Starts the process, which serves the recording at `path` until cli_side_server_end(), or until this process has
 * ended, and says where. This process has one thread. 0, or a negative errno after a message. */
int cli_side_server_start(struct cli_side_server *server, const char *path);

/* Ends it and waits for that. Any number of times. */
void cli_side_server_end(struct cli_side_server *server);

#endif
