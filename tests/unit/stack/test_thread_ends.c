/*
 * A thread that ends while the next one has entered the list of threads, but has not noted itself in the record behind:
 * that record is written to later, and its room is used again after that.
 */
/* ctest: records */
/* ctest: build _O2 -g -O2 -finstrument-functions */
/* ctest: case _half_published quick */
#include <pthread.h>
#include <string.h>

#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/stack/thread.h"
#include "profiler/tree/tree.h"
#include "tests/support/check.h"

#define QUIET    __attribute__((no_instrument_function, noinline))
#define NOINLINE __attribute__((noinline))

enum { KEPT = 64, ROUNDS = 200 }; /* the next one after those that are kept begins the folded tree */

static pthread_barrier_t barrier;
static struct fmt_rec_thread *ending; /* the record of the thread that ends next */

static NOINLINE void call(void)
{
  __asm__ volatile("");
}

static QUIET void *short_thread(void *unused)
{
  call();
  return unused;
}

static QUIET void *held_thread(void *unused)
{
  call();
  ending = prof_self->tree.record;
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  return unused;
}

/* What prof_tree_publish() does up to the moment at which its thread loses the processor. */
static QUIET void enter_list(struct prof_tree *tree)
{
  memset(tree, 0, sizeof *tree);
  CHECK(prof_tree_init(tree, 1) == 0);
  tree->record->next = prof_process.header->first_thread;
  prof_process.header->first_thread = (uintptr_t)tree->record;
}

static QUIET void leave_list(struct prof_tree *tree)
{
  struct fmt_rec_thread *older = (struct fmt_rec_thread *)tree->record->next;
  CHECK(prof_process.header->first_thread == (uintptr_t)tree->record);
  CHECK(older->newer == (uintptr_t)tree->record);
  prof_process.header->first_thread = (uintptr_t)older;
  older->newer = 0;
  prof_tree_release(tree);
}

static QUIET void end_before_the_next_is_noted(void)
{
  pthread_t thread;
  struct prof_tree next;
  CHECK(pthread_create(&thread, NULL, held_thread, NULL) == 0);
  pthread_barrier_wait(&barrier);
  CHECK(prof_process.header->first_thread == (uintptr_t)ending);
  enter_list(&next);
  pthread_barrier_wait(&barrier);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(next.record->next != (uintptr_t)ending && ending->newer == 0);
  __atomic_store_n(&ending->newer, (uintptr_t)next.record, __ATOMIC_RELEASE);
  leave_list(&next);
}

QUIET int main(void)
{
  call();
  CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
  for (int i = 0; i <= KEPT; i++) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, short_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
  }
  uint64_t used = 0;
  for (int i = 0; i < ROUNDS; i++) {
    end_before_the_next_is_noted();
    if (i == 10)
      used = prof_process.header->next;
  }
  CHECK(prof_process.header->next == used);
  CHECK(prof_process.folded->record->threads == ROUNDS + 1);
  return 0;
}
