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
#define LAST_S          10.0 /* for what is left when the end is asked for; one that is sent then is sent */

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
  double end_by;        /* once the end was asked for; else 0 */
  bool has_lost;        /* a profile that could be neither kept nor sent */
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

/* True when the time is over that is left once the end was asked for: who takes profiles slowly holds up nobody. */
static bool is_out_of_time(struct pushing *pushing)
{
  if (is_told_to_end && pushing->end_by == 0)
    pushing->end_by = now() + LAST_S;
  return is_told_to_end && now() >= pushing->end_by;
}

/* Sends a profile. What came of it, after a message where that is not CLI_SENT. */
static enum cli_sent send_data(struct pushing *pushing, const void *data, size_t size, uint64_t from_ms,
                               uint64_t until_ms)
{
  char why[256];
  enum cli_sent sent =
      cli_sender_send(pushing->sender, data, size, from_ms / 1000, (until_ms + 999) / 1000, why, sizeof why);
  if (sent == CLI_SENT_REFUSED)
    cli_error("--push: %s: %s: the profile from %llu on is dropped", pushing->options->url, why,
              (unsigned long long)(from_ms / 1000));
  if (sent == CLI_SENT_LATER)
    cli_error("--push: %s: %s: tried again in %.0f s", pushing->options->url, why, pushing->retry);
  return sent;
}

/* Sends the oldest profile. False: it is to be tried again later. One that cannot be read does not keep those behind it
 * waiting, and one that was sent and cannot be removed is not sent again. */
static bool send_one(struct pushing *pushing, struct cli_spooled *oldest)
{
  void *data = cli_spool_read(&pushing->spool, oldest);
  if (!data)
    return cli_spool_pass_over(&pushing->spool, oldest) == 0;
  enum cli_sent sent = send_data(pushing, data, oldest->bytes, oldest->from_ms, oldest->until_ms);
  free(data);
  if (sent == CLI_SENT_LATER)
    return false;
  pushing->retry = FIRST_RETRY_S;
  if (cli_spool_remove(&pushing->spool, oldest) == 0)
    return true;
  oldest->is_sent = sent == CLI_SENT;
  if (oldest->is_sent)
    cli_error("--push: the profile from %llu on was sent, and is sent a second time if it stays there",
              (unsigned long long)(oldest->from_ms / 1000));
  return cli_spool_pass_over(&pushing->spool, oldest) == 0;
}

static void put_off(struct pushing *pushing)
{
  pushing->try_at = now() + pushing->retry;
  pushing->retry = fmin(2 * pushing->retry, LONGEST_RETRY_S);
}

/* Keeps a profile until it is sent. Where the folder has no room for it, it is sent from memory or not at all. */
static void keep(struct pushing *pushing, const struct callsig_delta_info *info, const void *data, size_t size)
{
  const uint64_t from_ms = (uint64_t)(info->from * 1e3), until_ms = (uint64_t)(info->until * 1e3);
  if (cli_spool_add(&pushing->spool, from_ms, until_ms, data, size) == 0)
    return;
  const bool is_tried = now() >= pushing->try_at;
  const enum cli_sent sent = is_tried ? send_data(pushing, data, size, from_ms, until_ms) : CLI_SENT_LATER;
  if (sent != CLI_SENT_LATER)
    return;
  if (is_tried)
    put_off(pushing);
  pushing->has_lost = true;
  cli_error("--push: the profile from %llu on could be neither kept nor sent: it is lost",
            (unsigned long long)(from_ms / 1000));
}

/* Ends the delta, begins the next, and keeps the profile. 0, or a negative errno after a message. */
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
    keep(pushing, &info, data, size);
  }
  free(data);
  return result;
}

/* Sends what is there, the oldest first, until it is all sent, something fails, or it is `until`. */
static void send_all(struct pushing *pushing, double until)
{
  struct cli_spooled oldest;
  while (now() >= pushing->try_at && now() < until && !is_out_of_time(pushing) &&
         cli_spool_oldest(&pushing->spool, &oldest) > 0)
    if (!send_one(pushing, &oldest))
      put_off(pushing);
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
  cli_spool_remove_sent(&pushing->spool);
  return result;
}

/* Says what is left. A profile that was not sent is no success. */
static int tell_rest(const struct pushing *pushing)
{
  if (cli_spool_is_empty(&pushing->spool))
    return pushing->has_lost ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
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
