/* Who gets which body: a new one is good for all, an older one while another one waits for the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <time.h>

#include "cli/serve/desk.h"

#define MILLISECOND UINT64_C(1000000)

static struct cli_exchange *woken;
static volatile sig_atomic_t stop;

static void wake(struct cli_exchange *exchange)
{
  woken = exchange;
}

static const struct cli_exchange *gone, *half_gone;

static enum cli_presence presence_of(const struct cli_exchange *exchange)
{
  return exchange == gone ? CLI_IS_GONE : exchange == half_gone ? CLI_MAY_BE_GONE : CLI_IS_THERE;
}

/* Has the desk end its work: what was waited for is made before that. */
static void end(void *data)
{
  (void)data;
  stop = woken != NULL;
}

static uint64_t now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 * MILLISECOND + (uint64_t)now.tv_nsec;
}

/* What an asker gets while the desk's last body is so old. */
static struct cli_body *ask(struct cli_desk *desk, struct cli_body *last, uint64_t age_ms)
{
  const struct cli_exchange exchange = {.what = CLI_SHARED_METRICS};
  desk->shared[CLI_SHARED_METRICS].body = last;
  desk->shared[CLI_SHARED_METRICS].made_ns = now_ns() - age_ms * MILLISECOND;
  return cli_desk_ask(desk, &exchange);
}

static void test_what_is_old(void **state)
{
  struct cli_desk desk;
  struct cli_exchange first = {.what = CLI_SHARED_METRICS};
  struct cli_body *last = cli_body_text(200, "last\n"), *other;
  (void)state;
  assert_non_null(last);
  cli_desk_init(&desk, NULL, wake, presence_of);
  /* Nobody waits: who asks gets a new one. This clock may go on for as long as it likes in between. */
  assert_null(ask(&desk, last, CLI_DESK_FRESH_MS));
  assert_null(ask(&desk, last, CLI_DESK_OLD_MS));
  cli_desk_wait(&desk, &first);
  /* One waits, others get the last one; it is asked again where this process did not run for so long. */
  uint64_t begin;
  do {
    begin = now_ns();
    other = ask(&desk, last, CLI_DESK_FRESH_MS);
  } while (!other && now_ns() - begin > (CLI_DESK_OLD_MS - CLI_DESK_FRESH_MS) * MILLISECOND);
  assert_ptr_equal(other, last);
  cli_body_release(other);
  /* Which is too old then waits as well. */
  assert_null(ask(&desk, last, CLI_DESK_OLD_MS));
  assert_null(woken);
  cli_desk_free(&desk);
}

static void test_who_waits_gets_a_new_one(void **state)
{
  struct cli_source source;
  struct cli_desk desk;
  struct cli_exchange first = {.what = CLI_SHARED_WHOLE};
  (void)state;
  assert_int_equal(cli_source_open(&source, "/nothing/here", 50), 0);
  cli_desk_init(&desk, &source, wake, presence_of);
  cli_desk_wait(&desk, &first);
  cli_desk_work(&desk, &stop, end, NULL);
  assert_ptr_equal(woken, &first);
  assert_int_equal(first.body->status, 503);
  assert_non_null(strstr(first.body->data, "/nothing/here"));
  cli_body_release(first.body);
  cli_desk_free(&desk);
  cli_source_close(&source);
}

/* A profile that nobody waits for any more is not made, and its place is another one's. */
static void test_who_is_gone_makes_room(void **state)
{
  struct cli_desk desk;
  struct cli_exchange first = {.is_delta = true, .seconds = 300};
  (void)state;
  cli_desk_init(&desk, NULL, wake, presence_of);
  gone = &first;
  woken = NULL;
  stop = 0;
  cli_desk_wait(&desk, &first);
  cli_desk_work(&desk, &stop, end, NULL);
  assert_ptr_equal(woken, &first);
  assert_null(first.body);
  assert_int_equal(desk.delta_count, 0);
  cli_desk_free(&desk);
}

/* Who may have gone is waited for while there is room, and leaves for one that is there. */
static void test_who_may_be_gone(void **state)
{
  struct cli_desk desk;
  struct cli_exchange some[CLI_DESK_MOST_OF_ONE + 1];
  (void)state;
  cli_desk_init(&desk, NULL, wake, presence_of);
  gone = NULL;
  for (int i = 0; i <= CLI_DESK_MOST_OF_ONE; i++)
    some[i] = (struct cli_exchange){.is_delta = true, .seconds = 300, .user = 1};
  struct cli_exchange *last = &some[CLI_DESK_MOST_OF_ONE];
  for (int i = 0; i < CLI_DESK_MOST_OF_ONE; i++)
    cli_desk_wait(&desk, &some[i]);
  half_gone = NULL;
  struct cli_body *refusal = cli_desk_ask(&desk, last);
  assert_int_equal(refusal->status, 503);
  cli_body_release(refusal);
  half_gone = &some[1];
  assert_null(cli_desk_ask(&desk, last));
  cli_desk_wait(&desk, last);
  woken = NULL;
  stop = 0;
  /* Ends the work with the first that is woken, as the desk's first look is for places: no recording is read. */
  cli_desk_work(&desk, &stop, end, NULL);
  assert_null(some[1].body);
  assert_int_equal(some[0].body->status, 503);
  assert_int_equal(last->body->status, 503);
  for (int i = 0; i <= CLI_DESK_MOST_OF_ONE; i++)
    cli_body_release(some[i].body);
  half_gone = NULL;
  cli_desk_free(&desk);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_old),
      cmocka_unit_test(test_who_waits_gets_a_new_one),
      cmocka_unit_test(test_who_is_gone_makes_room),
      cmocka_unit_test(test_who_may_be_gone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
