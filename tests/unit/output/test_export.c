/*
 * Exports through the C API: what is refused, outputs that cannot be written, every allocation failing in turn; and
 * lists that are put in order. What the formats hold is tests/oracle/exports/.
 */
/* ctest: source tests/support/failing_memory.c */
/* ctest: wrap malloc calloc realloc */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/export/export_writer.h"
#include "tests/support/failing_memory.h"
#include "tests/support/output_sample.h"

static struct callsig_stats_export to(const char *format)
{
  return (struct callsig_stats_export){.size = sizeof(struct callsig_stats_export), .format = format};
}

static int export_to(struct callsig_stats *stats, const char *format, FILE *out)
{
  struct callsig_stats_export wanted = to(format);
  return callsig_stats_export(stats, &wanted, out);
}

/* The formats of what was counted; those of timelines have tests of their own. */
static const char *const formats[] = {"callgrind", "csv",  "dot",   "flamegraph", "folded",     "html",
                                      "json",      "otlp", "pprof", "pstats",     "speedscope", NULL};

static void formats_are_listed(void **state)
{
  (void)state;
  size_t count = 0;
  for (size_t i = 0; formats[i]; i++) {
    size_t place = 0;
    while (callsig_stats_export_format(place) && strcmp(callsig_stats_export_format(place), formats[i]) != 0)
      place++;
    assert_non_null(callsig_stats_export_format(place));
  }
  while (callsig_stats_export_format(count))
    count++;
  assert_null(callsig_stats_export_format(count + 1));
}

static void refused(void **state)
{
  (void)state;
  struct callsig_stats *stats = sample_load_seed();
  message_reset();
  assert_int_equal(export_to(stats, "xml", stdout), -EINVAL);
  assert_non_null(strstr(last_message(), "xml"));
  for (size_t i = 0; callsig_stats_export_format(i); i++)
    assert_non_null(strstr(last_message(), callsig_stats_export_format(i)));
  assert_int_equal(export_to(stats, NULL, stdout), -EINVAL);
  struct callsig_stats_export wanted = to("folded");
  wanted.weight = "bytes";
  assert_int_equal(callsig_stats_export(stats, &wanted, stdout), -EINVAL);
  assert_non_null(strstr(last_message(), "bytes"));
  wanted = to("pprof");
  wanted.weight = "time";
  assert_int_equal(callsig_stats_export(stats, &wanted, stdout), -EINVAL);
  wanted = to("dot");
  wanted.has_cutoff = 1;
  wanted.cutoff = 1;
  assert_int_equal(callsig_stats_export(stats, &wanted, stdout), -EINVAL);
  wanted = to("csv");
  wanted.has_cutoff = 1;
  assert_int_equal(callsig_stats_export(stats, &wanted, stdout), -EINVAL);
  assert_int_equal(callsig_stats_group(stats, CALLSIG_BY_THREAD), 0);
  assert_int_equal(export_to(stats, "pstats", stdout), -EINVAL);
  assert_int_equal(export_to(stats, "callgrind", stdout), -EINVAL);
  assert_int_equal(export_to(stats, "dot", stdout), -EINVAL);
  callsig_stats_free(stats);
}

/* What is a folder takes a path, and none that is there. */
static void folders(void **state)
{
  (void)state;
  struct callsig_stats *stats = sample_load_seed();
  message_reset();
  assert_int_equal(export_to(stats, "otf2", stdout), -EINVAL);
  assert_non_null(strstr(last_message(), "folder"));
  struct callsig_stats_export wanted = to("otf2");
  assert_true(callsig_stats_export_file(stats, &wanted, "/") < 0);
  callsig_stats_free(stats);
}

/* An options structure of before `weight` was there. */
static void older_options(void **state)
{
  (void)state;
  struct callsig_stats *stats = sample_load_seed();
  struct callsig_stats_export wanted = to("folded");
  wanted.size = offsetof(struct callsig_stats_export, weight);
  wanted.weight = "never read";
  FILE *out = tmpfile();
  assert_int_equal(callsig_stats_export(stats, &wanted, out), 0);
  assert_true(ftell(out) > 0);
  fclose(out);
  callsig_stats_free(stats);
}

static void full_disk(void **state)
{
  (void)state;
  struct callsig_stats *stats = sample_load_seed();
  for (size_t i = 0; formats[i]; i++) {
    FILE *full = fopen("/dev/full", "w");
    message_reset();
    assert_int_equal(export_to(stats, formats[i], full), -EIO);
    assert_non_null(strstr(last_message(), "full or closed"));
    fclose(full);
    struct callsig_stats_export wanted = to(formats[i]);
    message_reset();
    assert_int_equal(callsig_stats_export_file(stats, &wanted, "/dev/full"), -ENOSPC);
    assert_non_null(strstr(last_message(), "/dev/full: No space left"));
  }
  callsig_stats_free(stats);
}

static void links_and_folders(void **state)
{
  (void)state;
  struct callsig_stats *stats = sample_load_seed();
  struct callsig_stats_export wanted = to("folded");
  const char *link = scratch_path("link");
  assert_int_equal(symlink("/dev/null", link), 0);
  assert_int_equal(callsig_stats_export_file(stats, &wanted, link), -ELOOP);
  unlink(link);
  assert_int_equal(callsig_stats_export_file(stats, &wanted, "/"), -EISDIR);
  assert_int_equal(callsig_stats_export_file(stats, &wanted, "/nowhere/at/all"), -ENOENT);
  assert_int_equal(callsig_stats_export_file(stats, &wanted, "/dev/null"), 0);
  const char *path = scratch_path("export");
  mode_t mask = umask(0);
  assert_int_equal(callsig_stats_export_file(stats, &wanted, path), 0);
  umask(mask);
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0600);
  unlink(path);
  callsig_stats_free(stats);
}

/* Every allocation of the library fails once: -ENOMEM each time, nothing lost (the sanitizers look), the object as good
 * as before. Each time with an object of its own: one that has its rows would not make them again. */
static void no_memory(void **state)
{
  (void)state;
  FILE *out = fopen("/dev/null", "w");
  for (size_t i = 0; formats[i]; i++) {
    int result = -ENOMEM;
    for (size_t at = 1; result != 0; at++) {
      struct callsig_stats *stats = sample_load_seed();
      allocations = 0;
      failing_at = at;
      result = export_to(stats, formats[i], out);
      bool failed = allocations >= at;
      failing_at = 0;
      if (failed && result != -ENOMEM)
        fail_msg("%s: allocation %zu failed, and the result was %d", formats[i], at, result);
      assert_int_equal(result, failed ? -ENOMEM : 0);
      assert_int_equal(export_to(stats, formats[i], out), 0);
      callsig_stats_free(stats);
    }
  }
  fclose(out);
}

struct entry {
  uint32_t number;
  char rest[300];
};

static void permute(uint32_t count, uint32_t step)
{
  struct base_vector list = BASE_VECTOR_OF(struct entry);
  uint32_t *order = malloc((count + 1u) * sizeof *order);
  assert_non_null(order);
  for (uint32_t i = 0; i < count; i++) {
    struct entry *entry = base_vector_add(&list, 1);
    assert_non_null(entry);
    entry->number = i;
    memset(entry->rest, (int)(i & 0x7F), sizeof entry->rest);
    order[i] = (uint32_t)((uint64_t)i * step % count);
  }
  assert_int_equal(out_export_permute(&list, order), 0);
  for (uint32_t i = 0; i < count; i++) {
    const struct entry *entry = base_vector_at(&list, i);
    assert_int_equal(entry->number, (uint64_t)i * step % count);
    assert_int_equal(entry->rest[sizeof entry->rest - 1], entry->number & 0x7F);
  }
  base_vector_free(&list);
  free(order);
}

/* Lists put in order in place, with entries of any size: also larger than any that an export has now. */
static void any_entry(void **state)
{
  (void)state;
  permute(0, 1);
  permute(1, 1);
  permute(100, 1);   /* all stay */
  permute(100, 99);  /* pairs change places */
  permute(1009, 11); /* long rings */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formats_are_listed), cmocka_unit_test(refused),   cmocka_unit_test(folders),
      cmocka_unit_test(older_options),      cmocka_unit_test(full_disk), cmocka_unit_test(links_and_folders),
      cmocka_unit_test(no_memory),          cmocka_unit_test(any_entry),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
