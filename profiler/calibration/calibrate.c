/*
 * What the hooks cost, measured with the real hooks in well under a millisecond, at the process's start and again at
 * its end, since the processor's clock may have changed: the share that lies between a call's own two readings of the
 * clock (it is in the callee's time), the share outside (in the caller's), what a call costs that is not timed, and how
 * much of the first share a call hides that has work to do itself.
 *
 * The hooks run on a control block, a stack and two edges of their own in private memory, on the fast path alone: those
 * of sleds with code made as for a site, where the program has sleds. Of some batches the fastest counts: whatever else
 * the machine does only adds to a batch.
 */
#include "profiler/hook/calibration_calls.h"

#include <sys/mman.h>

#include "format/recording.h"
#include "profiler/arch/registers.h"
#include "profiler/base/clock.h"
#include "profiler/base/histogram_record.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/base/syscall.h"
#include "profiler/hook/sled_hooks.h"
#include "profiler/stack/modes.h"
#include "profiler/stack/thread.h"
#include "profiler/tree/edge_codes.h"
#include "profiler/tree/edge_places.h"
#include "profiler/tree/fast_compare.h"

#if PROF_HAS_SLEDS
#include "profiler/arch/x86_64/stub/stub.h"
#endif

#define BATCHES     24u
#define BATCH_CALLS 256u
#define READINGS    8u  /* of a clock that takes microseconds, in a batch */
#define DRAWN_OF    16u /* one in 8 or so, in the mean: enough of them in a batch, and none is foretold */
#define WORK_CALLS  32u /* of a batch in which the function works */
#define WORK        6u  /* some 25 ns: longer than what the processor does of the hooks meanwhile */
#define FRAMES      4u
#define CFA_OFFSET  64u   /* any distance will do: it only has to be above the stack pointer */
#define PARTS       1024u /* of a tick: the unit of the header's fields */
#define CODE_NUMBER 1u
#define CODE_SIZE   4096u
#define RECORD_SIZE 192u

_Static_assert(sizeof(struct fmt_rec_edge) <= RECORD_SIZE && sizeof(struct prof_fast_compare) <= RECORD_SIZE &&
                   sizeof(struct fmt_rec_sampling) <= RECORD_SIZE,
               "RECORD_SIZE");

/* Everything that the fast path looks at. */
struct calibration {
  struct prof_thread thread;
  struct fmt_rec_variant root, callee;
  struct fmt_rec_frame frames[FRAMES];
  struct fmt_rec_histogram histogram;
  uint64_t octave[1 << PROF_CALL_SUB_BITS];
  struct fmt_rec_edge *root_edge, *edge; /* these three, and the sampling record before `edge`, lie in `records` */
  struct prof_fast_compare *compare;
  uint8_t records[4][RECORD_SIZE] __attribute__((aligned(64)));
  struct prof_site site;
  struct fmt_rec_function function;
  struct fmt_rec_edge *codes[1]; /* all places are this one: the thread's mask is 0 */
#if PROF_HAS_SLEDS
  struct prof_site_link link;
  const struct prof_site_link *link_word;
  uintptr_t hook_word;
  struct {
    uint8_t stub[64], leave[PROF_EXIT_SIZE], entry[CODE_SIZE - PROF_EXIT_SIZE - 64];
  } code __attribute__((aligned(4096)));
#endif
};

/* What is called in a batch. */
struct load {
  bool sled;
  uint32_t calls;
  uint32_t work; /* as prof_calibration_sled_calls() takes it */
};

/* What a call costs, in `PARTS` of a tick. */
struct cost {
  uint64_t inner; /* between its readings */
  uint64_t whole;
};

static void set_up_thread(struct calibration *all)
{
  struct prof_thread *t = &all->thread;
  all->frames[0].edge = (uintptr_t)all->root_edge;
  all->frames[0].cfa = UINTPTR_MAX;
  t->self = t;
  t->top = all->frames;
  t->limit = all->frames + FRAMES - 1;
  t->stack_high = UINTPTR_MAX;
  t->mode = PROF_MODE_PLAIN;
  t->exit_least = t->timeline_min = UINT64_MAX;
  all->codes[0] = &prof_no_edge;
  t->codes = t->pending = all->codes;
  t->sample_next = INT32_MAX;
  t->state = PROF_HOOKS_ON;
}

static void set_up(struct calibration *all)
{
  all->root_edge = (struct fmt_rec_edge *)all->records[0];
  all->edge = (struct fmt_rec_edge *)all->records[2]; /* its sampling record ends where [2] begins */
  all->compare = (struct prof_fast_compare *)all->records[3];
  struct fmt_rec_edge *edge = all->edge;
  set_up_thread(all);
  all->root_edge->to = (uintptr_t)&all->root;
  all->root.last = (uintptr_t)edge;
  edge->after = (uintptr_t)edge;
  edge->site = (uintptr_t)prof_calibration_site;
  edge->from = (uintptr_t)&all->root;
  edge->to = (uintptr_t)&all->callee;
  edge->counters = (uintptr_t)&edge->calls;
  edge->function_address = (uintptr_t)prof_calibration_calls;
  edge->cfa = CFA_OFFSET | PROF_CFA_STRICT;
  edge->mode = PROF_MODE_PLAIN;
  if (prof_process.settings.sample_times) {
    all->thread.exit_least = 0;
    edge->flags = FMT_EDGE_SAMPLED;
    prof_edge_sampling(edge)->rate = 1; /* so that nothing is decided by what the calls take */
  }
  if (prof_process.settings.percentiles) {
    for (unsigned i = 0; i < FMT_HISTOGRAM_OCTAVES; i++)
      all->histogram.octaves[i] = (uintptr_t)all->octave;
    edge->histogram = (uintptr_t)&all->histogram;
    all->thread.exit_least = 0;
  }
}

#if PROF_HAS_SLEDS

/* Makes the entry's code as for a sled without arguments. False, and nothing was done: there can be none. */
static bool set_up_sled(struct calibration *all)
{
  all->site.pc = (uintptr_t)prof_calibration_sled_site;
  all->compare->site = &all->site;
  all->compare->function = &all->function;
  all->compare->active = &all->function.active;
  all->link = prof_site_code_link(all->code.entry, all->compare, CODE_NUMBER);
  all->link_word = &all->link;
  all->hook_word = (uintptr_t)prof_sled_exit;
  prof_stub_write(all->code.stub, &all->link_word, false);
  prof_exit_write(all->code.leave, &all->hook_word, false);
  if (!prof_site_code_write(all->code.entry, sizeof all->code.entry, all->compare, 0, false) ||
      PROF_SYSCALL3(SYS_mprotect, &all->code, sizeof all->code, PROT_READ | PROT_EXEC) < 0)
    return false;
  all->edge->site = all->site.pc;
  all->edge->site_info = (uintptr_t)all->compare;
  all->edge->cfa = sizeof(uintptr_t) | PROF_CFA_STRICT;
  all->edge->mode = PROF_MODE_PLAIN | CODE_NUMBER << PROF_MODE_CODE_SHIFT;
  return true;
}

static void call_sled(struct calibration *all, const struct load *load)
{
  prof_calibration_sled_calls(load->calls, (void (*)(void))(uintptr_t)all->code.stub,
                              (void (*)(void))(uintptr_t)all->code.leave, load->work);
}

#else

static bool set_up_sled(struct calibration *all)
{
  (void)all;
  return false;
}

static void call_sled(struct calibration *all, const struct load *load)
{
  (void)all;
  (void)load;
}

#endif

/* False when the fast path was not taken. */
static bool measure(struct calibration *all, struct load load, struct cost *cost)
{
  struct fmt_rec_edge *edge = all->edge;
  *cost = (struct cost){UINT64_MAX, UINT64_MAX};
  for (unsigned batch = 0; batch < BATCHES; batch++) {
    edge->calls = edge->total = edge->max = 0;
    edge->min = UINT64_MAX;
    uint64_t start = prof_clock_now();
    if (load.sled)
      call_sled(all, &load);
    else
      prof_calibration_calls(load.calls, edge->function_address);
    uint64_t ticks = (prof_clock_now() - start) * PARTS / load.calls;
    if (edge->calls != load.calls)
      return false;
    if (ticks < cost->whole) {
      cost->whole = ticks;
      cost->inner = edge->total * PARTS / load.calls;
    }
  }
  return true;
}

/* Of what was measured before, if anything, and now. */
static uint64_t middle(uint64_t before, uint64_t now)
{
  return before ? (before + now) / 2 : now;
}

/* Each call is one that is drawn: from the state 0 the generator leads to itself, and the next one to be timed is
 * always the first. */
static void draw_each(struct calibration *all)
{
  all->edge->mode |= PROF_MODE_SAMPLED;
  all->thread.random = 0;
  all->thread.sample_mask = 1;
  all->thread.sample_next = 1;
}

/* What is added to the time of a call that works: less than to that of one that does not, since the processor does the
 * rest of the entry and the beginning of the exit beside the work. By calls of once and of twice the work, whose
 * difference is the work. UINT64_MAX: it was not found. */
static uint64_t measure_added(struct calibration *all)
{
  struct cost once, twice;
  if (!measure(all, (struct load){.sled = true, .calls = WORK_CALLS, .work = WORK}, &once) ||
      !measure(all, (struct load){.sled = true, .calls = WORK_CALLS, .work = 2 * WORK}, &twice))
    return UINT64_MAX;
  const uint64_t work = twice.inner - once.inner;
  return twice.inner > once.inner && once.inner > work ? once.inner - work : UINT64_MAX;
}

/* The clock of a call without work whose turn nobody could foretell, as it is of one that is drawn: the processor takes
 * the usual way first, that of calls that are only counted, and finds out while the clock runs. The middle one of the
 * batches; 0: none was drawn in one of them. */
static uint64_t measure_drawn(struct calibration *all)
{
  struct fmt_rec_sampling *sampling = prof_edge_sampling(all->edge);
  const struct load load = {.sled = true, .calls = BATCH_CALLS};
  uint64_t means[BATCHES];
  prof_sampling_start(&all->thread);
  all->thread.sample_mask = DRAWN_OF - 1;
  all->thread.sample_next = 1;
  for (unsigned batch = 0; batch < BATCHES; batch++) {
    sampling->timed = sampling->timed_total = 0;
    call_sled(all, &load);
    if (sampling->timed == 0)
      return 0;
    const uint64_t mean = sampling->timed_total * PARTS / sampling->timed;
    unsigned at = batch;
    for (; at > 0 && means[at - 1] > mean; at--)
      means[at] = means[at - 1];
    means[at] = mean;
  }
  return means[BATCHES / 2];
}

/* Once hook_inner is known. */
static void measure_hidden(struct calibration *all, struct fmt_rec_header *header, uint64_t inner)
{
  const uint64_t added = measure_added(all), drawn = measure_drawn(all);
  if (added == UINT64_MAX || drawn <= added || inner < added || drawn - added > UINT32_MAX)
    return;
  header->hook_hidden = (uint32_t)middle(header->hook_hidden, inner - added);
  header->hook_floor = (uint32_t)middle(header->hook_floor, drawn - added);
}

static void measure_all(struct calibration *all, struct fmt_rec_header *header)
{
  const bool sled = prof_process.has_sleds && set_up_sled(all);
  const struct load empty = {.sled = sled, .calls = BATCH_CALLS};
  struct cost timed, counted;
  if (prof_process.settings.sample_times)
    draw_each(all);
  if (!measure(all, empty, &timed) || timed.inner > timed.whole)
    return;
  header->hook_inner = middle(header->hook_inner, timed.inner);
  header->hook_outer = middle(header->hook_outer, timed.whole - timed.inner);
  if (!prof_process.settings.sample_times)
    return;
  if (sled)
    measure_hidden(all, header, timed.inner);
  all->thread.sample_next = INT32_MAX;
  if (measure(all, empty, &counted) && counted.whole < timed.whole)
    header->sample_price = middle(header->sample_price, timed.whole - counted.whole);
}

/* Where the kernel is asked for a thread's time, that is nearly all that hooks take. Of each of a call's two readings
 * the part after the clock was looked at is in what follows: so one is in the call's own time, and one in its caller's.
 * A call that is not timed has neither. */
static void measure_readings(struct fmt_rec_header *header)
{
  uint64_t reading = UINT64_MAX;
  for (unsigned batch = 0; batch < BATCHES; batch++) {
    const uint64_t start = prof_clock_now();
    uint64_t end = start;
    for (unsigned i = 0; i < READINGS; i++)
      end = prof_clock_now();
    const uint64_t ticks = (end - start) * PARTS / READINGS;
    reading = ticks < reading ? ticks : reading;
  }
  header->hook_inner = header->hook_outer = middle(header->hook_inner, reading);
  header->sample_price = prof_process.settings.sample_times ? 2 * header->hook_inner : 0;
}

/* Writes what the hooks cost into the header: the mean of what was measured before and now. With signals blocked. */
static void calibrate(struct prof_process *process)
{
  if (process->settings.clock == FMT_CLOCK_CPU)
    measure_readings(process->header);
  if (process->settings.clock != FMT_CLOCK_TSC)
    return;
  const size_t size = sizeof(struct calibration);
  long mapped = prof_sys_mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (prof_sys_failed(mapped))
    return;
  struct calibration *all = (struct calibration *)mapped;
  struct prof_thread *before = prof_self;
  set_up(all);
  prof_self = &all->thread;
  measure_all(all, process->header);
  prof_self = before;
  prof_sys_munmap(all, size);
}

/* A hook may have begun the recording before the library was initialised. */
__attribute__((constructor)) static void offer(void)
{
  uint64_t mask = prof_block_signals();
  prof_process.upcalls.calibrate = calibrate;
  const bool late =
      __atomic_load_n(&prof_process.state, __ATOMIC_ACQUIRE) == PROF_PROCESS_RECORDING && !prof_fork_happened();
  if (late)
    calibrate(&prof_process);
  prof_restore_signals(mask);
  /* What the hooks cost decides when a thread looks around. */
  if (late)
    prof_threads_interrupt();
}
