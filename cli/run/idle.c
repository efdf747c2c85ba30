/*
 * Looks after the sleds of a run's processes. The word `sleds` of each recording's header says whether calls are out:
 * it is written before the first one is, and after the last one is back, so that who wants to record and finds them in
 * place misses nothing. What else a header says is read from the file: a program may cut its recording off at any time.
 */
#include "cli/run/idle.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/vector.h"
#include "cli/common/process_recording.h"
#include "cli/common/subcommand.h"
#include "cli/idle/calls.h"
#include "cli/run/ask.h"
#include "cli/run/child_files.h"
#include "format/sled_idle.h"

#define NANOSECONDS UINT64_C(1000000000)
/* Between two looks at all; who asks for the program that is run wakes at once. */
#define LOOK_NS    100000000
#define QUIET_NS   NANOSECONDS       /* not recording for so long */
#define SCAN_NS    (2 * NANOSECONDS) /* between two looks for processes that began, */
#define SCAN_SHARE 200u              /* and so many times what a look takes */

/* A process's recording. */
struct watched {
  struct cli_target target;
  uint64_t start;       /* of the recording */
  pid_t pid;            /* that its calls were taken out of; 0: of none */
  uint64_t quiet_since; /* nothing was switched or asked since; 0: it records, or is asked for something */
  uint64_t switches, taken;
  bool is_lost;  /* its calls are out and cannot be put back */
  bool given_up; /* it has no sleds, or its text cannot be written */
};

struct cli_idle {
  const struct cli_recording_place *place;
  struct base_vector watched; /* struct watched */
  uint64_t next_scan;
  uint64_t next_put_back; /* some were not reached, or breakpoints were in the way; 0: neither */
  pthread_t thread;
  int is_ending;         /* atomic */
  bool told;             /* that some process's code cannot be changed */
  bool told_breakpoints; /* that some are in the way */
};

static uint64_t now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
}

/* False where there is no whole header any more. */
static bool read_header(const struct watched *watched, struct fmt_rec_header *header)
{
  return pread(watched->target.fd, header, sizeof *header, 0) == (ssize_t)sizeof *header;
}

/* Does it record, or is it to do something? */
static bool is_wanted(const struct fmt_rec_header *header)
{
  return !header->is_off || header->request != header->taken || header->sleds == FMT_SLEDS_WANTED;
}

/* Makes `sleds` what it is to be, where it is one of two; wakes who waits for that. */
static bool change(const struct watched *watched, uint32_t from, uint32_t or_from, uint32_t to)
{
  struct fmt_rec_header header;
  if (!read_header(watched, &header))
    return false;
  uint32_t *word = &watched->target.header->sleds;
  bool changed = __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ||
                 __atomic_compare_exchange_n(word, &or_from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX);
  return changed;
}

/* All calls are back: whoever waits for that goes on. */
static void tell_calls(const struct watched *watched)
{
  change(watched, FMT_SLEDS_IDLE, FMT_SLEDS_WANTED, FMT_SLEDS_CALL);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static bool is_watched(const struct cli_idle *idle, uint64_t start)
{
  for (uint32_t i = 0; i < idle->watched.count; i++)
    if (((const struct watched *)base_vector_at(&idle->watched, i))->start == start)
      return true;
  return false;
}

/* Watches the recording at `path`, if its process goes on. */
static void watch(struct cli_idle *idle, int folder, const char *path)
{
  struct cli_target target;
  struct fmt_rec_header header;
  const int file = openat(folder, path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return;
  const bool is_new = pread(file, &header, sizeof header, 0) == (ssize_t)sizeof header &&
                      header.run == idle->place->run && !is_watched(idle, cli_recording_began(&header));
  struct watched *watched = cli_target_take(file, &target) == 0 && is_new ? base_vector_add(&idle->watched, 1) : NULL;
  if (watched == NULL) {
    cli_target_close(&target);
    return;
  }
  watched->target = target;
  watched->start = cli_recording_began(&header);
  change(watched, FMT_SLEDS_PROGRAM, FMT_SLEDS_PROGRAM, FMT_SLEDS_CALL);
  /* It was forked while its parent's calls were out, and begun when they were put back in it, or are being. */
  if (fmt_sleds_are_out(header.sleds) && cli_calls_put_back(idle->place->run, watched->start) == 0)
    tell_calls(watched);
}

static int watch_child(const struct cli_child_file *file, void *data)
{
  if (!file->has_ended)
    watch(data, file->folder, file->name);
  return 0;
}

static bool is_out(const struct watched *watched)
{
  struct fmt_rec_header header;
  return read_header(watched, &header) && fmt_sleds_are_out(header.sleds);
}

static bool any_is_out(const struct cli_idle *idle)
{
  uint32_t i = 0;
  while (i < idle->watched.count && !is_out(base_vector_at(&idle->watched, i)))
    i++;
  return i < idle->watched.count;
}

/* Forgets recordings whose process has ended, or that were cut off. */
static void forget(struct cli_idle *idle)
{
  struct fmt_rec_header header;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < idle->watched.count; i++) {
    struct watched *watched = base_vector_at(&idle->watched, i);
    if (!read_header(watched, &header) || cli_target_has_ended(&watched->target))
      cli_target_close(&watched->target);
    else
      *(struct watched *)base_vector_at(&idle->watched, kept++) = *watched;
  }
  idle->watched.count = kept;
}

/* Looks for recordings that were begun, and for children that cannot begin theirs as they have their parent's text. */
static void scan(struct cli_idle *idle)
{
  const uint64_t begun = now_ns();
  forget(idle);
  watch(idle, AT_FDCWD, idle->place->path);
  cli_child_files_each(idle->place->path, watch_child, idle);
  if (any_is_out(idle))
    cli_calls_put_back_children(idle->place->run);
  const uint64_t now = now_ns();
  idle->next_scan = now + SCAN_NS + (now - begun) * SCAN_SHARE;
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* Was the process reached, or is it gone? It may have forbidden since that anybody looks into it. */
static bool was_reached(const struct watched *watched, const struct base_vector *reached)
{
  uint32_t i = 0;
  while (i < reached->count && *(const pid_t *)base_vector_at(reached, i) != watched->pid)
    i++;
  return i < reached->count || watched->pid == 0 || (kill(watched->pid, 0) != 0 && errno == ESRCH);
}

/* Says what of putting back calls has failed. */
static void tell_error(struct cli_idle *idle, int error)
{
  const bool is_again = error == -EBUSY || error == -EAGAIN;
  idle->next_put_back = is_again ? now_ns() + NANOSECONDS : 0;
  if (error == -EBUSY && !idle->told_breakpoints)
    cli_error("a debugger's breakpoints lie at the beginning of functions: their calls are missing as long");
  else if (error < 0 && !is_again)
    cli_error("some of the processes cannot be switched on any more: %s", strerror(-error));
  idle->told_breakpoints |= error == -EBUSY;
}

/* Puts back the calls of all: a process that was forked while its parent's were out has them out as well. */
static void put_back(struct cli_idle *idle)
{
  struct base_vector reached = BASE_VECTOR_OF(pid_t);
  tell_error(idle, cli_calls_put_back_all(idle->place->run, &reached));
  scan(idle);
  for (uint32_t i = 0; i < idle->watched.count; i++) {
    struct watched *watched = base_vector_at(&idle->watched, i);
    watched->quiet_since = 0;
    if (!is_out(watched) || watched->is_lost)
      continue;
    watched->is_lost = !was_reached(watched, &reached);
    if (watched->is_lost)
      cli_error("process %ld cannot be switched on from outside any more: it has forbidden to be looked into, or its "
                "recording was taken away",
                (long)watched->pid);
    else
      tell_calls(watched);
  }
  base_vector_free(&reached);
}

static bool goes_on(const void *data)
{
  struct fmt_rec_header header;
  return read_header(data, &header) && header.sleds == FMT_SLEDS_IDLE && !is_wanted(&header);
}

/* Has the program of a recording ended, or is it about to? */
static bool is_over(const struct watched *watched)
{
  struct fmt_rec_header header;
  return !read_header(watched, &header) || header.flags & FMT_REC_FINISHED || cli_target_has_ended(&watched->target);
}

/* The calls of a process cannot be taken out: it goes on to call its hooks. Told once of a run, and not of a process
 * that has ended meanwhile, which nobody finds any more. */
static void give_up(struct cli_idle *idle, struct watched *watched, int error)
{
  const bool is_told = error != -ENODATA && !is_over(watched);
  watched->given_up = true;
  cli_calls_put_back(idle->place->run, watched->start);
  if (is_told && !idle->told)
    cli_error("process %u calls its hooks while it does not record, as its code may not be changed from outside: %s",
              (unsigned)watched->target.header->pid, strerror(-error));
  idle->told |= is_told;
  tell_calls(watched);
}

/* Takes the calls of one process out. Requests wait meanwhile, as for another command that asks. False: it was wanted
 * before they were out. */
static bool take_out(struct cli_idle *idle, struct watched *watched)
{
  if (!cli_target_try_lock(&watched->target))
    return true;
  int error = 0;
  if (change(watched, FMT_SLEDS_CALL, FMT_SLEDS_PROGRAM, FMT_SLEDS_IDLE))
    error = cli_calls_take_out(idle->place->run, watched->start, goes_on, watched, &watched->pid);
  if (error < 0 && error != -ECANCELED)
    give_up(idle, watched, error);
  cli_target_unlock(&watched->target);
  return watched->given_up || goes_on(watched);
}

/* Has nothing happened to the process for long enough? */
static bool is_quiet(struct watched *watched, const struct fmt_rec_header *header, uint64_t now)
{
  const bool has_changed = header->switches != watched->switches || header->taken != watched->taken;
  watched->switches = header->switches;
  watched->taken = header->taken;
  if (is_wanted(header))
    watched->quiet_since = 0;
  else if (has_changed || watched->quiet_since == 0)
    watched->quiet_since = now;
  return watched->quiet_since != 0 && now - watched->quiet_since >= QUIET_NS && !watched->given_up;
}

/* Looks at all recordings once. */
static void look(struct cli_idle *idle)
{
  const uint64_t now = now_ns();
  bool wanted = idle->next_put_back != 0 && now >= idle->next_put_back;
  if (now >= idle->next_scan || idle->watched.count == 0)
    scan(idle);
  for (uint32_t i = 0; i < idle->watched.count; i++) {
    struct watched *watched = base_vector_at(&idle->watched, i);
    struct fmt_rec_header header;
    if (!read_header(watched, &header))
      continue;
    if (fmt_sleds_are_out(header.sleds))
      wanted |= is_wanted(&header) && !watched->is_lost;
    else if (is_quiet(watched, &header, now))
      wanted |= !take_out(idle, watched);
  }
  if (wanted)
    put_back(idle);
}

/* Waits a moment, or until somebody asks for the program that is run. */
static void wait_a_moment(const struct cli_idle *idle)
{
  struct timespec moment = {.tv_nsec = LOOK_NS};
  const struct watched *first = idle->watched.count > 0 ? base_vector_at(&idle->watched, 0) : NULL;
  /* It returns at once where the word is another. */
  if (first == NULL || first->is_lost || !is_out(first) ||
      (syscall(SYS_futex, &first->target.header->sleds, FUTEX_WAIT, FMT_SLEDS_IDLE, &moment) != 0 && errno == EFAULT))
    nanosleep(&moment, NULL);
}

static void *run(void *data)
{
  struct cli_idle *idle = data;
  while (!__atomic_load_n(&idle->is_ending, __ATOMIC_ACQUIRE)) {
    look(idle);
    wait_a_moment(idle);
  }
  if (any_is_out(idle))
    put_back(idle);
  /* From here on they switch their sleds alone. */
  for (uint32_t i = 0; i < idle->watched.count; i++)
    change(base_vector_at(&idle->watched, i), FMT_SLEDS_CALL, FMT_SLEDS_CALL, FMT_SLEDS_PROGRAM);
  return NULL;
}

/* The thread takes no signals: those are handed on by who waits for the program. */
struct cli_idle *cli_idle_begin(const struct cli_recording_place *place)
{
  struct cli_idle *idle = malloc(sizeof *idle);
  if (idle == NULL)
    return NULL;
  *idle = (struct cli_idle){.place = place, .watched = BASE_VECTOR_OF(struct watched)};
  sigset_t all, mask;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &mask);
  const int error = pthread_create(&idle->thread, NULL, run, idle);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  if (error != 0) {
    free(idle);
    return NULL;
  }
  return idle;
}

void cli_idle_end(struct cli_idle *idle)
{
  if (idle == NULL)
    return;
  __atomic_store_n(&idle->is_ending, 1, __ATOMIC_RELEASE);
  pthread_join(idle->thread, NULL);
  for (uint32_t i = 0; i < idle->watched.count; i++)
    cli_target_close(&((struct watched *)base_vector_at(&idle->watched, i))->target);
  base_vector_free(&idle->watched);
  free(idle);
}
