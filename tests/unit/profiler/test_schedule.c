/*
 * Callbacks of stages and their failures, limits of failures, schedules, events.
 */
/* ctest: records */
/* ctest: build _O0 -g -O0 -finstrument-functions */
/* ctest: build _O2 -g -O2 -finstrument-functions */
/* ctest: case _plain quick plain */
/* ctest: case _steps quick steps */
/* ctest: case _children quick children */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/stage_records.h"

#define NOINLINE __attribute__((noinline))

static char seen[64];          /* what was called, a letter each */
static const char *fails = ""; /* letters of the calls that fail */
static int result_of_failure = -EIO;

static QUIET int note(char letter)
{
  size_t length = strlen(seen);
  CHECK(length + 1 < sizeof seen);
  seen[length] = letter;
  return strchr(fails, letter) ? result_of_failure : 0;
}

/* The first callback's letters are a to d, the second's A to D. */
static QUIET int enter_stage(struct callsig_stage *stage, void *data)
{
  CHECK(callsig_stage_label(stage));
  return note((char)('a' + *(const char *)data));
}

static QUIET int exit_stage(struct callsig_stage *stage, void *data)
{
  CHECK(callsig_stage_label(stage));
  return note((char)('b' + *(const char *)data));
}

static QUIET int enter_task(struct callsig_stage *stage, uint64_t item, void *data)
{
  CHECK(callsig_stage_label(stage) && item == 5);
  return note((char)('c' + *(const char *)data));
}

static QUIET int exit_task(struct callsig_stage *stage, uint64_t item, int failed, void *data)
{
  CHECK(callsig_stage_label(stage) && item == 5 && (failed == 0 || failed == 1));
  return note((char)('d' + *(const char *)data));
}

static char first_data = 0, second_data = 'A' - 'a';
static const struct callsig_hooks first = {sizeof first, &first_data, enter_stage, exit_stage, enter_task, exit_task};
static const struct callsig_hooks second = {sizeof second, &second_data, enter_stage,
                                            exit_stage,    enter_task,   exit_task};
static const struct callsig_hooks *const both[] = {&first, &second};

static QUIET int open_hooked(struct callsig_stage **stage)
{
  const struct callsig_stage_options options = {
      .size = sizeof options, .name = "hooked", .hooks = both, .hook_count = 2};
  return callsig_stage_open(&options, stage);
}

static QUIET void expect(const char *calls)
{
  if (strcmp(seen, calls) != 0)
    fprintf(stderr, "called %s, expected %s\n", seen, calls);
  CHECK(strcmp(seen, calls) == 0);
  memset(seen, 0, sizeof seen);
}

static QUIET void test_callbacks(void)
{
  const struct callsig_task_options task = {.size = sizeof task, .item = 5};
  struct callsig_stage *stage = NULL;
  CHECK(open_hooked(&stage) == 0);
  expect("aA");
  const struct fmt_rec_stage *record = stage_record("0:0:hooked");
  CHECK(callsig_task_begin(stage, &task) == 0 && callsig_task_end(stage, 0) == 0);
  expect("cCDd");
  fails = "C"; /* the item is dropped; the first is left */
  CHECK(callsig_task_begin(stage, &task) == -ECANCELED && callsig_task_end(stage, 0) == -EINVAL);
  expect("cCd");
  CHECK(record->dropped == 1 && record->callback_failures == 1 && tasks_of("0:0:hooked").tasks == 1);
  fails = "D"; /* the others are left all the same; the task has failed */
  CHECK(callsig_task_begin(stage, &task) == 0 && callsig_task_end(stage, 0) == -ECANCELED);
  expect("cCDd");
  CHECK(record->dropped == 2 && tasks_of("0:0:hooked").tasks == 2 && tasks_of("0:0:hooked").failures == 1);
  fails = "";
  CHECK(callsig_disable() == 0); /* makes no difference to callbacks */
  CHECK(callsig_task_begin(stage, &task) == 0 && callsig_task_cancel(stage) == 0 && callsig_enable() == 0);
  expect("cCDd");
  CHECK(callsig_stage_close(stage) == 0);
  expect("Bb");
  fails = "A"; /* those that were entered are left */
  stage = NULL;
  CHECK(open_hooked(&stage) == -EIO && !stage);
  expect("aAb");
  result_of_failure = 7; /* no errno */
  CHECK(open_hooked(&stage) == -ECANCELED && !stage && record->closed_ticks != 0);
  expect("aAb");
  fails = "bB";
  result_of_failure = -EPERM;
  CHECK(open_hooked(&stage) == 0 && callsig_stage_close(stage) == -EPERM);
  expect("aABb");
  CHECK(record->callback_failures == 6 && record->closed_ticks != 0);
  const struct callsig_hooks *nothing = NULL;
  const struct callsig_stage_options bad = {.size = sizeof bad, .name = "x", .hooks = &nothing, .hook_count = 1};
  CHECK(callsig_stage_open(&bad, &stage) == -EINVAL);
}

static QUIET int end_one(struct callsig_stage *stage, int failed)
{
  CHECK(callsig_task_begin(stage, NULL) == 0);
  return callsig_task_end(stage, failed);
}

static QUIET void test_limits(void)
{
  struct callsig_stage_options options = {.size = sizeof options, .name = "limited", .max_failures = 2};
  struct callsig_stage *stage;
  CHECK(callsig_stage_open(&options, &stage) == 0);
  CHECK(end_one(stage, 1) == 0 && end_one(stage, 0) == 0 && end_one(stage, 1) == 0);
  CHECK(end_one(stage, 1) == -EOVERFLOW && end_one(stage, 0) == -EOVERFLOW);
  CHECK(callsig_stage_close(stage) == 0);
  options.max_failures = 0;
  options.max_failure_permille = 100;
  CHECK(callsig_stage_open(&options, &stage) == 0); /* counts from here */
  for (int i = 0; i < 99; i++)
    CHECK(end_one(stage, 1) == 0); /* too few for a rate */
  CHECK(end_one(stage, 0) == -EOVERFLOW);
  for (int i = 100; i < 989; i++)
    CHECK(end_one(stage, 0) == -EOVERFLOW);
  CHECK(end_one(stage, 0) == 0); /* 99 of 990 is no more than a tenth */
  CHECK(callsig_stage_close(stage) == 0);
  options.max_failure_permille = 1001;
  CHECK(callsig_stage_open(&options, &stage) == -EINVAL);
}

static QUIET void test_events(void)
{
  CHECK(callsig_event(NULL) == -EINVAL && callsig_span_end(NULL, 1) == -EINVAL);
  for (int i = 0; i < 5; i++)
    CHECK(callsig_event("mark") == 0);
  for (int i = 0; i < 3; i++) {
    CALLSIG_SPAN("load");
    usleep(1000);
  }
  CHECK(callsig_disable() == 0 && callsig_event("mark") == 0 && callsig_span_begin() == 0 && callsig_enable() == 0);
  CHECK(callsig_span_end("load", 0) == 0);
  const struct fmt_rec_event *load = (const struct fmt_rec_event *)prof_process.header->first_event;
  const struct fmt_rec_event *mark = (const struct fmt_rec_event *)load->next;
  CHECK(strcmp(NAME_AT(load->name), "load") == 0 && load->count == 3 && load->total > 0 && mark->next == 0);
  CHECK(strcmp(NAME_AT(mark->name), "mark") == 0 && mark->count == 5 && mark->total == 0);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static NOINLINE int leaf(int n)
{
  __asm__ volatile("" : "+r"(n) : : "memory");
  return n + 1;
}

static NOINLINE int fib(int n)
{
  return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2);
}

static sem_t inside, go_on;

static NOINLINE void sleep_inside(void)
{
  sem_post(&inside);
  while (sem_wait(&go_on))
    ;
}

/* Comes in a step that warms up, and sleeps through the active ones. */
static NOINLINE void *sleeper(void *data)
{
  sleep_inside();
  return data;
}

static QUIET void run_steps(struct callsig_stage *stage, unsigned steps)
{
  for (unsigned i = 0; i < steps; i++) {
    CHECK(callsig_task_begin(stage, NULL) == 0);
    CHECK(fib(6) > 0 && callsig_event("step") == 0);
    CHECK(callsig_task_end(stage, 0) == 0 && callsig_step() == 0);
  }
}

static QUIET void test_schedule(void)
{
  const struct callsig_stage_options stage_options = {.size = sizeof stage_options, .name = "steps"};
  struct callsig_schedule_options options = {.size = sizeof options, .wait = 2, .warmup = 3, .repeat = 2};
  struct callsig_stage *stage;
  CHECK(callsig_stage_open(&stage_options, &stage) == 0);
  CHECK(callsig_step() == -EINVAL && callsig_schedule(NULL) == -EINVAL && callsig_schedule(&options) == -EINVAL);
  options.active = 4;
  CHECK(callsig_schedule(&options) == 0);
  CHECK(callsig_schedule(&options) == -EALREADY);
  CHECK(callsig_enable() == -EBUSY && callsig_disable() == -EBUSY);
  run_steps(stage, 2);
  CHECK(callsig_is_enabled() && tasks_of("0:0:steps").tasks == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, sleeper, NULL) == 0);
  while (sem_wait(&inside))
    ;
  run_steps(stage, 3);
  CHECK(tasks_of("0:0:steps").tasks == 0 && calls_of((uintptr_t)fib, NULL) == 0);
  const struct fmt_rec_thread *other = (const struct fmt_rec_thread *)prof_process.header->first_thread;
  run_steps(stage, 4);
  CHECK(other->first_stack == 0 && tasks_of("0:0:steps").tasks == 4);
  sem_post(&go_on);
  CHECK(pthread_join(thread, NULL) == 0);
  run_steps(stage, 30);
  CHECK(!callsig_is_enabled() && callsig_stage_close(stage) == 0);
  CHECK(tasks_of("0:0:steps").tasks == 8 && calls_of((uintptr_t)stage_record("0:0:steps"), NULL) == 8);
  CHECK(calls_of((uintptr_t)fib, NULL) == 8 * 25 && calls_of((uintptr_t)leaf, NULL) == 8 * 13);
  CHECK(calls_of((uintptr_t)sleeper, NULL) == 0 && calls_of((uintptr_t)sleep_inside, NULL) == 0);
  CHECK(((const struct fmt_rec_event *)prof_process.header->first_event)->count == 8);
  CHECK(prof_process.header->steps == 39 && prof_process.header->active_steps == 8);
  CHECK(prof_process.header->flags & FMT_REC_SCHEDULE);
  for (unsigned i = 0; i < FMT_LOSS_COUNT; i++)
    CHECK(i == FMT_LOSS_WAITED || prof_process.header->loss[i] == 0);
}

static QUIET void *step_on(void *data)
{
  while (!__atomic_load_n((int *)data, __ATOMIC_RELAXED))
    (void)callsig_step();
  return NULL;
}

/* Of a thread that was about to take a step at a fork, the child has what it held, and takes steps of its own. */
static QUIET void test_children(void)
{
  const struct callsig_schedule_options options = {.size = sizeof options, .active = 1};
  pthread_t thread;
  int stop = 0;
  CHECK(callsig_schedule(&options) == 0 && pthread_create(&thread, NULL, step_on, &stop) == 0);
  for (int i = 0; i < 30; i++) {
    int status = -1;
    const pid_t child = fork();
    if (child == 0)
      _exit(fib(3) == 5 && callsig_step() == 0 && unlink(callsig_path()) == 0 ? 7 : 1);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  CHECK(pthread_join(thread, NULL) == 0);
}

QUIET int main(int argc, char **argv)
{
  (void)argc;
  CHECK(sem_init(&inside, 0, 0) == 0 && sem_init(&go_on, 0, 0) == 0);
  if (strcmp(argv[1], "steps") == 0) {
    test_schedule();
  } else if (strcmp(argv[1], "children") == 0) {
    test_children();
  } else {
    test_callbacks();
    test_limits();
    test_events();
  }
  CHECK(unlink(callsig_path()) == 0);
  return 0;
}
