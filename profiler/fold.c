/*
 * The end of a thread, and of the process.
 *
 * An ended thread's tree stays, or is folded into the one of ended threads, so that a hundred thousand short threads
 * take no more room than a few. The end is noticed by a destructor of thread-specific data that puts itself back until
 * the last of the rounds that the C library makes: the destructors of the program run before it, and their calls are
 * counted.
 */
#include "fold.h"

#include <limits.h>
#include <pthread.h>

#include "frames.h"
#include "internal.h"
#include "open_task.h"
#include "text.h"

#define KEPT_THREADS 64u

/* The C library keeps the first keys of each thread in the thread itself: setting one of them allocates nothing. */
#define KEYS_WITHOUT_MALLOC 32u

static pthread_key_t key;
static bool key_made;
static __thread unsigned rounds __attribute__((tls_model("initial-exec")));

static void at_thread_end(void *data)
{
  if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(key, data) == 0)
    return;
  struct cs_thread *t = cs_self;
  if (t && t->self == t) /* else: nothing was recorded, or this is a forked child, whose control blocks were wiped */
    cs_thread_ended(t);
  cs_open_tasks_release();
}

__attribute__((constructor)) static void make_key(void)
{
  if (key_made || pthread_key_create(&key, at_thread_end) != 0)
    return;
  key_made = key < KEYS_WITHOUT_MALLOC;
  if (!key_made) {
    pthread_key_delete(key);
    cs_message("the program holds %u thread-specific keys: threads that end are not folded", KEYS_WITHOUT_MALLOC);
  }
}

void cs_thread_watch(void)
{
  if (key_made && pthread_setspecific(key, &rounds) == 0)
    rounds = 0;
}

/* Takes the record out of the header's list: a reader sees it, or does not. */
static void unlink_record(struct cs_rec_thread *record)
{
  uint64_t *link = &cs_process.header->first_thread;
  while (*link && *link != (uintptr_t)record)
    link = &((struct cs_rec_thread *)(uintptr_t)*link)->next;
  if (*link)
    __atomic_store_n(link, record->next, __ATOMIC_RELEASE);
}

/* The tree of the folded threads, made with the first of them; NULL when there is no space. */
static struct cs_tree *folded_tree(uint64_t start_ticks)
{
  if (cs_process.folded)
    return cs_process.folded;
  struct cs_tree *tree = cs_process_alloc(sizeof *tree);
  if (!tree || cs_tree_init(tree, 0) != 0)
    return NULL;
  tree->record->state = CS_THREAD_FOLDED;
  tree->record->threads = 0;
  tree->record->start_ticks = start_ticks;
  cs_tree_publish(tree);
  cs_process.folded = tree;
  return tree;
}

/* Moves the tree of an ended thread into the folded one and gives its memory back. Without space for the folded tree
 * the thread keeps its own. */
static void fold(struct cs_tree *tree)
{
  struct cs_rec_thread *record = tree->record;
  struct cs_tree *folded = folded_tree(record->start_ticks);
  if (!folded)
    return;
  (void)cs_tree_merge(folded, tree);
  folded->record->threads++;
  unlink_record(record);
  if (record->start_ticks < folded->record->start_ticks)
    folded->record->start_ticks = record->start_ticks;
  if (record->end_ticks > folded->record->end_ticks)
    folded->record->end_ticks = record->end_ticks;
  cs_tree_release(tree);
}

/* When the frames that are still open end. A thread that was disabled has its end already, and an injected clock is
 * read for calls alone. */
static uint64_t end_of_thread(const struct cs_thread *t)
{
  if (t->tree.record->end_ticks)
    return t->tree.record->end_ticks;
  bool counts_readings = cs_process.settings.clock == CS_CLOCK_INJECTED;
  return counts_readings && cs_stack_at_bottom(t) ? 0 : cs_clock_now();
}

void cs_thread_ended(struct cs_thread *t)
{
  if (!cs_slow_enter(t))
    return;
  uint64_t now = end_of_thread(t);
  cs_frames_close_all(t, now, true);
  t->tree.record->end_ticks = now;
  cs_thread_name(t->tree.record);
  t->tree.record->state = CS_THREAD_ENDED;
  uint64_t mask = t->sigmask;
  cs_self = &cs_gone;
  struct cs_tree tree = t->tree;
  cs_thread_discard(t);
  cs_lock(&cs_process.threads_lock);
  if (++cs_process.ended_threads > KEPT_THREADS)
    fold(&tree);
  cs_unlock(&cs_process.threads_lock);
  cs_restore_signals(mask);
}

/* Threads get their names when they run already: what they are called at last counts. */
static void name_live_threads(void)
{
  uint64_t mask = cs_block_signals();
  cs_lock(&cs_process.threads_lock);
  for (const struct cs_thread *t = cs_process.threads; t; t = t->next) {
    char path[64], name[sizeof t->tree.record->name];
    struct cs_text text = cs_text_begin(path, sizeof path);
    cs_text_add(&text, "/proc/self/task/");
    cs_text_add_number(&text, t->tid, 10);
    cs_text_add(&text, "/comm");
    long fd = cs_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
    long length = fd < 0 ? 0 : cs_sys_read(fd, name, sizeof name - 1);
    if (fd >= 0)
      cs_sys_close(fd);
    for (long i = 0; i < length; i++)
      t->tree.record->name[i] = name[i] == '\n' ? '\0' : name[i];
  }
  cs_unlock(&cs_process.threads_lock);
  cs_restore_signals(mask);
}

/* The end of the process through exit(), after the program's own destructors: frames that are open now were open then.
 * Calls that are made still later are recorded all the same. */
__attribute__((destructor)) static void at_process_end(void)
{
  if (__atomic_load_n(&cs_process.state, __ATOMIC_ACQUIRE) != CS_PROCESS_RECORDING || cs_fork_happened())
    return;
  cs_process.finished = 1;
  uint64_t mask = cs_block_signals();
  cs_calibrate(&cs_process);
  cs_restore_signals(mask);
  name_live_threads();
  __atomic_or_fetch(&cs_process.header->flags, CS_REC_FINISHED, __ATOMIC_RELAXED);
  cs_stamp_last();
}
