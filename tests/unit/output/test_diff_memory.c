/* Printing a comparison, in which every allocation fails in turn: an error, or the same text as ever. */
/* ctest: wrap malloc calloc realloc */
/* ctest: source tests/support/failing_memory.c */
#include "callsig/diff.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/failing_memory.h"
#include "tests/support/output_sample.h"

enum { CALLS = 5 };

typedef int (*print_diff_fn)(const struct callsig_diff *diff, FILE *out);

static void make_run(const char *path)
{
  struct sample sample;
  sample_begin(&sample);
  index_writer_function(sample.index, "scan.c", 10, "scan", 0);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  sample_calls(&sample);
  for (uint64_t i = 0; i < CALLS; i++)
    sample_call(&sample, 0, (const uint64_t[]){0, i}, 2, 100 * i, 100 * i + 50);
  sample_end(&sample, 100 * (uint64_t)CALLS, path);
}

/* What is printed when allocation `at` fails (0: none); NULL after -ENOMEM. The caller frees it. */
static char *print_failing(const struct callsig_diff *diff, print_diff_fn print, size_t at, bool *failed)
{
  FILE *out = tmpfile();
  assert_non_null(out);
  setvbuf(out, NULL, _IONBF, 0);
  allocations = 0;
  failing_at = at;
  int result = print(diff, out);
  *failed = at > 0 && allocations >= at;
  failing_at = 0;
  assert_int_equal(result, *failed ? -ENOMEM : 0);
  long size = ftell(out);
  char *text = result == 0 ? calloc((size_t)size + 1, 1) : NULL;
  rewind(out);
  assert_true(!text || fread(text, 1, (size_t)size, out) == (size_t)size);
  fclose(out);
  return text;
}

static void every_allocation(void **state)
{
  (void)state;
  static const print_diff_fn prints[] = {callsig_diff_print_json, callsig_diff_print_csv, callsig_diff_print};
  const char *path = scratch_path("run");
  struct callsig_diff *diff;
  make_run(path);
  assert_int_equal(callsig_diff_new(&diff), 0);
  assert_int_equal(callsig_diff_add(diff, CALLSIG_DIFF_OLD, path), 0);
  assert_int_equal(callsig_diff_add(diff, CALLSIG_DIFF_NEW, path), 0);
  assert_int_equal(callsig_diff_compare(diff, NULL), 0);
  assert_int_equal(
      callsig_diff_arrange(diff, &(struct callsig_diff_view){.size = sizeof(struct callsig_diff_view), .all = 1}), 0);
  for (size_t i = 0; i < sizeof prints / sizeof *prints; i++) {
    bool failed;
    char *whole = print_failing(diff, prints[i], 0, &failed);
    assert_non_null(strstr(whole, "scan"));
    failed = true;
    for (size_t at = 1; failed; at++) {
      char *text = print_failing(diff, prints[i], at, &failed);
      if (text)
        assert_string_equal(text, whole);
      free(text);
    }
    free(whole);
  }
  callsig_diff_free(diff);
  unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
