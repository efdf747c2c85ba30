/*
 * What the hooks cost, measured with the real hooks in well under a millisecond, at the process's start and again at
 * its end, since the processor's clock may have changed: the share that lies between a call's own two readings of the
 * clock (it is in the callee's time), and the share outside (in the caller's).
 *
 * The hooks run on a control block, a stack and two edges of their own in private memory, on the fast path alone. Of
 * some batches the fastest counts: whatever else the machine does only adds to a batch.
 */
#include "profiler/hook/calibration_calls.h"

#include <sys/mman.h>

#include "format/recording.h"
#include "profiler/base/clock.h"
#include "profiler/base/histogram_record.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/base/syscall.h"
#include "profiler/stack/modes.h"
#include "profiler/stack/thread.h"
#include "profiler/tree/edge_codes.h"

#define BATCHES     24u
#define BATCH_CALLS 256u
#define FRAMES      4u
#define CFA_OFFSET  64u   /* any distance will do: it only has to be above the stack pointer */
#define PARTS       1024u /* of a tick: the unit of the header's fields */

/* Everything that the fast path looks at. */
struct calibration {
  struct prof_thread thread;
  struct fmt_rec_variant root, callee;
  struct fmt_rec_edge *root_edge, *edge; /* behind this structure */
  struct fmt_rec_frame frames[FRAMES];
  struct fmt_rec_histogram histogram;
  uint64_t octave[1 << PROF_CALL_SUB_BITS];
};

static void set_up(struct calibration *all)
{
  struct fmt_rec_edge *edge = (struct fmt_rec_edge *)(all + 1);
  struct prof_thread *t = &all->thread;
  all->edge = edge;
  all->root_edge = edge + 1;
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
  all->frames[0].edge = (uintptr_t)all->root_edge;
  all->frames[0].cfa = UINTPTR_MAX;
  t->self = t;
  t->top = all->frames;
  t->limit = all->frames + FRAMES - 1;
  t->stack_high = UINTPTR_MAX;
  t->mode = PROF_MODE_PLAIN;
  t->exit_least = t->timeline_min = UINT64_MAX;
  if (prof_process.settings.percentiles) {
    for (unsigned i = 0; i < FMT_HISTOGRAM_OCTAVES; i++)
      all->histogram.octaves[i] = (uintptr_t)all->octave;
    edge->histogram = (uintptr_t)&all->histogram;
    t->exit_least = 0;
  }
  t->state = PROF_HOOKS_ON;
}

/* Ticks a call, in `PARTS`: between its readings, and altogether. False when the fast path was not taken. */
static bool measure(struct calibration *all, uint64_t *inner, uint64_t *whole)
{
  struct fmt_rec_edge *edge = all->edge;
  *inner = *whole = UINT64_MAX;
  for (unsigned batch = 0; batch < BATCHES; batch++) {
    edge->calls = edge->total = edge->max = 0;
    edge->min = UINT64_MAX;
    uint64_t start = prof_clock_now();
    prof_calibration_calls(BATCH_CALLS, edge->function_address);
    uint64_t ticks = (prof_clock_now() - start) * PARTS / BATCH_CALLS;
    if (edge->calls != BATCH_CALLS)
      return false;
    if (ticks < *whole) {
      *whole = ticks;
      *inner = edge->total * PARTS / BATCH_CALLS;
    }
  }
  return true;
}

/* Of what was measured before, if anything, and now. */
static uint64_t middle(uint64_t before, uint64_t now)
{
  return before ? (before + now) / 2 : now;
}

/* Writes header.hook_inner and hook_outer: the mean of what was measured before and now. With signals blocked. */
static void calibrate(struct prof_process *process)
{
  if (process->settings.clock != FMT_CLOCK_TSC)
    return;
  const size_t size = sizeof(struct calibration) + 2 * sizeof(struct fmt_rec_edge);
  long mapped = prof_sys_mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (prof_sys_failed(mapped))
    return;
  struct calibration *all = (struct calibration *)mapped;
  struct prof_thread *before = prof_self;
  uint64_t inner, whole;
  set_up(all);
  prof_self = &all->thread;
  bool measured = measure(all, &inner, &whole);
  prof_self = before;
  if (measured && inner <= whole) {
    process->header->hook_inner = middle(process->header->hook_inner, inner);
    process->header->hook_outer = middle(process->header->hook_outer, whole - inner);
  }
  prof_sys_munmap(all, size);
}

/* A hook may have begun the recording before the library was initialised. */
__attribute__((constructor)) static void offer(void)
{
  uint64_t mask = prof_block_signals();
  prof_process.upcalls.calibrate = calibrate;
  if (__atomic_load_n(&prof_process.state, __ATOMIC_ACQUIRE) == PROF_PROCESS_RECORDING && !prof_fork_happened())
    calibrate(&prof_process);
  prof_restore_signals(mask);
}
