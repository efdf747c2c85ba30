/*
 * The connections that are open, and when each must have come to its end: a client that sends or reads slowly is cut
 * off, and when there are many, the one that has kept its place for the longest makes room.
 */
#ifndef CALLSIG_CLI_SERVE_CONNECTIONS_H
#define CALLSIG_CLI_SERVE_CONNECTIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  CLI_CONNECTIONS_MOST = 256,  /* at a time */
  CLI_CONNECTIONS_CROWD = 192, /* from so many on the oldest makes room for a new one */

  /* Milliseconds */
  CLI_CONNECTION_ASK_MS = 10000,    /* to send a request, from the connection's begin or the end of the last one */
  CLI_CONNECTION_LAST_MS = 100,     /* for one that was sent already, as no other will be: the client closed its half */
  CLI_CONNECTION_ANSWER_MS = 30000, /* to take the answer */
};

struct cli_connection {
  int fd;          /* borrowed */
  bool is_waiting; /* for us: it is not to be cut off */
  bool is_last; /* what it may have sent behind the last request is read already, or soon: see cli_connection_end() */
  uint64_t since_ns, until_ns;
  struct cli_connection *next, *before;
};

struct cli_connections {
  pthread_mutex_t lock;
  struct cli_connection *first; /* the newest */
  unsigned count;
};

void cli_connections_init(struct cli_connections *connections);
void cli_connections_free(struct cli_connections *connections);

/* A new connection, which may cost another one its place; NULL when memory is short. */
struct cli_connection *cli_connections_add(struct cli_connections *connections, int fd);
/* NULL is allowed. */
void cli_connections_remove(struct cli_connections *connections, struct cli_connection *connection);

/* From now on it has so many milliseconds for what it does; `is_waiting`: it waits for us. NULL is allowed. */
void cli_connection_give(struct cli_connections *connections, struct cli_connection *connection, unsigned milliseconds,
                         bool is_waiting);

/* Its client closed its half, and no request will come that was not sent already: it has CLI_CONNECTION_LAST_MS, and on
 * a busy machine until who answers has come to rest, CLI_CONNECTION_ASK_MS at the most. NULL is allowed. */
void cli_connection_end(struct cli_connections *connections, struct cli_connection *connection);

/* Cuts off those whose time is over. `rests`: who answers has nothing to do at this moment. */
void cli_connections_look(struct cli_connections *connections, bool rests);

#endif
