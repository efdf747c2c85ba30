/* Opens the socket that a server listens at. */
#include "cli/serve/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/common/subcommand.h"

enum { BACKLOG = 128 };

/* Why it could not be: as a status, after a message. */
static int refuse(const char *option, const char *address, int error)
{
  cli_error("%s: %s: cannot listen there: %s", option, address, strerror(error));
  return CLI_EXIT_FAILURE;
}

static int wrong(const char *option, const char *address, const char *why)
{
  cli_error("%s: '%s': %s; give HOST:PORT, PORT or unix:/path", option, address, why);
  return CLI_EXIT_USAGE;
}

/* True of a socket's file that nobody listens at: what a server left that was killed. */
static bool is_left(const struct sockaddr_un *address)
{
  struct stat status;
  if (lstat(address->sun_path, &status) != 0 || !S_ISSOCK(status.st_mode))
    return false;
  int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0)
    return false;
  const bool refused = connect(probe, (const struct sockaddr *)address, sizeof *address) != 0 && errno == ECONNREFUSED;
  close(probe);
  return refused;
}

static int open_unix(const char *option, const char *address, struct cli_listener *listener)
{
  const char *path = address + strlen("unix:");
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  if (!*path)
    return wrong(option, address, "no path");
  if (strlen(path) >= sizeof name.sun_path)
    return wrong(option, address, "the path is longer than that of a socket can be, 107 bytes");
  strcpy(name.sun_path, path);
  listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  /* The file gets the mode of the socket: at no moment can others connect. */
  if (listener->fd < 0 || fchmod(listener->fd, 0600) != 0)
    return refuse(option, address, errno);
  if (is_left(&name))
    (void)unlink(path);
  if (bind(listener->fd, (struct sockaddr *)&name, sizeof name) != 0)
    return refuse(option, address, errno);
  struct stat status;
  if (!realpath(path, listener->path) || lstat(path, &status) != 0)
    return refuse(option, address, errno);
  listener->device = status.st_dev;
  listener->inode = status.st_ino;
  listener->is_unix = true;
  if (listen(listener->fd, BACKLOG) != 0)
    return refuse(option, address, errno);
  snprintf(listener->url, sizeof listener->url, "unix:%s", listener->path);
  return CLI_EXIT_OK;
}

/* Takes "HOST:PORT" apart. NULL, or what is wrong. */
static const char *split(const char *address, char host[NI_MAXHOST], char port[8])
{
  const char *colon = strrchr(address, ':'), *begin = address, *end = colon ? colon : address;
  if (*address == '[') {
    end = strchr(address, ']');
    if (!end || end[1] != ':')
      return "no port behind the brackets";
    colon = end + 1;
    begin = address + 1;
  } else if (colon && memchr(address, ':', (size_t)(colon - address))) {
    return "an IPv6 address stands in brackets";
  }
  if (end - begin >= NI_MAXHOST)
    return "the host's name is too long";
  snprintf(host, NI_MAXHOST, "%.*s", (int)(end - begin), begin);
  const char *digits = colon ? colon + 1 : address;
  if (!*digits || strlen(digits) > 5 || strspn(digits, "0123456789") != strlen(digits) ||
      strtol(digits, NULL, 10) > 65535)
    return "no port from 0 to 65535";
  snprintf(port, 8, "%s", digits);
  if (!colon)
    snprintf(host, NI_MAXHOST, "127.0.0.1");
  return NULL;
}

static bool is_loopback(const struct sockaddr *address)
{
  if (address->sa_family == AF_INET)
    return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
  return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

/* What the kernel made of it: a port that was left to it is known now. */
static void name_url(struct cli_listener *listener)
{
  struct sockaddr_storage bound = {.ss_family = AF_UNSPEC};
  socklen_t size = sizeof bound;
  char host[64], port[8];
  if (getsockname(listener->fd, (struct sockaddr *)&bound, &size) != 0 ||
      getnameinfo((struct sockaddr *)&bound, size, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return;
  const bool is_v6 = bound.ss_family == AF_INET6;
  snprintf(listener->url, sizeof listener->url, "http://%s%s%s:%s/", is_v6 ? "[" : "", host, is_v6 ? "]" : "", port);
}

static int open_inet(const char *option, const char *address, bool has_token, struct cli_listener *listener)
{
  char host[NI_MAXHOST], port[8];
  const char *mistake = split(address, host, port);
  if (mistake)
    return wrong(option, address, mistake);
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
  struct addrinfo *found;
  int error = getaddrinfo(*host ? host : NULL, port, &hints, &found);
  if (error != 0) {
    cli_error("%s: %s: %s", option, address, gai_strerror(error));
    return CLI_EXIT_FAILURE;
  }
  int status = CLI_EXIT_OK;
  const int on = 1;
  listener->is_loopback = is_loopback(found->ai_addr);
  if (!listener->is_loopback && !has_token) {
    status = wrong(option, address, "others can reach this, which takes a token that they know: --token-file FILE");
  } else {
    listener->fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener->fd < 0 || setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(listener->fd, found->ai_addr, found->ai_addrlen) != 0 || listen(listener->fd, BACKLOG) != 0)
      status = refuse(option, address, errno);
    else
      name_url(listener);
  }
  freeaddrinfo(found);
  return status;
}

int cli_listener_open(const char *option, const char *address, bool has_token, struct cli_listener *listener)
{
  *listener = (struct cli_listener){.fd = -1};
  int status = strncmp(address, "unix:", 5) == 0 ? open_unix(option, address, listener)
                                                 : open_inet(option, address, has_token, listener);
  if (status != CLI_EXIT_OK)
    cli_listener_remove(listener);
  return status;
}

void cli_listener_close(struct cli_listener *listener)
{
  if (listener->fd >= 0)
    close(listener->fd);
  listener->fd = -1;
}

void cli_listener_remove(struct cli_listener *listener)
{
  struct stat status;
  cli_listener_close(listener);
  if (listener->is_unix && lstat(listener->path, &status) == 0 && status.st_dev == listener->device &&
      status.st_ino == listener->inode)
    (void)unlink(listener->path);
  listener->is_unix = false;
}
