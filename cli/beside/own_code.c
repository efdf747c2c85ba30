/* Tells samples in callsig's own code from those in the program's. */
#include "cli/beside/own_code.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/beside/code_map.h"
#include "cli/beside/recording_end.h"

/* Of a list, more than programs load in their lifetime. */
#define MOST_MODULES (1u << 20)

struct range {
  uint64_t start, end;
};

static bool is_own(int file, const struct fmt_rec_header *header, uint64_t path)
{
  char text[sizeof FMT_OWN_CODE];
  return cli_recording_read_name(file, header, path, text, sizeof text) && strcmp(text, FMT_OWN_CODE) == 0;
}

/* A list that leads nowhere ends there, and one that leads round after so many. */
static int find_ranges(int file, const struct fmt_rec_header *header, struct base_vector *ranges)
{
  struct fmt_rec_module module;
  uint64_t address = header->first_module;
  for (uint64_t left = MOST_MODULES; left > 0 && address; left--, address = module.next) {
    if (!cli_recording_read_at(file, header, address, &module, sizeof module) || module.tag.tag != FMT_TAG_MODULE)
      break;
    if (!is_own(file, header, module.path))
      continue;
    struct range *range = base_vector_add(ranges, 1);
    if (range == NULL)
      return -ENOMEM;
    *range = (struct range){module.start, module.end};
  }
  return 0;
}

static bool is_within(const struct base_vector *ranges, uint64_t address)
{
  for (uint32_t i = 0; i < ranges->count; i++) {
    const struct range *range = base_vector_at(ranges, i);
    if (range->start <= address && address < range->end)
      return true;
  }
  return false;
}

static int take_own(struct cli_samples *samples, const struct base_vector *ranges)
{
  uint32_t own;
  int error = base_strings_add(samples->strings, FMT_OWN_CODE, &own);
  for (uint32_t i = 0; error == 0 && i < samples->points.list.count; i++) {
    struct cli_point *point = base_vector_at(&samples->points.list, i);
    if (point->module == 0 && is_within(ranges, point->offset))
      samples->unmapped -= point->count;
    else if (point->module == 0 || !cli_is_runtime(base_strings_at(samples->strings, point->module)))
      continue;
    point->module = own;
    point->offset = 0;
  }
  cli_samples_sort(samples);
  return error;
}

int cli_own_code_find(const char *path, pid_t pid, struct cli_samples *samples)
{
  struct fmt_rec_header header;
  struct base_vector ranges = BASE_VECTOR_OF(struct range);
  uint64_t size;
  int file = cli_recording_end(path, pid, &header, &size);
  if (file < 0)
    return file;
  int error = find_ranges(file, &header, &ranges);
  if (error == 0)
    error = take_own(samples, &ranges);
  base_vector_free(&ranges);
  close(file);
  return error;
}
