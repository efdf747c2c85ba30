/*
 * The sleds of a forked child call its parent's stubs, and are as good as if they called its own: nothing is said of
 * them when its own are made, and they are switched off and on.
 */
/* ctest: skips - */
/* ctest: records */
/* ctest: build _O2 -g -O2 @CALLSIG_TEST_SLEDS@ */
/* ctest: case - quick */
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "format/index.h"
#include "format/sled.h"
#include "profiler/arch/x86_64/sled_text/sled_text.h"
#include "profiler/base/process.h"
#include "profiler/module/module.h"
#include "profiler/stack/thread.h"
#include "tests/support/check.h"

#define QUIET   __attribute__((no_instrument_function, noinline))
#define SKIPPED 77

static __attribute__((noinline)) void work(void)
{
  __asm__ volatile("");
}

static QUIET void on_message(const char *message, void *data)
{
  fprintf(stderr, "%s\n", message);
  ++*(unsigned *)data;
}

/* How many of the program's own sleds are calls. */
static QUIET uint32_t sleds_on(void)
{
  uint32_t count = 0;
  for (const struct prof_module *module = prof_process.modules; module; module = module->next)
    for (uint32_t i = 0; module->sled_code && i < module->index.count[FMT_SECTION_SLEDS]; i++)
      count += prof_sled_called(module->index.sleds[i].address + module->bias, module->index.sleds[i].shape) != 0;
  return count;
}

static QUIET void switch_in_child(uint32_t all)
{
  unsigned messages = 0;
  callsig_set_message(on_message, &messages);
  work();
  CHECK(prof_process.epoch == 1 && callsig_disable() == 0 && callsig_enable() == 0);
  CHECK(messages == 0 && sleds_on() == all);
  for (unsigned i = 0; i < 3; i++) {
    CHECK(callsig_disable() == 0 && sleds_on() == 0);
    work();
    CHECK(callsig_enable() == 0 && sleds_on() == all);
    work();
  }
  CHECK(messages == 0 && unlink(callsig_path()) == 0);
}

QUIET int main(void)
{
  work();
  CHECK(callsig_path());
  const uint32_t all = sleds_on();
  if (all == 0) {
    CHECK(unlink(callsig_path()) == 0);
    return SKIPPED;
  }
  const pid_t child = fork();
  if (child == 0) {
    switch_in_child(all);
    _exit(0);
  }
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0 && sleds_on() == all);
  CHECK(unlink(callsig_path()) == 0);
  return 0;
}
