/*
 * How recording starts: the process's recording with the first thread that gets here, and each thread's control block.
 */
#include "profiler/session/startup.h"

#include <errno.h>

#include "format/recording.h"
#include "format/sled_idle.h"
#include "profiler/base/arena.h"
#include "profiler/base/clock.h"
#include "profiler/base/coroutine.h"
#include "profiler/base/environment.h"
#include "profiler/base/lock.h"
#include "profiler/base/message.h"
#include "profiler/base/options.h"
#include "profiler/base/proc_files.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/base/request.h"
#include "profiler/base/syscall.h"
#include "profiler/base/thread_end.h"
#include "profiler/frame/unwind.h"
#include "profiler/session/pauses.h"
#include "profiler/stack/modes.h"
#include "profiler/stack/ring.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/waiting.h"
#include "profiler/tree/bounds.h"
#include "profiler/tree/edge_places.h"
#include "profiler/tree/sampling.h"
#include "profiler/tree/tree.h"

/* Of a thread's first segment: where the stack goes over from one to the next, each call takes a slow section. So it is
 * short only where there are so many threads that a long one for each would be much. */
#define FIRST_FRAMES 1021u /* with the segment's header a block of 32 KiB */
#define FEW_FRAMES   29u
#define MANY_THREADS 256u

/* Where the process has just begun, recording off is the first thing that it is asked, unless it is off already. Once
 * it is, a forked child begins as its parent is by then. */
static void begin_requests(struct prof_process *process)
{
  process->settings.start_off = process->settings.start_off && !process->disabled;
  process->header->is_off = process->disabled;
  /* A process that was forked meanwhile has its parent's text. */
  if (process->sleds != FMT_SLEDS_PROGRAM)
    process->header->sleds = fmt_sleds_are_out(process->sleds) ? FMT_SLEDS_IDLE : FMT_SLEDS_CALL;
  prof_request_begin(process->header, process->settings.start_off ? FMT_REQUEST_OFF : FMT_REQUEST_NONE);
}

/* May the process be recorded? Else it is said why not. */
static bool may_record(bool child)
{
  if (prof_is_privileged()) {
    prof_message("the program has privileges that its user has not: nothing is recorded; run a copy without them");
    return false;
  }
  const long error = child ? 0 : prof_environment_find();
  if (error < 0)
    prof_message(
        "the program's environment, which says what to record and where, cannot be read (error %ld): nothing is "
        "recorded; is /proc mounted?",
        -error);
  return error == 0;
}

/* What hooks cost the parent a moment ago they cost the child: measuring it takes a short process most of its time. */
static void price_hooks(struct prof_process *process, bool child)
{
  struct fmt_rec_header *header = process->header;
  const struct prof_hook_price *price = &process->price;
  if (child && price->inner) {
    header->hook_inner = price->inner;
    header->hook_outer = price->outer;
    header->sample_price = price->sample;
    header->hook_hidden = price->hidden;
    header->hook_floor = price->floor;
  } else if (process->upcalls.calibrate) {
    process->upcalls.calibrate(process);
  }
}

/* Under start_lock, once. */
static void make_recording(struct prof_process *process)
{
  const bool child = process->pid != 0; /* the settings are the parent's */
  if (!may_record(child)) {
    __atomic_store_n(&prof_idle.state, PROF_HOOKS_OFF, __ATOMIC_SEQ_CST);
    __atomic_store_n(&process->state, PROF_PROCESS_FAILED, __ATOMIC_RELEASE);
    return;
  }
  process->pid = prof_sys_getpid();
  process->title_before = NULL;
  if (!child) {
    prof_settings_load(process);
    process->arguments = prof_argument_area_find();
    process->disabled = process->sleds_out = process->settings.start_disabled;
    prof_fork_prepare();
  }
  process->upcalls.close_frames = prof_frames_close_all;
  process->upcalls.mend_frames = prof_frames_mend;
  int error = prof_recording_open(process, child);
  if (error != 0 && child)
    prof_count_unrecorded();
  if (error == 0)
    price_hooks(process, child);
  if (error == 0)
    prof_clock_measure(process);
  if (error == 0)
    begin_requests(process);
  if (error == 0 && (process->disabled || process->warming))
    prof_pauses_begin(process->header->start.ticks);
  __atomic_store_n(&prof_idle.state, error == 0 && !process->disabled ? PROF_HOOKS_SLOW : PROF_HOOKS_OFF,
                   __ATOMIC_SEQ_CST);
  __atomic_store_n(&process->state, error == 0 ? PROF_PROCESS_RECORDING : PROF_PROCESS_FAILED, __ATOMIC_RELEASE);
}

/* Makes the process's recording: once, by the first thread that gets here; others wait. True when there is one. */
static bool start_process(void)
{
  struct prof_process *process = &prof_process;
  uint32_t state = __atomic_load_n(&process->state, __ATOMIC_ACQUIRE);
  if (state == PROF_PROCESS_NEW) {
    prof_lock(&process->start_lock);
    if (process->state == PROF_PROCESS_NEW)
      make_recording(process);
    state = process->state;
    prof_unlock(&process->start_lock);
  }
  return state == PROF_PROCESS_RECORDING;
}

static bool set_up(struct prof_thread *t)
{
  t->tid = prof_sys_gettid();
  t->born_ns = prof_monotonic_ns();
  t->waited_unborn_ns = 0;
  t->generation = __atomic_load_n(&prof_process.generation, __ATOMIC_SEQ_CST);
  t->switches = __atomic_load_n(&prof_process.switches, __ATOMIC_SEQ_CST);
  t->warming = __atomic_load_n(&prof_process.warming, __ATOMIC_SEQ_CST);
  if (prof_tree_init(&t->tree, t->tid) < 0)
    return false;
  if (!prof_edge_places_make(t))
    return false;
  prof_thread_name(t->tree.record);
  /* An injected clock is read for calls alone. */
  if (prof_process.settings.clock != FMT_CLOCK_INJECTED)
    t->tree.record->start_ticks = prof_clock_now();
  uintptr_t here = (uintptr_t)__builtin_frame_address(0), low = 0, high = UINTPTR_MAX;
  if (!prof_stack_range(here, &low, &high)) {
    low = 0;
    high = UINTPTR_MAX;
  }
  bool many = __atomic_load_n(&prof_process.live_threads, __ATOMIC_RELAXED) >= MANY_THREADS;
  if (!prof_stack_open(t, low, high, many ? FEW_FRAMES : FIRST_FRAMES))
    return false;
  prof_thread_set_thresholds(t);
  prof_sampling_start(t);
  t->is_bounded = prof_bounds_are_set();
  prof_waiting_start(t);
  prof_ring_open(t);
  return true;
}

/* Makes the calling thread's control block. NULL: there is no space. */
static struct prof_thread *create(void)
{
  struct prof_thread *t = prof_thread_map();
  if (!t)
    return NULL;
  if (!set_up(t)) {
    prof_tree_release(&t->tree);
    prof_thread_unmap(t);
    return NULL;
  }
  prof_tree_publish(&t->tree);
  prof_thread_link(t);
  return t;
}

struct prof_thread *prof_thread_enter_or_off(bool *off)
{
  struct prof_thread *t = prof_self;
  if (t && t->self == t)
    return prof_slow_enter(t) ? t : NULL;
  if (t && t->state == PROF_HOOKS_BUSY)
    return NULL;
  if (t && t->state == PROF_HOOKS_GONE && !prof_thread_begins_anew())
    return NULL;
  uint64_t mask = prof_block_signals();
  bool wiped = t && t != &prof_idle && t != &prof_starting && t != &prof_unrecorded;
  /* An injected clock is read for calls alone. */
  const uint64_t begun = wiped && prof_process.settings.clock != FMT_CLOCK_INJECTED ? prof_clock_now() : 0;
  prof_self = &prof_starting;
  /* A thread that the child made may have been here before the one that forked, whose page is wiped all the same. */
  prof_fork_child(&prof_process, wiped);
  const bool has_recording = start_process();
  *off = __atomic_load_n(&prof_idle.state, __ATOMIC_RELAXED) == PROF_HOOKS_OFF;
  const bool records = has_recording && !*off;
  struct prof_thread *made = records ? create() : NULL;
  if (made) {
    made->sigmask = mask;
    prof_self = made;
    prof_thread_watch();
    if (prof_process.upcalls.forget_task_frames)
      prof_process.upcalls.forget_task_frames();
    if (prof_process.upcalls.inherit_frames)
      prof_process.upcalls.inherit_frames(made, begun);
    return made;
  }
  prof_self = records && prof_process.full ? &prof_unrecorded : &prof_idle;
  prof_restore_signals(mask);
  return NULL;
}

struct prof_thread *prof_thread_enter(void)
{
  bool off = false;
  return prof_thread_enter_or_off(&off);
}

int prof_start_now(void)
{
  struct prof_thread *t = prof_thread_enter();
  if (t)
    prof_slow_leave(t);
  return __atomic_load_n(&prof_process.state, __ATOMIC_ACQUIRE) == PROF_PROCESS_FAILED ? -EIO : 0;
}

bool prof_start_own(void)
{
  if (!prof_fork_happened() || __atomic_load_n(&prof_process.state, __ATOMIC_ACQUIRE) == PROF_PROCESS_NEW)
    return true;
  (void)prof_start_now();
  return !prof_fork_happened();
}
