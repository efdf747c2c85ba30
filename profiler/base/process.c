/*
 * The process's state, and how a forked child comes to a state of its own.
 */
#include "profiler/base/process.h"

#include <sys/mman.h>

#include "profiler/base/own_memory.h"
#include "profiler/base/request.h"
#include "profiler/base/syscall.h"
#include "profiler/base/wipe_on_fork.h"

#define SENTINEL_SIZE 4096u

struct prof_process prof_process;

/* A page that a fork wipes, so that a child finds it all zero. */
struct sentinel {
  uint32_t ours;         /* atomic: 1 when prof_process is this process's state, 0 when it is its parent's */
  struct prof_lock lock; /* of the thread that gives up the parent's */
  uint32_t arena_ours; /* the arena is this process's own already, though the rest may be its parent's; under `lock` */
};

static struct sentinel *sentinel; /* NULL: there is none */

void prof_count_loss(enum fmt_rec_loss which, uint64_t calls)
{
  if (prof_process.header)
    __atomic_fetch_add(&prof_process.header->loss[which], calls, __ATOMIC_RELAXED);
}

void prof_count_unrecorded(void)
{
  if (prof_process.counted_in)
    __atomic_fetch_add(&prof_process.counted_in->loss[FMT_LOSS_PROCESSES], 1, __ATOMIC_RELAXED);
}

void prof_fork_prepare(void)
{
  if (sentinel)
    return;
  long mapped = prof_sys_mmap(0, SENTINEL_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (prof_sys_failed(mapped))
    return;
  PROF_SYSCALL3(SYS_madvise, mapped, SENTINEL_SIZE, MADV_WIPEONFORK);
  sentinel = (struct sentinel *)mapped;
  sentinel->ours = 1;
}

void prof_fork_note(void)
{
  if (sentinel)
    *sentinel = (struct sentinel){0};
}

bool prof_fork_happened(void)
{
  return sentinel && !__atomic_load_n(&sentinel->ours, __ATOMIC_ACQUIRE);
}

static struct prof_kept next_kept(const struct prof_process *process, uintptr_t from)
{
  return process->upcalls.next_index ? process->upcalls.next_index(from) : (struct prof_kept){UINTPTR_MAX, UINTPTR_MAX};
}

/* What a thread that begins beside this one may be looking at, or counting in, at this very moment stays readable: it
 * is nobody's from here on. So do the parts that are kept. */
static void leave_recording(const struct prof_process *process)
{
  const uintptr_t start = (uintptr_t)process->header, end = start + process->allocated, page = prof_page_size();
  long header = prof_sys_mmap(start, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  uintptr_t from = prof_sys_failed(header) ? start : start + page;
  struct prof_kept kept = next_kept(process, start);
  for (; kept.low < end; kept = next_kept(process, kept.low + 1)) {
    const uintptr_t to = kept.low & -page;
    if (from < to)
      prof_sys_munmap((void *)from, to - from);
    from = (kept.high + page - 1) & -page;
  }
  if (from < end)
    prof_sys_munmap((void *)from, end - from);
}

/* What lies in the parent's arena stays; another thread may have been in the middle of a change of it, or of what the
 * program named, so that what follows goes elsewhere. */
static void begin_arena(struct prof_process *process)
{
  const struct prof_lock unlocked = {0};
  process->arena_lock = process->named_lock = unlocked;
  process->arena = (struct prof_arena){0};
  process->slabs = (struct prof_arena_slabs){0};
  process->spare_chunks = (struct prof_arena_spare){0};
}

static void keep_of_header(struct prof_process *process, const struct fmt_rec_header *header)
{
  process->sleds = header->sleds;
  process->price = (struct prof_hook_price){.inner = header->hook_inner,
                                            .outer = header->hook_outer,
                                            .sample = header->sample_price,
                                            .hidden = header->hook_hidden,
                                            .floor = header->hook_floor};
}

/* The parent's other threads do not exist here, and may have held any lock and been in the middle of any change:
 * everything that they shared starts afresh. Its memory stays, for what points into it. */
static void give_up(struct prof_process *process)
{
  const struct prof_lock unlocked = {0};
  if (process->upcalls.keep_queue_levels)
    process->upcalls.keep_queue_levels();
  prof_request_forget();
  if (process->header)
    keep_of_header(process, process->header);
  if (!sentinel || !sentinel->arena_ours)
    begin_arena(process);
  if (process->header && process->upcalls.note_indexes)
    process->upcalls.note_indexes();
  if (process->header)
    leave_recording(process);
  process->header = NULL;
  process->reserved = 0;
  process->allocated = 0;
  process->start_lock = process->growth = process->modules_lock = process->threads_lock = process->names_lock =
      process->rings_lock = process->codes_lock = process->stages_lock = unlocked;
  process->epoch++;
  process->requests_lock = process->switch_lock = process->pauses_lock = process->schedule_lock = unlocked;
  process->title_lock = unlocked;
  process->names_next = process->names_end = NULL;
  for (unsigned i = 0; i < PROF_BLOCK_SIZES; i++)
    process->free_blocks[i] = NULL;
  process->free_rings = NULL;
  process->ring_bytes = 0;
  process->free_asked = (struct prof_word_pair){0, 0};
  process->retired_asked = (struct fmt_rec_asked_list){.first = 0};
  process->modules = NULL;
  process->sites = NULL;
  process->threads = process->free_threads = NULL;
  process->live_threads = 0;
  process->thread_pool = NULL;
  process->folded = NULL;
  process->unloading = 0;
  process->sleds_waiting = 0;
  process->sleds_searched = 0;
  process->ended_threads = 0;
  process->ended = NULL;
  process->unnoted = NULL;
  process->unfolded = 0;
  process->finished = 0;
  process->path[0] = '\0';
  __atomic_store_n(&process->state, PROF_PROCESS_NEW, __ATOMIC_RELEASE);
}

void prof_fork_child(struct prof_process *process, bool wiped)
{
  if (!sentinel && wiped)
    give_up(process);
  if (!prof_fork_happened())
    return;
  prof_lock(&sentinel->lock);
  if (prof_fork_happened()) {
    give_up(process);
    __atomic_store_n(&sentinel->ours, 1, __ATOMIC_RELEASE);
  }
  prof_unlock(&sentinel->lock);
}

void prof_fork_arena(struct prof_process *process)
{
  if (!prof_fork_happened())
    return;
  prof_lock(&sentinel->lock);
  if (prof_fork_happened() && !sentinel->arena_ours) {
    begin_arena(process);
    sentinel->arena_ours = 1;
  }
  prof_unlock(&sentinel->lock);
}
