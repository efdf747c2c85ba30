/* Keeps connections to their time. */
#include "cli/serve/connections.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static uint64_t now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void cli_connections_init(struct cli_connections *connections)
{
  *connections = (struct cli_connections){0};
  pthread_mutex_init(&connections->lock, NULL);
}

void cli_connections_free(struct cli_connections *connections)
{
  pthread_mutex_destroy(&connections->lock);
}

/* The server sees the connection's end, and closes it. Under the lock: it is not closed yet. */
static void cut_off(const struct cli_connection *connection)
{
  (void)shutdown(connection->fd, SHUT_RDWR);
}

static void give(struct cli_connection *connection, unsigned milliseconds, bool is_waiting)
{
  connection->since_ns = now_ns();
  connection->until_ns = connection->since_ns + milliseconds * UINT64_C(1000000);
  connection->is_waiting = is_waiting;
  connection->is_last = false;
}

static void make_room(const struct cli_connections *connections)
{
  const struct cli_connection *oldest = NULL;
  for (const struct cli_connection *at = connections->first; at; at = at->next)
    if (!at->is_waiting && (!oldest || at->since_ns < oldest->since_ns))
      oldest = at;
  if (oldest)
    cut_off(oldest);
}

struct cli_connection *cli_connections_add(struct cli_connections *connections, int fd)
{
  struct cli_connection *made = calloc(1, sizeof *made);
  if (!made)
    return NULL;
  made->fd = fd;
  give(made, CLI_CONNECTION_ASK_MS, false);
  pthread_mutex_lock(&connections->lock);
  if (connections->count >= CLI_CONNECTIONS_CROWD)
    make_room(connections);
  made->next = connections->first;
  if (made->next)
    made->next->before = made;
  connections->first = made;
  connections->count++;
  pthread_mutex_unlock(&connections->lock);
  return made;
}

void cli_connections_remove(struct cli_connections *connections, struct cli_connection *connection)
{
  if (!connection)
    return;
  pthread_mutex_lock(&connections->lock);
  if (connection->before)
    connection->before->next = connection->next;
  else
    connections->first = connection->next;
  if (connection->next)
    connection->next->before = connection->before;
  connections->count--;
  pthread_mutex_unlock(&connections->lock);
  free(connection);
}

void cli_connection_give(struct cli_connections *connections, struct cli_connection *connection, unsigned milliseconds,
                         bool is_waiting)
{
  if (!connection)
    return;
  pthread_mutex_lock(&connections->lock);
  give(connection, milliseconds, is_waiting);
  pthread_mutex_unlock(&connections->lock);
}

void cli_connection_end(struct cli_connections *connections, struct cli_connection *connection)
{
  if (!connection)
    return;
  pthread_mutex_lock(&connections->lock);
  give(connection, CLI_CONNECTION_LAST_MS, false);
  connection->is_last = true;
  pthread_mutex_unlock(&connections->lock);
}

/* Whose request was not looked at yet is not late, as long as there is somebody who may come to it. */
static bool is_over(const struct cli_connection *connection, uint64_t now, bool rests)
{
  const uint64_t most_ns = CLI_CONNECTION_ASK_MS * UINT64_C(1000000);
  return !connection->is_waiting && connection->until_ns < now &&
         (!connection->is_last || rests || connection->since_ns + most_ns < now);
}

void cli_connections_look(struct cli_connections *connections, bool rests)
{
  const uint64_t now = now_ns();
  pthread_mutex_lock(&connections->lock);
  for (const struct cli_connection *at = connections->first; at; at = at->next)
    if (is_over(at, now, rests))
      cut_off(at);
  pthread_mutex_unlock(&connections->lock);
}
