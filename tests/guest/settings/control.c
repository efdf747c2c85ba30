/* A program that links libcallsig and says itself what is recorded: start, disable and enable in the middle of calls
 * and from another thread, scopes, actions, a clock and messages of its own. */
#include "tests/guest/guest.h"

#include <callsig/callsig.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <string.h>

COUNTER(leaf);
COUNTER(outer);
COUNTER(unseen);
COUNTER(waits);
COUNTER(scoped);

static sem_t inside, go_on;
static uint64_t ticks;

static QUIET uint64_t read_ticks(void *data)
{
  return ++*(uint64_t *)data;
}

static int leaf(int x)
{
  HIT(leaf);
  KEEP(x);
  return x;
}

static int unseen(int x)
{
  HIT(unseen);
  KEEP(x);
  return x;
}

/* Its call is counted when profiling is switched off in the middle of it; what it calls then is not. */
static void outer(void)
{
  HIT(outer);
  leaf(1);
  CHECK(callsig_disable() == 0);
  CHECK(!callsig_is_enabled());
  unseen(1);
  CHECK(callsig_enable() == 0);
  CHECK(callsig_is_enabled());
  leaf(2);
}

static void *waits(void *data)
{
  HIT(waits);
  leaf(3);
  sem_post(&inside);
  while (sem_wait(&go_on))
    ;
  unseen(2);
  return data;
}

static void scoped(void)
{
  HIT(scoped);
  leaf(4);
}

static QUIET void test_threads(void)
{
  pthread_t thread;
  CHECK(sem_init(&inside, 0, 0) == 0 && sem_init(&go_on, 0, 0) == 0);
  CHECK(pthread_create(&thread, NULL, waits, NULL) == 0);
  while (sem_wait(&inside))
    ;
  CHECK(callsig_disable() == 0);
  sem_post(&go_on);
  CHECK(pthread_join(thread, NULL) == 0);
  unseen(3);
}

static QUIET void test_scopes(void)
{
  {
    CALLSIG_ENABLED_SCOPE();
    scoped();
  }
  CHECK(!callsig_is_enabled());
  unseen(4);
  CHECK(callsig_enable() == 0);
}

static QUIET void test_actions(void)
{
  for (int i = 0; i < 3; i++) {
    CALLSIG_ACTION("load");
    leaf(5);
    CHECK(callsig_action_begin("parse") == 0);
    CHECK(callsig_action_end("load") == -EINVAL);
    leaf(6);
    CHECK(callsig_action_end("parse") == 0);
  }
  CHECK(callsig_action_end("load") == -EINVAL);
  CHECK(callsig_action_begin(NULL) == -EINVAL);
}

static char message[512];

static QUIET void keep_message(const char *line, void *data)
{
  (void)data;
  snprintf(message, sizeof message, "%s", line);
}

QUIET int main(void)
{
  CHECK(strcmp(callsig_version(), "") != 0);
  CHECK(callsig_path() == NULL);
  CHECK(callsig_set_clock(NULL, NULL, 1) == -EINVAL);
  CHECK(callsig_set_clock(read_ticks, &ticks, 1000) == 0);
  struct callsig_options options = {.size = 3};
  CHECK(callsig_start(&options) == -EINVAL);
  options = (struct callsig_options){.size = sizeof options, .output = "ignored: the environment wins"};
  CHECK(callsig_start(&options) == 0);
  callsig_set_message(keep_message, NULL);
  CHECK(callsig_start(&options) == -EALREADY && strstr(message, "its options are not used"));
  callsig_set_message(NULL, NULL);
  CHECK(callsig_start(NULL) == -EALREADY);
  CHECK(callsig_is_enabled());
  const char *output = getenv("CALLSIG_OUTPUT");
  CHECK(output && callsig_path() && strcmp(callsig_path(), output) == 0);
  leaf(0);
  CHECK(callsig_set_clock(read_ticks, &ticks, 1000) == -EBUSY);
  outer();
  test_threads();
  test_scopes();
  test_actions();
  CHECK(ticks > 0);
  CHECK(count_of_unseen == 4);
  TELL(leaf);
  TELL(outer);
  TELL(waits);
  TELL(scoped);
  printf("count unseen 0\ncount {load} 3\ncount {parse} 3\n");
  return 0;
}
