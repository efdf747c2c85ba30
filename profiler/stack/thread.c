/*
 * Control blocks of threads, and slow sections: the one way in which anything but the fast path touches them.
 */
#include "profiler/stack/thread.h"

#include <sys/mman.h>
#include <sys/prctl.h>

#include "profiler/base/arena.h"
#include "profiler/base/clock.h"
#include "profiler/base/lock.h"
#include "profiler/base/own_memory.h"
#include "profiler/base/process.h"
#include "profiler/base/request.h"
#include "profiler/base/syscall.h"
#include "profiler/base/wipe_on_fork.h"
#include "profiler/freestanding/memory.h"
#include "profiler/stack/interrupted.h"
#include "profiler/stack/ring.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/waiting.h"

#define POOL_SIZE      ((size_t)64 << 10) /* of control blocks that are mapped at once */
#define POOL_BLOCKS    ((POOL_SIZE - sizeof(struct prof_thread_pool)) / sizeof(struct prof_thread))
#define EDGE_MAX_WORDS (FMT_SIGNATURE_MAX_WORDS + 1) /* with the place of its calls */
#define LOOK_LEAST     8192u                         /* ticks, some microseconds */
#define LOOK_HOOKS     256u                          /* hooks */
#define SHORT_PAUSE    65536u /* ticks, some tens of microseconds: less than moving many frames may take */

struct prof_thread prof_idle = {.state = PROF_HOOKS_SLOW};
__thread struct prof_thread *prof_self = &prof_idle;
struct prof_thread prof_starting = {.state = PROF_HOOKS_BUSY};
struct prof_thread prof_gone = {.state = PROF_HOOKS_GONE};
struct prof_thread prof_unrecorded = {.state = PROF_HOOKS_GONE};

bool prof_slow_enter(struct prof_thread *t)
{
  if (__atomic_load_n(&t->state, __ATOMIC_RELAXED) == PROF_HOOKS_BUSY)
    return false;
  /* Signals first: a handler that runs before this finds the thread as it was. */
  uint64_t mask = prof_block_signals();
  __atomic_store_n(&t->state, PROF_HOOKS_BUSY, __ATOMIC_RELAXED);
  t->sigmask = mask;
  struct prof_place place;
  if (!prof_place_now(t, &place))
    prof_process.upcalls.mend_frames(t);
  return true;
}

static uint32_t state_of_process(void)
{
  if (__atomic_load_n(&prof_process.disabled, __ATOMIC_SEQ_CST))
    return PROF_HOOKS_OFF;
  bool fast = prof_process.settings.clock == FMT_CLOCK_TSC && !__atomic_load_n(&prof_process.warming, __ATOMIC_SEQ_CST);
  return fast ? PROF_HOOKS_ON : PROF_HOOKS_CLOCK;
}

void prof_thread_heed(struct prof_thread *t)
{
  prof_thread_look(t);
}

/* With calls at least so long a thread looks whether something is asked of the process: that is little beside them. Of
 * shorter ones the hooks' assembly chooses some. */
static uint64_t worth_a_look(void)
{
  const struct fmt_rec_header *header = prof_process.header;
  const uint64_t hooks = (header->hook_inner + header->hook_outer) / 1024 * LOOK_HOOKS;
  return hooks > LOOK_LEAST ? hooks : LOOK_LEAST;
}

void prof_thread_set_thresholds(struct prof_thread *t)
{
  const uint64_t timeline_min = prof_process.header->timeline_min, look = worth_a_look();
  t->timeline_min = timeline_min < look ? timeline_min : look;
  t->exit_least = prof_process.settings.percentiles || prof_process.settings.sample_times ? 0 : t->timeline_min;
}

/* Applies what changed in the process since this thread last looked: a disabled thread's open frames end. False, and
 * nothing is done, when a hook is interrupted that holds some of them. */
static bool catch_up(struct prof_thread *t)
{
  uint32_t generation = __atomic_load_n(&prof_process.generation, __ATOMIC_SEQ_CST);
  if (t->generation == generation)
    return true;
  /* One look: where recording ends after it, the generation changes once more. A period begins before it is told when
   * what is open ended. */
  const uint64_t ended = __atomic_load_n(&t->tree.record->end_ticks, __ATOMIC_SEQ_CST);
  const bool is_late = prof_thread_is_late(t->tree.record);
  const bool known = t->interrupted && t->refused == generation && prof_hook_still_interrupted(&t->handler);
  t->interrupted = (ended || is_late) && (known || prof_hook_is_interrupted(t, &t->handler));
  if (t->interrupted) {
    t->refused = generation;
    return false;
  }
  t->generation = generation;
  t->shield = NULL;
  prof_thread_set_thresholds(t);
  if (is_late) {
    prof_process.upcalls.enter_period(t);
  } else if (ended) {
    __atomic_store_n(&t->tree.record->end_ticks, 0, __ATOMIC_SEQ_CST);
    prof_process.upcalls.close_frames(t, ended, false);
  }
  const uint32_t switches = __atomic_load_n(&prof_process.switches, __ATOMIC_SEQ_CST);
  /* What it waited while recording was off is no call's. */
  if (t->switches != switches)
    prof_waiting_forget(t);
  t->switches = switches;
  t->warming = __atomic_load_n(&prof_process.warming, __ATOMIC_SEQ_CST);
  prof_stack_publish(t);
  return true;
}

void prof_slow_leave(struct prof_thread *t)
{
  uint64_t mask = t->sigmask;
  do {
    if (!catch_up(t)) {
      __atomic_store_n(&t->state, PROF_HOOKS_SLOW, __ATOMIC_SEQ_CST);
      break;
    }
    __atomic_store_n(&t->state, prof_request_waits() ? PROF_HOOKS_SLOW : state_of_process(), __ATOMIC_SEQ_CST);
    /* Another thread that changes the process now either finds this state and makes it SLOW, or is seen here. */
  } while (t->generation != __atomic_load_n(&prof_process.generation, __ATOMIC_SEQ_CST));
  prof_restore_signals(mask);
}

uint64_t prof_thread_clock(const struct prof_thread *t, uint64_t now)
{
  return prof_process.settings.clock == FMT_CLOCK_CPU ? prof_clock_cpu_of(t->tid) : now;
}

/* The time of an injected clock is the program's alone. */
static bool can_pause(const struct prof_thread *t)
{
  return t && prof_process.settings.clock != FMT_CLOCK_INJECTED;
}

void prof_pause(struct prof_thread *t)
{
  if (!can_pause(t) || t->pauses++ != 0)
    return;
  prof_waiting_settle(t, prof_clock_now(), true);
  t->paused_at = prof_clock_now();
}

void prof_resume(struct prof_thread *t)
{
  if (!can_pause(t) || --t->pauses != 0)
    return;
  const uint64_t now = prof_clock_now(), ticks = now - t->paused_at;
  if (ticks <= SHORT_PAUSE)
    return;
  prof_frames_shift(t, ticks);
  prof_ring_stood_still(t, now, ticks);
  prof_waiting_forget(t);
}

void prof_threads_interrupt(void)
{
  __atomic_fetch_add(&prof_process.generation, 1, __ATOMIC_SEQ_CST);
  uint64_t mask = prof_block_signals();
  prof_lock(&prof_process.threads_lock);
  for (struct prof_thread *t = prof_thread_first(); t; t = prof_thread_after(t)) {
    uint32_t state = __atomic_load_n(&t->state, __ATOMIC_SEQ_CST);
    /* A BUSY thread looks at the generation when it leaves its slow section. */
    while (state != PROF_HOOKS_BUSY && state != PROF_HOOKS_SLOW &&
           !__atomic_compare_exchange_n(&t->state, &state, PROF_HOOKS_SLOW, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      ;
  }
  uint32_t idle = __atomic_load_n(&prof_process.disabled, __ATOMIC_SEQ_CST) ? PROF_HOOKS_OFF : PROF_HOOKS_SLOW;
  __atomic_store_n(&prof_idle.state, idle, __ATOMIC_SEQ_CST);
  prof_unlock(&prof_process.threads_lock);
  prof_restore_signals(mask);
}

void prof_thread_name(struct fmt_rec_thread *record)
{
  PROF_SYSCALL2(SYS_prctl, PR_GET_NAME, record->name);
}

/* Control blocks that were mapped together. */
struct prof_thread_pool {
  uint32_t used; /* how many are in use or have been; more when all are. Atomic */
  struct prof_thread blocks[] __attribute__((aligned(64)));
};

/* Puts another pool in the place of `full`, unless somebody has. NULL: no memory. */
static struct prof_thread_pool *next_pool(struct prof_thread_pool *full)
{
  long address = prof_map_own(POOL_SIZE);
  if (prof_sys_failed(address)) {
    prof_memory_refused(address);
    return NULL;
  }
  struct prof_thread_pool *pool = (struct prof_thread_pool *)address;
  PROF_SYSCALL3(SYS_madvise, pool, POOL_SIZE, MADV_WIPEONFORK);
  if (__atomic_compare_exchange_n(&prof_process.thread_pool, &full, pool, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return pool;
  prof_sys_munmap(pool, POOL_SIZE);
  return full;
}

/* A control block that no thread had. Without a lock: where thousands of threads begin at once, each would wait for
 * all that came before it. */
static struct prof_thread *take_fresh(void)
{
  struct prof_process *process = &prof_process;
  struct prof_thread_pool *pool = __atomic_load_n(&process->thread_pool, __ATOMIC_ACQUIRE);
  uint32_t number = 0;
  while (!pool || (number = __atomic_fetch_add(&pool->used, 1, __ATOMIC_RELAXED)) >= POOL_BLOCKS)
    if (!(pool = next_pool(pool)))
      return NULL;
  struct prof_thread *t = &pool->blocks[number];
  t->next = __atomic_load_n(&process->threads, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&process->threads, &t->next, t, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    ;
  return t;
}

/* A control block that an ended thread had, or NULL. */
static struct prof_thread *take_freed(void)
{
  struct prof_process *process = &prof_process;
  if (!__atomic_load_n(&process->free_threads, __ATOMIC_RELAXED))
    return NULL;
  prof_lock(&process->threads_lock);
  struct prof_thread *t = process->free_threads;
  if (t) {
    __atomic_store_n(&process->free_threads, t->free, __ATOMIC_RELAXED);
    t->free = NULL;
  }
  prof_unlock(&process->threads_lock);
  return t;
}

struct prof_thread *prof_thread_map(void)
{
  struct prof_thread *t = take_freed();
  if (!t)
    t = take_fresh();
  if (!t)
    return NULL;
  t->state = PROF_HOOKS_BUSY;
  t->words = t->few_words;
  t->returning = NULL;
  t->returning_count = t->returning_room = 0;
  t->word_room = PROF_FEW_WORDS;
  return t;
}

/* Keeps the control block for another thread. Under threads_lock. */
static void keep(struct prof_thread *t)
{
  struct prof_thread *next = t->next;
  prof_fill_bytes(t, 0, sizeof *t);
  t->next = next;
  t->free = prof_process.free_threads;
  __atomic_store_n(&prof_process.free_threads, t, __ATOMIC_RELAXED);
}

void prof_thread_unmap(struct prof_thread *t)
{
  prof_lock(&prof_process.threads_lock);
  keep(t);
  prof_unlock(&prof_process.threads_lock);
}

void prof_thread_link(struct prof_thread *t)
{
  __atomic_add_fetch(&prof_process.live_threads, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&t->self, t, __ATOMIC_SEQ_CST);
}

void prof_thread_discard(struct prof_thread *t)
{
  __atomic_sub_fetch(&prof_process.live_threads, 1, __ATOMIC_RELAXED);
  prof_thread_unmap(t);
}

bool prof_thread_more_words(struct prof_thread *t)
{
  uint64_t *words =
      t->word_room < EDGE_MAX_WORDS ? prof_arena_alloc(&t->tree.arena, EDGE_MAX_WORDS * sizeof *words) : NULL;
  if (!words)
    return false;
  t->words = words;
  t->word_room = EDGE_MAX_WORDS;
  return true;
}
