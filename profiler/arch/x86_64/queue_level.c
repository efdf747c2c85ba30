/*
 * A queue's level, replaced as one word of 16 bytes.
 */
#include "profiler/pipeline/queue.h"

bool prof_level_replace(struct fmt_rec_queue_level *level, struct fmt_rec_queue_level *expected,
                        struct fmt_rec_queue_level wanted)
{
  bool replaced;
  __asm__ volatile("lock cmpxchg16b %1"
                   : "=@ccz"(replaced), "+m"(*level), "+a"(expected->items), "+d"(expected->empty_ticks)
                   : "b"(wanted.items), "c"(wanted.empty_ticks)
                   : "memory");
  return replaced;
}
