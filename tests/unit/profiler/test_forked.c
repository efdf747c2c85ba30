/*
 * A forked child in which a new thread calls hooks before the thread that forked does: both are in one recording.
 * "together" COUNT: both at the same moment, in so many children, one after another, while the parent's recording is
 * large. "off": of a parent that does not record, where the child names a stack before it calls anything.
 */
/* ctest: records */
/* ctest: build _O0 -g -O0 -finstrument-functions */
/* ctest: build _O2 -g -O2 -finstrument-functions */
/* ctest: case _plain quick plain */
/* ctest: case _together quick together 100 */
/* ctest: case _off quick off */
/* ctest: case _together_long full together 1000 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "format/request.h"
#include "profiler/base/process.h"
#include "profiler/stack/thread.h"
#include "tests/support/check.h"

#define QUIET    __attribute__((no_instrument_function, noinline))
#define NOINLINE __attribute__((noinline))

static NOINLINE void call(void)
{
  __asm__ volatile("");
}

static QUIET void *first_thread(void *data)
{
  call();
  *(const struct fmt_rec_header **)data = prof_process.header;
  return NULL;
}

static QUIET void in_child(void)
{
  const struct fmt_rec_header *header = NULL;
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, first_thread, &header) == 0 && pthread_join(thread, NULL) == 0);
  CHECK(header && prof_process.epoch == 1);
  call();
  CHECK(prof_process.header == header && prof_process.epoch == 1);
  CHECK(prof_self->self == prof_self && prof_self->tree.record->tid == (uint32_t)getpid());
}

static pthread_barrier_t barrier;

static QUIET void *one_of_two(void *data)
{
  pthread_barrier_wait(&barrier);
  return first_thread(data);
}

static QUIET void together_in_child(void)
{
  const struct fmt_rec_header *headers[2] = {NULL, NULL};
  pthread_t thread;
  CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
  CHECK(pthread_create(&thread, NULL, one_of_two, &headers[0]) == 0);
  one_of_two(&headers[1]);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(headers[0] && headers[0] == headers[1] && prof_process.epoch == 1);
  uint32_t threads = 0;
  for (const struct prof_thread *t = prof_thread_first(); t; t = prof_thread_after(t))
    threads++;
  CHECK(threads >= 1 && prof_process.header == headers[0]);
}

/* The child has no recording yet, but is switched on with its parent, from outside. */
static QUIET void off_in_child(void)
{
  static char stack[16384];
  ucontext_t context;
  CHECK(getcontext(&context) == 0);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = sizeof stack;
  context.uc_link = NULL;
  makecontext(&context, (void (*)(void))call, 0);
  call();
  CHECK(prof_process.epoch == 0 && prof_self == &prof_idle);
  __atomic_store_n(&prof_process.header->request, UINT64_C(1) << FMT_REQUEST_SHIFT | FMT_REQUEST_ON, __ATOMIC_RELEASE);
  call();
  CHECK(prof_process.epoch == 1 && !prof_process.disabled && prof_thread_running(prof_self));
}

static QUIET void fork_once(void (*child_does)(void))
{
  int status;
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    child_does();
    unlink(prof_process.path);
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(prof_process.epoch == 0);
}

QUIET int main(int count, char **arguments)
{
  const struct callsig_options disabled = {.size = sizeof disabled, .start_disabled = 1};
  bool together = count > 2 && strcmp(arguments[1], "together") == 0;
  if (count > 1 && strcmp(arguments[1], "off") == 0) {
    CHECK(callsig_start(&disabled) == 0);
    fork_once(off_in_child);
    return 0;
  }
  call();
  for (int i = 0; i < (together ? atoi(arguments[2]) : 1); i++)
    fork_once(together ? together_in_child : in_child);
  return 0;
}
