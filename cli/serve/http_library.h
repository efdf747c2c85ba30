/* The functions of libmicrohttpd that server.c calls, found when something is to be served. */
#ifndef CALLSIG_CLI_SERVE_HTTP_LIBRARY_H
#define CALLSIG_CLI_SERVE_HTTP_LIBRARY_H

#include <microhttpd.h>
#include <stdbool.h>

/* Their names, without "MHD_". */
#define CLI_HTTP_FUNCTIONS(F)                                                                                          \
  F(add_response_header)                                                                                               \
  F(create_response_from_buffer)                                                                                       \
  F(destroy_response)                                                                                                  \
  F(get_connection_info)                                                                                               \
  F(lookup_connection_value)                                                                                           \
  F(queue_response)                                                                                                    \
  F(quiesce_daemon)                                                                                                    \
  F(resume_connection)                                                                                                 \
  F(start_daemon)                                                                                                      \
  F(stop_daemon)                                                                                                       \
  F(suspend_connection)

#define CLI_HTTP_MEMBER(function) __typeof__(MHD_##function) *(function);
struct cli_http {
  CLI_HTTP_FUNCTIONS(CLI_HTTP_MEMBER)
};

/* Loads libmicrohttpd and fills *http. From one thread. False, after a message: it is not there, or lacks a function.
 */
bool cli_http_load(struct cli_http *http);

#endif
