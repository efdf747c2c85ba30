/*
 * Where a server listens: an address on the command line as a socket.
 */
#ifndef CALLSIG_CLI_SERVE_LISTENER_H
#define CALLSIG_CLI_SERVE_LISTENER_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define CLI_SERVE_DEFAULT_ADDRESS "127.0.0.1:6060"

struct cli_listener {
  int fd; /* -1: closed */
  bool is_unix, is_loopback;
  char url[PATH_MAX + 16]; /* "http://127.0.0.1:6060/", "unix:/run/x" */
  char path[PATH_MAX];     /* of a UNIX socket, which is removed in the end; "" of others */
  dev_t device;            /* of it */
  ino_t inode;
};

/* Listens at `address`: "unix:/path", "HOST:PORT", "[HOST]:PORT" or "PORT", on the loopback interface; port 0: any that
 * is free. A UNIX socket gets mode 0600, and takes the place of one that nobody listens at any more, of nothing else.
 * What others can reach is refused without a token (`has_token`). An exit status, after a message that begins with
 * `option` where it is not CLI_EXIT_OK. */
int cli_listener_open(const char *option, const char *address, bool has_token, struct cli_listener *listener);

/* Stops listening. The file of a UNIX socket stays: others may listen there. */
void cli_listener_close(struct cli_listener *listener);

/* Removes the file of a UNIX socket, where it is still this one, and stops listening. Any number of times. */
void cli_listener_remove(struct cli_listener *listener);

#endif
