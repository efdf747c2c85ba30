/* Asks the kernel for the owner of a connection's other end. */
#include "cli/serve/peer.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* An address and a port as the kernel's tables have them: words of 32 bits in the machine's order. */
enum { TEXT = 8 * 4 + 1 + 4 + 1 };

static void print_ipv4(char text[TEXT], const struct sockaddr_in *address, bool is_mapped)
{
  uint32_t words[4] = {0, 0, htonl(0xFFFF), address->sin_addr.s_addr};
  int length = 0;
  for (int i = is_mapped ? 0 : 3; i < 4; i++)
    length += snprintf(text + length, (size_t)(TEXT - length), "%08" PRIX32, words[i]);
  snprintf(text + length, (size_t)(TEXT - length), ":%04X", ntohs(address->sin_port));
}

static void print_ipv6(char text[TEXT], const struct sockaddr_in6 *address)
{
  uint32_t words[4];
  int length = 0;
  memcpy(words, &address->sin6_addr, sizeof words);
  for (int i = 0; i < 4; i++)
    length += snprintf(text + length, (size_t)(TEXT - length), "%08" PRIX32, words[i]);
  snprintf(text + length, (size_t)(TEXT - length), ":%04X", ntohs(address->sin6_port));
}

/* The user of the socket that leads from `near` to `far`. */
static uint32_t find_in_table(const char *table, const char *near, const char *far)
{
  FILE *file = fopen(table, "re");
  char line[256], local[TEXT], remote[TEXT], found[11];
  uint32_t user = CLI_PEER_UNKNOWN;
  while (file && user == CLI_PEER_UNKNOWN && fgets(line, sizeof line, file))
    if (sscanf(line, " %*u: %37s %37s %*s %*s %*s %*s %10s", local, remote, found) == 3 && strcmp(local, near) == 0 &&
        strcmp(remote, far) == 0)
      user = (uint32_t)strtoul(found, NULL, 10);
  if (file)
    fclose(file);
  return user;
}

static uint32_t user_of_ipv4(const struct sockaddr_in *peer, const struct sockaddr_in *own)
{
  char near[TEXT], far[TEXT];
  uint32_t user = CLI_PEER_UNKNOWN;
  for (int is_mapped = 0; is_mapped < 2 && user == CLI_PEER_UNKNOWN; is_mapped++) {
    print_ipv4(near, peer, is_mapped);
    print_ipv4(far, own, is_mapped);
    user = find_in_table(is_mapped ? "/proc/net/tcp6" : "/proc/net/tcp", near, far);
  }
  return user;
}

uint32_t cli_peer_user(int fd)
{
  union {
    struct sockaddr any;
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
    struct sockaddr_storage room;
  } peer = {.room = {0}}, own = {.room = {0}};
  struct ucred user;
  socklen_t peer_size = sizeof peer, own_size = sizeof own, user_size = sizeof user;
  if (getpeername(fd, &peer.any, &peer_size) < 0 || getsockname(fd, &own.any, &own_size) < 0)
    return CLI_PEER_UNKNOWN;
  if (own.any.sa_family == AF_UNIX)
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &user_size) == 0 ? user.uid : CLI_PEER_UNKNOWN;
  if (own.any.sa_family == AF_INET)
    return user_of_ipv4(&peer.ipv4, &own.ipv4);
  char near[TEXT], far[TEXT];
  print_ipv6(near, &peer.ipv6);
  print_ipv6(far, &own.ipv6);
  return own.any.sa_family == AF_INET6 ? find_in_table("/proc/net/tcp6", near, far) : CLI_PEER_UNKNOWN;
}
