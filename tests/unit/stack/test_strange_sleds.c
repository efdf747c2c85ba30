/*
 * A sled in which a debugger has a breakpoint while recording is switched on: it stays as it is, and that is told once.
 */
/* ctest: records */
/* ctest: build _O2 -g -O2 @CALLSIG_TEST_SLEDS@ */
/* ctest: case - quick */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "profiler/base/process.h"
#include "profiler/stack/thread.h"
#include "tests/support/check.h"

#define QUIET    __attribute__((no_instrument_function, noinline))
#define NOINLINE __attribute__((noinline))

enum { INT3 = 0xcc };

static char told[512];
static unsigned lines;

static NOINLINE void work(void)
{
  __asm__ volatile("");
}

static QUIET void note(const char *line, void *unused)
{
  (void)unused;
  (void)snprintf(told, sizeof told, "%s", line);
  lines++;
}

/* Of the only function that is called. */
static QUIET uint64_t recorded_calls(void)
{
  return ((const struct fmt_rec_edge *)prof_self->tree.root->last)->calls;
}

/* Where the sled of work() is: the first instruction that is a call of a stub while recording is on. */
static QUIET uint8_t *sled_of_work(void)
{
  uint8_t *sled = memchr((void *)(uintptr_t)work, 0xe8, 16);
  CHECK(sled);
  return sled;
}

static QUIET void make_writable(const uint8_t *text)
{
  const uintptr_t page = (uintptr_t)text & ~(uintptr_t)(sysconf(_SC_PAGESIZE) - 1);
  CHECK(mprotect((void *)page, 2 * (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
}

QUIET int main(void)
{
  callsig_set_message(note, NULL);
  work();
  CHECK(recorded_calls() == 1 && lines == 0);
  uint8_t *sled = sled_of_work();
  CHECK(callsig_disable() == 0);
  make_writable(sled);
  const uint8_t first = *sled;
  for (unsigned i = 0; i < 2; i++) {
    *sled = INT3;
    CHECK(callsig_enable() == 0);
    CHECK(*sled == INT3 && lines == 1 && strstr(told, ": 1 of its sleds are not as the compiler left them"));
    *sled = first;
    work();
    CHECK(recorded_calls() == 1);
    CHECK(callsig_disable() == 0);
    make_writable(sled);
  }
  CHECK(callsig_enable() == 0);
  work();
  CHECK(recorded_calls() == 2 && lines == 1);
  return 0;
}
