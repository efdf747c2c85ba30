/* Switches what a run records on and off at the moments that its command line says. */
#include "cli/run/window.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/common/seconds.h"
#include "cli/run/ask.h"
#include "cli/run/child_files.h"
#include "cli/run/idle.h"

/* A process that was beginning to record at a moment is found when it has begun: so often, in such steps. */
#define LOOKS       20u
#define LOOK_NS     UINT64_C(50000000)
#define NANOSECONDS UINT64_C(1000000000)

struct cli_window_timer {
  const struct cli_recording_place *place;
  uint64_t from, to; /* CLOCK_MONOTONIC; 0: from the beginning, UINT64_MAX: never */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t ending;
  bool is_ending;
  struct cli_idle *idle; /* of a window that does not begin by itself: there is no thread, and the rest is not used */
};

/* At a moment: what is asked of all. */
struct change {
  enum fmt_request kind;
  uint64_t realtime_ns; /* CLOCK_REALTIME then: who was switched later was switched by somebody else */
};

static uint64_t read_clock(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
}

/* Waits until `moment`. False: the program has ended before. */
static bool wait_until(struct cli_window_timer *timer, uint64_t moment)
{
  const struct timespec until = {.tv_sec = (time_t)(moment / NANOSECONDS), .tv_nsec = (long)(moment % NANOSECONDS)};
  int result = 0;
  pthread_mutex_lock(&timer->lock);
  while (!timer->is_ending && result != ETIMEDOUT)
    result = pthread_cond_timedwait(&timer->ending, &timer->lock, &until);
  const bool goes_on = !timer->is_ending;
  pthread_mutex_unlock(&timer->lock);
  return goes_on;
}

static bool is_to_be_asked(const struct fmt_rec_header *header, const struct change *change)
{
  const bool is_as_wanted = (header->is_off != 0) == (change->kind == FMT_REQUEST_OFF);
  const bool waits = header->request != header->taken;
  if (waits)
    return (header->request & FMT_REQUEST_KIND) != (uint64_t)change->kind;
  return !is_as_wanted && header->switched_ns <= change->realtime_ns;
}

/* Asks the process of a recording, which takes it when it comes by. One that does not record any more is passed over.
 */
static void ask(int folder, const char *name, const struct change *change)
{
  struct cli_target target;
  int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return;
  if (cli_target_take(fd, &target) == 0 && is_to_be_asked(target.header, change))
    cli_target_ask(&target, change->kind, 0);
  cli_target_close(&target);
}

/* What cli_child_files_each() is told of the processes that are to be asked. */
struct family {
  uint64_t run;
  const struct change *change;
};

static int ask_child(const struct cli_child_file *file, void *data)
{
  const struct family *family = data;
  if (file->header->run == family->run && !file->has_ended)
    ask(file->folder, file->name, family->change);
  return 0;
}

/* Asks all that this run records, and what begins to about now. False: the program has ended. */
static bool ask_all(struct cli_window_timer *timer, enum fmt_request kind, uint64_t moment)
{
  bool goes_on = wait_until(timer, moment);
  struct change change = {.kind = kind, .realtime_ns = read_clock(CLOCK_REALTIME)};
  struct family family = {timer->place->run, &change};
  for (unsigned look = 0; goes_on && look < LOOKS; look++) {
    ask(AT_FDCWD, timer->place->path, &change);
    cli_child_files_each(timer->place->path, ask_child, &family);
    const uint64_t next = read_clock(CLOCK_MONOTONIC) + LOOK_NS;
    if (kind == FMT_REQUEST_ON && next >= timer->to)
      break;
    goes_on = wait_until(timer, next);
  }
  return goes_on;
}

static void *run(void *data)
{
  struct cli_window_timer *timer = data;
  if (timer->from == 0 || ask_all(timer, FMT_REQUEST_ON, timer->from))
    if (timer->to != UINT64_MAX)
      ask_all(timer, FMT_REQUEST_OFF, timer->to);
  return NULL;
}

/* The thread takes no signals: those are handed on by who waits for the program. */
static int start(struct cli_window_timer *timer)
{
  pthread_condattr_t monotonic;
  sigset_t all, mask;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&timer->ending, &monotonic);
  pthread_condattr_destroy(&monotonic);
  pthread_mutex_init(&timer->lock, NULL);
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &mask);
  int error = pthread_create(&timer->thread, NULL, run, timer);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  return -error;
}

int cli_window_read(const struct cli_command *command, const char *after, const char *record_for,
                    struct cli_window *window)
{
  if (after != NULL && (!cli_seconds_read(after, &window->after_ns) || window->after_ns == 0))
    return cli_usage_error(command, "--after: '%s' is no time: give one as in 500ms, 10s or 10", after);
  if (record_for != NULL && (!cli_seconds_read(record_for, &window->for_ns) || window->for_ns == 0))
    return cli_usage_error(command, "--for: '%s' is no time: give one as in 500ms, 10s or 10", record_for);
  if (window->off && (after != NULL || record_for != NULL))
    return cli_usage_error(command, "--off records nothing until it is asked to: give it without --after and --for");
  return CLI_EXIT_OK;
}

int cli_window_begin(const struct cli_window *window, const struct cli_recording_place *place,
                     struct cli_window_timer **timer)
{
  char text[48];
  *timer = NULL;
  if (!cli_window_is_given(window))
    return 0;
  const uint64_t now = read_clock(CLOCK_MONOTONIC);
  const uint64_t from = window->off ? UINT64_MAX : window->after_ns != 0 ? now + window->after_ns : 0;
  const uint64_t to = window->for_ns != 0 ? (from != 0 ? from : now) + window->for_ns : UINT64_MAX;
  snprintf(text, sizeof text, "%" PRIu64 "-%" PRIu64, from, to);
  if (setenv("CALLSIG_WINDOW", text, 1) != 0)
    return -errno;
  struct cli_window_timer *made = calloc(1, sizeof *made);
  if (made == NULL)
    return -ENOMEM;
  if (window->off) {
    made->idle = cli_idle_begin(place);
    *timer = made->idle != NULL ? made : NULL;
    if (made->idle == NULL)
      free(made);
    return *timer != NULL ? 0 : -ENOMEM;
  }
  *made = (struct cli_window_timer){.place = place, .from = from, .to = to};
  int error = start(made);
  if (error < 0)
    free(made);
  else
    *timer = made;
  return error;
}

void cli_window_end(struct cli_window_timer *timer)
{
  if (timer == NULL)
    return;
  cli_idle_end(timer->idle);
  if (timer->place == NULL) {
    free(timer);
    return;
  }
  pthread_mutex_lock(&timer->lock);
  timer->is_ending = true;
  pthread_cond_signal(&timer->ending);
  pthread_mutex_unlock(&timer->lock);
  pthread_join(timer->thread, NULL);
  pthread_cond_destroy(&timer->ending);
  pthread_mutex_destroy(&timer->lock);
  free(timer);
}
