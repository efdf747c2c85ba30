/*
 * Two threads that switch recording at once, one on and the other off: whichever comes last, all that says whether it
 * is on says the same.
 */
/* ctest: records */
/* ctest: build _O2 -g -O2 -finstrument-functions */
/* ctest: build _sleds -g -O2 @CALLSIG_TEST_SLEDS@ */
/* ctest: case - quick 3000 */
/* ctest: case _long full 100000 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "format/pauses.h"
#include "format/recording.h"
#include "profiler/base/process.h"
#include "tests/support/check.h"

#define QUIET __attribute__((no_instrument_function, noinline))

static pthread_barrier_t barrier;
static volatile int ends;

static __attribute__((noinline)) void work(void)
{
  __asm__ volatile("");
}

static QUIET void *switch_off(void *data)
{
  for (;;) {
    pthread_barrier_wait(&barrier);
    if (ends)
      return data;
    CHECK(callsig_disable() == 0);
    pthread_barrier_wait(&barrier);
  }
}

static QUIET void check_all_agree(void)
{
  const struct fmt_rec_header *header = prof_process.header;
  const struct fmt_rec_pauses *pauses = (const struct fmt_rec_pauses *)header->pauses;
  const bool off = !callsig_is_enabled();
  CHECK(header->is_off == off && (pauses && pauses->since != 0) == off);
  CHECK(!prof_process.upcalls.switch_sleds || prof_process.sleds_out == off);
}

QUIET int main(int argc, char **argv)
{
  pthread_t thread;
  (void)callsig_start(NULL); /* with sleds it has begun */
  CHECK(argc == 2 && callsig_path() && pthread_barrier_init(&barrier, NULL, 2) == 0);
  CHECK(pthread_create(&thread, NULL, switch_off, NULL) == 0);
  for (int i = atoi(argv[1]); i > 0; i--) {
    if (i % 2)
      CHECK(callsig_enable() == 0);
    work();
    pthread_barrier_wait(&barrier);
    CHECK(callsig_enable() == 0);
    pthread_barrier_wait(&barrier);
    check_all_agree();
  }
  ends = 1;
  pthread_barrier_wait(&barrier);
  CHECK(pthread_join(thread, NULL) == 0 && callsig_enable() == 0);
  work();
  check_all_agree();
  CHECK(unlink(callsig_path()) == 0);
  return 0;
}
