/*
 * A forked child in which a new thread calls hooks before the thread that forked does: both are in one recording.
 */
/* ctest: records */
/* ctest: build _O0 -g -O0 -finstrument-functions */
/* ctest: build _O2 -g -O2 -finstrument-functions */
/* ctest: case _plain quick plain */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

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

QUIET int main(void)
{
  int status;
  call();
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    in_child();
    unlink(prof_process.path);
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(prof_process.epoch == 0);
  return 0;
}
