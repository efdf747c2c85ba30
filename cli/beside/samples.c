/* Keeps samples by file and place, in memory that grows with the code met and not with the time. */
#include "cli/beside/samples.h"

#include <errno.h>
#include <stdlib.h>

/* So many points that were not brought into order yet are kept at least. */
enum { UNSORTED_LEAST = 1 << 16 };

#define PAGE 4096u

int cli_samples_init(struct cli_samples *samples)
{
  *samples = (struct cli_samples){.points = BASE_VECTOR_OF(struct cli_point)};
  samples->strings = base_strings_new();
  return samples->strings != NULL ? 0 : -ENOMEM;
}

void cli_samples_free(struct cli_samples *samples)
{
  base_strings_free(samples->strings);
  base_vector_free(&samples->points);
  samples->strings = NULL;
}

static int compare_points(const void *left, const void *right)
{
  const struct cli_point *a = left, *b = right;
  if (a->module != b->module)
    return a->module < b->module ? -1 : 1;
  return (a->offset > b->offset) - (a->offset < b->offset);
}

void cli_samples_sort(struct cli_samples *samples)
{
  struct cli_point *points = samples->points.data;
  uint32_t kept = 0;
  if (samples->points.count > 0)
    qsort(points, samples->points.count, sizeof *points, compare_points);
  for (uint32_t i = 0; i < samples->points.count; i++) {
    if (kept > 0 && compare_points(&points[kept - 1], &points[i]) == 0)
      points[kept - 1].count += points[i].count;
    else
      points[kept++] = points[i];
  }
  samples->points.count = samples->sorted = kept;
}

int cli_samples_add(struct cli_samples *samples, uint32_t module, uint64_t offset)
{
  if (samples->points.count - samples->sorted > UNSORTED_LEAST && samples->points.count / 2 > samples->sorted)
    cli_samples_sort(samples);
  struct cli_point *point = base_vector_add(&samples->points, 1);
  if (point == NULL)
    return -ENOMEM;
  *point = (struct cli_point){.module = module, .count = 1, .offset = offset};
  samples->total++;
  return 0;
}

int cli_samples_add_unmapped(struct cli_samples *samples, uint64_t address)
{
  samples->unmapped++;
  return cli_samples_add(samples, 0, address / PAGE * PAGE);
}
