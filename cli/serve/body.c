/* Makes the bodies of answers by the public functions of libcallsig-stats. */
#include "cli/serve/body.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "callsig/stats.h"
#include "cli/common/subcommand.h"

#define TEXT_TYPE    "text/plain; charset=utf-8"
#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"
#define PAGE_TYPE    "text/html; charset=utf-8"
#define PROFILE_TYPE "application/octet-stream"

#define TELL_AGAIN_NS UINT64_C(60000000000)

static uint64_t now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A callsig_stats_message_fn. */
static void take_message(const char *line, void *data)
{
  struct cli_source *source = data;
  char cut[sizeof source->message];
  snprintf(cut, sizeof cut, "%s", line);
  if (strcmp(cut, source->message) != 0 || now_ns() - source->told_ns > TELL_AGAIN_NS) {
    source->told_ns = now_ns();
    cli_error("serve: %s", line);
  }
  memcpy(source->message, cut, sizeof cut);
}

int cli_source_open(struct cli_source *source, const char *recording, size_t functions)
{
  const struct callsig_metrics_options options = {.size = sizeof options, .path = recording, .functions = functions};
  *source = (struct cli_source){.recording = recording};
  callsig_stats_set_message(take_message, source);
  return callsig_metrics_new(&options, &source->metrics);
}

void cli_source_close(struct cli_source *source)
{
  callsig_metrics_free(source->metrics);
  callsig_stats_set_message(cli_error_line, NULL);
}

static struct cli_body *new_body(unsigned status, const char *type, char *data, size_t size)
{
  struct cli_body *body = data ? malloc(sizeof *body) : NULL;
  if (!body) {
    free(data);
    return NULL;
  }
  *body = (struct cli_body){.status = status, .type = type, .data = data, .size = size};
  atomic_init(&body->references, 1);
  return body;
}

struct cli_body *cli_body_text(unsigned status, const char *format, ...)
{
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  return length < 0 ? NULL : new_body(status, TEXT_TYPE, text, (size_t)length);
}

struct cli_body *cli_body_hold(struct cli_body *body)
{
  atomic_fetch_add(&body->references, 1);
  return body;
}

void cli_body_release(void *data)
{
  struct cli_body *body = data;
  if (!body || atomic_fetch_sub(&body->references, 1) != 1)
    return;
  if (body->response)
    body->release_response(body->response);
  free(body->data);
  free(body);
}

/* What is said of an error that the library told of. */
static struct cli_body *say_error(const struct cli_source *source, int error)
{
  const unsigned status = error == -ENOENT ? 503 : error == -ESTALE || error == -ENOTSUP ? 409 : 500;
  return cli_body_text(status, "%s\n", source->message);
}

/* What was written to `data`, or why nothing was. */
static struct cli_body *finish(const struct cli_source *source, FILE *stream, int result, const char *type, char **data,
                               const size_t *size)
{
  if (fclose(stream) != 0 && result == 0)
    result = -ENOMEM;
  if (result == 0)
    return new_body(200, type, *data, *size);
  free(*data);
  return result == -ENOMEM ? NULL : say_error(source, result);
}

/* The calls so far, those that are open as well, in a format of `callsig export`. */
static int export_now(const char *recording, const char *format, int timeline, FILE *out)
{
  const struct callsig_stats_options options = {.size = sizeof options, .now = 1, .timeline = timeline};
  const struct callsig_stats_export wanted = {.size = sizeof wanted, .format = format};
  struct callsig_stats *stats = NULL;
  int result = callsig_stats_new(&options, &stats);
  if (result == 0)
    result = callsig_stats_add(stats, recording);
  if (result == 0)
    result = callsig_stats_export(stats, &wanted, out);
  callsig_stats_free(stats);
  return result;
}

struct cli_body *cli_source_make(struct cli_source *source, enum cli_shared what)
{
  char *data = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&data, &size);
  if (!stream)
    return NULL;
  if (what == CLI_SHARED_METRICS)
    return finish(source, stream, callsig_metrics_write(source->metrics, stream), METRICS_TYPE, &data, &size);
  if (what == CLI_SHARED_PAGE)
    return finish(source, stream, export_now(source->recording, "html", 1, stream), PAGE_TYPE, &data, &size);
  return finish(source, stream, export_now(source->recording, "pprof", 0, stream), PROFILE_TYPE, &data, &size);
}

struct callsig_delta *cli_source_begin(struct cli_source *source, struct cli_body **refusal)
{
  struct callsig_delta *delta = NULL;
  int result = callsig_delta_begin(source->recording, &delta);
  *refusal = result == 0 || result == -ENOMEM ? NULL : say_error(source, result);
  return delta;
}

struct cli_body *cli_source_end(struct cli_source *source, struct callsig_delta *delta)
{
  char *data = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&data, &size);
  int result = stream ? callsig_delta_write(delta, stream, NULL, NULL) : -ENOMEM;
  callsig_delta_free(delta);
  return stream ? finish(source, stream, result, PROFILE_TYPE, &data, &size) : NULL;
}
