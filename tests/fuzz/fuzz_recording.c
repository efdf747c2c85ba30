/*
 * Any bytes as a recording, read and printed in every way. A corrupted signature index inside of it is given a checksum
 * that fits, so that what is behind the checksum is reached.
 */
/* ctest: case - quick 500 recording @CALLSIG_FUZZ@/recordings/more-functions-than-signatures */
/* ctest: case .found quick 100 @CALLSIG_FUZZ@/recordings/more-calls-than-there-are-numbers */
/* ctest: case .circle quick 100 @CALLSIG_FUZZ@/recordings/action-below-itself */
/* ctest: case .made quick 300 @CALLSIG_FUZZ_PIPELINE@ @CALLSIG_FUZZ_MERGED@ @CALLSIG_FUZZ_RANKS@ */
/* ctest: case .long full 100000 recording */
/* ctest: case .functions full 20000 @CALLSIG_FUZZ@/recordings/more-functions-than-signatures */
#include "tests/fuzz/fuzz.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "output/recording/recording.h"
#include "output/stats/stats_object.h"

enum { SIMULATED = 97 }; /* one in so many inputs, by the sum of its bytes */

fuzz_mutate_fn *const fuzz_mutate = fuzz_mutate_recording;

static void ignore(const char *line, void *data)
{
  (void)line;
  (void)data;
}

static void mend_checksums(unsigned char *data, size_t size)
{
  for (size_t at = 0; at + sizeof(struct fmt_index_header) <= size; at += 8) {
    struct fmt_index_header header;
    memcpy(&header, data + at, sizeof header);
    if (memcmp(header.magic, FMT_INDEX_MAGIC, sizeof header.magic) != 0 || header.file_size > size - at ||
        header.header_size > header.file_size)
      continue;
    header.checksum = XXH64(data + at + header.header_size, header.file_size - header.header_size, 0);
    memcpy(data + at, &header, sizeof header);
  }
}

typedef int (*print_fn)(struct callsig_stats *, FILE *, const char *const *, size_t);

static void print(struct callsig_stats *stats, print_fn function)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    abort();
  function(stats, out, NULL, 0);
  fclose(out);
  free(text);
}

static void print_laws(struct callsig_stats *stats, const char *format)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    abort();
  struct callsig_stats_scaling wanted = {.size = sizeof wanted, .format = format, .all = 1};
  callsig_stats_scaling(stats, &wanted, out, NULL, 0);
  fclose(out);
  free(text);
}

/* What the hooks cost, and what ranks took of their functions. */
static void print_costs(struct callsig_stats *stats)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    abort();
  struct callsig_stats_score wanted = {.size = sizeof wanted};
  callsig_stats_score(stats, &wanted, out, NULL, 0);
  callsig_stats_group(stats, CALLSIG_BY_SIGNATURE | CALLSIG_BY_RANK);
  callsig_stats_print_balance(stats, out);
  callsig_stats_group(stats, CALLSIG_BY_FUNCTION);
  callsig_stats_print_balance(stats, out);
  fclose(out);
  free(text);
}

/* A page shows what is predicted of pipelines, which takes far longer than all else: it is made of few inputs. */
static bool is_made(const char *format, bool simulated)
{
  return simulated || strcmp(format, "html") != 0;
}

static void export_all(struct callsig_stats *stats, bool simulated)
{
  for (size_t i = 0; callsig_stats_export_format(i); i++) {
    if (!is_made(callsig_stats_export_format(i), simulated))
      continue;
    struct callsig_stats_export wanted = {.size = sizeof wanted, .format = callsig_stats_export_format(i)};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
      abort();
    callsig_stats_export(stats, &wanted, out);
    fclose(out);
    free(text);
  }
}

/* What is told apart by stages, processes and call stacks, and the tables that are not pstats's. */
static void print_views(struct callsig_stats *stats)
{
  struct callsig_stats_style style = {.size = sizeof style,
                                      .columns = "+tottime%,min,p50,p99,alloc,wait,cumwait",
                                      .unit = CALLSIG_UNIT_AUTO,
                                      .width = 70,
                                      .color = 1};
  callsig_stats_set_style(stats, &style);
  callsig_stats_group(stats, CALLSIG_BY_STAGE | CALLSIG_BY_PROCESS);
  print(stats, callsig_stats_print);
  callsig_stats_group(stats, CALLSIG_BY_SIGNATURE | CALLSIG_BY_STAGE | CALLSIG_BY_RANK);
  callsig_stats_stack(stats, 3);
  print(stats, callsig_stats_print_averages);
  print(stats, callsig_stats_print_callers);
  struct callsig_stats_filter filter = {.size = sizeof filter, .stage = "d*"};
  callsig_stats_filter(stats, &filter);
  print(stats, callsig_stats_print_json);
}

static void print_all(struct callsig_stats *stats, bool simulated)
{
  print_laws(stats, "json");
  print_laws(stats, "csv");
  export_all(stats, simulated);
  print(stats, callsig_stats_print_json);
  callsig_stats_sort(stats, "stdname");
  print(stats, callsig_stats_print_callers);
  struct callsig_stats_filter filter = {.size = sizeof filter, .signature = "w > 3 || name == \"a\" || t.shape[1] < 9"};
  if (callsig_stats_filter(stats, &filter) == 0)
    print(stats, callsig_stats_print);
  filter.signature = NULL;
  callsig_stats_filter(stats, &filter);
  callsig_stats_strip_dirs(stats);
  callsig_stats_compensate(stats, 1);
  callsig_stats_group(stats, CALLSIG_BY_FUNCTION | CALLSIG_BY_THREAD | CALLSIG_BY_MODULE);
  print(stats, callsig_stats_print_csv);
  print(stats, callsig_stats_print_callees);
  export_all(stats, simulated);
  print_views(stats);
  print_costs(stats);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  callsig_stats_set_message(ignore, NULL);
  unsigned char *copy = malloc(size + 1);
  struct callsig_stats *stats;
  struct out_recording recording;
  size_t sum = 0;
  if (!copy)
    abort();
  memcpy(copy, data, size);
  for (size_t i = 0; i < size; i++)
    sum += data[i];
  mend_checksums(copy, size);
  if (out_recording_from_memory("input", copy, size, &recording) == 0) {
    if (callsig_stats_new(&(struct callsig_stats_options){.size = sizeof(struct callsig_stats_options), .timeline = 1},
                          &stats) < 0)
      abort();
    if (out_stats_take(stats, &recording, NULL) == 0)
      print_all(stats, sum % SIMULATED == 0);
    callsig_stats_free(stats);
  }
  free(copy);
  return 0;
}
