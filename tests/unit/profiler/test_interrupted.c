/*
 * A signal handler that recurses through the same functions as the program, in the middle of its hooks: every call is
 * counted, and when all is over nothing is marked, nothing is open, and nothing was lost. argv[1]: "stack", the handler
 * runs on an alternate stack; "jump", it leaves by siglongjmp() at times; "step", it runs before every single
 * instruction that the hooks execute with signals open, as a parent that traces this process sees to; "tenth", before
 * every tenth, which falls on other instructions each time. argv[2] "switch":
 * the handler also switches recording off and on, so that every open call ends, once; "cut": recording ends in the
 * midst of what the handler calls, so that the exits of these calls are heard by nobody, and goes on then or later.
 * "same": the handler calls what was called last, with the same arguments, so that it goes by the edge whose hook it
 * interrupts; "throw": the program and the handler leave calls by longjmp() at times, which are ended where it is
 * found. argv[3] "inner": the handler runs on an alternate stack that lies among the frames of the thread's own.
 */
/* ctest: skips _step _same_step _same_step_all _cut_step _step_all _switch_step_all _cut_step_all _cut_inner_step */
/* ctest: skips _throw_step */
/* ctest: records */
/* ctest: build _O0 -g -O0 -finstrument-functions */
/* ctest: build _O2 -g -O2 -finstrument-functions */
/* ctest: case _plain quick plain */
/* ctest: case _stack quick stack */
/* ctest: case _jump full jump */
/* ctest: case _full quick full */
/* ctest: case _step quick tenth */
/* ctest: case _step_all full step */
/* ctest: case _switch quick plain switch */
/* ctest: case _switch_stack quick stack switch */
/* ctest: case _switch_jump full jump switch */
/* ctest: case _switch_step_all full step switch */
/* ctest: case _same_step quick tenth same */
/* ctest: case _same_step_all full step same */
/* ctest: case _cut quick plain cut */
/* ctest: case _cut_stack quick stack cut */
/* ctest: case _cut_step quick tenth cut */
/* ctest: case _cut_step_all full step cut */
/* ctest: case _cut_inner quick plain cut inner */
/* ctest: case _cut_inner_step full step cut inner */
/* ctest: case _throw quick plain throw */
/* ctest: case _throw_stack full stack throw */
/* ctest: case _throw_jump full jump throw */
/* ctest: case _throw_step full step throw */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "profiler/base/process.h"
#include "profiler/frame/recursion.h"
#include "profiler/stack/thread.h"
#include "tests/support/check.h"
#include "tests/support/one_processor.h"

#define QUIET        __attribute__((no_instrument_function, noinline))
#define NOINLINE     __attribute__((noinline))
#define FUNCTIONS    4
#define HANDLERS     3000u
#define PERIOD_US    60
#define HANDLER_ROOM 16384 /* of the stack, for what a handler and the kernel put there */
#define SWITCHES     400u  /* handlers that switch, which take long */
#define SWITCH_US    1000
#define STEPPED      2u /* trees of calls: some 30,000 interrupted instructions */
#ifndef DEPTH
#define DEPTH 5 /* of these */
#endif
#define WARM_UP   80u
#define CALLS_OFF 4 /* from where recording was cut until it goes on, where the handler does not see to it */
#define SKIPPED   77
#if defined(__x86_64__)
#define TRAP __asm__ volatile("int3")
#else
#define TRAP __asm__ volatile("brk 0")
#endif

static uint64_t counts[FUNCTIONS];
static volatile uint32_t handled;
static sigjmp_buf safe_place;
static volatile int may_jump;
static volatile int switches, cuts, repeats, in_handler, throws;
static jmp_buf *volatile innermost; /* that calls may be left to; NULL: none */
static volatile struct call {
  int number, depth;
  unsigned shape;
} last_call;                     /* that was made or is about to end */
static volatile int cutting;     /* so many calls from here recording ends; 0: it does not */
static volatile int is_off;      /* it has ended so; and how many calls ago */
static volatile int *is_stepped; /* shared with the parent that steps; NULL for none */
static int (*const nodes[FUNCTIONS])(int, unsigned);

static QUIET void go_on(void)
{
  is_off = 0;
  callsig_enable();
}

static QUIET void cut_at_times(void)
{
  if (cutting && --cutting == 0) {
    callsig_disable();
    is_off = 1;
  } else if (is_off && ++is_off > CALLS_OFF) {
    go_on();
  }
}

static QUIET void note(int number, int depth, unsigned shape)
{
  last_call.number = number;
  last_call.depth = depth;
  last_call.shape = shape;
}

/* The innermost call's edge counts inside of recursion if, and only if, it is active. */
static QUIET int counts_rightly(void)
{
  struct fmt_rec_edge *edge = (struct fmt_rec_edge *)prof_self->top->edge;
  if (!edge)
    return 0;
  const struct fmt_rec_recursion *recursion = (const struct fmt_rec_recursion *)edge->recursion;
  const uint64_t *counters = prof_recursion_active(edge) ? &recursion->calls : &edge->calls;
  return edge->counters == (uintptr_t)counters;
}

static QUIET void check_counters(void)
{
  sigset_t alarms, before;
  if (!repeats || in_handler)
    return;
  /* A handler may change it in between. */
  CHECK(sigemptyset(&alarms) == 0 && sigaddset(&alarms, SIGALRM) == 0);
  CHECK(sigprocmask(SIG_BLOCK, &alarms, &before) == 0);
  CHECK(counts_rightly());
  CHECK(sigprocmask(SIG_SETMASK, &before, NULL) == 0);
}

/* Calls itself and the others to a depth that the shape's bits say; some calls have new arguments, most have not. */
static QUIET int descend(int depth, unsigned shape)
{
  cut_at_times();
  if (depth <= 0) {
    if (innermost && shape % 3 != 1)
      longjmp(*innermost, 1);
    return 0;
  }
  note((int)(shape % FUNCTIONS), depth - 1, shape / 4);
  int sum = nodes[shape % FUNCTIONS](depth - 1, shape / 4);
  if (shape & 16) {
    note((int)(shape / 16 % FUNCTIONS), depth - 2, shape / 8);
    sum += nodes[shape / 16 % FUNCTIONS](depth - 2, shape / 8);
  }
  return sum;
}

/* The same, and calls below may be left for this one. They lie so deep that a handler's do not reach them once they are
 * left. */
static QUIET int descend_catching(int depth, unsigned shape)
{
  jmp_buf place, *const outer = innermost;
  char room[HANDLER_ROOM];
  __asm__ volatile("" : : "r"(room) : "memory");
  volatile int sum = 0;
  if (setjmp(place) == 0) {
    innermost = &place;
    sum = descend(depth, shape);
  }
  innermost = outer;
  return sum;
}

#define NODE(number)                                                                                                   \
  static NOINLINE int node##number(int depth, unsigned shape)                                                          \
  {                                                                                                                    \
    __atomic_fetch_add(&counts[number], !is_off, __ATOMIC_RELAXED);                                                    \
    __asm__ volatile("" : "+r"(depth), "+r"(shape));                                                                   \
    check_counters();                                                                                                  \
    int sum = throws && depth > 1 ? descend_catching(depth, shape) : descend(depth, shape);                            \
    note(number, depth, shape);                                                                                        \
    return sum + number;                                                                                               \
  }
NODE(0)
NODE(1)
NODE(2)
NODE(3)

static int (*const nodes[FUNCTIONS])(int, unsigned) = {node0, node1, node2, node3};

/* Recording ends in the midst of it, and goes on afterwards, before other calls or not, unless the program sees to it.
 */
static QUIET void be_cut(uint32_t turn)
{
  cutting = 1 + (int)(turn % 7);
  descend(4, turn % 64 * 5);
  cutting = 0;
  if (!is_off || turn / 7 % 3 == 0)
    return;
  go_on();
  if (turn / 7 % 3 == 1)
    descend(4, turn % 64 * 5);
}

static QUIET void on_alarm(int number)
{
  (void)number;
  uint32_t turn = handled + 1;
  jmp_buf *const interrupted = innermost;
  handled = turn;
  innermost = NULL;
  if (cuts) {
    be_cut(turn);
    if (is_stepped)
      TRAP;
    return;
  }
  if (repeats) {
    const struct call call = last_call;
    in_handler = 1;
    nodes[call.number](call.depth, call.shape);
    in_handler = 0;
    note(call.number, call.depth, call.shape);
    TRAP;
    return;
  }
  if (switches && turn % 3 == 0)
    descend(3, turn % 64 * 3);
  if (switches) {
    callsig_disable();
    callsig_enable();
  }
  descend(4, turn % 64 * 5);
  innermost = interrupted;
  if (may_jump && turn % 16 == 0) {
    may_jump = 0;
    innermost = NULL;
    siglongjmp(safe_place, 1);
  }
  if (is_stepped)
    TRAP;
}

/* Has all of these calls be short ones, of which most are only counted. */
static QUIET void warm_up(void)
{
  prof_process.settings.overhead = 1025;
  for (unsigned i = 0; i < WARM_UP; i++) {
    for (unsigned turn = 0; turn < STEPPED; turn++)
      descend(DEPTH, turn * 2654435761u >> 8);
    for (unsigned shape = 0; shape < 64; shape++)
      descend(4, shape * 5);
  }
}

static QUIET void set_timer(int microseconds)
{
  struct itimerval timer = {.it_interval = {0, microseconds}, .it_value = {0, microseconds}};
  CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

static QUIET int function_number(const struct fmt_rec_function *function)
{
  for (int i = 0; i < FUNCTIONS; i++)
    if (function->address == (uintptr_t)nodes[i])
      return i;
  return -1;
}

/* "switch": exits of calls that ended with recording are nobody's. */
static QUIET void check_edges(int jumps)
{
  const struct prof_tree *tree = &prof_self->tree;
  uint64_t calls[FUNCTIONS] = {0};
  CHECK(tree->record); /* None where the disk is full. */
  for (uint64_t at = tree->record->first_edge; at; at = ((const struct fmt_rec_edge *)at)->next) {
    const struct fmt_rec_edge *edge = (const struct fmt_rec_edge *)at;
    const struct fmt_rec_variant *to = (const struct fmt_rec_variant *)edge->to;
    const struct fmt_rec_context *context = (const struct fmt_rec_context *)to->context;
    const struct fmt_rec_function *function = (const struct fmt_rec_function *)context->function;
    const struct fmt_rec_recursion *recursion = (const struct fmt_rec_recursion *)edge->recursion;
    int number = function_number(function);
    if (number < 0)
      continue;
    calls[number] += edge->calls + (recursion ? recursion->calls : 0);
    CHECK(function->active == 0 && ((const struct fmt_rec_signature *)to->signature)->active == 0);
    CHECK(edge->counters == (uintptr_t)&edge->calls && (edge->mode & 3) != PROF_MODE_RECURSION);
  }
  /* A jump out of a handler may leave a hook before it recorded its call (a loss), or before the function counted it;
   * and recording may end between the hook and the count. */
  const uint64_t *losses = prof_process.header->loss;
  uint64_t lost = losses[FMT_LOSS_NESTED] + losses[FMT_LOSS_NO_SPACE], uncounted = cuts    ? handled
                                                                                   : jumps ? handled / 16
                                                                                           : 0;
  uint64_t called = 0, recorded = 0;
  CHECK(jumps || cuts || losses[FMT_LOSS_NESTED] == 0);
  CHECK(jumps || switches || losses[FMT_LOSS_EXIT_UNMATCHED] == 0);
  for (int i = 0; i < FUNCTIONS; i++) {
    called += counts[i];
    recorded += calls[i];
    CHECK(calls[i] <= counts[i] + uncounted);
  }
  if (recorded > called + uncounted || called > recorded + lost + (cuts ? uncounted : 0) ||
      (!jumps && !cuts && called != recorded + lost)) {
    fprintf(stderr, "%lu calls, %lu recorded, %lu lost\n", called, recorded, lost);
    exit(1);
  }
}

#if defined(__x86_64__)
/* Steps the child: has the handler run before each instruction, up to its int3, and then lets the instruction be
 * executed. Returns the child's status. */
static QUIET int step_through(pid_t child, unsigned stride)
{
  struct user_regs_struct registers;
  unsigned long long interrupted = 0;
  unsigned met = 0;
  int status, is_free = 1; /* not to be interrupted again before its next step */
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    int number = WSTOPSIG(status);
    if (number == SIGALRM) {
      CHECK(ptrace(PTRACE_GETREGS, child, NULL, &registers) == 0);
      interrupted = registers.rip;
      for (long sent = SIGALRM; sent; sent = WIFSTOPPED(status) && WSTOPSIG(status) == SIGCONT ? SIGCONT : 0)
        CHECK(ptrace(PTRACE_CONT, child, NULL, sent) == 0 && waitpid(child, &status, 0) == child);
      CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
      is_free = 0;
    } else if (number != SIGTRAP && number != SIGSTOP) {
      CHECK(ptrace(PTRACE_CONT, child, NULL, number) == 0);
      continue;
    } else if (!is_free) {
      CHECK(ptrace(PTRACE_GETREGS, child, NULL, &registers) == 0);
      is_free = registers.rip == interrupted;
    } else if (*is_stepped && ++met % stride == 0) {
      CHECK(kill(child, SIGALRM) == 0);
    }
    CHECK(ptrace(*is_stepped ? PTRACE_SINGLESTEP : PTRACE_CONT, child, NULL, 0) == 0);
  }
  if (WIFSIGNALED(status))
    fprintf(stderr, "ended by signal %d, after it was interrupted at %llx\n", WTERMSIG(status), interrupted);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
#else
static QUIET int step_through(pid_t child, unsigned stride)
{
  fprintf(stderr, "skipped: child %d would be stepped at each %u, which knows x86-64 alone\n", (int)child, stride);
  return SKIPPED;
}
#endif

/* Has a parent step the rest of main() and interrupt each `stride`th instruction: in the parent it does not return. */
static QUIET void be_stepped(unsigned stride)
{
  void *page = mmap(NULL, sizeof *is_stepped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  is_stepped = page;
  stay_on_this_processor();
  pid_t child = fork();
  CHECK(child >= 0);
  if (child > 0)
    _exit(step_through(child, stride));
  CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
    fprintf(stderr, "skipped: this machine does not let a parent trace its child (%s)\n", strerror(errno));
    _exit(SKIPPED);
  }
  CHECK(raise(SIGSTOP) == 0);
}

#define ALTERNATE 262144u

static char alternate[ALTERNATE];

static QUIET void run_stepped(void)
{
  *is_stepped = 1;
  TRAP; /* the parent looks */
  for (unsigned turn = 0; turn < (switches ? 1 : STEPPED); turn++)
    descend(DEPTH, turn * 2654435761u >> 8);
  *is_stepped = 0;
}

static QUIET void run_timed(int jumps)
{
  static unsigned turn;
  set_timer(switches ? SWITCH_US : PERIOD_US);
  for (; handled < (switches ? SWITCHES : HANDLERS); turn++) {
    if (sigsetjmp(safe_place, 1) == 0)
      may_jump = jumps;
    descend(9, turn * 2654435761u >> 8);
  }
  set_timer(0);
}

QUIET int main(int argc, char **argv)
{
  int inner_stack = argc > 3 && strcmp(argv[3], "inner") == 0;
  int own_stack = inner_stack || (argc > 1 && strcmp(argv[1], "stack") == 0);
  int jumps = argc > 1 && strcmp(argv[1], "jump") == 0;
  cuts = argc > 2 && strcmp(argv[2], "cut") == 0;
  repeats = argc > 2 && strcmp(argv[2], "same") == 0;
  throws = argc > 2 && strcmp(argv[2], "throw") == 0;
  switches = cuts || (argc > 2 && strcmp(argv[2], "switch") == 0);
  if (own_stack) {
    /* Among main()'s own only where that is asked for: the runtime looks through all of a stack, step by step. */
    stack_t stack = {.ss_sp = inner_stack ? __builtin_alloca(ALTERNATE) : alternate, .ss_size = ALTERNATE};
    CHECK(sigaltstack(&stack, NULL) == 0);
  }
  if (argc > 1 && (strcmp(argv[1], "step") == 0 || strcmp(argv[1], "tenth") == 0))
    be_stepped(argv[1][0] == 't' ? 10 : 1);
  if (argc > 1 && strcmp(argv[1], "full") == 0)
    CHECK(setrlimit(RLIMIT_FSIZE, &(struct rlimit){2 << 20, 2 << 20}) == 0);
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART | (own_stack ? SA_ONSTACK : 0)};
  CHECK(sigaction(SIGALRM, &action, NULL) == 0);
  warm_up();
  descend(3, 27);
  if (is_stepped)
    run_stepped();
  else
    run_timed(jumps);
  may_jump = 0;
  if (is_off)
    go_on();
  descend(3, 27);
  CHECK(prof_self->recursion == 0);
  check_edges(jumps);
  CHECK(unlink(callsig_path()) == 0);
  if (is_stepped)
    _exit(0); /* what looks for leaks when a program ends cannot do so in one that is traced */
  return 0;
}
