/*
 * A signal handler that gives control from one stack to another by swapcontext(), as schedulers of a program's own
 * threads do: in the midst of hooks, at every so many instructions, by a parent that traces this process and steps
 * through it. Each hook goes on where it was when its stack does. Every call is counted on its stack, nothing is lost,
 * every exit finds its entry, and when all is over nothing is open or marked. "deep": frames continue in further
 * segments.
 */
/* ctest: skips _step _step_all _step_deep */
/* ctest: records */
/* ctest: build _O0 -g -O0 -finstrument-functions */
/* ctest: build _O2 -g -O2 -finstrument-functions */
/* ctest: case _step quick step half */
/* ctest: case _step_all full step */
/* ctest: case _step_deep full step deep */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "profiler/base/process.h"
#include "profiler/stack/thread.h"
#include "tests/support/check.h"
#include "tests/support/one_processor.h"

#define QUIET    __attribute__((no_instrument_function, noinline))
#define NOINLINE __attribute__((noinline))
#define SKIPPED  77
#define STACKS   3
#define STACK    (256u << 10)
#define STRIDE   23 /* instructions from one switch to the next: prime, so that it falls on others each time */
#define TURNS    4
#define DEPTH    7
#define DEEP     90 /* of one turn */
#if defined(__x86_64__)
#define TRAP __asm__ volatile("int3")
#else
#define TRAP
#endif

static ucontext_t contexts[STACKS], main_context;
static char stacks[STACKS][STACK];
static volatile int running, left; /* the stack that runs; how many are not done */
static volatile int is_done[STACKS];
static volatile uint64_t counts[2];
static volatile int *is_stepped; /* by the parent, with which it is shared */
static int turns = TURNS, depth = DEPTH;

static NOINLINE int odd(int n, unsigned shape);

static NOINLINE int even(int n, unsigned shape)
{
  __atomic_fetch_add(&counts[0], 1, __ATOMIC_RELAXED);
  int sum = n > 0 ? odd(n - 1, shape) : 0;
  __asm__ volatile("" : "+r"(sum));
  return sum + 1;
}

static NOINLINE int odd(int n, unsigned shape)
{
  __atomic_fetch_add(&counts[1], 1, __ATOMIC_RELAXED);
  int sum = n > 0 ? (shape & 1 ? odd : even)(n - 1, shape >> 1) : 0;
  __asm__ volatile("" : "+r"(sum));
  return sum + 1;
}

static QUIET void block(int how)
{
  sigset_t alarms;
  CHECK(sigemptyset(&alarms) == 0 && sigaddset(&alarms, SIGALRM) == 0 && sigprocmask(how, &alarms, NULL) == 0);
}

static QUIET int next_after(int stack)
{
  do
    stack = (stack + 1) % STACKS;
  while (is_done[stack]);
  return stack;
}

static QUIET void on_alarm(int number)
{
  (void)number;
  const int from = running, to = next_after(from);
  running = to;
  if (from != to)
    CHECK(swapcontext(&contexts[from], &contexts[to]) == 0);
  TRAP; /* stepped on from here */
}

static QUIET void run(int number)
{
  TRAP;
  block(SIG_UNBLOCK);
  for (int turn = 0; turn < turns; turn++)
    CHECK(even(depth, (unsigned)(turn * 7 + number)) == depth + 1);
  block(SIG_BLOCK);
  is_done[number] = 1;
  if (--left == 0)
    setcontext(&main_context);
  running = next_after(number);
  setcontext(&contexts[running]);
}

static QUIET void prepare(int number)
{
  CHECK(getcontext(&contexts[number]) == 0);
  contexts[number].uc_stack.ss_sp = stacks[number];
  contexts[number].uc_stack.ss_size = STACK;
  makecontext(&contexts[number], (void (*)(void))run, 1, number);
}

/* Steps the child while it asks for that, and interrupts it again and again. The handler runs on up to its trap.
 * Returns the child's status. */
static QUIET int step_through(pid_t child)
{
  int status;
  for (unsigned steps = 0; waitpid(child, &status, 0) == child && WIFSTOPPED(status);) {
    const int number = WSTOPSIG(status);
    const long passed = number == SIGTRAP || number == SIGSTOP ? 0 : number;
    if (*is_stepped && !passed && ++steps % STRIDE == 0)
      CHECK(kill(child, SIGALRM) == 0);
    CHECK(ptrace(*is_stepped && !passed ? PTRACE_SINGLESTEP : PTRACE_CONT, child, NULL, passed) == 0);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* In the parent it does not return. */
static QUIET void be_stepped(void)
{
  void *page = mmap(NULL, sizeof *is_stepped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  is_stepped = page;
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
  CHECK(raise(SIGSTOP) == 0);
}

/* What was recorded of the two functions, and that nothing is left of their calls. */
static QUIET void check_recorded(void)
{
  uint64_t calls[2] = {0};
  for (uint64_t at = prof_self->tree.record->first_edge; at; at = ((const struct fmt_rec_edge *)at)->next) {
    const struct fmt_rec_edge *edge = (const struct fmt_rec_edge *)at;
    const struct fmt_rec_variant *to = (const struct fmt_rec_variant *)edge->to;
    const struct fmt_rec_context *context = (const struct fmt_rec_context *)to->context;
    const struct fmt_rec_function *function = (const struct fmt_rec_function *)context->function;
    const struct fmt_rec_recursion *recursion = (const struct fmt_rec_recursion *)edge->recursion;
    if (function && (function->address == (uintptr_t)even || function->address == (uintptr_t)odd))
      calls[function->address == (uintptr_t)odd] += edge->calls + (recursion ? recursion->calls : 0);
  }
  const uint64_t *losses = prof_process.header->loss;
  if (calls[0] != counts[0] || calls[1] != counts[1])
    fprintf(stderr, "%lu and %lu calls, %lu and %lu recorded, %lu exits without an entry\n", counts[0], counts[1],
            calls[0], calls[1], losses[FMT_LOSS_EXIT_UNMATCHED]);
  CHECK(calls[0] == counts[0] && calls[1] == counts[1]);
  CHECK(losses[FMT_LOSS_EXIT_UNMATCHED] == 0 && losses[FMT_LOSS_NESTED] == 0 && losses[FMT_LOSS_UNWOUND] == 0);
  CHECK(prof_self->recursion == 0);
}

QUIET int main(int argc, char **argv)
{
#if !defined(__x86_64__)
  fprintf(stderr, "skipped: only x86-64 has swapcontext() in place of the C library's\n");
  return SKIPPED;
#endif
  if (argc > 2 && strcmp(argv[2], "half") == 0)
    turns = TURNS / 2;
  if (argc > 2 && strcmp(argv[2], "deep") == 0) {
    turns = 1;
    depth = DEEP;
  }
  be_stepped();
  block(SIG_BLOCK);
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  CHECK(sigaction(SIGALRM, &action, NULL) == 0);
  even(DEPTH, 5);
  for (left = 0; left < STACKS; left++)
    prepare(left);
  *is_stepped = 1;
  CHECK(raise(SIGSTOP) == 0); /* the parent looks */
  CHECK(swapcontext(&main_context, &contexts[0]) == 0);
  *is_stepped = 0;
  even(DEPTH, 5);
  check_recorded();
  CHECK(unlink(callsig_path()) == 0);
  _exit(0); /* what looks for leaks when a program ends cannot do so in one that is traced */
}
