/*
 * A signal handler before one single instruction of a hook, and before another one the next time, until each had its
 * turn: the hook finds the thread as it is without signals, unlike one that is interrupted all the time. The handler
 * switches recording off and on ("switch"), or leaves by siglongjmp() ("jump"), and calls. Every call is counted once,
 * and afterwards nothing is marked or open. "draw": its hooks leave the next call for the one that is drawn, or, with
 * "draw_jump", the draw undone, which hooks find that had looked before. argv[2] "all": in a tree of calls, each time
 * that it comes by.
 *
 * Once, the program steps through a call by the processor's trap flag, to find the instructions that it runs; then a
 * breakpoint stands at one after the other. Where a hook takes a slow section, both begin as that ends: no handler runs
 * within.
 */
/* ctest: skips _plain _switch _jump _draw _draw_jump _plain_all _switch_all _jump_all _draw_all */
/* ctest: records */
/* ctest: wrap prof_restore_signals */
/* ctest: build _O2 -g -O2 -finstrument-functions */
/* ctest: build _sleds -g -O2 @CALLSIG_TEST_SLEDS@ */
/* ctest: case _plain quick plain */
/* ctest: case _switch quick switch */
/* ctest: case _jump quick jump */
/* ctest: case _draw quick draw */
/* ctest: case _draw_jump quick draw_jump */
/* ctest: case _plain_all full plain all */
/* ctest: case _switch_all full switch all */
/* ctest: case _jump_all full jump all */
/* ctest: case _draw_all full draw all */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "profiler/base/lock.h"
#include "profiler/base/own_code.h"
#include "profiler/base/process.h"
#include "profiler/stack/thread.h"
#include "tests/support/check.h"

#define QUIET __attribute__((no_instrument_function, noinline))
#if defined(__clang__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noipa))
#endif
#define DEPTH 1
#define MOST  16384u /* different instructions that a call runs */
#define LEAST 30u    /* of these */
#define PASSES                                                                                                         \
  24u /* of an instruction that a tree of calls comes by several times: those before which a handler runs */
#define STACK     65536u
#define SKIPPED   77
#define TRAP_FLAG 0x100
#define INT3      0xcc
#define PAGE      4096u

extern const char __ehdr_start __attribute__((visibility("hidden")));
extern const char etext[];

/* What is called while hooks are stepped, and before that. */
enum way {
  KNOWN,     /* a call as those before it */
  RECURSIVE, /* the same, of a function that is open */
  WOKEN,     /* recording was switched off and on since the last hook */
  LEFT,      /* the same within the call, whose exit is stepped */
  ABANDONED, /* a call as those before it, which is left by longjmp() once its hook is done */
  TREE,      /* a tree of calls that are recursive in several ways */
  WAYS
};

enum function { LEAF, NEST, BRANCH, TREE_NODE, FUNCTIONS };

static uint64_t made[FUNCTIONS];
static int switches, jumps, draws;
static uint64_t handled;
static volatile int wanted; /* recording is switched within the call */
static volatile int in_handler;
static volatile int leaves; /* the call does, by longjmp() */
static sigjmp_buf safe_place;
static struct {
  uintptr_t addresses[MOST];
  volatile uint32_t count;
  volatile int is_stepping;
} found; /* the instructions of a call */
static struct {
  uint8_t *volatile address; /* NULL: the call is to be stepped through */
  volatile int is_armed;     /* to be set as the next slow section ends */
  volatile uint8_t instead;  /* of what was there; 0: it is not set */
  volatile uint32_t passes;  /* so many times it is passed before */
  volatile int is_passed;    /* just now: it is to be set again */
} breakpoint;

/* Its handler has the flag in what it returns to. */
static QUIET void trap(void)
{
#if defined(__x86_64__)
  __asm__ volatile("int3");
#endif
}

static QUIET void begin(void)
{
  breakpoint.is_armed = 0;
  if (!breakpoint.address) {
    found.is_stepping = 1;
    trap();
    return;
  }
  breakpoint.instead = *breakpoint.address;
  *breakpoint.address = INT3;
}

static QUIET void end(void)
{
  breakpoint.is_armed = breakpoint.is_passed = wanted = leaves = 0;
  if (found.is_stepping) {
    found.is_stepping = 0;
    trap();
  }
  if (breakpoint.address && breakpoint.instead) {
    *breakpoint.address = breakpoint.instead;
    breakpoint.instead = 0;
  }
}

static QUIET void switch_recording(void)
{
  CHECK(callsig_disable() == 0 && callsig_enable() == 0);
}

void __real_prof_restore_signals(uint64_t mask);
void __wrap_prof_restore_signals(uint64_t mask);

QUIET void __wrap_prof_restore_signals(uint64_t mask)
{
  __real_prof_restore_signals(mask);
  if (breakpoint.is_armed)
    begin();
}

static QUIET void switch_if_wanted(void)
{
  if (!wanted)
    return;
  wanted = 0;
  switch_recording();
  breakpoint.is_armed = 1;
}

static NOINLINE int leaf(int number)
{
  __atomic_fetch_add(&made[LEAF], 1, __ATOMIC_RELAXED);
  __asm__ volatile("" : "+r"(number));
  switch_if_wanted();
  if (leaves && !in_handler)
    siglongjmp(safe_place, 1);
  return number;
}

static NOINLINE int nest(int depth)
{
  __atomic_fetch_add(&made[NEST], 1, __ATOMIC_RELAXED);
  __asm__ volatile("" : "+r"(depth));
  int sum = depth ? nest(depth - 1) : leaf(0);
  __asm__ volatile("" : "+r"(sum)); /* else it is a loop */
  return sum;
}

static NOINLINE int tree(int depth, unsigned shape);

static NOINLINE int branch(int depth, unsigned shape)
{
  __atomic_fetch_add(&made[BRANCH], 1, __ATOMIC_RELAXED);
  int sum = depth ? tree(depth - 1, shape / 2) : 0;
  __asm__ volatile("" : "+r"(sum));
  return sum;
}

static NOINLINE int tree(int depth, unsigned shape)
{
  __atomic_fetch_add(&made[TREE_NODE], 1, __ATOMIC_RELAXED);
  int sum = 0;
  if (depth && shape & 1)
    sum = tree(depth - 1, shape / 2);
  __asm__ volatile("" : "+r"(sum));
  if (depth)
    sum += branch(depth - 1, shape / 4);
  __asm__ volatile("" : "+r"(sum));
  return sum;
}

static QUIET void on_alarm(int number)
{
  (void)number;
  handled++;
  in_handler = 1;
  if (switches)
    switch_recording();
  nest(DEPTH);
  leaf(1);
  branch(3, (unsigned)handled % 64);
  tree(3, (unsigned)handled % 16);
  in_handler = 0;
  if (draws)
    prof_self->sample_next = jumps ? 0 : 1;
  if (jumps)
    siglongjmp(safe_place, 1);
}

/* Notes an instruction of the runtime, or of the functions that it profiles. */
static QUIET void note(uintptr_t address)
{
  const int is_own =
      (address >= (uintptr_t)&__ehdr_start && address < (uintptr_t)etext) || prof_own_code_holds(address);
  uint32_t i = 0;
  while (i < found.count && found.addresses[i] != address)
    i++;
  if (!is_own || i < found.count)
    return;
  CHECK(found.count < MOST);
  found.addresses[found.count++] = address;
}

static QUIET void on_trap(int number, siginfo_t *info, void *context)
{
  (void)number;
  (void)info;
#if defined(__x86_64__)
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  if (breakpoint.is_passed) {
    breakpoint.is_passed = 0;
    *breakpoint.address = INT3;
    registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
  } else if (breakpoint.instead && registers[REG_RIP] == (greg_t)(uintptr_t)breakpoint.address + 1) {
    registers[REG_RIP]--;
    *breakpoint.address = breakpoint.instead;
    if (breakpoint.passes > 0) {
      breakpoint.passes--;
      breakpoint.is_passed = 1;
      registers[REG_EFL] |= TRAP_FLAG;
      return;
    }
    breakpoint.instead = 0;
    CHECK(syscall(SYS_tgkill, getpid(), gettid(), SIGALRM) == 0);
  } else if (found.is_stepping) {
    registers[REG_EFL] |= TRAP_FLAG;
    note((uintptr_t)registers[REG_RIP]);
  } else {
    registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
  }
#else
  (void)context;
#endif
}

static QUIET void call(enum way way)
{
  wanted = way == LEFT;
  leaves = way == ABANDONED;
  if (way == WOKEN) {
    switch_recording();
    breakpoint.is_armed = 1;
  }
  if (way == KNOWN || way == RECURSIVE || way == ABANDONED || way == TREE)
    begin();
  if (way == TREE) {
    tree(6, 0x35);
    return;
  }
  if (way == RECURSIVE)
    nest(DEPTH);
  else
    leaf(2);
}

/* Calls with a handler before the instruction there, once it was passed so often, or at 0: finds out which there are.
 */
static QUIET void interrupt(enum way way, uintptr_t address, uint32_t passes)
{
  breakpoint.passes = passes;
  const uintptr_t page = address & ~(uintptr_t)(PAGE - 1);
  CHECK(!address || mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
  breakpoint.address = (uint8_t *)address;
  if (sigsetjmp(safe_place, 1) == 0)
    call(way);
  end();
}

static QUIET int function_number(const struct fmt_rec_function *function)
{
  return function->address == (uintptr_t)leaf     ? LEAF
         : function->address == (uintptr_t)nest   ? NEST
         : function->address == (uintptr_t)branch ? BRANCH
         : function->address == (uintptr_t)tree   ? TREE_NODE
                                                  : -1;
}

/* Nothing is open: so no function is active, nor a signature, and no edge counts as one inside of recursion. */
static QUIET void check_marks(enum way way, uintptr_t address)
{
  uint32_t marked = prof_self->recursion != 0 || prof_self->mode != PROF_MODE_PLAIN;
  for (uint64_t at = prof_self->tree.record->first_edge; at; at = ((const struct fmt_rec_edge *)at)->next) {
    const struct fmt_rec_edge *edge = (const struct fmt_rec_edge *)at;
    const struct fmt_rec_variant *to = (const struct fmt_rec_variant *)edge->to;
    const struct fmt_rec_function *function =
        (const struct fmt_rec_function *)((const struct fmt_rec_context *)to->context)->function;
    if (function_number(function) < 0)
      continue;
    marked += function->active != 0 || ((const struct fmt_rec_signature *)to->signature)->active != 0;
    marked += edge->counters != (uintptr_t)&edge->calls || (edge->mode & 3) == PROF_MODE_RECURSION;
  }
  if (marked) {
    fprintf(stderr, "way %d, address %#lx: %u marks are left\n", way, address, marked);
    exit(1);
  }
}

static QUIET void check_counts(enum way way, uintptr_t address)
{
  uint64_t recorded = 0, called = 0, calls[FUNCTIONS] = {0};
  for (uint64_t at = prof_self->tree.record->first_edge; at; at = ((const struct fmt_rec_edge *)at)->next) {
    const struct fmt_rec_edge *edge = (const struct fmt_rec_edge *)at;
    const struct fmt_rec_context *context =
        (const struct fmt_rec_context *)((const struct fmt_rec_variant *)edge->to)->context;
    const struct fmt_rec_recursion *recursion = (const struct fmt_rec_recursion *)edge->recursion;
    const int number = function_number((const struct fmt_rec_function *)context->function);
    if (number >= 0)
      calls[number] += edge->calls + (recursion ? recursion->calls : 0);
  }
  for (int i = 0; i < FUNCTIONS; i++) {
    called += made[i];
    recorded += calls[i];
  }
  const uint64_t lost = prof_process.header->loss[FMT_LOSS_NESTED] + prof_process.header->loss[FMT_LOSS_NO_SPACE];
  /* A hook that was left may have counted its call before the function did so, or told it as lost. */
  const uint64_t left = jumps ? handled : 0;
  if (recorded + lost < called || recorded > called + left || recorded + lost > called + 2 * left) {
    fprintf(stderr, "way %d, address %#lx: %lu and %lu calls, %lu and %lu recorded, %lu lost\n", way, address,
            made[LEAF], made[NEST], calls[LEAF], calls[NEST], lost);
    exit(1);
  }
}

/* Calls go on to be drawn. */
static QUIET void check_draw(enum way way, uintptr_t address)
{
  const int32_t next = prof_self->sample_next, most = (int32_t)prof_self->sample_mask + 1;
  if (next < -1 || next > most) {
    fprintf(stderr, "way %d, address %#lx: the next call of %d that is drawn is number %d\n", way, address, most, next);
    exit(1);
  }
}

/* Calls once more outside of hooks, which ends what is left. */
static QUIET void settle(void)
{
  tree(3, 1);
  nest(1);
  leaf(3);
  leaf(3);
}

/* Interrupts each instruction that calls of this way come by, `passes` times of those that it comes by so often. */
static QUIET void try_way(enum way way, uint32_t passes)
{
  const uint64_t before = handled;
  /* What was made for the first one is there for the others. */
  for (int i = 0; i < 2; i++) {
    found.count = 0;
    interrupt(way, 0, 0);
    settle();
  }
  CHECK(found.count > LEAST);
  for (uint32_t pass = 0; pass < passes; pass++) {
    for (uint32_t i = 0; i < found.count; i++) {
      interrupt(way, found.addresses[i], pass);
      settle();
      check_marks(way, found.addresses[i]);
      check_counts(way, found.addresses[i]);
      check_draw(way, found.addresses[i]);
    }
  }
  /* Not before those of what takes longer where it is stepped through. */
  CHECK(handled - before > LEAST);
}

QUIET int main(int argc, char **argv)
{
  static char stack[STACK];
  const uint32_t passes = argc > 2 ? PASSES : 1;
  switches = argc > 1 && strcmp(argv[1], "switch") == 0;
  draws = argc > 1 && strncmp(argv[1], "draw", 4) == 0;
  jumps = argc > 1 && strstr(argv[1], "jump") != NULL;
#if !defined(__x86_64__)
  fprintf(stderr, "skipped: the program would step itself, which it can on x86-64 alone\n");
  return SKIPPED;
#endif
  CHECK(sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL) == 0);
  struct sigaction alarm = {.sa_handler = on_alarm};
  struct sigaction step = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  CHECK(sigaction(SIGALRM, &alarm, NULL) == 0);
  CHECK(sigfillset(&step.sa_mask) == 0 && sigaction(SIGTRAP, &step, NULL) == 0);
  for (unsigned i = 0; i < 100; i++) {
    tree(6, 0x35);
    branch(3, i % 64);
    tree(3, i % 16);
    nest(DEPTH);
    settle();
  }
  for (enum way way = KNOWN; way < WAYS; way++)
    try_way(way, way == TREE ? passes : 1);
  CHECK(unlink(callsig_path()) == 0);
  return 0;
}
