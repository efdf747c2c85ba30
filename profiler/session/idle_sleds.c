/*
 * The program's half of taking calls out of sleds.
 *
 * Both halves write first what they want, and then look at what the other wants: the program that recording is on, and
 * then whether calls are out; `callsig run` that calls are out, and then whether recording is on. So no call stays out
 * while the program records, and once it has waited, none that it makes is missed.
 */
#include "profiler/session/idle_sleds.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <time.h>

#include "format/recording.h"
#include "format/sled_idle.h"
#include "profiler/base/process.h"
#include "profiler/base/syscall.h"

/* `callsig run` takes some milliseconds for thousands of sleds; one that was killed never does it. */
#define LOOKS     40
#define MOMENT_NS 50000000

static uint32_t state(void)
{
  struct fmt_rec_header *header = prof_process.header;
  return header ? __atomic_load_n(&header->sleds, __ATOMIC_SEQ_CST) : FMT_SLEDS_PROGRAM;
}

bool prof_sleds_are_kept(void)
{
  return state() != FMT_SLEDS_PROGRAM;
}

bool prof_sleds_are_out(void)
{
  return fmt_sleds_are_out(state());
}

bool prof_sleds_await_calls(void)
{
  const struct timespec moment = {.tv_nsec = MOMENT_NS};
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (int look = 0; look < LOOKS && prof_sleds_are_out(); look++) {
    uint32_t *word = &prof_process.header->sleds;
    uint32_t idle = FMT_SLEDS_IDLE;
    if (__atomic_compare_exchange_n(word, &idle, FMT_SLEDS_WANTED, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      PROF_SYSCALL3(SYS_futex, word, FUTEX_WAKE, INT_MAX);
    PROF_SYSCALL4(SYS_futex, word, FUTEX_WAIT, FMT_SLEDS_WANTED, &moment);
  }
  return prof_sleds_are_out();
}
