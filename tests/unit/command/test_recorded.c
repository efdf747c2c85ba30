/* Samples of a run that is switched on and off: which of them were taken while it recorded, by headers made for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/beside/recorded.h"
#include "format/recording.h"

/* CLOCK_REALTIME when CLOCK_MONOTONIC is 0. */
#define EPOCH UINT64_C(1000000)

struct run {
  FILE *file;
  struct cli_recorded recorded;
};

static void begin(struct run *run)
{
  run->file = tmpfile();
  assert_non_null(run->file);
  cli_recorded_init(&run->recorded, fileno(run->file));
}

static void end(struct run *run)
{
  cli_recorded_free(&run->recorded);
  fclose(run->file);
}

/* The header says so when it is looked at `now`; `switched` 0: it was not switched yet. */
static void look(struct run *run, uint64_t now, bool is_off, uint64_t switched, uint32_t flags)
{
  const struct fmt_rec_header header = {
      .flags = flags, .is_off = is_off, .switched_ns = switched != 0 ? EPOCH + switched : 0};
  assert_int_equal(pwrite(fileno(run->file), &header, sizeof header, 0), sizeof header);
  assert_int_equal(cli_recorded_look(&run->recorded, now, EPOCH + now), 0);
}

static void expect(struct run *run, uint64_t time, enum cli_recorded_state state, uint64_t ns)
{
  assert_int_equal(cli_recorded_at(&run->recorded, time), state);
  assert_int_equal(run->recorded.ns, ns);
}

static void one_switch_between_looks(void **state)
{
  (void)state;
  struct run run;
  begin(&run);
  look(&run, 100, false, 0, 0);
  expect(&run, 90, CLI_RECORDED, 90);
  assert_false(run.recorded.was_switched);
  look(&run, 200, true, 150, 0);
  expect(&run, 149, CLI_RECORDED, 149);
  expect(&run, 150, CLI_NOT_RECORDED, 150);
  expect(&run, 199, CLI_NOT_RECORDED, 150);
  look(&run, 300, true, 150, 0);
  look(&run, 400, false, 310, 0);
  look(&run, 500, true, 420, 0);
  expect(&run, 309, CLI_NOT_RECORDED, 150);
  expect(&run, 330, CLI_RECORDED, 170);
  expect(&run, 450, CLI_NOT_RECORDED, 150 + 110);
  assert_true(run.recorded.was_switched);
  end(&run);
}

/* Between two looks it went off and on again: when it went off is not known. */
static void two_switches_between_looks(void **state)
{
  (void)state;
  struct run run;
  begin(&run);
  look(&run, 100, false, 0, 0);
  look(&run, 200, false, 180, 0);
  look(&run, 300, false, 180, 0);
  expect(&run, 99, CLI_RECORDED, 99);
  expect(&run, 101, CLI_NOT_KNOWN, 100);
  expect(&run, 179, CLI_NOT_KNOWN, 100);
  expect(&run, 181, CLI_RECORDED, 101);
  expect(&run, 299, CLI_RECORDED, 219);
  end(&run);
}

static void begins_off(void **state)
{
  (void)state;
  struct run run;
  begin(&run);
  look(&run, 100, true, 0, 0);
  expect(&run, 50, CLI_NOT_RECORDED, 0);
  look(&run, 200, false, 150, 0);
  expect(&run, 190, CLI_RECORDED, 40);
  end(&run);
}

/* Steps that warm up look like those that are recorded. */
static void schedule_is_not_known(void **state)
{
  (void)state;
  struct run run;
  begin(&run);
  for (uint64_t now = 100; now <= 300; now += 100) {
    look(&run, now, false, 0, FMT_REC_SCHEDULE);
    expect(&run, now - 50, CLI_NOT_KNOWN, 0);
  }
  end(&run);
}

/* Of another run, all counts; and so it does until there is a header. */
static void without_recording(void **state)
{
  (void)state;
  struct run run;
  begin(&run);
  assert_int_equal(cli_recorded_look(&run.recorded, 100, EPOCH + 100), 0);
  expect(&run, 50, CLI_RECORDED, 50);
  run.recorded.file = -1;
  look(&run, 200, true, 150, 0);
  expect(&run, 180, CLI_RECORDED, 180);
  end(&run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_switch_between_looks),
      cmocka_unit_test(two_switches_between_looks),
      cmocka_unit_test(begins_off),
      cmocka_unit_test(schedule_is_not_known),
      cmocka_unit_test(without_recording),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
