/*
 * Forks. A forked child has its parent's recording mapped and must not touch it: its control blocks were wiped (they
 * lie on pages with MADV_WIPEONFORK), so its hooks take their slow path, find out, and start a recording of their own.
 *
 * Before fork() the forking thread's open frames are copied to private memory; the child opens them again in its own
 * recording, as of the moment of the fork. A child made by the system call itself, past the C library, starts with no
 * open frames: the exits of what it inherited are ignored.
 */
#include <pthread.h>
#include <sys/mman.h>

#include "action.h"
#include "frames.h"
#include "internal.h"
#include "open_task.h"
#include "queue.h"
#include "stage.h"
#include "task.h"
#include "text.h"
#include "tree.h"

#define SENTINEL_SIZE 4096u

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* A frame that was open at the fork. */
struct inherited_frame {
  uintptr_t pc;              /* 0: an action, whose name is in `words`, or a task, whose text is, "" for none */
  struct cs_stage *stage;    /* of a task, NULL for another frame */
  struct cs_open_task *task; /* that it is of; NULL when the program ended it unrecorded */
  uintptr_t function_address;
  uintptr_t cfa;
  int32_t cfa_offset;  /* of the site, for a site that no index knows */
  uint32_t word_count; /* words that follow */
  uint64_t words[];
};

/* The frames, outermost first, in a mapping of their own. */
struct inheritance {
  size_t size;    /* bytes of the mapping */
  size_t used;    /* bytes, this header included */
  uint64_t ticks; /* the child's clock right after the fork */
};

/* Of the thread that forks, which is the child's first: from the fork on, control blocks are wiped, and these are not.
 * `pending` is there during the fork only, `inherited` in the child until its first hook. */
static __thread struct inheritance *pending __attribute__((tls_model("initial-exec")));
static __thread struct inheritance *inherited __attribute__((tls_model("initial-exec")));

/* A page that a fork wipes, 1 in its first word. */
static uint32_t *sentinel;

/* ---------------------------------------------------------------------------------------------------------------------
 * In the parent
 * ------------------------------------------------------------------------------------------------------------------ */

typedef void (*frame_fn)(const struct cs_rec_frame *frame, const struct cs_rec_edge *edge, void *data);

/* Visits the open frames of the machine stack that runs, outermost first. */
static void each_open_frame(const struct cs_thread *t, frame_fn visit, void *data)
{
  const struct cs_rec_stack *stack = t->machine->outermost;
  for (;;) {
    const struct cs_rec_stack *inner = (const struct cs_rec_stack *)stack->inner;
    bool last = stack == t->stack;
    const struct cs_rec_frame *top = last ? t->top : (const struct cs_rec_frame *)inner->frames[0].flags;
    for (const struct cs_rec_frame *frame = stack->frames + 1; frame <= top; frame++)
      if (frame->edge)
        visit(frame, cs_frame_edge(frame), data);
    if (last)
      return;
    stack = inner;
  }
}

/* What is copied of a frame without code: an action's name, a task's text; NULL for a task without one. */
static const struct cs_rec_name *name_of(const struct cs_rec_edge *edge)
{
  const struct cs_rec_function *function = cs_edge_function(edge);
  if (function->kind == CS_FUNCTION_KIND_ACTION)
    return (const struct cs_rec_name *)function->address;
  return edge->word_count ? (const struct cs_rec_name *)edge->words[0] : NULL;
}

static uint32_t words_to_copy(const struct cs_rec_edge *edge)
{
  if (cs_edge_plan(edge))
    return edge->word_count;
  const struct cs_rec_name *name = name_of(edge);
  return name ? (name->length + 8) / 8 : 1;
}

static void measure(const struct cs_rec_frame *frame, const struct cs_rec_edge *edge, void *data)
{
  (void)frame;
  *(size_t *)data += sizeof(struct inherited_frame) + words_to_copy(edge) * sizeof(uint64_t);
}

static void copy_frame(const struct cs_rec_frame *frame, const struct cs_rec_edge *edge, void *data)
{
  struct inheritance *to = data;
  struct inherited_frame *copy = (struct inherited_frame *)((char *)to + to->used);
  const struct cs_plan *plan = cs_edge_plan(edge);
  copy->pc = plan ? plan->site->pc : 0;
  copy->function_address = edge->function_address;
  copy->cfa = frame->cfa;
  copy->cfa_offset = plan ? plan->site->cfa_offset : 0;
  copy->word_count = words_to_copy(edge);
  bool is_task = cs_frame_is_task(frame);
  copy->stage = is_task ? cs_stage_of_record((const struct cs_rec_stage *)cs_edge_function(edge)->address) : NULL;
  copy->task = is_task ? cs_open_task_of_frame(frame) : NULL;
  const uint64_t *words = edge->words, nothing = 0;
  if (!plan)
    words = name_of(edge) ? (const uint64_t *)(const void *)name_of(edge)->text : &nothing;
  for (uint32_t i = 0; i < copy->word_count; i++)
    copy->words[i] = words[i];
  to->used += sizeof *copy + copy->word_count * sizeof(uint64_t);
}

static void release(struct inheritance **inheritance)
{
  if (*inheritance)
    cs_sys_munmap(*inheritance, (*inheritance)->size);
  *inheritance = NULL;
}

static void before_fork(void)
{
  struct cs_thread *t = cs_self;
  if (inherited || !t || t->self != t || !cs_slow_enter(t))
    return;
  size_t size = sizeof(struct inheritance);
  each_open_frame(t, measure, &size);
  long mapped = cs_sys_mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!cs_sys_failed(mapped)) {
    pending = (struct inheritance *)mapped;
    pending->size = size;
    pending->used = sizeof *pending;
    each_open_frame(t, copy_frame, pending);
  }
  cs_slow_leave(t);
}

static void after_fork_in_parent(void)
{
  release(&pending);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * In the child
 * ------------------------------------------------------------------------------------------------------------------ */

static void after_fork_in_child(void)
{
  /* What a kernel before 4.14 does not wipe. */
  if (sentinel)
    *sentinel = 0;
  if (cs_self && cs_self->self == cs_self) {
    cs_self->self = NULL;
    cs_self->state = CS_HOOKS_SLOW;
  }
  if (pending) {
    inherited = pending;
    pending = NULL;
    inherited->ticks = inherited->used > sizeof *inherited ? cs_clock_now() : 0;
  }
}

void cs_fork_prepare(void)
{
  if (sentinel)
    return;
  long mapped = cs_sys_mmap(0, SENTINEL_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (cs_sys_failed(mapped))
    return;
  CS_SYSCALL3(SYS_madvise, mapped, SENTINEL_SIZE, MADV_WIPEONFORK);
  *(uint32_t *)mapped = 1;
  sentinel = (uint32_t *)mapped;
}

__attribute__((constructor)) static void register_handlers(void)
{
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  cs_fork_prepare();
}

bool cs_fork_happened(void)
{
  return sentinel && *sentinel == 0;
}

/* The parent's other threads do not exist here, and may have held any lock and been in the middle of any change:
 * everything that they shared starts afresh. Its memory stays, for what points into it. */
void cs_fork_child(struct cs_process *process)
{
  const struct cs_lock unlocked = {0};
  if (sentinel)
    *sentinel = 1;
  cs_queues_keep_levels();
  if (process->header)
    cs_sys_munmap(process->header, process->reserved);
  process->header = NULL;
  process->reserved = 0;
  process->allocated = 0;
  process->growth = process->modules_lock = process->threads_lock = process->arena_lock = process->names_lock =
      process->rings_lock = process->stages_lock = unlocked;
  process->epoch++;
  process->arena = (struct cs_arena){0};
  process->spare_chunks = NULL;
  process->spare_count = 0;
  process->names_next = process->names_end = NULL;
  process->free_blocks = NULL;
  process->free_rings = NULL;
  process->ring_bytes = 0;
  process->modules = NULL;
  process->sites = NULL;
  process->threads = NULL;
  process->folded = NULL;
  process->ended_threads = 0;
  process->finished = 0;
  process->path[0] = '\0';
  __atomic_store_n(&process->state, CS_PROCESS_NEW, __ATOMIC_RELEASE);
}

/* The words of a call whose signature had been merged: each argument as its type. */
static uint32_t type_states(const struct cs_site *site, uint64_t *words)
{
  for (uint32_t i = 0; i < site->state_words; i++)
    words[i] = UINT64_C(0x1111111111111111) * CS_STATE_TYPE;
  return site->state_words;
}

static struct cs_rec_edge *task_edge(struct cs_thread *t, struct cs_rec_variant *from,
                                     const struct inherited_frame *frame)
{
  const char *text = (const char *)frame->words;
  struct cs_stage_use *use = cs_stage_use(t, frame->stage);
  return use ? cs_tree_named(&t->tree, from, use->function, text[0] ? cs_stage_text(frame->stage, text) : NULL) : NULL;
}

/* The edge of the frame below the child's `top`; NULL when it is not to be recorded, or there is no space. */
static struct cs_rec_edge *find_edge(struct cs_thread *t, const struct inherited_frame *frame)
{
  struct cs_rec_variant *from = cs_edge_to(cs_frame_caller(t->top));
  if (frame->stage)
    return task_edge(t, from, frame);
  if (!frame->pc) {
    const struct cs_rec_name *name = cs_action_name((const char *)frame->words);
    struct cs_rec_function *function =
        name ? cs_tree_function(&t->tree, 0, CS_FUNCTION_KIND_ACTION, CS_NONE, (uintptr_t)name) : NULL;
    return function ? cs_tree_named(&t->tree, from, function, NULL) : NULL;
  }
  const struct cs_site *site = cs_site_at(t, frame->pc, frame->function_address, frame->cfa_offset);
  struct cs_plan *plan = site && !site->excluded ? cs_tree_plan(&t->tree, site, 0) : NULL;
  if (!plan)
    return NULL;
  uint32_t count = frame->word_count;
  for (uint32_t i = 0; i < count; i++)
    t->words[i] = frame->words[i];
  if (count < site->state_words)
    count = type_states(site, t->words);
  return cs_tree_edge(&t->tree, from, plan, t->words, count);
}

void cs_fork_inherit(struct cs_thread *t)
{
  cs_open_tasks_forget_frames();
  if (!inherited)
    return;
  for (size_t at = sizeof *inherited; at < inherited->used;) {
    const struct inherited_frame *frame = (const struct inherited_frame *)((const char *)inherited + at);
    struct cs_rec_edge *edge = find_edge(t, frame);
    bool opened = edge && cs_frame_open(t, edge, frame->cfa, inherited->ticks);
    if (opened && frame->stage)
      cs_task_inherit(t, frame->stage, frame->task);
    at += sizeof *frame + frame->word_count * sizeof(uint64_t);
  }
  release(&inherited);
}
