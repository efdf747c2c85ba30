/*
 * A signal handler that ends a call of its own, and takes an octave for its time, before any single instruction of a
 * call's that does so: a parent that traces this process sees to that. Every time is counted where it belongs, and
 * what lies behind the stock that was used up stays as it was.
 */
/* ctest: case _step quick */
/* ctest: skips _step */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/base/histogram_record.h"
#include "profiler/base/recording.h"
#include "profiler/stack/histogram.h"
#include "profiler/tree/tree.h"
#include "tests/support/check.h"
#include "tests/support/one_processor.h"

#define SKIPPED 77
#define STOCK   16 /* octaves that a thread gets at a time */
#define OWN     2  /* of them, that the interrupted call and the handler's take */
#define BEHIND  0x5a
#define LEAST   100 /* instructions that such a call has at the least */

/* What this process and the one that traces it share. */
struct shared {
  volatile unsigned steps;  /* instructions from the call's first one to the signal */
  volatile bool is_in_call; /* these are counted */
};

static struct shared *shared;
static struct prof_thread thread;
static _Alignas(struct fmt_rec_stack) char segment[sizeof(struct fmt_rec_stack) + 2 * sizeof(struct fmt_rec_frame)];
static struct fmt_rec_edge edge, handler_edge;
static volatile bool was_in_call;

static void start(void)
{
  prof_process.pid = (uint32_t)getpid();
  prof_process.settings.clock = FMT_CLOCK_MONOTONIC;
  prof_process.settings.memory_limit = 64 << 20;
  prof_process.settings.percentiles = true;
  snprintf(prof_process.settings.output, sizeof prof_process.settings.output, "test_octave_stock.%d", getpid());
  CHECK(prof_recording_open(&prof_process, false) == 0);
  CHECK(prof_tree_init(&thread.tree, 1) == 0);
  thread.self = &thread;
  thread.state = PROF_HOOKS_CLOCK;
  thread.stack = (struct fmt_rec_stack *)segment;
  thread.stack->capacity = 2;
  thread.top = thread.stack->frames;
}

static void on_signal(int number)
{
  (void)number;
  was_in_call = shared->is_in_call;
  prof_histogram_call(&thread, &handler_edge, 1);
}

/* The calls that the edge's histogram has, of this one time. */
static uint64_t counted(const struct fmt_rec_edge *of)
{
  const struct fmt_rec_histogram *histogram = (const struct fmt_rec_histogram *)of->histogram;
  const uint64_t *octave = (const uint64_t *)histogram->octaves[0];
  uint64_t sum = 0;
  for (unsigned i = 0; octave && i < 1u << PROF_CALL_SUB_BITS; i++)
    sum += octave[i];
  return sum;
}

static uint64_t new_histogram(void)
{
  uint64_t made = (uintptr_t)prof_histogram_make(&thread.tree, PROF_CALL_SUB_BITS);
  CHECK(made);
  return made;
}

/* A call that finds the stock used up, interrupted before one of its instructions. False: by then it was over. */
static bool interrupt(unsigned steps)
{
  uint8_t *behind = prof_record_alloc(&thread.tree, STOCK * 64);
  CHECK(behind);
  memset(behind, BEHIND, STOCK * 64);
  edge.histogram = new_histogram();
  handler_edge.histogram = new_histogram();
  shared->steps = steps;
  CHECK(raise(SIGSTOP) == 0);
  shared->is_in_call = true;
  prof_histogram_call(&thread, &edge, 0);
  shared->is_in_call = false;
  CHECK(raise(SIGCONT) == 0); /* the signal comes by here, if it did not before */
  CHECK(counted(&edge) == 1 && counted(&handler_edge) == 1);
  for (unsigned i = 0; i < STOCK * 64; i++)
    CHECK(behind[i] == BEHIND);
  struct fmt_rec_edge rest = {.histogram = new_histogram()};
  for (unsigned i = 0; i < STOCK - OWN; i++)
    prof_histogram_call(&thread, &rest, UINT64_C(1) << (i + PROF_CALL_SUB_BITS));
  return was_in_call;
}

/* Steps through the child's calls, each up to the instruction that it asks for. Returns the child's status. */
static int step_through(pid_t child)
{
  int status;
  bool steps = false;
  for (unsigned taken = 0; waitpid(child, &status, 0) == child && WIFSTOPPED(status);) {
    const int number = WSTOPSIG(status);
    long passed = number == SIGTRAP || number == SIGSTOP || number == SIGCONT ? 0 : number;
    if (number == SIGSTOP) {
      steps = true;
      taken = 0;
    }
    taken += shared->is_in_call;
    if (steps && (number == SIGCONT || taken > shared->steps)) {
      steps = false;
      CHECK(kill(child, SIGUSR1) == 0);
    }
    CHECK(ptrace(steps ? PTRACE_SINGLESTEP : PTRACE_CONT, child, NULL, passed) == 0);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* In the parent it does not return. */
static void be_stepped(void)
{
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED);
  stay_on_this_processor();
  pid_t child = fork();
  CHECK(child >= 0);
  if (child > 0)
    _exit(step_through(child));
  CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
    fprintf(stderr, "skipped: this machine does not let a parent trace its child (%s)\n", strerror(errno));
    _exit(SKIPPED);
  }
}

int main(void)
{
  unsigned steps = 0;
  be_stepped();
  start();
  struct sigaction action = {.sa_handler = on_signal};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  while (interrupt(steps))
    steps++;
  CHECK(steps >= LEAST);
  CHECK(unlink(prof_process.path) == 0);
  _exit(0); /* what looks for leaks when a program ends cannot do so in one that is traced */
}
