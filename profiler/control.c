/*
 * The public functions: starting, enabling, actions, clock and messages.
 */
#include <errno.h>

#include "internal.h"
#include "options.h"

const char *callsig_version(void)
{
  return CALLSIG_VERSION;
}

static uint32_t process_state(void)
{
  return __atomic_load_n(&cs_process.state, __ATOMIC_ACQUIRE);
}

/* Starts recording if it has not started. 0, or -EIO when there can be no recording. */
static int start_now(void)
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
  return error ? error : start_now();
}

/* Changes process.disabled, and lets every thread notice at its next hook. */
static int set_disabled(uint32_t disabled)
{
  int error = start_now();
  if (error)
    return error;
  uint64_t mask = cs_block_signals();
  if (__atomic_load_n(&cs_process.disabled, __ATOMIC_RELAXED) != disabled) {
    if (disabled)
      cs_process.disabled_ticks = cs_clock_now();
    __atomic_store_n(&cs_process.disabled, disabled, __ATOMIC_RELEASE);
    __atomic_add_fetch(&cs_process.generation, 1, __ATOMIC_RELEASE);
    cs_threads_interrupt();
    cs_stamp_last();
  }
  cs_restore_signals(mask);
  return 0;
}

int callsig_disable(void)
{
  return set_disabled(1);
}

int callsig_enable(void)
{
  return set_disabled(0);
}

int callsig_is_enabled(void)
{
  return start_now() == 0 && !__atomic_load_n(&cs_process.disabled, __ATOMIC_ACQUIRE);
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
    __atomic_add_fetch(&cs_process.generation, 1, __ATOMIC_RELEASE);
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

int callsig_action_begin(const char *name)
{
  return name ? cs_action_enter(name) : -EINVAL;
}

int callsig_action_end(const char *name)
{
  return name ? cs_action_exit(name) : -EINVAL;
}

void callsig_action_cleanup(const char **name)
{
  (void)callsig_action_end(*name);
}
