/* Tells what a request asks for. */
#include "cli/serve/request.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* As Go's own: what tools and people look for there. */
static const char index_page[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>/debug/pprof/</title></head><body>\n"
    "<h1>/debug/pprof/</h1>\n<table>\n"
    "<tr><td><a href=\"profile?seconds=30\">profile</a></td><td>what the program does for some seconds: calls and time "
    "by stack, with signatures and stages as labels; <code>?seconds=N</code></td></tr>\n"
    "<tr><td><a href=\"callsig\">callsig</a></td><td>the same since the start</td></tr>\n"
    "<tr><td><a href=\"../../metrics\">/metrics</a></td><td>counters, for Prometheus</td></tr>\n"
    "<tr><td><a href=\"../../\">/</a></td><td>the report as a page</td></tr>\n"
    "</table>\n<p><code>go tool pprof URL/debug/pprof/profile?seconds=30</code></p>\n</body></html>\n";

static struct cli_body *delta_of(const char *seconds, struct cli_exchange *exchange, bool *is_made)
{
  exchange->is_delta = true;
  exchange->seconds = CLI_DELTA_DEFAULT_S;
  if (seconds) {
    const size_t length = strlen(seconds);
    const long value =
        length > 0 && length <= 6 && strspn(seconds, "0123456789") == length ? strtol(seconds, NULL, 10) : 0;
    if (value < 1 || value > CLI_DELTA_LONGEST_S)
      return cli_body_text(400, "seconds is a whole number from 1 to %d\n", CLI_DELTA_LONGEST_S);
    exchange->seconds = (unsigned)value;
  }
  *is_made = true;
  return NULL;
}

struct cli_body *cli_request_find(const char *path, const char *seconds, struct cli_exchange *exchange, bool *is_made)
{
  static const struct {
    const char *path;
    enum cli_shared what;
  } shared[] = {{"/", CLI_SHARED_PAGE}, {"/metrics", CLI_SHARED_METRICS}, {"/debug/pprof/callsig", CLI_SHARED_WHOLE}};
  *is_made = false;
  if (strcmp(path, "/debug/pprof/profile") == 0)
    return delta_of(seconds, exchange, is_made);
  for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
    if (strcmp(path, shared[i].path) == 0) {
      exchange->what = shared[i].what;
      *is_made = true;
      return NULL;
    }
  }
  if (strcmp(path, "/healthz") == 0)
    return cli_body_text(200, "ok\n");
  if (strcmp(path, "/debug/pprof/") != 0)
    return cli_body_text(404, "there is /, /metrics, /debug/pprof/ and /healthz\n");
  struct cli_body *body = cli_body_text(200, "%s", index_page);
  if (body)
    body->type = "text/html; charset=utf-8";
  return body;
}

bool cli_host_is_loopback(const char *host)
{
  char name[64];
  struct in_addr four;
  struct in6_addr six;
  if (!host || strlen(host) >= sizeof name)
    return false;
  strcpy(name, host);
  char *end = *name == '[' ? strchr(name, ']') : strchr(name, ':');
  const char *port = end ? end + (*name == '[') : "";
  if ((*name == '[' && !end) || (*port && (*port != ':' || strspn(port + 1, "0123456789") != strlen(port + 1))))
    return false;
  if (end)
    *end = '\0';
  if (*name == '[')
    return inet_pton(AF_INET6, name + 1, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
  return strcasecmp(name, "localhost") == 0 ||
         (inet_pton(AF_INET, name, &four) == 1 && ntohl(four.s_addr) >> 24 == 127);
}
