/*
 * The HTTP server: what is asked for where, and who may ask. libmicrohttpd speaks HTTP; a build without it has a server
 * that says so.
 */
#ifndef CALLSIG_CLI_SERVE_SERVER_H
#define CALLSIG_CLI_SERVE_SERVER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/serve/listener.h"
#include "cli/serve/token.h"

struct cli_server_options {
  const char *recording;
  const struct cli_listener *listener; /* whose socket stays open for as long as the server runs */
  const struct cli_token *token;       /* an empty one: none is asked for */
  size_t functions;                    /* of callsig_metrics_options */
  const volatile sig_atomic_t *stop;   /* not 0: the server is to end, which it does within a second */
};

/* Can anything be served? Loads what speaks HTTP. From one thread. False after a message: this build has no server, or
 * libmicrohttpd cannot be loaded. */
bool cli_server_is_there(const char *command);

/* Serves until it is told to end, with the least claim to the processor that there is (nice 19). An exit status, after
 * a message where it is not CLI_EXIT_OK. */
int cli_server_run(const struct cli_server_options *options);

#endif
