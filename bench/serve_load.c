/*
 * Asks an HTTP server for one path at a steady rate, over connections that stay open: what bench/serve.py puts on a
 * program's server. Prints how many answers came and how late.
 *
 *   serve_load PORT PATH RATE SECONDS
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 32, BUFFER = 1 << 20 };

struct connection {
  int fd;
  bool is_busy;
  double asked;
  size_t length; /* of the answer so far */
  char data[BUFFER];
};

struct load {
  char request[512];
  struct sockaddr_in address;
  struct connection *connections;
  unsigned long answered, refused, skipped;
  double waited, longest;
};

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool ask(struct load *load, struct connection *connection)
{
  if (connection->fd < 0) {
    connection->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(connection->fd, (const struct sockaddr *)&load->address, sizeof load->address) != 0)
      return false;
  }
  connection->asked = now();
  connection->length = 0;
  connection->is_busy = true;
  return send(connection->fd, load->request, strlen(load->request), MSG_NOSIGNAL) > 0;
}

/* True when all of an answer is there. */
static bool is_whole(const struct connection *connection)
{
  const char *end = memmem(connection->data, connection->length, "\r\n\r\n", 4);
  const char *size = end ? memmem(connection->data, connection->length, "Content-Length: ", 16) : NULL;
  return size && connection->length >= (size_t)(end + 4 - connection->data) + strtoul(size + 16, NULL, 10);
}

static void take(struct load *load, struct connection *connection)
{
  ssize_t got = recv(connection->fd, connection->data + connection->length, BUFFER - 1 - connection->length, 0);
  if (got <= 0) {
    close(connection->fd);
    connection->fd = -1;
    load->refused += connection->is_busy;
    connection->is_busy = false;
    return;
  }
  connection->length += (size_t)got;
  connection->data[connection->length] = '\0';
  if (!is_whole(connection))
    return;
  const double waited = now() - connection->asked;
  load->answered++;
  load->refused += strncmp(connection->data, "HTTP/1.1 200", 12) != 0;
  load->waited += waited;
  load->longest = waited > load->longest ? waited : load->longest;
  connection->is_busy = false;
}

static bool is_any_busy(const struct load *load)
{
  for (int i = 0; i < CONNECTIONS; i++)
    if (load->connections[i].is_busy)
      return true;
  return false;
}

/* Takes answers until `until`. */
static void take_until(struct load *load, double until)
{
  struct pollfd list[CONNECTIONS];
  do {
    for (int i = 0; i < CONNECTIONS; i++)
      list[i] = (struct pollfd){.fd = load->connections[i].fd, .events = POLLIN};
    double left = until - now();
    const struct timespec wait = {.tv_nsec = left > 0 ? (long)(left * 1e9) : 0};
    if (ppoll(list, CONNECTIONS, &wait, NULL) <= 0)
      return;
    for (int i = 0; i < CONNECTIONS; i++)
      if (list[i].revents)
        take(load, &load->connections[i]);
  } while (now() < until);
}

int main(int argc, char **argv)
{
  if (argc != 5)
    return 2;
  struct load load = {.connections = calloc(CONNECTIONS, sizeof(struct connection))};
  if (!load.connections)
    return 2;
  load.address = (struct sockaddr_in){.sin_family = AF_INET,
                                      .sin_port = htons((unsigned short)atoi(argv[1])),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  snprintf(load.request, sizeof load.request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", argv[2]);
  for (int i = 0; i < CONNECTIONS; i++)
    load.connections[i].fd = -1;
  const double begin = now(), step = 1 / atof(argv[3]), seconds = atof(argv[4]);
  for (unsigned long number = 0; (double)number * step < seconds; number++) {
    take_until(&load, begin + (double)number * step);
    int free_one = 0;
    while (free_one < CONNECTIONS && load.connections[free_one].is_busy)
      free_one++;
    if (free_one == CONNECTIONS || !ask(&load, &load.connections[free_one]))
      load.skipped++;
  }
  const double end = now() + 0.2;
  while (is_any_busy(&load) && now() < end)
    take_until(&load, now() + 0.001);
  printf("%lu answers, %lu errors, %lu not asked, mean %.2f ms, longest %.1f ms\n", load.answered, load.refused,
         load.skipped, load.answered ? load.waited / (double)load.answered * 1e3 : 0.0, load.longest * 1e3);
  return 0;
}
