/* A table that is long enough for a second thread to make a part of it: with and without that thread, cut off by a full
 * output, and with memory short. */
/* ctest: wrap pthread_create realloc */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/output_sample.h"

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data);
void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static bool no_threads;
static unsigned threads;
static long failing_realloc; /* which one fails from now on, 0: none. Counted by both threads */

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data)
{
  if (no_threads)
    return EAGAIN;
  threads++;
  return __real_pthread_create(thread, attributes, run, data);
}

void *__wrap_realloc(void *memory, size_t size)
{
  if (__atomic_load_n(&failing_realloc, __ATOMIC_RELAXED) > 0 &&
      __atomic_sub_fetch(&failing_realloc, 1, __ATOMIC_RELAXED) == 0)
    return NULL;
  return __real_realloc(memory, size);
}

/* f(n) takes n milliseconds, once for every n from 1 to LONG. */
enum { LONG = 9000 };

static struct callsig_stats *make(void)
{
  struct sample sample;
  uint64_t now = 0;
  sample_begin(&sample);
  index_writer_function(sample.index, "a.c", 7, "f", 0);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  sample_calls(&sample);
  for (uint64_t i = 1; i <= LONG; i++) {
    uint64_t n = i * 1009 % LONG + 1;
    sample_call(&sample, 0, (const uint64_t[]){0, n}, 2, now, now + n);
    now += n;
  }
  struct callsig_stats *stats = sample_load(&sample, now);
  assert_int_equal(callsig_stats_sort(stats, "cumtime"), 0);
  return stats;
}

/* What the table of the `rows` longest calls has to be. */
static char *expected(unsigned rows)
{
  char *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  const int all = LONG, milliseconds = all * (all + 1) / 2;
  fprintf(out, "         %d function calls in %.3f seconds\n\n   Ordered by: cumulative time\n", all,
          milliseconds / 1000.0);
  if (rows < LONG)
    fprintf(out, "   List reduced from %d to %u due to restriction <%u>\n", all, rows, rows);
  fprintf(out, "\n   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n");
  for (unsigned i = 0; i < rows; i++) {
    double time = (LONG - i) / 1000.0;
    fprintf(out, "%9d %8.3f %8.3f %8.3f %8.3f a.c:7(f(n=%u))\n", 1, time, time, time, time, LONG - i);
  }
  fprintf(out, "\n\n");
  fclose(out);
  return text;
}

static void check(struct callsig_stats *stats, unsigned rows)
{
  char restriction[16], *whole = expected(rows);
  snprintf(restriction, sizeof restriction, "%u", rows);
  char *table = printed(stats, callsig_stats_print, rows < LONG ? restriction : NULL);
  assert_string_equal(table, whole);
  free(table);
  free(whole);
}

static void in_order(void **state)
{
  (void)state;
  struct callsig_stats *stats = make();
  threads = 0;
  check(stats, 5);
  check(stats, 1024);
  check(stats, 1025);
  assert_int_equal(threads, 0);
  for (unsigned i = 0; i < 20; i++)
    check(stats, LONG - i);
  assert_int_equal(threads, 20);
  no_threads = true;
  check(stats, LONG);
  no_threads = false;
  assert_int_equal(threads, 20);
  callsig_stats_free(stats);
}

/* A stream that has room for `left` bytes. */
static ssize_t take(void *cookie, const char *bytes, size_t size)
{
  size_t *left = cookie;
  (void)bytes;
  if (size > *left) {
    errno = ENOSPC;
    return 0;
  }
  *left -= size;
  return (ssize_t)size;
}

static void output_is_full(void **state)
{
  (void)state;
  struct callsig_stats *stats = make();
  for (size_t room = 0; room < 600000; room += 70000) {
    size_t left = room;
    FILE *out = fopencookie(&left, "w", (cookie_io_functions_t){.write = take});
    message_reset();
    assert_int_equal(callsig_stats_print(stats, out, NULL, 0), -EIO);
    assert_non_null(strstr(last_message(), "the output is full or closed"));
    fclose(out);
  }
  callsig_stats_free(stats);
}

static void memory_is_short(void **state)
{
  (void)state;
  struct callsig_stats *stats = make();
  unsigned failures = 0;
  for (long i = 1; i <= 60; i++) {
    FILE *out = fopen("/dev/null", "w");
    assert_int_equal(callsig_stats_row_count(stats), LONG);
    message_reset();
    __atomic_store_n(&failing_realloc, i, __ATOMIC_RELAXED);
    int result = callsig_stats_print(stats, out, NULL, 0);
    __atomic_store_n(&failing_realloc, 0, __ATOMIC_RELAXED);
    assert_true(result == 0 || result == -ENOMEM);
    assert_int_equal(result < 0, strstr(last_message(), "memory") != NULL);
    failures += result < 0;
    fclose(out);
  }
  assert_true(failures > 10);
  check(stats, LONG);
  callsig_stats_free(stats);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_order),
      cmocka_unit_test(output_is_full),
      cmocka_unit_test(memory_is_short),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
