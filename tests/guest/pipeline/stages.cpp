/* A pipeline in C++ whose tasks end in every way: in order, by a scope, by an exception, by longjmp, with their
 * function, with their thread, and in a forked child. argv[1]: for ever, until somebody kills it; the file says how far
 * it came.
 *
 *   tasks LABEL N FAILURES    the stage ran N tasks */
#include "tests/guest/guest.h"

#include <callsig/callsig.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdexcept>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

COUNTER(decode);
COUNTER(shared);
COUNTER(thrower);

struct progress {
  volatile uint64_t started, done; /* tasks of the stage "decode" */
};

static callsig_stage *decode_stage, *resize_stage;
static callsig_fifo *fifo;
static jmp_buf target;

static int shared(int n)
{
  HIT(shared);
  KEEP(n);
  return n + 1;
}

static int decode(int n)
{
  HIT(decode);
  int sum = 0;
  for (int i = 0; i < n % 4; i++)
    sum += shared(i);
  return sum;
}

static void thrower(int n)
{
  HIT(thrower);
  CALLSIG_TASK(decode_stage);
  callsig_task_fail();
  if (shared(n))
    throw std::runtime_error("no item");
}

static void leave(int n)
{
  CHECK(callsig_task_begin(resize_stage, nullptr) == 0);
  shared(n);
  longjmp(target, 1);
}

static void forget(int n)
{
  CHECK(callsig_task_begin(resize_stage, nullptr) == 0);
  shared(n);
}

static QUIET void one_task(int n)
{
  callsig_task_options options = {sizeof options, static_cast<uint64_t>(n) + 1, n % 2 ? "kind=odd" : nullptr};
  CHECK(callsig_task_begin(decode_stage, &options) == 0);
  decode(n);
  {
    CALLSIG_TASK(resize_stage);
    decode(n);
  }
  CHECK(callsig_task_end(decode_stage, n % 10 == 0) == 0);
}

static void *consumer(void *data)
{
  callsig_fifo_item item;
  while (callsig_fifo_get(fifo, &item, UINT64_MAX) == 0)
    one_task(static_cast<int>(item.item));
  return data;
}

static void *leave_open(void *data)
{
  CHECK(callsig_task_begin(resize_stage, nullptr) == 0);
  shared(1);
  pthread_exit(data);
}

static QUIET void open_all()
{
  callsig_stage_options options = {};
  options.size = sizeof options;
  options.index = 1;
  options.name = "decode";
  options.concurrency = 8;
  CHECK(callsig_stage_open(&options, &decode_stage) == 0);
  options.index = 2;
  options.name = "resize";
  options.concurrency = 1;
  CHECK(callsig_stage_open(&options, &resize_stage) == 0);
  callsig_queue_options queue = {sizeof queue, 0, 0, "source", 8};
  CHECK(callsig_fifo_open(&queue, &fifo) == 0);
}

static QUIET void run_until_killed(const char *path)
{
  int fd = open(path, O_RDWR | O_CREAT, 0600);
  CHECK(fd >= 0 && ftruncate(fd, sizeof(progress)) == 0);
  void *mapped = mmap(nullptr, sizeof(progress), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  CHECK(mapped != MAP_FAILED);
  progress *shown = static_cast<progress *>(mapped);
  for (int n = 0;; n = (n + 1) % 1000) {
    shown->started = shown->started + 1;
    one_task(n);
    shown->done = shown->done + 1;
  }
}

static QUIET void run_threads(int items)
{
  pthread_t threads[8];
  for (pthread_t &thread : threads)
    CHECK(pthread_create(&thread, nullptr, consumer, nullptr) == 0);
  for (int i = 0; i < items; i++)
    CHECK(callsig_fifo_put(fifo, {nullptr, static_cast<uint64_t>(i)}, UINT64_MAX) == 0);
  callsig_fifo_shut(fifo);
  for (pthread_t &thread : threads)
    CHECK(pthread_join(thread, nullptr) == 0);
}

static QUIET void end_otherwise(int times)
{
  for (volatile int i = 0; i < times; i++) {
    try {
      thrower(i);
    } catch (const std::runtime_error &) {
      shared(i);
    }
    if (setjmp(target) == 0)
      leave(i);
    forget(i);
    pthread_t thread;
    CHECK(pthread_create(&thread, nullptr, leave_open, nullptr) == 0 && pthread_join(thread, nullptr) == 0);
  }
}

static QUIET void run_forked()
{
  CHECK(callsig_task_begin(resize_stage, nullptr) == 0);
  pid_t child = fork();
  if (child == 0) {
    shared(0);
    _exit(callsig_task_end(resize_stage, 0) == 0 ? 0 : 1);
  }
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  CHECK(callsig_task_end(resize_stage, 0) == 0);
}

QUIET int main(int argc, char **argv)
{
  enum { ITEMS = 2000, TIMES = 100 };
  open_all();
  if (argc > 1)
    run_until_killed(argv[1]);
  run_threads(ITEMS);
  end_otherwise(TIMES);
  run_forked();
  callsig_fifo_close(fifo);
  CHECK(callsig_stage_close(decode_stage) == 0 && callsig_stage_close(resize_stage) == 0);
  TELL(decode);
  TELL(shared);
  TELL(thrower);
  printf("tasks 0:1:decode[8] %d %d\n", ITEMS + TIMES, ITEMS / 10 + TIMES);
  printf("tasks 0:2:resize %d %d\n", ITEMS + 3 * TIMES + 1, 3 * TIMES);
  return 0;
}
