/*
 * Looks at what other threads wait for inside of their tasks: /proc/self/task/TID/syscall.
 *
 * It is done under threads_lock, so that the other thread's records stay where they are; what it does meanwhile it
 * does. A look counts when its innermost frame is the same one before and after.
 */
#include "profiler/pipeline/task_waits.h"

#include <linux/futex.h>

#include "format/recording.h"
#include "profiler/base/clock.h"
#include "profiler/base/compiler.h"
#include "profiler/base/counter.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"
#include "profiler/stack/stack.h"

#define APART_NS   3000000u    /* between two looks of the process, and up to as much again: one takes 5 to 20 us */
#define REFUSED_NS 1000000000u /* until it is tried again where the kernel does not tell */
#define NEIGHBOURS 16u         /* in the list of threads: the first is one of so many behind the one that looks */
#define TRIES      8u          /* threads, until one is in a task */
#define TEXT_SIZE  256u

#ifndef FUTEX_LOCK_PI2 /* Linux 5.14 */
#define FUTEX_LOCK_PI2 13
#endif

/* Where a thread is. */
struct place {
  const struct fmt_rec_frame *frame;
  const struct fmt_rec_edge *edge;
  uint64_t start;
};

/* What it does there. */
struct doing {
  uint32_t kind; /* enum fmt_wait_kind */
  uint64_t address;
};

/* Random enough: the low bits of the time, spread. */
static uint64_t draw(uint64_t now)
{
  return (now * UINT64_C(0x9E3779B97F4A7C15)) >> 32;
}

/* Is it time for a look? One thread at a time finds that it is. */
static bool take_turn(uint64_t now)
{
  uint64_t next = __atomic_load_n(&prof_process.next_look, __ATOMIC_RELAXED);
  return now >= next &&
         __atomic_compare_exchange_n(&prof_process.next_look, &next, now + APART_NS + draw(now) % APART_NS, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* False: it is in no call, or not to be looked at now. */
static bool find_place(const struct prof_thread *t, struct place *place)
{
  const uint64_t base = (uintptr_t)prof_process.header;
  if (!prof_thread_running(t) || __atomic_load_n(&t->in_queue, __ATOMIC_RELAXED) || t->warming)
    return false;
  place->frame = __atomic_load_n(&t->top, __ATOMIC_ACQUIRE);
  if (!place->frame)
    return false;
  const uint64_t edge = __atomic_load_n(&place->frame->edge, __ATOMIC_ACQUIRE);
  if (edge < base || edge - base >= __atomic_load_n(&prof_process.allocated, __ATOMIC_ACQUIRE))
    return false;
  place->edge = (const struct fmt_rec_edge *)edge;
  place->start = __atomic_load_n(&place->frame->start_ticks, __ATOMIC_RELAXED);
  return true;
}

/* The stage of the innermost task around the call; NULL: there is none. */
static const struct fmt_rec_stage *stage_of(const struct fmt_rec_edge *edge)
{
  const struct fmt_rec_context *context = (const struct fmt_rec_context *)prof_edge_to(edge)->context;
  for (; context; context = (const struct fmt_rec_context *)context->parent) {
    const struct fmt_rec_function *function = (const struct fmt_rec_function *)context->function;
    if (function && function->kind == FMT_FUNCTION_KIND_TASK)
      return (const struct fmt_rec_stage *)function->address;
  }
  return NULL;
}

/* NULL: it has no tasks there. */
static struct fmt_rec_task_waits *waits_of(const struct prof_thread *t, const struct fmt_rec_stage *stage)
{
  for (uint64_t at = t->tree.record->first_tasks; at; at = ((const struct fmt_rec_tasks *)at)->next)
    if (((const struct fmt_rec_tasks *)at)->stage == (uintptr_t)stage)
      return (struct fmt_rec_task_waits *)((const struct fmt_rec_tasks *)at)->waits;
  return NULL;
}

/* "0x1f" and the blank before it. */
static const char *read_hex(const char *text, uint64_t *number)
{
  *number = 0;
  while (*text == ' ')
    text++;
  if (text[0] == '0' && text[1] == 'x')
    text += 2;
  for (;; text++) {
    const bool digit = *text >= '0' && *text <= '9', letter = *text >= 'a' && *text <= 'f';
    if (!digit && !letter)
      return text;
    *number = *number * 16 + (uint64_t)(digit ? *text - '0' : *text - 'a' + 10);
  }
}

static uint32_t kind_of_call(uint64_t call)
{
  static const struct {
    uint16_t call;
    uint8_t kind;
  } kinds[] = {
      {SYS_nanosleep, FMT_WAIT_SLEEP},
      {SYS_clock_nanosleep, FMT_WAIT_SLEEP},
      {SYS_read, FMT_WAIT_FILE},
      {SYS_write, FMT_WAIT_FILE},
      {SYS_readv, FMT_WAIT_FILE},
      {SYS_writev, FMT_WAIT_FILE},
      {SYS_pread64, FMT_WAIT_FILE},
      {SYS_pwrite64, FMT_WAIT_FILE},
      {SYS_preadv, FMT_WAIT_FILE},
      {SYS_pwritev, FMT_WAIT_FILE},
      {SYS_fsync, FMT_WAIT_FILE},
      {SYS_fdatasync, FMT_WAIT_FILE},
      {SYS_sync_file_range, FMT_WAIT_FILE},
      {SYS_msync, FMT_WAIT_FILE},
      {SYS_sendfile, FMT_WAIT_FILE},
      {SYS_splice, FMT_WAIT_FILE},
      {SYS_openat, FMT_WAIT_FILE},
      {SYS_ppoll, FMT_WAIT_EVENT},
      {SYS_pselect6, FMT_WAIT_EVENT},
      {SYS_epoll_pwait, FMT_WAIT_EVENT},
      {SYS_accept, FMT_WAIT_EVENT},
      {SYS_accept4, FMT_WAIT_EVENT},
      {SYS_connect, FMT_WAIT_EVENT},
      {SYS_sendto, FMT_WAIT_EVENT},
      {SYS_recvfrom, FMT_WAIT_EVENT},
      {SYS_sendmsg, FMT_WAIT_EVENT},
      {SYS_recvmsg, FMT_WAIT_EVENT},
#ifdef SYS_poll
      {SYS_open, FMT_WAIT_FILE},
      {SYS_poll, FMT_WAIT_EVENT},
      {SYS_select, FMT_WAIT_EVENT},
      {SYS_epoll_wait, FMT_WAIT_EVENT},
#endif
  };
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (kinds[i].call == call)
      return kinds[i].kind;
  return FMT_WAIT_OTHER;
}

/* "running", "-1 STACK ADDRESS" of what waits outside of system calls, or "NUMBER ARGUMENT...". */
static struct doing read_doing(const char *text)
{
  uint64_t call = 0, address, operation, value;
  if (text[0] == '-')
    return (struct doing){FMT_WAIT_MEMORY, 0};
  if (!(text[0] >= '0' && text[0] <= '9'))
    return (struct doing){FMT_WAIT_NONE, 0};
  for (; *text >= '0' && *text <= '9'; text++)
    call = call * 10 + (uint64_t)(*text - '0');
  (void)read_hex(read_hex(read_hex(text, &address), &operation), &value);
  if (call != SYS_futex)
    return (struct doing){kind_of_call(call), 0};
  const int command = (int)operation & FUTEX_CMD_MASK;
  /* Conditions wait for a number that counts, locks for the one that says that others wait. */
  const bool locked = value == 2 || value >> 31 == 1;
  const bool lock = (command == FUTEX_WAIT && locked) || command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2;
  return (struct doing){lock ? FMT_WAIT_LOCK : FMT_WAIT_CONDITION, address};
}

/* False: the kernel does not tell. */
static bool ask_kernel(uint32_t tid, struct doing *doing)
{
  char path[64], text[TEXT_SIZE];
  struct prof_text building = prof_text_begin(path, sizeof path);
  prof_text_add(&building, "/proc/self/task/");
  prof_text_add_number(&building, tid, 10);
  prof_text_add(&building, "/syscall");
  const long fd = prof_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0)
    return false;
  const long length = prof_sys_read(fd, text, sizeof text - 1);
  prof_sys_close(fd);
  if (length <= 0)
    return false;
  text[length] = '\0';
  *doing = read_doing(text);
  return true;
}

/* The edge's slot for this, made where there is none; of an edge with many futexes the later ones have one in common.
 * NULL: all are taken. */
static struct fmt_rec_task_wait *find_slot(struct fmt_rec_task_waits *waits, uint64_t edge, const struct doing *doing)
{
  for (unsigned i = 0; i < FMT_WAIT_SLOTS; i++) {
    struct fmt_rec_task_wait *slot = &waits->slots[i];
    if (slot->edge == 0) {
      slot->kind = doing->kind;
      slot->address = i < FMT_WAIT_SLOTS / 2 ? doing->address : 0;
      __atomic_store_n(&slot->edge, edge, __ATOMIC_RELEASE);
      return slot;
    }
    const bool same = slot->address == doing->address || (i >= FMT_WAIT_SLOTS / 2 && slot->address == 0);
    if (slot->edge == edge && slot->kind == doing->kind && same)
      return slot;
  }
  return NULL;
}

static void add(struct fmt_rec_task_waits *waits, uint64_t edge, const struct doing *doing, uint64_t looks)
{
  struct fmt_rec_task_wait *slot = find_slot(waits, edge, doing);
  prof_add(slot ? &slot->looks : &waits->others, looks);
}

/* False: it is in no task. */
static bool look_at(const struct prof_thread *t, uint64_t now)
{
  struct place before, after;
  struct doing doing;
  if (!find_place(t, &before) || before.edge->tag.tag != FMT_TAG_EDGE)
    return false;
  const struct fmt_rec_stage *stage = stage_of(before.edge);
  struct fmt_rec_task_waits *waits = stage ? waits_of(t, stage) : NULL;
  if (!waits)
    return false;
  if (!ask_kernel(t->tid, &doing))
    __atomic_store_n(&prof_process.next_look, now + REFUSED_NS, __ATOMIC_RELAXED);
  else if (find_place(t, &after) && after.frame == before.frame && after.edge == before.edge &&
           after.start == before.start)
    add(waits, (uintptr_t)before.edge, &doing, 1);
  return true;
}

static const struct prof_thread *next_of(const struct prof_thread *t)
{
  const struct prof_thread *next = prof_thread_after(t);
  return next ? next : prof_thread_first();
}

/* Under threads_lock. */
static void look_around(const struct prof_thread *self, uint64_t now)
{
  const struct prof_thread *t = next_of(self);
  for (uint64_t i = draw(now) % NEIGHBOURS; i > 0; i--)
    t = next_of(t);
  for (unsigned i = 0; i < TRIES && (t == self || !look_at(t, now)); i++)
    t = next_of(t);
}

void prof_task_waits_look(const struct prof_thread *t)
{
  const uint64_t now = prof_monotonic_ns();
  if (prof_process.settings.clock == FMT_CLOCK_CPU || !take_turn(now))
    return;
  const uint64_t mask = prof_block_signals();
  if (prof_lock_try(&prof_process.threads_lock)) {
    look_around(t, now);
    prof_unlock(&prof_process.threads_lock);
  }
  prof_restore_signals(mask);
}

struct fmt_rec_task_waits *prof_task_waits_make(struct prof_tree *tree)
{
  struct fmt_rec_task_waits *waits = prof_record_alloc(tree, sizeof *waits);
  if (waits)
    waits->tag = (struct fmt_rec_tag){FMT_TAG_TASK_WAITS, sizeof *waits};
  return waits;
}

void prof_task_waits_move(struct fmt_rec_task_waits *target, struct fmt_rec_task_waits *source, prof_ring_edge_fn map,
                          void *data)
{
  prof_move(&target->others, &source->others);
  for (unsigned i = 0; i < FMT_WAIT_SLOTS && source->slots[i].edge; i++) {
    struct fmt_rec_task_wait *slot = &source->slots[i];
    const struct doing doing = {slot->kind, slot->address};
    const uint64_t edge = map(data, slot->edge), looks = slot->looks;
    slot->looks = 0;
    if (edge)
      add(target, edge, &doing, looks);
    else
      prof_add(&target->others, looks);
  }
}
