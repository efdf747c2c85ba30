/* Speaks HTTP by libmicrohttpd: one thread of it answers, the caller's makes what takes time. */
#define _GNU_SOURCE
#include "cli/serve/server.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/common/subcommand.h"
#include "cli/serve/connections.h"
#include "cli/serve/http_library.h"
#include "cli/serve/peer.h"
#include "cli/serve/request.h"

enum {
  REQUEST_MEMORY = 16384, /* bytes of a request's line and headers */
  LEAST_CLAIM = 19,       /* nice */
};

/* Found once, before anything is served, and only read from then on. */
static struct cli_http http;

struct server {
  const struct cli_server_options *options;
  struct cli_connections connections;
  struct cli_desk desk;
  _Atomic pid_t answers; /* libmicrohttpd's thread; 0: it has not answered yet */
};

/* One request, from its first call of answer() until it is completed. */
struct request {
  struct cli_exchange exchange;
  struct MHD_Connection *connection;
  int fd;        /* the connection's; -1: it is not told */
  bool is_asked; /* what it wants was looked at */
  bool waits;    /* it is to wait for its body, and does not yet */
};

bool cli_server_is_there(const char *command)
{
  (void)command;
  return http.start_daemon || cli_http_load(&http);
}

static int fd_of(struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = http.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

static struct cli_connection *connection_of(struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = http.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/* An MHD_NotifyConnectionCallback. */
static void notify_connection(void *data, struct MHD_Connection *connection, void **context,
                              enum MHD_ConnectionNotificationCode code)
{
  struct server *server = data;
  const union MHD_ConnectionInfo *info = http.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  server->answers = gettid();
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    *context = info ? cli_connections_add(&server->connections, info->connect_fd) : NULL;
  } else {
    cli_connections_remove(&server->connections, *context);
    *context = NULL;
  }
}

/* What the other side did with a connection: POLLRDHUP, POLLHUP, POLLERR. */
static short ends_of(int fd)
{
  struct pollfd connection = {.fd = fd, .events = POLLRDHUP};
  return poll(&connection, 1, 0) > 0 ? connection.revents : 0;
}

/* An MHD_RequestCompletedCallback. Where the other side had closed its half when the request was read, libmicrohttpd
 * does not hear of it again (the edge that epoll tells of has passed), and would keep the connection for the next
 * request. There may be one that it has read already, so it gets a moment, in which the thread may come to it. */
static void complete(void *data, struct MHD_Connection *connection, void **context,
                     enum MHD_RequestTerminationCode code)
{
  struct server *server = data;
  struct request *request = *context;
  const bool is_last = request && request->fd >= 0 && ends_of(request->fd) != 0;
  (void)code;
  if (is_last)
    cli_connection_end(&server->connections, connection_of(connection));
  else
    cli_connection_give(&server->connections, connection_of(connection), CLI_CONNECTION_ASK_MS, false);
  if (request)
    cli_body_release(request->exchange.body);
  free(request);
  *context = NULL;
}

static void wake(struct cli_exchange *exchange)
{
  const struct request *request = exchange->owner;
  http.resume_connection(request->connection);
}

/* Of a request that waits: libmicrohttpd does not look at its connection meanwhile. Of TCP, who closed a connection
 * looks as one that closed its half of it, until something is sent to it. */
static enum cli_presence presence_of(const struct cli_exchange *exchange)
{
  const struct request *request = exchange->owner;
  const short ends = request->fd < 0 ? 0 : ends_of(request->fd);
  return ends == 0 ? CLI_IS_THERE : ends == POLLRDHUP ? CLI_MAY_BE_GONE : CLI_IS_GONE;
}

/* A cli_body's release_response. Answers that are on their way keep the response. */
static void release_response(void *response)
{
  http.destroy_response(response);
}

/* What is sent of a body: made once, as many may get it. It borrows the body's data. NULL: memory is short. */
static struct MHD_Response *response_of(struct cli_body *body)
{
  if (body->response)
    return body->response;
  struct MHD_Response *response = http.create_response_from_buffer(body->size, body->data, MHD_RESPMEM_PERSISTENT);
  if (!response)
    return NULL;
  http.add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, body->type);
  http.add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
  http.add_response_header(response, "X-Content-Type-Options", "nosniff");
  http.add_response_header(response, "Referrer-Policy", "no-referrer");
  if (body->method)
    http.add_response_header(response, MHD_HTTP_HEADER_ALLOW, body->method);
  if (body->status == MHD_HTTP_UNAUTHORIZED)
    http.add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer realm=\"callsig\"");
  if (body->status == MHD_HTTP_SERVICE_UNAVAILABLE)
    http.add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
  body->response = response;
  body->release_response = release_response;
  return response;
}

/* Answers with the request's body, which it holds until it is completed. None: memory is short. */
static enum MHD_Result queue(struct server *server, struct request *request)
{
  struct cli_body *body = request->exchange.body;
  cli_connection_give(&server->connections, connection_of(request->connection), CLI_CONNECTION_ANSWER_MS, false);
  struct MHD_Response *response = body ? response_of(body) : NULL;
  return response ? http.queue_response(request->connection, body->status, response) : MHD_NO;
}

static struct cli_body *refuse_method(const char *allowed)
{
  struct cli_body *body =
      cli_body_text(MHD_HTTP_METHOD_NOT_ALLOWED, "%s alone: nothing can be changed here\n", allowed);
  if (body)
    body->method = allowed;
  return body;
}

/* Why the request is not answered; NULL with *is_fine true where it is, NULL otherwise where memory is short. */
static struct cli_body *refuse(const struct server *server, struct MHD_Connection *connection, const char *method,
                               bool *is_fine)
{
  const struct cli_server_options *options = server->options;
  const bool has_token = options->token->text[0] != '\0';
  *is_fine = false;
  if (options->listener->is_loopback && !has_token &&
      !cli_host_is_loopback(http.lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST)))
    return cli_body_text(MHD_HTTP_MISDIRECTED_REQUEST, "the host has to be localhost or an address of it\n");
  if (has_token && !cli_token_fits(options->token, http.lookup_connection_value(connection, MHD_HEADER_KIND,
                                                                                MHD_HTTP_HEADER_AUTHORIZATION)))
    return cli_body_text(MHD_HTTP_UNAUTHORIZED, "this takes the token: Authorization: Bearer TOKEN\n");
  if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
    return refuse_method("GET, HEAD");
  *is_fine = true;
  return NULL;
}

/* What a new request gets at once; NULL with *waits true where it has to wait, NULL otherwise where memory is short. */
static struct cli_body *first_answer(struct server *server, struct request *request, const char *path,
                                     const char *method, bool *waits)
{
  bool goes_on;
  struct cli_body *body = refuse(server, request->connection, method, &goes_on);
  *waits = false;
  if (!goes_on)
    return body;
  const char *seconds = http.lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, "seconds");
  body = cli_request_find(path, seconds, &request->exchange, &goes_on);
  if (!goes_on)
    return body;
  /* Nobody takes a profile to learn its size. */
  if (request->exchange.is_delta && strcmp(method, MHD_HTTP_METHOD_GET) != 0)
    return refuse_method("GET");
  if (request->exchange.is_delta)
    request->exchange.user = request->fd < 0 ? CLI_PEER_UNKNOWN : cli_peer_user(request->fd);
  /* Between asking for a delta and waiting for it no other one may ask. */
  body = request->exchange.is_delta ? NULL : cli_desk_ask(&server->desk, &request->exchange);
  *waits = body == NULL;
  return body;
}

static bool has_body(struct MHD_Connection *connection)
{
  const char *length = http.lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
  return (length && strcmp(length, "0") != 0) ||
         http.lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING);
}

static struct request *new_request(struct MHD_Connection *connection)
{
  struct request *request = calloc(1, sizeof *request);
  if (request) {
    request->connection = connection;
    request->fd = fd_of(connection);
    request->exchange.owner = request;
  }
  return request;
}

/* Has the request wait until it is woken, where there is nothing for it yet. */
static enum MHD_Result await(struct server *server, struct request *request)
{
  request->waits = false;
  request->exchange.body = cli_desk_ask(&server->desk, &request->exchange);
  if (request->exchange.body)
    return queue(server, request);
  cli_connection_give(&server->connections, connection_of(request->connection), 0, true);
  http.suspend_connection(request->connection);
  cli_desk_wait(&server->desk, &request->exchange);
  return MHD_YES;
}

/* An MHD_AccessHandlerCallback: called when a request's headers are there, then when all of it is, again for one that
 * is to wait, and once more when it has waited. What has a body is answered at once: it is not read, and the connection
 * ends behind the answer.
 *
 * A request that is to wait does so from the call behind the one that found that out. libmicrohttpd takes a connection
 * up again as it left it: one that it left while it was reading it reads from then, and closes it, without an answer,
 * where the other side has closed its half. Returning from here without an answer, it has done with reading. */
static enum MHD_Result answer(void *data, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **context)
{
  struct server *server = data;
  struct request *request = *context;
  (void)version;
  (void)upload;
  (void)upload_size;
  if (!request) {
    *context = request = new_request(connection);
    if (!request || !has_body(connection))
      return request ? MHD_YES : MHD_NO;
  }
  if (request->waits)
    return await(server, request);
  if (request->is_asked)
    return queue(server, request);
  request->is_asked = true;
  request->exchange.body = first_answer(server, request, path, method, &request->waits);
  return request->waits ? MHD_YES : queue(server, request);
}

/* What libmicrohttpd logs is of clients that break off or send nonsense. */
static void log_nothing(void *data, const char *format, va_list arguments)
{
  (void)data;
  (void)format;
  (void)arguments;
}

static struct MHD_Daemon *start(struct server *server)
{
  /* Signals are the caller's thread's. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  struct MHD_Daemon *daemon =
      http.start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL,
                        answer, server, MHD_OPTION_EXTERNAL_LOGGER, log_nothing, NULL, MHD_OPTION_LISTEN_SOCKET,
                        server->options->listener->fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CLI_CONNECTIONS_MOST,
                        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_MEMORY, MHD_OPTION_CONNECTION_TIMEOUT,
                        (unsigned)CLI_CONNECTION_ANSWER_MS / 1000, MHD_OPTION_NOTIFY_CONNECTION, notify_connection,
                        server, MHD_OPTION_NOTIFY_COMPLETED, complete, server, MHD_OPTION_END);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return daemon;
}

/* Does the thread that answers sleep, so that it has done all that there was? Where /proc does not tell, it is taken
 * to. */
static bool rests(pid_t answers)
{
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)answers);
  FILE *file = fopen(path, "re");
  if (!file)
    return true;
  const char *name_end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
  fclose(file);
  return !name_end || strncmp(name_end, ") R", 3) != 0;
}

static void look(void *data)
{
  struct server *server = data;
  cli_connections_look(&server->connections, rests(server->answers));
}

int cli_server_run(const struct cli_server_options *options)
{
  struct cli_source source;
  struct server server = {.options = options};
  int status = CLI_EXIT_OK;
  (void)setpriority(PRIO_PROCESS, 0, LEAST_CLAIM);
  if (cli_source_open(&source, options->recording, options->functions) < 0) {
    cli_source_close(&source);
    return CLI_EXIT_FAILURE;
  }
  cli_connections_init(&server.connections);
  cli_desk_init(&server.desk, &source, wake, presence_of);
  struct MHD_Daemon *daemon = start(&server);
  if (daemon) {
    cli_desk_work(&server.desk, options->stop, look, &server);
    (void)http.quiesce_daemon(daemon); /* the socket is the listener's again */
    http.stop_daemon(daemon);
  } else {
    cli_error("serve: %s: the server cannot be started: %s", options->listener->url, strerror(errno));
    status = CLI_EXIT_FAILURE;
  }
  cli_desk_free(&server.desk);
  cli_connections_free(&server.connections);
  cli_source_close(&source);
  return status;
}
