/*
 * The times in which nothing is recorded: kept as they are while there is a place for each, and by their sum, in order,
 * when there are more; through periods and forks.
 */
/* ctest: records */
/* ctest: build _O2 -g -O2 -finstrument-functions */
/* ctest: case _plain quick plain */
/* ctest: case _off quick off */
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "format/pauses.h"
#include "profiler/base/clock.h"
#include "tests/support/stage_records.h"

static QUIET const struct fmt_rec_pauses *pauses(void)
{
  return (const struct fmt_rec_pauses *)prof_process.header->pauses;
}

static QUIET void wait_a_moment(void)
{
  nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

/* Off for a moment, of at least that many and at most so many ticks. */
static QUIET void pause_once(uint64_t *least, uint64_t *most)
{
  const uint64_t before = prof_clock_now();
  CHECK(callsig_disable() == 0);
  const uint64_t from = prof_clock_now();
  wait_a_moment();
  *least += prof_clock_now() - from;
  CHECK(callsig_enable() == 0);
  *most += prof_clock_now() - before;
}

static QUIET uint64_t sum_of(const struct fmt_rec_pauses *record)
{
  uint64_t sum = 0, before = prof_process.header->start.ticks;
  CHECK(record->tag.tag == FMT_TAG_PAUSES && record->tag.size == sizeof *record && record->sequence % 2 == 0);
  for (uint32_t i = 0; i < record->count; i++) {
    const struct fmt_rec_pause *pause = &record->list[i];
    CHECK(pause->from >= before && pause->until > pause->from && pause->ticks <= pause->until - pause->from);
    before = pause->until;
    sum += pause->ticks;
  }
  return sum;
}

static QUIET void test_many(void)
{
  uint64_t least = 0, most = 0;
  CHECK(callsig_enable() == 0 && pauses() == NULL);
  pause_once(&least, &most);
  CHECK(pauses() && pauses()->count == 1 && pauses()->since == 0);
  CHECK(pauses()->list[0].ticks == pauses()->list[0].until - pauses()->list[0].from);
  for (unsigned i = 1; i < FMT_PAUSES; i++)
    pause_once(&least, &most);
  CHECK(pauses()->count == FMT_PAUSES);
  for (unsigned i = 0; i < 300; i++)
    pause_once(&least, &most);
  CHECK(pauses()->count == FMT_PAUSES && callsig_disable() == 0 && callsig_disable() == 0);
  const uint64_t sum = sum_of(pauses());
  CHECK(sum >= least && sum <= most);
  CHECK(pauses()->since >= pauses()->list[FMT_PAUSES - 1].until);
}

/* What was before a period is forgotten, but that it is off. */
static QUIET void test_period(void)
{
  CHECK(callsig_reset() == 0);
  CHECK(pauses()->count == 0 && pauses()->since == prof_process.header->start.ticks);
  CHECK(callsig_enable() == 0 && pauses()->count == 1 && pauses()->since == 0);
  CHECK(callsig_reset() == 0 && pauses()->count == 0 && pauses()->since == 0);
}

/* A child that was forked while it was off begins so. */
static QUIET void test_fork(void)
{
  CHECK(callsig_disable() == 0);
  const pid_t child = fork();
  if (child == 0) {
    CHECK(callsig_enable() == 0);
    CHECK(pauses()->count == 1 && pauses()->list[0].from == prof_process.header->start.ticks);
    unlink(callsig_path());
    _exit(0);
  }
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  CHECK(callsig_enable() == 0 && pauses()->count == 1 && sum_of(pauses()) > 0);
}

static QUIET void test_begins_off(void)
{
  const struct callsig_options options = {.size = sizeof options, .start_disabled = 1};
  CHECK(callsig_start(&options) == 0 && pauses() && pauses()->since == prof_process.header->start.ticks);
  wait_a_moment();
  CHECK(callsig_enable() == 0 && pauses()->count == 1);
  CHECK(pauses()->list[0].from == prof_process.header->start.ticks && pauses()->since == 0);
}

QUIET int main(int argc, char **argv)
{
  (void)argc;
  if (strcmp(argv[1], "off") == 0) {
    test_begins_off();
  } else {
    test_many();
    test_period();
    test_fork();
  }
  CHECK(unlink(callsig_path()) == 0);
  return 0;
}
