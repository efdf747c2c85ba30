/* Sends deltas of a recording, interval by interval. */
#include "cli/push/push.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "callsig/live.h"
#include "cli/common/subcommand.h"
#include "cli/push/sender.h"
#include "cli/push/spool.h"
#include "cli/run/ask.h"
#include "cli/serve/token.h"

#define FIRST_RETRY_S   1.0
#define LONGEST_RETRY_S 60.0

/* A handler gets no argument of ours. */
static volatile sig_atomic_t is_told_to_end;

static void end(int signal)
{
  (void)signal;
  is_told_to_end = 1;
}

struct pushing {
  const struct cli_push_options *options;
  struct cli_spool spool;
  struct cli_sender *sender;
  struct cli_target target;
  struct callsig_delta *delta;
  double try_at, retry; /* when it is tried again, and how long that is put off when it fails then; seconds */
};

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Waits for `until`, or for a signal. */
static void wait_until(double until)
{
  const double left = until - now();
  if (left > 0 && !is_told_to_end) {
    const struct timespec time = {.tv_sec = (time_t)left, .tv_nsec = (long)((left - floor(left)) * 1e9)};
    nanosleep(&time, NULL);
  }
}

/* Ends the delta, begins the next, and puts the profile into the spool. 0, or a negative errno after a message. */
static int take_delta(struct pushing *pushing)
{
  struct callsig_delta_info info = {.size = sizeof info};
  struct callsig_delta *next = NULL;
  char *data = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&data, &size);
  int result = stream ? callsig_delta_write(pushing->delta, stream, &info, &next) : -ENOMEM;
  if (stream && fclose(stream) != 0 && result == 0)
    result = -ENOMEM;
  callsig_delta_free(pushing->delta);
  pushing->delta = next;
  if (result == -ESTALE) {
    cli_error("--push: what was counted from then until now is not sent");
    result = callsig_delta_begin(pushing->options->recording, &pushing->delta);
  } else if (result == 0 && (info.calls > 0 || info.time > 0)) {
    result = cli_spool_add(&pushing->spool, (uint64_t)(info.from * 1e3), (uint64_t)(info.until * 1e3), data, size);
  }
  free(data);
  return result;
}

/* Sends the oldest profile. What came of it; CLI_SENT_LATER after a message. */
static enum cli_sent send_one(struct pushing *pushing, const struct cli_spooled *oldest)
{
  char why[256];
  void *data = cli_spool_read(&pushing->spool, oldest);
  if (!data)
    return CLI_SENT_LATER;
  enum cli_sent sent = cli_sender_send(pushing->sender, data, oldest->bytes, oldest->from_ms / 1000,
                                       (oldest->until_ms + 999) / 1000, why, sizeof why);
  free(data);
  if (sent == CLI_SENT_REFUSED)
    cli_error("--push: %s: %s: the profile from %llu on is dropped", pushing->options->url, why,
              (unsigned long long)(oldest->from_ms / 1000));
  if (sent == CLI_SENT_LATER)
    cli_error("--push: %s: %s: tried again in %.0f s", pushing->options->url, why, pushing->retry);
  return sent;
}

/* Sends what is there, the oldest first, until it is all sent, something fails, or it is `until`. */
static void send_all(struct pushing *pushing, double until)
{
  struct cli_spooled oldest;
  while (now() >= pushing->try_at && now() < until && cli_spool_oldest(&pushing->spool, &oldest) > 0) {
    enum cli_sent sent = send_one(pushing, &oldest);
    if (sent == CLI_SENT_LATER || cli_spool_remove(&pushing->spool, &oldest) < 0) {
      pushing->try_at = now() + pushing->retry;
      pushing->retry = fmin(2 * pushing->retry, LONGEST_RETRY_S);
    } else {
      pushing->retry = FIRST_RETRY_S;
    }
  }
}

static int push_until_end(struct pushing *pushing)
{
  int result = 0;
  bool is_over = false;
  for (double due = now() + pushing->options->interval; !is_over && result == 0; due += pushing->options->interval) {
    while (!is_told_to_end && now() < due && !cli_target_has_ended(&pushing->target)) {
      send_all(pushing, due);
      wait_until(fmin(due, now() + FIRST_RETRY_S));
    }
    /* Asked before it is read: what ends meanwhile is read once more. */
    is_over = is_told_to_end || cli_target_has_ended(&pushing->target);
    result = take_delta(pushing);
  }
  pushing->try_at = 0;
  send_all(pushing, INFINITY);
  return result;
}

/* Says what is left. A profile that was not sent is no success. */
static int tell_rest(const struct pushing *pushing)
{
  struct cli_spooled oldest;
  if (cli_spool_oldest(&pushing->spool, &oldest) == 0)
    return CLI_EXIT_OK;
  cli_error("--push: profiles that were not taken are in %s: the next 'callsig export --push' sends them",
            pushing->spool.path);
  return CLI_EXIT_FAILURE;
}

static int open_target(const char *path, struct cli_target *target)
{
  int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  int error = file < 0 ? -errno : cli_target_take(file, target);
  if (error == -ESRCH)
    cli_error("--push: %s: its program has ended: write all of it with -o OUT", path);
  else if (error < 0)
    cli_error("--push: %s: is no recording of a program that runs: %s", path, strerror(-error));
  return error;
}

static int open_all(struct pushing *pushing, const struct cli_token *token)
{
  const struct cli_push_options *options = pushing->options;
  char spool[PATH_MAX];
  int length = options->spool ? snprintf(spool, sizeof spool, "%s", options->spool)
                              : snprintf(spool, sizeof spool, "%s.push", options->recording);
  if (length < 0 || (size_t)length >= sizeof spool) {
    cli_error("--spool: the path is too long");
    return -ENAMETOOLONG;
  }
  pushing->sender = cli_sender_new(options->url, token->text);
  if (!pushing->sender)
    return -EINVAL;
  int result = open_target(options->recording, &pushing->target);
  if (result == 0)
    result = cli_spool_open(&pushing->spool, spool);
  return result == 0 ? callsig_delta_begin(options->recording, &pushing->delta) : result;
}

static void take_signals(void)
{
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, NULL);
}

int cli_push(const struct cli_push_options *options)
{
  struct pushing pushing = {.options = options, .spool = {.folder = -1}, .target = {.fd = -1}, .retry = FIRST_RETRY_S};
  struct cli_token token = {{0}};
  int status = options->token_file ? cli_token_read(options->token_file, &token) : CLI_EXIT_OK;
  if (status != CLI_EXIT_OK)
    return status;
  take_signals();
  status = CLI_EXIT_FAILURE;
  if (open_all(&pushing, &token) == 0)
    status = push_until_end(&pushing) == 0 ? tell_rest(&pushing) : CLI_EXIT_FAILURE;
  callsig_delta_free(pushing.delta);
  cli_spool_close(&pushing.spool);
  cli_target_close(&pushing.target);
  cli_sender_free(pushing.sender);
  return status;
}
