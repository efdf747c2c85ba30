/* What the formats write with: bytes and texts to the output, ticks as nanoseconds, lists and rows in order. */
#include "output/export/export_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int out_export_write(const struct out_export *export, const void *bytes, size_t size)
{
  return fwrite(bytes, 1, size, export->out) == size ? 0 : -EIO;
}

int out_packed_room(struct out_packed *packed, size_t size)
{
  if (size <= packed->size)
    return 0;
  uint8_t *larger = realloc(packed->bytes, 2 * size);
  if (!larger)
    return -ENOMEM;
  packed->bytes = larger;
  packed->size = 2 * size;
  return 0;
}

int out_export_flush(const struct out_export *export, struct out_text *text)
{
  int result = text->failed ? -ENOMEM : out_export_write(export, text->data, text->length);
  out_text_clear(text);
  return result;
}

uint64_t out_export_nanoseconds(struct out_export_clock *clock, uint64_t ticks)
{
  clock->ticks += ticks;
  long double exact = (long double)clock->ticks * (long double)clock->tick * 1e9L + 0.5L;
  uint64_t sum = exact >= (long double)UINT64_MAX ? UINT64_MAX : (uint64_t)exact, before = clock->nanoseconds;
  clock->nanoseconds = sum;
  return sum - before;
}

int out_export_permute(struct base_vector *list, uint32_t *order)
{
  char *data = list->data;
  size_t size = list->entry_size;
  char *taken = malloc(size);
  if (!taken)
    return -ENOMEM;
  for (uint32_t i = 0; i < list->count; i++) {
    if (order[i] == i)
      continue;
    memcpy(taken, data + i * size, size);
    uint32_t hole = i;
    for (uint32_t next; (next = order[hole]) != i; hole = next) {
      memcpy(data + hole * size, data + next * size, size);
      order[hole] = hole;
    }
    memcpy(data + hole * size, taken, size);
    order[hole] = hole;
  }
  free(taken);
  return 0;
}

uint32_t *out_export_order(const struct callsig_stats *stats)
{
  uint32_t *order = malloc((stats->listed + 1u) * sizeof *order);
  if (!order)
    return NULL;
  memcpy(order, stats->order, stats->listed * sizeof *order);
  const struct out_sort by_name_alone = {.count = 0};
  struct out_names names = out_stats_names(stats);
  if (out_sort_rows(&by_name_alone, &stats->rows, NULL, &names, order, stats->listed) < 0) {
    free(order);
    return NULL;
  }
  return order;
}
