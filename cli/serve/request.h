/*
 * What a request asks for: its path and parameters, and whether its Host is one of this machine. It knows no server.
 */
#ifndef CALLSIG_CLI_SERVE_REQUEST_H
#define CALLSIG_CLI_SERVE_REQUEST_H

#include <stdbool.h>

#include "cli/serve/desk.h"

enum { CLI_DELTA_DEFAULT_S = 30, CLI_DELTA_LONGEST_S = 300 };

/* Finds what lies at `path`. `seconds` is the parameter of this name, NULL: none. A body that is the answer (an index,
 * health, an error); NULL with *is_made true: *exchange says what is to be made. NULL otherwise: memory is short. */
struct cli_body *cli_request_find(const char *path, const char *seconds, struct cli_exchange *exchange, bool *is_made);

/* Does a Host header name this machine's loopback interface, whatever the port? A page of another site that a browser
 * shows cannot make it do so, though its name may lead here. NULL: there is none. */
bool cli_host_is_loopback(const char *host);

#endif
