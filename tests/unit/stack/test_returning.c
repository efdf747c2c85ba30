/* Notes of calls whose value is told at their end: the hook that notes one is interrupted before it has filled the
 * place of its note, and the handler's calls need more room. */
#include <stdint.h>

#include "profiler/frame/returning.h"
#include "profiler/stack/thread.h"
#include "tests/support/check.h"

static struct prof_thread thread;
static struct fmt_rec_frame frames[1000];
static const struct fmt_rec_edge edge;

/* Opens call number `n`; false: there is no room. */
static bool begin(unsigned n)
{
  frames[n].cfa = 16 * (n + 1);
  return prof_returning_begins(&thread, &frames[n], frames[n].cfa, &edge);
}

int main(void)
{
  uint64_t before;
  unsigned count = 0;
  CHECK(prof_returning_prepare(&thread));
  while (thread.returning_count + 1 < thread.returning_room)
    CHECK(begin(count++));
  /* The last place is taken, and nothing is there. */
  thread.returning_count++;
  CHECK(!begin(count) && prof_returning_prepare(&thread) && begin(count));
  for (unsigned n = count + 1; n-- > 0;)
    CHECK(prof_returning_ends(&thread, &frames[n], &before));
  CHECK(thread.returning_count == 0);
  return 0;
}
