/*
 * The public functions: starting, enabling, clock and messages.
 */
#include <errno.h>
#include <time.h>

#include "internal.h"
#include "options.h"
#include "ring.h"

const char *callsig_version(void)
{
  return CALLSIG_VERSION;
}

static uint32_t process_state(void)
{
  return __atomic_load_n(&cs_process.state, __ATOMIC_ACQUIRE);
}

int cs_start_now(void)
{
  struct cs_thread *t = cs_thread_enter();
  if (t)
    cs_slow_leave(t);
  return process_state() == CS_PROCESS_FAILED ? -EIO : 0;
}

int callsig_start(const struct callsig_options *options)
{
  if (process_state() != CS_PROCESS_NEW)
    return -EALREADY;
  int error = cs_options_keep(options);
  return error ? error : cs_start_now();
}

/* The clock of another thread. */
static uint64_t clock_of(const struct cs_thread *t, uint64_t now)
{
  if (cs_process.settings.clock != CS_CLOCK_CPU)
    return now;
  /* As the kernel numbers them: the scheduler's clock of one thread. */
  const long thread_clock = (long)(~(uint64_t)t->tid << 3 | 6);
  struct timespec cpu = {0};
  CS_SYSCALL2(SYS_clock_gettime, thread_clock, &cpu);
  return (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
}

/* Notes in every thread's record that its open frames ended now. The thread closes them when it comes by; a reader of
 * the recording needs not wait for that. */
static void end_open_frames(void)
{
  cs_lock(&cs_process.threads_lock);
  uint64_t now = cs_clock_now();
  for (const struct cs_thread *t = cs_process.threads; t; t = t->next) {
    uint64_t running = 0;
    __atomic_compare_exchange_n(&t->tree.record->end_ticks, &running, clock_of(t, now), false, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
  }
  cs_unlock(&cs_process.threads_lock);
}

void cs_set_recording(bool disabled, bool warming)
{
  uint64_t mask = cs_block_signals();
  bool was_disabled = __atomic_exchange_n(&cs_process.disabled, disabled, __ATOMIC_SEQ_CST);
  bool was_warming = __atomic_exchange_n(&cs_process.warming, warming, __ATOMIC_SEQ_CST);
  if (was_disabled != disabled || was_warming != warming) {
    if (!was_disabled)
      end_open_frames();
    cs_threads_interrupt();
    cs_stamp_last();
  }
  cs_restore_signals(mask);
}

static int set_disabled(bool disabled)
{
  int error = cs_start_now();
  if (!error && cs_process.scheduled)
    error = -EBUSY;
  if (!error)
    cs_set_recording(disabled, false);
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

int callsig_is_enabled(void)
{
  return cs_start_now() == 0 && !__atomic_load_n(&cs_process.disabled, __ATOMIC_ACQUIRE);
}

void callsig_enabled_cleanup(int *was_enabled)
{
  if (!*was_enabled)
    (void)callsig_disable();
}

const char *callsig_path(void)
{
  return process_state() == CS_PROCESS_RECORDING ? cs_process.path : NULL;
}

int callsig_set_clock(callsig_clock_fn clock, void *data, uint64_t hz)
{
  if (!clock || !hz)
    return -EINVAL;
  if (__atomic_load_n(&cs_process.recorded, __ATOMIC_ACQUIRE))
    return -EBUSY;
  uint64_t mask = cs_block_signals();
  cs_process.clock = clock;
  cs_process.clock_data = data;
  cs_process.clock_hz = hz;
  cs_process.settings.clock = CS_CLOCK_INJECTED;
  if (cs_process.header) {
    cs_process.header->clock = CS_CLOCK_INJECTED;
    cs_process.header->injected_hz = hz;
    cs_process.header->hook_inner = 0;
    cs_process.header->hook_outer = 0;
    cs_process.header->timeline_min = cs_ring_least_ticks();
    cs_threads_interrupt();
  }
  cs_restore_signals(mask);
  return 0;
}

void callsig_set_message(callsig_message_fn message, void *data)
{
  uint64_t mask = cs_block_signals();
  cs_process.message = NULL;
  cs_process.message_data = data;
  __atomic_store_n(&cs_process.message, message, __ATOMIC_RELEASE);
  cs_restore_signals(mask);
}
