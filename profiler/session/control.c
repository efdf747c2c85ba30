/*
 * The public functions: starting, enabling, clock and messages.
 */
#include "profiler/session/control.h"

#include <errno.h>

#include "format/recording.h"
#include "profiler/base/clock.h"
#include "profiler/base/lock.h"
#include "profiler/base/message.h"
#include "profiler/base/options.h"
#include "profiler/base/process.h"
#include "profiler/base/syscall.h"
#include "profiler/session/idle_sleds.h"
#include "profiler/session/pauses.h"
#include "profiler/session/startup.h"
#include "profiler/stack/thread.h"

const char *callsig_version(void)
{
  return CALLSIG_VERSION;
}

static uint32_t process_state(void)
{
  return __atomic_load_n(&prof_process.state, __ATOMIC_ACQUIRE);
}

int callsig_start(const struct callsig_options *options)
{
  if (process_state() != PROF_PROCESS_NEW) {
    if (options)
      prof_message(
          "callsig_start(): recording has begun already, with the first instrumented call, or when the library "
          "was loaded in a program with sleds: its options are not used; set them in the environment");
    return -EALREADY;
  }
  int error = prof_options_keep(options);
  return error ? error : prof_start_now();
}

/* Notes in every thread's record that its open frames ended now. The thread closes them when it comes by; a reader of
 * the recording needs not wait for that. */
static void end_open_frames(void)
{
  prof_lock(&prof_process.threads_lock);
  uint64_t now = prof_clock_now();
  for (const struct prof_thread *t = prof_thread_first(); t; t = prof_thread_after(t)) {
    uint64_t running = 0;
    __atomic_compare_exchange_n(&t->tree.record->end_ticks, &running, prof_thread_clock(t, now), false,
                                __ATOMIC_RELEASE, __ATOMIC_RELAXED);
  }
  prof_unlock(&prof_process.threads_lock);
}

/* Tells readers of the recording that it was switched now. */
static void tell_switched(bool disabled)
{
  prof_process.header->switched_ns = prof_realtime_ns();
  __atomic_fetch_add(&prof_process.header->switches, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&prof_process.header->is_off, disabled, __ATOMIC_RELEASE);
}

/* Changes process.disabled and process.warming, with all that is derived from them: one thread after another, so that
 * it says what they are where several switch at once. `sleds`: those that the switch concerns are switched as well;
 * else those that are out are, when it is on. Are they to be switched now? */
static bool change(bool disabled, bool warming, bool sleds)
{
  uint64_t mask = prof_block_signals();
  prof_lock(&prof_process.switch_lock);
  bool was_disabled = __atomic_exchange_n(&prof_process.disabled, disabled, __ATOMIC_SEQ_CST);
  bool was_warming = __atomic_exchange_n(&prof_process.warming, warming, __ATOMIC_SEQ_CST);
  if (was_disabled != disabled || was_warming != warming) {
    __atomic_add_fetch(&prof_process.switches, 1, __ATOMIC_SEQ_CST);
    if (!was_disabled)
      end_open_frames();
    prof_pauses_note(disabled || warming);
    prof_threads_interrupt();
    prof_stamp_last();
  }
  if (was_disabled != disabled)
    tell_switched(disabled);
  /* Sleds that `callsig run` looks after go on to call while recording is off, for it to take their calls out. */
  sleds = sleds && !(disabled && prof_sleds_are_kept());
  const bool switches =
      was_disabled != disabled && prof_process.upcalls.switch_sleds && (sleds || (!disabled && prof_process.sleds_out));
  if (switches)
    prof_process.sleds_out = disabled;
  prof_unlock(&prof_process.switch_lock);
  prof_restore_signals_last(mask);
  return switches;
}

void prof_set_recording(bool disabled, bool warming)
{
  bool switches = change(disabled, warming, true);
  if (!disabled && prof_sleds_await_calls() && prof_process.upcalls.switch_sleds)
    switches = true;
  if (switches)
    prof_process.upcalls.switch_sleds(!disabled);
}

void prof_switch_recording(bool on)
{
  if (change(!on, false, false))
    prof_process.upcalls.switch_sleds(true);
}

static int set_disabled(bool disabled)
{
  int error = prof_start_now();
  if (!error && prof_process.scheduled)
    error = -EBUSY;
  if (!error)
    prof_set_recording(disabled, false);
  return error;
}

int callsig_disable(void)
{
  return set_disabled(true);
}

int callsig_enable(void)
{
  return set_disabled(false);
}

int callsig_reset(void)
{
  int error = prof_start_now();
  if (!error && prof_process.scheduled)
    error = -EBUSY;
  if (!error)
    prof_process.upcalls.begin_period();
  return error;
}

int callsig_is_enabled(void)
{
  return prof_start_now() == 0 && !__atomic_load_n(&prof_process.disabled, __ATOMIC_ACQUIRE);
}

void callsig_enabled_cleanup(int *was_enabled)
{
  if (!*was_enabled)
    (void)callsig_disable();
}

const char *callsig_path(void)
{
  return prof_start_own() && process_state() == PROF_PROCESS_RECORDING ? prof_process.path : NULL;
}

int callsig_set_clock(callsig_clock_fn clock, void *data, uint64_t hz)
{
  if (!clock || !hz)
    return -EINVAL;
  if (__atomic_load_n(&prof_process.recorded, __ATOMIC_ACQUIRE) || !prof_start_own())
    return -EBUSY;
  uint64_t mask = prof_block_signals();
  prof_process.clock = clock;
  prof_process.clock_data = data;
  prof_process.clock_hz = hz;
  prof_process.settings.clock = FMT_CLOCK_INJECTED;
  prof_process.settings.sample_times &= prof_process.settings.sampling_asked;
  if (prof_process.header) {
    prof_process.header->clock = FMT_CLOCK_INJECTED;
    prof_process.header->injected_hz = hz;
    if (!prof_process.settings.sample_times)
      prof_process.header->flags &= ~(uint32_t)FMT_REC_SAMPLED;
    prof_process.header->flags &= ~(uint32_t)(FMT_REC_WAITS_TAKEN | FMT_REC_WAITS_UNKNOWN);
    prof_process.header->hook_inner = 0;
    prof_process.header->hook_outer = 0;
    prof_process.header->timeline_min = prof_clock_timeline_min();
    prof_threads_interrupt();
  }
  prof_restore_signals(mask);
  return 0;
}

void callsig_set_message(callsig_message_fn message, void *data)
{
  uint64_t mask = prof_block_signals();
  prof_process.message = NULL;
  prof_process.message_data = data;
  __atomic_store_n(&prof_process.message, message, __ATOMIC_RELEASE);
  prof_restore_signals(mask);
}
