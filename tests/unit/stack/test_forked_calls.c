/*
 * What a forked child calls of the library before its first hook is of its own recording: its parent's stays as it is,
 * and no lock that another thread of the parent's held keeps it waiting. A child that forks before its first hook hands
 * on its frames as of that fork.
 */
/* ctest: records */
/* ctest: build _O2 -g -O2 -finstrument-functions */
/* ctest: case _path quick path */
/* ctest: case _clock quick clock */
/* ctest: case _closes quick closes */
/* ctest: case _waited quick waited */
/* ctest: case _twice quick twice */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "format/recording.h"
#include "profiler/base/lock.h"
#include "profiler/stack/thread.h"
#include "tests/support/stage_records.h"

#define NOINLINE __attribute__((noinline))
#define PATIENCE 1000u /* looks, one each 10 ms */
#define LOOK_NS  10000000

static char parent_path[4096];

/* A child that waits for a lock does so with all signals blocked. */
static QUIET void wait_for(pid_t child)
{
  int status = -1;
  pid_t ended = 0;
  for (unsigned looks = 0; looks < PATIENCE && (ended = waitpid(child, &status, WNOHANG)) == 0; looks++)
    nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
  if (ended == 0)
    kill(child, SIGKILL);
  CHECK(ended == child && status == 0);
}

static QUIET void in_child(void (*does)(void))
{
  const pid_t child = fork();
  if (child == 0) {
    does();
    _exit(0);
  }
  CHECK(child > 0);
  wait_for(child);
  CHECK(prof_process.epoch == 0 && strcmp(prof_process.path, parent_path) == 0);
}

/* The same, while another thread of the parent's seems to hold the lock. */
static QUIET void in_child_locked(void (*does)(void), struct prof_lock *lock)
{
  const uint64_t mask = prof_block_signals();
  prof_lock(lock);
  prof_restore_signals(mask);
  in_child(does);
  prof_unlock(lock);
}

static QUIET void unlink_own(void)
{
  CHECK(prof_process.epoch == 1 && strcmp(callsig_path(), parent_path) != 0 && unlink(callsig_path()) == 0);
}

static QUIET void ask_path(void)
{
  CHECK(callsig_path() && strcmp(callsig_path(), parent_path) != 0);
  unlink_own();
}

static QUIET void test_path(void)
{
  in_child(ask_path);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static QUIET uint64_t no_time(void *data)
{
  (void)data;
  return 1;
}

static QUIET void set_clock(void)
{
  CHECK(callsig_set_clock(no_time, NULL, 1000) == 0 && prof_process.header->clock == FMT_CLOCK_INJECTED);
  unlink_own();
}

static QUIET void test_clock(void)
{
  const uint32_t clock = prof_process.header->clock;
  CHECK(clock != FMT_CLOCK_INJECTED);
  in_child_locked(set_clock, &prof_process.threads_lock);
  CHECK(prof_process.header->clock == clock && prof_process.header->injected_hz == 0);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static struct callsig_queue *queue;
static struct callsig_stage *stage;

static QUIET void close_queue(void)
{
  callsig_queue_close(queue);
  unlink_own();
}

static QUIET void close_stage(void)
{
  CHECK(callsig_stage_close(stage) == 0);
  unlink_own();
}

static QUIET void test_closes(void)
{
  const struct callsig_queue_options queue_options = {.size = sizeof queue_options, .name = "q", .capacity = 4};
  const struct callsig_stage_options stage_options = {.size = sizeof stage_options, .name = "s"};
  CHECK(callsig_queue_open(&queue_options, &queue) == 0 && callsig_stage_open(&stage_options, &stage) == 0);
  in_child_locked(close_queue, &prof_process.stages_lock);
  in_child_locked(close_stage, &prof_process.stages_lock);
  CHECK(queue_record("0:0:q")->closed_ticks == 0 && stage_record("0:0:s")->closed_ticks == 0);
  callsig_queue_close(queue);
  CHECK(callsig_stage_close(stage) == 0);
  CHECK(queue_record("0:0:q")->closed_ticks != 0 && stage_record("0:0:s")->closed_ticks != 0);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static struct callsig_call *call;
static uint64_t call_began;

static QUIET uint64_t now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static NOINLINE void receive(void)
{
  static const char *const waits[] = {"late sender"};
  call_began = now_ns();
  call = callsig_call_innermost(waits, 1);
}

static QUIET void tell_wait(void)
{
  CHECK(callsig_call_waited(call, 0, call_began, 1000) == -ESTALE);
}

static QUIET void test_waited(void)
{
  receive();
  receive();
  CHECK(call);
  in_child(tell_wait);
  CHECK(callsig_call_waited(call, 0, call_began, 1000) == 0);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static NOINLINE void work(void)
{
  __asm__ volatile("");
}

static uint64_t ticks;

static QUIET uint64_t read_ticks(void *data)
{
  return *(const uint64_t *)data;
}

/* The frame of outer(), of a process that is its parent's child and called at `call_ticks` first. */
static QUIET void check_inherited(uint64_t begin_ticks, uint64_t call_ticks)
{
  ticks = call_ticks;
  work();
  CHECK(prof_process.epoch == 1 && prof_self->top->edge && prof_self->top->start_ticks == begin_ticks);
  CHECK(unlink(callsig_path()) == 0);
}

static QUIET void fork_again(void)
{
  ticks = 2000;
  const pid_t child = fork();
  if (child == 0) {
    check_inherited(2000, 3000);
    _exit(0);
  }
  CHECK(child > 0);
  wait_for(child);
  check_inherited(1000, 4000);
}

static NOINLINE void outer(void)
{
  ticks = 1000;
  in_child(fork_again);
}

static QUIET void test_twice(void)
{
  CHECK(callsig_set_clock(read_ticks, &ticks, 1000) == 0);
  outer();
}

/* ------------------------------------------------------------------------------------------------------------------ */

static const struct {
  const char *name;
  void (*test)(void);
} tests[] = {{"path", test_path},
             {"clock", test_clock},
             {"closes", test_closes},
             {"waited", test_waited},
             {"twice", test_twice}};

QUIET int main(int argc, char **argv)
{
  CHECK(argc == 2 && callsig_start(NULL) == 0);
  strcpy(parent_path, callsig_path());
  for (unsigned i = 0; i < sizeof tests / sizeof tests[0]; i++)
    if (strcmp(argv[1], tests[i].name) == 0)
      tests[i].test();
  CHECK(unlink(callsig_path()) == 0);
  return 0;
}
