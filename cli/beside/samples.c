/* Keeps samples by file and place, in memory that grows with the code met and not with the time. */
#include "cli/beside/samples.h"

#include <errno.h>
#include <stdlib.h>

/* So many points that were not brought into order yet are kept at least. */
enum { UNSORTED_LEAST = 1 << 16 };

#define PAGE 4096u

int cli_samples_init(struct cli_samples *samples)
{
  *samples = (struct cli_samples){.points.list = BASE_VECTOR_OF(struct cli_point),
                                  .called.list = BASE_VECTOR_OF(struct cli_point)};
  samples->strings = base_strings_new();
  return samples->strings != NULL ? 0 : -ENOMEM;
}

void cli_samples_free(struct cli_samples *samples)
{
  base_strings_free(samples->strings);
  base_vector_free(&samples->points.list);
  base_vector_free(&samples->called.list);
  cli_unrecorded_free(&samples->unrecorded);
  samples->strings = NULL;
}

static int compare_points(const void *left, const void *right)
{
  const struct cli_point *a = left, *b = right;
  if (a->module != b->module)
    return a->module < b->module ? -1 : 1;
  if (a->offset != b->offset)
    return a->offset < b->offset ? -1 : 1;
  return (a->library > b->library) - (a->library < b->library);
}

static void sort(struct cli_points *points)
{
  struct cli_point *list = points->list.data;
  uint32_t kept = 0;
  if (points->list.count > 0)
    qsort(list, points->list.count, sizeof *list, compare_points);
  for (uint32_t i = 0; i < points->list.count; i++) {
    if (kept > 0 && compare_points(&list[kept - 1], &list[i]) == 0)
      list[kept - 1].count += list[i].count;
    else
      list[kept++] = list[i];
  }
  points->list.count = points->sorted = kept;
}

void cli_samples_sort(struct cli_samples *samples)
{
  sort(&samples->points);
  sort(&samples->called);
}

static int add(struct cli_points *points, uint32_t module, uint64_t offset, uint32_t library)
{
  if (points->list.count - points->sorted > UNSORTED_LEAST && points->list.count / 2 > points->sorted)
    sort(points);
  struct cli_point *point = base_vector_add(&points->list, 1);
  if (point == NULL)
    return -ENOMEM;
  *point = (struct cli_point){.module = module, .count = 1, .offset = offset, .library = library};
  return 0;
}

int cli_samples_add(struct cli_samples *samples, uint32_t module, uint64_t offset, uint32_t library)
{
  int error = library != 0 ? add(&samples->called, module, offset, library) : 0;
  if (error == 0)
    error = add(&samples->points, module, offset, 0);
  if (error == 0)
    samples->total++;
  return error;
}

int cli_samples_add_unmapped(struct cli_samples *samples, uint64_t address)
{
  samples->unmapped++;
  return cli_samples_add(samples, 0, address / PAGE * PAGE, 0);
}
