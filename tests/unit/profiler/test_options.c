/* Structures of options that are longer than the library knows: taken when the rest is 0, else refused with a message.
 */
#include "profiler/base/options.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "callsig/callsig.h"

/* A structure of a later version: three words more, at the end. */
#define LATER(type)                                                                                                    \
  struct {                                                                                                             \
    type known;                                                                                                        \
    uint64_t added[3];                                                                                                 \
  }

static unsigned messages;
static char last_message[1024];

static void keep_message(const char *message, void *data)
{
  (void)data;
  messages++;
  snprintf(last_message, sizeof last_message, "%s", message);
}

static int begin(void **state)
{
  (void)state;
  messages = 0;
  callsig_set_message(keep_message, NULL);
  return 0;
}

/* One message since the test began or since the last one, and it names the function. */
static void assert_told(const char *function)
{
  assert_int_equal(messages, 1);
  assert_non_null(strstr(last_message, function));
  assert_non_null(strstr(last_message, "does not know an option"));
  messages = 0;
}

static void test_check(void **state)
{
  LATER(struct callsig_options) later = {.known = {.size = sizeof later}};
  (void)state;
  assert_int_equal(prof_options_check("f", &later, sizeof later.known), 0);
  later.added[2] = UINT64_C(1) << 56; /* the last byte alone */
  assert_int_equal(prof_options_check("f", &later, sizeof later.known), -EINVAL);
  assert_told("f()");
  assert_int_equal(prof_options_check("f", &later, sizeof later), 0);
  later.known.size = sizeof later - 1;
  assert_int_equal(prof_options_check("f", &later, sizeof later.known), 0);
  later.known.size = offsetof(struct callsig_options, rules); /* an earlier version's */
  assert_int_equal(prof_options_check("f", &later, sizeof later.known), 0);
  assert_int_equal(messages, 0);
}

static void test_size_of_no_structure(void **state)
{
  struct callsig_options options = {.size = SIZE_MAX};
  (void)state;
  assert_int_equal(callsig_start(&options), -EINVAL);
  assert_int_equal(messages, 1);
  options.size = sizeof options.size - 1;
  assert_int_equal(callsig_start(&options), -EINVAL);
}

static void test_start(void **state)
{
  static char output[64];
  snprintf(output, sizeof output, "test_options.%d", getpid());
  LATER(struct callsig_options) later = {.known = {.size = sizeof later, .output = output}, .added = {1}};
  (void)state;
  assert_int_equal(callsig_start((const struct callsig_options *)&later), -EINVAL);
  assert_told("callsig_start()");
  later.added[0] = 0;
  assert_int_equal(callsig_start((const struct callsig_options *)&later), 0);
  assert_int_equal(messages, 0);
  assert_non_null(callsig_path());
  assert_int_equal(unlink(callsig_path()), 0);
}

static void test_queues(void **state)
{
  LATER(struct callsig_queue_options)
  later = {.known = {.size = sizeof later, .name = "queue", .capacity = 4}, .added = {0, 1}};
  const struct callsig_queue_options *options = (const struct callsig_queue_options *)&later;
  struct callsig_queue *queue;
  struct callsig_fifo *fifo;
  (void)state;
  assert_int_equal(callsig_queue_open(options, &queue), -EINVAL);
  assert_told("callsig_queue_open()");
  assert_int_equal(callsig_fifo_open(options, &fifo), -EINVAL);
  assert_told("callsig_fifo_open()");
  later.added[1] = 0;
  assert_int_equal(callsig_queue_open(options, &queue), 0);
  callsig_queue_close(queue);
  assert_int_equal(callsig_fifo_open(options, &fifo), 0);
  callsig_fifo_close(fifo);
}

static void test_stages(void **state)
{
  LATER(struct callsig_hooks) hooks = {.known = {.size = sizeof hooks}, .added = {0, 0, 1}};
  const struct callsig_hooks *list[] = {(const struct callsig_hooks *)&hooks};
  LATER(struct callsig_stage_options) later = {.known = {.size = sizeof later, .name = "stage"}, .added = {1}};
  const struct callsig_stage_options *options = (const struct callsig_stage_options *)&later;
  struct callsig_stage *stage;
  (void)state;
  later.known.hooks = list;
  later.known.hook_count = 1;
  assert_int_equal(callsig_stage_open(options, &stage), -EINVAL);
  assert_told("callsig_stage_open()");
  later.added[0] = 0;
  assert_int_equal(callsig_stage_open(options, &stage), -EINVAL);
  assert_told("callsig_stage_open()");
  hooks.added[2] = 0;
  assert_int_equal(callsig_stage_open(options, &stage), 0);
  LATER(struct callsig_task_options) task = {.known = {.size = sizeof task, .item = 7}, .added = {1}};
  assert_int_equal(callsig_task_begin(stage, (const struct callsig_task_options *)&task), -EINVAL);
  assert_told("callsig_task_begin()");
  assert_int_equal(callsig_task_end(stage, 0), -EINVAL); /* it has not begun */
  task.added[0] = 0;
  assert_int_equal(callsig_task_begin(stage, (const struct callsig_task_options *)&task), 0);
  assert_int_equal(callsig_task_end(stage, 0), 0);
  assert_int_equal(callsig_stage_close(stage), 0);
}

static void test_schedules(void **state)
{
  LATER(struct callsig_schedule_options) later = {.known = {.size = sizeof later, .active = 1}, .added = {1}};
  (void)state;
  assert_int_equal(callsig_schedule((const struct callsig_schedule_options *)&later), -EINVAL);
  assert_told("callsig_schedule()");
  later.added[0] = 0;
  assert_int_equal(callsig_schedule((const struct callsig_schedule_options *)&later), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_check, begin),  cmocka_unit_test_setup(test_size_of_no_structure, begin),
      cmocka_unit_test_setup(test_start, begin),  cmocka_unit_test_setup(test_queues, begin),
      cmocka_unit_test_setup(test_stages, begin), cmocka_unit_test_setup(test_schedules, begin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
