/*
 * The secret that a request must bring where not only this user can reach the server.
 */
#ifndef CALLSIG_CLI_SERVE_TOKEN_H
#define CALLSIG_CLI_SERVE_TOKEN_H

#include <stdbool.h>

enum { CLI_TOKEN_LEAST = 16, CLI_TOKEN_MOST = 1024 };

struct cli_token {
  char text[CLI_TOKEN_MOST + 1]; /* "": none is asked for */
};

/* Reads the token of a file that its owner alone can read: a line of printing characters without spaces. An exit
 * status, after a message where it is not CLI_EXIT_OK. */
int cli_token_read(const char *path, struct cli_token *token);

/* Is this the value of the header Authorization with the token? How long that takes does not depend on how much of the
 * token is right. NULL: there is no such header. */
bool cli_token_fits(const struct cli_token *token, const char *authorization);

#endif
