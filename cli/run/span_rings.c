/* Reads what threads' rings of spans got since the last look. */
#include "cli/run/span_rings.h"

#include <unistd.h>

#define MOST_STEPS 1000000u /* of a list that may lead into itself */

/* How far a thread's ring was read. */
struct seen {
  uint64_t serial, spans;
  uint64_t unfinished; /* a span that was being written at the last look, and 1; 0: none was */
};

/* One look. */
struct look {
  const struct fmt_rec_header *header;
  bool is_last;
  bool (*take)(const struct fmt_rec_span *span, void *data);
  void *data;
};

struct cli_span_rings cli_span_rings_of(int fd)
{
  return (struct cli_span_rings){.fd = fd, .seen = BASE_VECTOR_OF(struct seen)};
}

void cli_span_rings_free(struct cli_span_rings *rings)
{
  base_vector_free(&rings->seen);
}

static bool read_at(const struct cli_span_rings *rings, const struct fmt_rec_header *header, uint64_t address,
                    void *bytes, size_t size)
{
  const uint64_t offset = address - header->base;
  return address >= header->base && offset <= INT64_MAX - size &&
         pread(rings->fd, bytes, size, (off_t)offset) == (ssize_t)size;
}

/* The spans of one thread that were not looked at yet. False: no more are wanted. */
static bool look_at_ring(struct cli_span_rings *rings, const struct look *look, uint64_t address, struct seen *seen)
{
  struct fmt_rec_ring ring;
  if (!read_at(rings, look->header, address, &ring, sizeof ring) || ring.tag.tag != FMT_TAG_RING ||
      ring.capacity == 0 || (ring.capacity & (ring.capacity - 1)) != 0)
    return true;
  if (seen->spans > ring.written)
    seen->spans = 0;
  if (ring.written - seen->spans > ring.capacity) {
    rings->missed += ring.written - seen->spans - ring.capacity;
    seen->spans = ring.written - ring.capacity;
  }
  for (; seen->spans < ring.written; seen->spans++) {
    struct fmt_rec_span span;
    if (!read_at(rings, look->header, address + sizeof ring + (seen->spans & (ring.capacity - 1)) * sizeof span, &span,
                 sizeof span))
      return true;
    /* One that is being written is there at the next look, or nobody's. */
    if (span.kind == 0 && !look->is_last && seen->unfinished != seen->spans + 1) {
      seen->unfinished = seen->spans + 1;
      return true;
    }
    if (!look->take(&span, look->data))
      return false;
  }
  return true;
}

/* How far the thread was read; most often it is the one at `*from`, which moves on. NULL: no memory. */
static struct seen *find_seen(struct cli_span_rings *rings, uint64_t serial, uint32_t *from)
{
  const uint32_t count = rings->seen.count;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t place = (*from + i) % count;
    struct seen *seen = base_vector_at(&rings->seen, place);
    if (seen->serial == serial) {
      *from = place + 1;
      return seen;
    }
  }
  struct seen *added = base_vector_add(&rings->seen, 1);
  if (added != NULL)
    added->serial = serial;
  return added;
}

void cli_span_rings_look(struct cli_span_rings *rings, const struct fmt_rec_header *header, bool is_last,
                         bool (*take)(const struct fmt_rec_span *span, void *data), void *data)
{
  const struct look look = {header, is_last, take, data};
  struct fmt_rec_thread thread;
  uint64_t address = header->first_thread;
  uint32_t from = 0;
  for (uint32_t steps = 0; address != 0 && steps < MOST_STEPS; steps++, address = thread.next) {
    if (!read_at(rings, header, address, &thread, sizeof thread) || thread.tag.tag != FMT_TAG_THREAD)
      return;
    struct seen *seen = thread.ring != 0 ? find_seen(rings, thread.serial, &from) : NULL;
    if (seen != NULL && !look_at_ring(rings, &look, thread.ring, seen))
      return;
  }
}
