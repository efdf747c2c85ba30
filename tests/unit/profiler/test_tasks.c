/*
 * Tasks: what is counted of them, however they end, and what a program is told.
 */
/* ctest: records */
/* ctest: build _O0 -g -O0 -finstrument-functions */
/* ctest: build _O2 -g -O2 -finstrument-functions */
/* ctest: case _plain quick plain */
/* ctest: case _times quick times */
/* ctest: case _full quick full */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/base/clock.h"
#include "profiler/pipeline/stage.h"
#include "tests/support/stage_records.h"

#define NOINLINE __attribute__((noinline))

static struct callsig_stage *read_stage, *decode_stage;
static jmp_buf target;
static uint64_t ticks;

static NOINLINE int work(int n)
{
  __asm__ volatile("" : "+r"(n) : : "memory");
  return n + 1;
}

static QUIET struct callsig_stage *open_stage(uint32_t index, const char *name, uint32_t concurrency)
{
  const struct callsig_stage_options options = {
      .size = sizeof options, .pipeline = 0, .index = index, .name = name, .concurrency = concurrency};
  struct callsig_stage *stage = NULL;
  CHECK(callsig_stage_open(&options, &stage) == 0 && stage);
  return stage;
}

static QUIET void begin(struct callsig_stage *stage, const char *text)
{
  const struct callsig_task_options options = {.size = sizeof options, .signature = text, .item = 1};
  CHECK(callsig_task_begin(stage, &options) == 0);
}

static QUIET uint64_t of_stage(const char *label, const char *text)
{
  return calls_of((uintptr_t)stage_record(label), text);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static QUIET void test_counts(void)
{
  for (int i = 0; i < 100; i++) {
    begin(read_stage, i % 2 ? "format=I420, width=640" : NULL);
    CHECK(work(i) == i + 1);
    {
      CALLSIG_TASK(decode_stage);
      work(i);
      if (i % 4 == 0)
        CHECK(callsig_task_fail() == 0);
    }
    CHECK(callsig_task_end(read_stage, i % 10 == 0) == 0);
  }
  struct fmt_rec_tasks reads = tasks_of("0:0:read"), decodes = tasks_of("0:1:decode[10]");
  CHECK(reads.tasks == 100 && reads.failures == 10 && reads.open == 0 && reads.cancelled == 0);
  CHECK(decodes.tasks == 100 && decodes.failures == 25 && decodes.open == 0);
  CHECK(reads.min <= reads.max && reads.total >= 90 * reads.min && reads.total <= 90 * reads.max);
  CHECK(of_stage("0:0:read", NULL) == 100 && of_stage("0:0:read", "format=I420, width=640") == 50);
  CHECK(of_stage("0:1:decode[10]", NULL) == 100 && calls_of((uintptr_t)work, NULL) == 200);
}

static QUIET void *end_elsewhere(void *data)
{
  CHECK(callsig_task_end(read_stage, 0) == -EINVAL);
  CHECK(callsig_task_fail() == -EINVAL);
  return data;
}

static QUIET void test_order(void)
{
  const uint64_t before = tasks_of("0:0:read").tasks;
  CHECK(callsig_task_end(read_stage, 0) == -EINVAL && callsig_task_cancel(read_stage) == -EINVAL);
  begin(read_stage, NULL);
  begin(decode_stage, NULL);
  CHECK(callsig_task_end(read_stage, 0) == -EINVAL); /* not the innermost */
  CHECK(callsig_task_end(decode_stage, 0) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, end_elsewhere, NULL) == 0 && pthread_join(thread, NULL) == 0);
  CHECK(tasks_of("0:0:read").open == 1);
  CHECK(callsig_task_end(read_stage, 0) == 0);
  begin(read_stage, NULL);
  CHECK(callsig_task_cancel(read_stage) == 0);
  CHECK(tasks_of("0:0:read").tasks == before + 1 && tasks_of("0:0:read").cancelled == 1);
  struct callsig_stage *none = NULL;
  const struct callsig_stage_options bad = {.size = sizeof bad, .name = ""};
  CHECK(callsig_stage_open(&bad, &none) == -EINVAL && callsig_stage_open(NULL, &none) == -EINVAL && !none);
  CHECK(callsig_stage_close(NULL) == 0);
}

/* The first 256 texts are kept apart, the others count without. */
static QUIET void test_texts(void)
{
  struct callsig_stage *stage = open_stage(7, "texts", 1);
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 300; i++) {
      char text[32];
      snprintf(text, sizeof text, "n=%d", i);
      begin(stage, text);
      CHECK(callsig_task_end(stage, 0) == 0);
    }
  }
  CHECK(of_stage("0:7:texts", NULL) == 600 && of_stage("0:7:texts", "n=0") == 2);
  CHECK(of_stage("0:7:texts", "n=255") == 2 && of_stage("0:7:texts", "n=256") == 0);
  CHECK(stage_record("0:7:texts")->merged_signatures == 88);
  CHECK(callsig_stage_close(stage) == 0);
}

/* The same label is the same stage, also when it was closed meanwhile. */
static QUIET void test_reopened(void)
{
  struct callsig_stage *first = open_stage(8, "again", 2), *second = open_stage(8, "again", 2);
  CHECK(strcmp(callsig_stage_label(first), "0:8:again[2]") == 0);
  begin(first, NULL);
  CHECK(callsig_task_end(second, 0) == -EINVAL); /* another opening of it */
  CHECK(callsig_task_end(first, 0) == 0);
  CHECK(callsig_stage_close(first) == 0 && stage_record("0:8:again[2]")->closed_ticks == 0);
  CHECK(callsig_stage_close(second) == 0 && stage_record("0:8:again[2]")->closed_ticks != 0);
  first = open_stage(8, "again", 2);
  CHECK(stage_record("0:8:again[2]")->closed_ticks == 0);
  begin(first, NULL);
  CHECK(callsig_task_end(first, 0) == 0 && tasks_of("0:8:again[2]").tasks == 2);
  CHECK(callsig_stage_close(first) == 0);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static NOINLINE void jump_out(int n)
{
  begin(decode_stage, NULL);
  work(n);
  longjmp(target, 1);
}

static NOINLINE void forget_to_end(void)
{
  begin(decode_stage, NULL);
  __asm__ volatile("" : : : "memory"); /* no jump to it, which would come after the end */
}

static NOINLINE void forget_to_end_several(int depth)
{
  CHECK(callsig_action_begin("left") == 0);
  begin(decode_stage, NULL);
  if (depth > 0)
    forget_to_end_several(depth - 1);
  work(depth);
  CHECK(callsig_action_begin("left, too") == 0);
  __asm__ volatile("" : : : "memory");
}

static QUIET void *end_thread(void *data)
{
  begin(decode_stage, NULL);
  work(1);
  return data;
}

/* Whatever leaves a task ends it as failed. */
static QUIET void test_left(void)
{
  const struct fmt_rec_tasks before = tasks_of("0:1:decode[10]");
  for (volatile int i = 0; i < 10; i++)
    if (setjmp(target) == 0)
      jump_out(i);
  forget_to_end();
  begin(read_stage, NULL);
  CHECK(callsig_task_end(read_stage, 0) == 0);
  for (int i = 0; i < 100; i++) { /* so many that threads are folded */
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, end_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
  }
  const struct fmt_rec_tasks after = tasks_of("0:1:decode[10]");
  CHECK(after.tasks == before.tasks + 111 && after.failures == before.failures + 111 && after.open == 0);
  CHECK(of_stage("0:1:decode[10]", NULL) == after.tasks && callsig_task_fail() == -EINVAL);
}

/* The end of a function ends what it began and left open, and then its own frame: what comes later is its caller's. */
static QUIET void test_left_at_the_end(void)
{
  const struct fmt_rec_tasks before = tasks_of("0:1:decode[10]");
  const uint64_t singles = calls_of((uintptr_t)forget_to_end, NULL);
  work(0);
  const struct fmt_rec_frame *top = prof_self->top;
  for (int i = 0; i < 100; i++) {
    forget_to_end();
    CHECK(prof_self->top == top);
    forget_to_end_several(i % 4);
    CHECK(prof_self->top == top);
  }
  const struct fmt_rec_tasks after = tasks_of("0:1:decode[10]");
  CHECK(after.tasks == before.tasks + 350 && after.failures == before.failures + 350 && after.open == 0);
  CHECK(of_stage("0:1:decode[10]", NULL) == after.tasks && callsig_task_fail() == -EINVAL);
  CHECK(calls_of((uintptr_t)forget_to_end, NULL) == singles + 100);
  CHECK(calls_of((uintptr_t)forget_to_end_several, NULL) == 250);
}

/* Tasks that recording is switched off in end there, as finished; the program does not notice. */
static QUIET void test_disabled(void)
{
  const struct fmt_rec_tasks before = tasks_of("0:0:read");
  const uint64_t began = prof_clock_now();
  begin(read_stage, NULL);
  CHECK(callsig_disable() == 0);
  begin(decode_stage, NULL);
  CHECK(callsig_task_end(read_stage, 0) == 0); /* the one above it was left unseen */
  CHECK(callsig_task_end(decode_stage, 0) == -EINVAL);
  begin(read_stage, NULL);
  CHECK(callsig_enable() == 0);
  work(1);
  CHECK(callsig_task_end(read_stage, 1) == 0); /* was not recorded */
  begin(read_stage, NULL);
  CHECK(callsig_task_end(read_stage, 0) == 0);
  begin(read_stage, NULL);
  CHECK(callsig_action_begin("off and on") == 0);
  CHECK(callsig_disable() == 0);
  const uint64_t off = prof_clock_now();
  usleep(50000);
  const uint64_t took = prof_clock_now() - off;
  CHECK(callsig_enable() == 0 && callsig_action_end("off and on") == -EINVAL);
  CHECK(callsig_task_end(read_stage, 0) == 0); /* ended when recording did */
  const struct fmt_rec_tasks after = tasks_of("0:0:read");
  CHECK(after.max <= before.max || after.max <= prof_clock_now() - began - took);
  CHECK(after.tasks == before.tasks + 3 && after.failures == before.failures && after.open == 0);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static volatile sig_atomic_t handled;

static QUIET void handle(int number)
{
  (void)number;
  int saved = errno;
  begin(decode_stage, "from=signal");
  if (handled % 3 == 0)
    callsig_event("signal");
  CHECK(callsig_task_end(decode_stage, 0) == 0);
  handled = handled + 1;
  CHECK(errno == saved);
}

/* A timer's handler runs tasks between any two instructions of others, at depths where the list of open tasks grows. */
static QUIET void test_interrupted(void)
{
  enum { LEAST = 90, MOST = 110 };
  const struct fmt_rec_tasks reads = tasks_of("0:0:read"), decodes = tasks_of("0:1:decode[10]");
  const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
  const struct sigaction action = {.sa_handler = handle};
  CHECK(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
  uint64_t done = 0, deep = 0;
  int depth = 0;
  for (; handled < 3000; done++) {
    for (; depth < LEAST + handled / 10 % (MOST - LEAST); depth++, deep++)
      begin(read_stage, NULL);
    for (; depth > LEAST + handled / 10 % (MOST - LEAST); depth--)
      CHECK(callsig_task_end(read_stage, 0) == 0);
    begin(read_stage, done % 2 ? "n=1" : NULL);
    {
      CALLSIG_TASK(read_stage);
      work((int)done);
    }
    CHECK(callsig_task_end(read_stage, 0) == 0);
  }
  CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0 && signal(SIGALRM, SIG_DFL) != SIG_ERR);
  for (; depth > 0; depth--)
    CHECK(callsig_task_end(read_stage, 0) == 0);
  CHECK(callsig_task_end(read_stage, 0) == -EINVAL);
  const struct fmt_rec_tasks after = tasks_of("0:0:read"), others = tasks_of("0:1:decode[10]");
  CHECK(after.tasks == reads.tasks + 2 * done + deep && after.failures == reads.failures && after.open == 0);
  CHECK(others.tasks == decodes.tasks + (uint64_t)handled && others.open == 0);
}

/* A child inherits the task that its parent has open, and both end it: it is a task of the parent alone. */
static QUIET void test_forked(void)
{
  const uint64_t before = tasks_of("0:0:read").tasks;
  begin(read_stage, "n=fork");
  work(1);
  pid_t child = fork();
  if (child == 0) {
    work(2);
    CHECK(tasks_of("0:0:read").open == 0);
    CHECK(callsig_task_end(decode_stage, 0) == -EINVAL);
    CHECK(callsig_task_end(read_stage, 1) == 0);
    const struct fmt_rec_tasks tasks = tasks_of("0:0:read");
    CHECK(tasks.tasks == 0 && tasks.failures == 0 && tasks.open == 0);
    CHECK(of_stage("0:0:read", "n=fork") == 0);
    begin(read_stage, "n=fork");
    CHECK(callsig_task_end(read_stage, 0) == 0 && tasks_of("0:0:read").tasks == 1);
    CHECK(of_stage("0:0:read", "n=fork") == 1);
    begin(decode_stage, NULL);
    CHECK(callsig_task_end(decode_stage, 0) == 0 && tasks_of("0:1:decode[10]").tasks == 1);
    unlink(callsig_path());
    _exit(0);
  }
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  CHECK(callsig_task_end(read_stage, 0) == 0 && tasks_of("0:0:read").tasks == before + 1);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static QUIET uint64_t read_ticks(void *data)
{
  return *(const uint64_t *)data;
}

/* With a clock that stands still, times are exact. */
static QUIET void test_times(void)
{
  CHECK(callsig_set_clock(read_ticks, &ticks, 1000) == 0);
  const struct callsig_stage_options options = {.size = sizeof options, .index = 3, .name = "own", .own_time = 1};
  struct callsig_stage *own, *whole = open_stage(2, "whole", 1);
  const struct callsig_queue_options queue_options = {.size = sizeof queue_options, .index = 3, .name = "own"};
  struct callsig_queue *queue;
  CHECK(callsig_stage_open(&options, &own) == 0 && callsig_queue_open(&queue_options, &queue) == 0);
  for (uint64_t i = 0; i < 10; i++) {
    begin(own, NULL);
    ticks += 100;
    begin(whole, NULL);
    ticks += 30 + i;
    begin(own, NULL); /* the same stage again, in another */
    ticks += 7;
    CHECK(callsig_task_end(own, 0) == 0 && callsig_task_end(whole, 0) == 0);
    uint64_t token = callsig_queue_put_begin(queue);
    ticks += 1000;
    callsig_queue_put_end(queue, token, 0, i % 2 == 0);
    ticks += 5;
    CHECK(callsig_task_end(own, i == 9) == 0);
  }
  const struct fmt_rec_tasks owns = tasks_of("0:3:own"), wholes = tasks_of("0:2:whole");
  CHECK(owns.tasks == 20 && owns.failures == 1 && owns.total == 9 * 105 + 10 * 7 && owns.failed_total == 105);
  CHECK(owns.min == 7 && owns.max == 105);
  CHECK(wholes.total == 10 * 37 + 45 && wholes.min == 37 && wholes.max == 46);
  CHECK(callsig_stage_close(own) == 0 && callsig_stage_close(whole) == 0);
  callsig_queue_close(queue);
}

/* The ticks of tasks that were looked at, in the one thread that has done tasks of the stage. */
static QUIET uint64_t looked_at(const char *label)
{
  const struct fmt_rec_thread *thread = (const struct fmt_rec_thread *)prof_process.header->first_thread;
  const struct fmt_rec_tasks *tasks = (const struct fmt_rec_tasks *)thread->first_tasks;
  while (tasks && tasks->stage != (uintptr_t)stage_record(label))
    tasks = (const struct fmt_rec_tasks *)tasks->next;
  CHECK(tasks);
  return ((const struct fmt_rec_task_work *)tasks->work)->sampled_ticks;
}

static QUIET void do_tasks(struct callsig_stage *stage, unsigned count, uint64_t length)
{
  for (unsigned i = 0; i < count; i++) {
    begin(stage, NULL);
    ticks += length;
    CHECK(callsig_task_end(stage, 0) == 0);
  }
}

/* A stage whose tasks are tiny at first is looked at as often as its long ones later ask for. */
static QUIET void test_looks(void)
{
  const uint64_t length = UINT64_C(1) << 20;
  struct callsig_stage *stage = open_stage(4, "grows", 1);
  do_tasks(stage, 2000, 10);
  const uint64_t before = looked_at("0:4:grows");
  do_tasks(stage, 40, length);
  const uint64_t grown = looked_at("0:4:grows");
  CHECK(before <= 200 && grown - before >= 20 * length);
  do_tasks(stage, 20000, 10);
  CHECK(looked_at("0:4:grows") - grown <= 2000);
  CHECK(callsig_stage_close(stage) == 0);
}

#define MANY 8u

static QUIET void no_message(const char *line, void *data)
{
  (void)line;
  (void)data;
}

static uint64_t begun;
static uint32_t seed = 1;

static QUIET unsigned choose(unsigned limit)
{
  seed = seed * 1664525u + 1013904223u;
  return (seed >> 10) % limit;
}

static QUIET void nest(struct callsig_stage *const *stages, int depth)
{
  for (unsigned i = choose(3); i > 0 && depth > 0; i--) {
    struct callsig_stage *stage = stages[choose(MANY)];
    char text[16];
    snprintf(text, sizeof text, "n=%u", choose(200));
    begin(stage, text);
    begun++;
    nest(stages, depth - 1);
    CHECK(callsig_task_end(stage, 0) == 0);
  }
}

/* When the recording is full the program runs on, and what has no place is counted. */
static QUIET void test_full(void)
{
  static const char *const names[MANY] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  struct callsig_stage *stages[MANY];
  CHECK(setenv("CALLSIG_MEMORY", "4M", 1) == 0);
  callsig_set_message(no_message, NULL);
  for (unsigned i = 0; i < MANY; i++)
    stages[i] = open_stage(i, names[i], 1);
  const uint64_t *lost = &prof_process.header->loss[FMT_LOSS_NO_SPACE];
  for (unsigned i = 0; i < 100000 && (*lost < 1000 || i < 1000); i++)
    nest(stages, 12);
  uint64_t recorded = 0;
  for (uint64_t at = prof_process.header->first_stage; at; at = ((const struct fmt_rec_stage *)at)->next) {
    const struct fmt_rec_tasks tasks = tasks_of(NAME_AT(((const struct fmt_rec_stage *)at)->label));
    recorded += tasks.tasks;
    CHECK(tasks.open == 0 && tasks.tasks == calls_of(at, NULL));
  }
  CHECK(*lost >= 1000 && recorded + *lost == begun);
  struct callsig_stage *late = open_stage(99, "late", 1);
  begin(late, NULL);
  CHECK(callsig_task_end(late, 0) == 0 && callsig_stage_close(late) == 0);
}

QUIET int main(int argc, char **argv)
{
  (void)argc;
  if (strcmp(argv[1], "times") == 0) {
    test_times();
    test_looks();
  } else if (strcmp(argv[1], "full") == 0) {
    test_full();
  } else {
    read_stage = open_stage(0, "read", 1);
    decode_stage = open_stage(1, "decode", 10);
    test_counts();
    test_order();
    test_texts();
    test_reopened();
    test_left();
    test_left_at_the_end();
    test_disabled();
    test_interrupted();
    test_forked();
    CHECK(callsig_stage_close(read_stage) == 0 && callsig_stage_close(decode_stage) == 0);
  }
  CHECK(unlink(callsig_path()) == 0);
  return 0;
}
