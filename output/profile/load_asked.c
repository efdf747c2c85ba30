/* Reads what was asked the allocator for by an edge's calls. */
#include <errno.h>

#include "output/profile/load.h"

static void add(uint64_t *sum, uint64_t more)
{
  *sum = more > UINT64_MAX - *sum ? UINT64_MAX : *sum + more;
}

void out_asked_add(struct out_asked *sum, const struct out_asked *more)
{
  add(&sum->calls, more->calls);
  add(&sum->bytes, more->bytes);
  add(&sum->freed_calls, more->freed_calls);
  add(&sum->freed_bytes, more->freed_bytes);
  add(&sum->lost_calls, more->lost_calls);
  add(&sum->lost_bytes, more->lost_bytes);
}

/* What a record says. Of a process that runs on, a block may be freed between the reading of the one count and that of
 * the other: no more is freed than was asked for. */
static struct out_asked accept(const struct fmt_rec_asked *record)
{
  struct out_asked asked = {.calls = record->calls,
                            .bytes = record->bytes,
                            .lost_calls = out_at_most(record->lost_calls, record->calls),
                            .lost_bytes = out_at_most(record->lost_bytes, record->bytes)};
  asked.freed_calls = out_at_most(record->freed_calls, asked.calls - asked.lost_calls);
  asked.freed_bytes = out_at_most(record->freed_bytes, asked.bytes - asked.lost_bytes);
  return asked;
}

int out_load_asked(struct out_loader *loader, uint64_t address, uint32_t flags, struct out_asked *asked)
{
  *asked = (struct out_asked){0};
  if (!(flags & FMT_EDGE_ASKS) || loader->is_late)
    return 0;
  const uint64_t before = flags & FMT_EDGE_SAMPLED ? sizeof(struct fmt_rec_sampling) : 0;
  const struct fmt_rec_asked_list *list =
      out_recording_record(loader->recording, address - before - sizeof *list, FMT_TAG_ASKED_LIST, sizeof *list);
  if (!list) {
    loader->recording->damaged++;
    return 0;
  }
  uint64_t next = list->first;
  struct fmt_rec_asked record;
  int found;
  while ((found = out_recording_next(loader->recording, &loader->asked, next, FMT_TAG_ASKED, &record, sizeof record)) >
         0) {
    const struct out_asked more = accept(&record);
    out_asked_add(asked, &more);
    next = record.next;
  }
  return found;
}

int out_load_edge_asked(struct out_loader *loader, uint64_t address, uint32_t flags, struct out_edge *edge)
{
  struct out_asked asked;
  int result = out_load_asked(loader, address, flags, &asked);
  if (result < 0 || asked.calls == 0)
    return result;
  struct out_asked *added = base_vector_add(&loader->profile->asked, 1);
  if (!added)
    return -ENOMEM;
  *added = asked;
  edge->asked = loader->profile->asked.count - 1;
  return 0;
}
