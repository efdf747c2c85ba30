/*
 * Forks. A forked child has its parent's recording mapped and must not touch it: its control blocks were wiped (they
 * lie on pages with MADV_WIPEONFORK), so its hooks take their slow path, find out, and start a recording of their own.
 *
 * Before fork() the forking thread's open frames are copied to private memory; the child opens them again in its own
 * recording, as of the moment of the fork, where they are time and no calls (FMT_EDGE_INHERITED). What a longjmp has
 * left ends before: which frames those are is told by where fork() was called from, and so the library stands in for
 * it. A child made by the system call itself, past the C library, starts with no open frames: the exits of what it
 * inherited are ignored.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include "callsig/callsig.h"

#include "format/index.h"
#include "format/recording.h"
#include "profiler/base/clock.h"
#include "profiler/base/compiler.h"
#include "profiler/base/own_memory.h"
#include "profiler/base/process.h"
#include "profiler/frame/follow.h"
#include "profiler/frame/frame.h"
#include "profiler/module/site.h"
#include "profiler/pipeline/action.h"
#include "profiler/pipeline/open_task.h"
#include "profiler/pipeline/stage.h"
#include "profiler/pipeline/task.h"
#include "profiler/stack/modes.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "profiler/tree/call.h"
#include "profiler/tree/fast_compare.h"
#include "profiler/tree/tree.h"
#include "profiler/tree/user_edges.h"

/* A frame that was open at the fork. */
struct inherited_frame {
  uintptr_t pc;                /* 0: no code, `words` holds an action's name or a task's text ("" for none) */
  struct prof_stage *stage;    /* of a task, NULL for another frame */
  struct prof_open_task *task; /* that it is of; NULL when the program ended it unrecorded */
  uintptr_t function_address;
  uintptr_t cfa;
  int32_t cfa_offset;  /* of the site, for a site that no index knows */
  uint32_t word_count; /* words that follow */
  uint64_t words[];
};

/* The frames, outermost first, in scratch memory. */
struct inheritance {
  size_t size;    /* bytes of it */
  size_t used;    /* bytes, this header included */
  uint64_t ticks; /* the clock of the child that opens them, right after the fork that began it */
};

/* Of the thread that forks, which is the child's first: from the fork on, control blocks are wiped, and these are not.
 * `pending` is there during the fork only, `inherited` in the child until its first hook. */
static __thread struct inheritance *pending __attribute__((tls_model("initial-exec")));
static __thread struct inheritance *inherited __attribute__((tls_model("initial-exec")));

/* The stack pointer with which the program calls fork(); 0 where a function of the C library does. */
static __thread uintptr_t called_from __attribute__((tls_model("initial-exec")));

/* ---------------------------------------------------------------------------------------------------------------------
 * In the parent
 * ------------------------------------------------------------------------------------------------------------------ */

typedef void (*frame_fn)(const struct fmt_rec_frame *frame, const struct fmt_rec_edge *edge, void *data);

/* Visits the open frames of the machine stack that runs, outermost first. */
static void each_open_frame(const struct prof_thread *t, frame_fn visit, void *data)
{
  const struct fmt_rec_stack *stack = t->machine->outermost;
  for (;;) {
    const struct fmt_rec_stack *inner = (const struct fmt_rec_stack *)stack->inner;
    bool last = stack == t->stack;
    const struct fmt_rec_frame *top = last ? t->top : (const struct fmt_rec_frame *)inner->frames[0].flags;
    for (const struct fmt_rec_frame *frame = stack->frames + 1; frame <= top; frame++)
      if (frame->edge)
        visit(frame, prof_frame_edge(frame), data);
    if (last)
      return;
    stack = inner;
  }
}

/* What is copied of a frame without code: an action's name, a task's text; NULL for a task without one. */
static const struct fmt_rec_name *name_of(const struct fmt_rec_edge *edge)
{
  const struct fmt_rec_function *function = prof_edge_function(edge);
  if (function->kind == FMT_FUNCTION_KIND_ACTION)
    return (const struct fmt_rec_name *)function->address;
  return edge->word_count ? (const struct fmt_rec_name *)edge->words[0] : NULL;
}

static uint32_t words_to_copy(const struct fmt_rec_edge *edge)
{
  if (prof_edge_fast_compare(edge))
    return edge->word_count;
  const struct fmt_rec_name *name = name_of(edge);
  return name ? (name->length + 8) / 8 : 1;
}

static void measure(const struct fmt_rec_frame *frame, const struct fmt_rec_edge *edge, void *data)
{
  (void)frame;
  *(size_t *)data += sizeof(struct inherited_frame) + words_to_copy(edge) * sizeof(uint64_t);
}

static void copy_frame(const struct fmt_rec_frame *frame, const struct fmt_rec_edge *edge, void *data)
{
  struct inheritance *to = data;
  struct inherited_frame *copy = (struct inherited_frame *)((char *)to + to->used);
  const struct prof_fast_compare *compare = prof_edge_fast_compare(edge);
  copy->pc = compare ? compare->site->pc : 0;
  copy->function_address = edge->function_address;
  copy->cfa = frame->cfa;
  copy->cfa_offset = compare ? compare->site->cfa_offset : 0;
  copy->word_count = words_to_copy(edge);
  bool is_task = prof_frame_is_task(frame);
  copy->stage = is_task ? prof_stage_of_record((const struct fmt_rec_stage *)prof_edge_function(edge)->address) : NULL;
  copy->task = is_task ? prof_open_task_of_frame(frame) : NULL;
  const uint64_t nothing = 0;
  const struct fmt_rec_name *name = compare ? NULL : name_of(edge);
  const uint64_t *words = compare ? edge->words : name ? (const uint64_t *)(const void *)name->text : &nothing;
  for (uint32_t i = 0; i < copy->word_count; i++)
    copy->words[i] = words[i];
  to->used += sizeof *copy + copy->word_count * sizeof(uint64_t);
}

static void release(struct inheritance **inheritance)
{
  if (*inheritance)
    prof_scratch_give(*inheritance, (*inheritance)->size);
  *inheritance = NULL;
}

static void before_fork(void)
{
  struct prof_thread *t = prof_self;
  if (inherited || !t || t->self != t || !prof_slow_enter(t))
    return;
  uintptr_t sp = called_from ? called_from : (uintptr_t)__builtin_frame_address(0);
  bool known = prof_unwind_for_call(t, sp, 0);
  size_t size = sizeof(struct inheritance);
  each_open_frame(t, measure, &size);
  pending = known ? prof_scratch_take(size) : NULL;
  if (pending) {
    *pending = (struct inheritance){.size = size, .used = sizeof *pending};
    each_open_frame(t, copy_frame, pending);
  }
  prof_slow_leave(t);
}

/* The C library's own, and what another library put before it; a statically linked program has no dlsym() unless it
 * loads modules itself. */
extern __typeof__(dlsym) dlsym __attribute__((weak));
extern __typeof__(fork) __fork;
static __typeof__(fork) *next_fork = __fork;

PROF_STANDS_IN pid_t fork(void)
{
  called_from = (uintptr_t)__builtin_dwarf_cfa();
  pid_t child = next_fork();
  called_from = 0;
  return child;
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
  prof_fork_note();
  if (prof_self && prof_self->self == prof_self) {
    prof_self->self = NULL;
    prof_self->state = PROF_HOOKS_SLOW;
  }
  if (pending) {
    inherited = pending;
    pending = NULL;
  }
  /* A child that forks before its own first hook has copied nothing: its child has the same frames, from now on. */
  if (inherited)
    inherited->ticks = inherited->used > sizeof *inherited ? prof_clock_now() : 0;
}

/* The words of a call whose signature had been merged: each argument as its type. */
static uint32_t type_states(const struct prof_site *site, uint64_t *words)
{
  for (uint32_t i = 0; i < site->state_words; i++)
    words[i] = UINT64_C(0x1111111111111111) * FMT_STATE_TYPE;
  return site->state_words;
}

static struct fmt_rec_edge *task_edge(struct prof_thread *t, struct fmt_rec_variant *from,
                                      const struct inherited_frame *frame)
{
  const char *text = (const char *)frame->words;
  struct prof_stage_use *use = prof_stage_use(t, frame->stage);
  return use ? prof_tree_user_edge(&t->tree, from, use->function, text[0] ? prof_stage_text(frame->stage, text) : NULL,
                                   true)
             : NULL;
}

/* The edge of the frame below the child's `top`; NULL when it is not to be recorded, or there is no space. */
static struct fmt_rec_edge *find_edge(struct prof_thread *t, const struct inherited_frame *frame)
{
  struct fmt_rec_variant *from = prof_edge_to(prof_place_caller(prof_place_settled(t)));
  if (frame->stage)
    return task_edge(t, from, frame);
  if (!frame->pc) {
    const struct fmt_rec_name *name = prof_action_name((const char *)frame->words);
    struct fmt_rec_function *function =
        name ? prof_tree_function(&t->tree, 0, FMT_FUNCTION_KIND_ACTION, FMT_NONE, (uintptr_t)name) : NULL;
    return function ? prof_tree_user_edge(&t->tree, from, function, NULL, true) : NULL;
  }
  const struct prof_site *site = prof_site_at(t, frame->pc, frame->function_address, frame->cfa_offset);
  struct prof_fast_compare *compare = site && !site->excluded ? prof_fast_compare_of(&t->tree, site, 0) : NULL;
  if (!compare)
    return NULL;
  uint32_t count = frame->word_count;
  if ((count > t->word_room || site->state_words >= t->word_room) && !prof_thread_more_words(t))
    return NULL;
  for (uint32_t i = 0; i < count; i++)
    t->words[i] = frame->words[i];
  const bool has_place = compare->call_site && count > 0;
  const uint64_t place = has_place ? t->words[--count] : 0;
  if (count < site->state_words)
    count = type_states(site, t->words);
  if (compare->call_site)
    t->words[count++] = place;
  return prof_tree_inherited_edge(&t->tree, from, compare, t->words, count);
}

/* Opens the frames that the forking thread had open in its parent, as of the moment of the fork, in the control block
 * of the child's first thread. Once, in its slow section, which began at `begun` (0: not known): making a recording is
 * no time of the program's, and takes long where many children make theirs in one folder at once. */
static void inherit_frames(struct prof_thread *t, uint64_t begun)
{
  if (!inherited)
    return;
  const uint64_t start = begun > inherited->ticks ? inherited->ticks + (prof_clock_now() - begun) : inherited->ticks;
  for (size_t at = sizeof *inherited; at < inherited->used;) {
    const struct inherited_frame *frame = (const struct inherited_frame *)((const char *)inherited + at);
    struct fmt_rec_edge *edge = find_edge(t, frame);
    bool opened = edge && prof_frame_open(t, edge, frame->cfa, start);
    if (opened && frame->task)
      prof_task_inherit(t, frame->task);
    at += sizeof *frame + frame->word_count * sizeof(uint64_t);
  }
  release(&inherited);
}

__attribute__((constructor)) static void register_handlers(void)
{
  prof_process.upcalls.inherit_frames = inherit_frames;
  void *next = dlsym ? dlsym(RTLD_NEXT, "fork") : NULL;
  if (next)
    next_fork = (__typeof__(fork) *)next;
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  prof_fork_prepare();
}
