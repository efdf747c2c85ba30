/* First chunks of arenas are mapped many together, are given back to the kernel but for a few, and are zeroed; a child
 * leaves alone what its parent's slabs hold. */
/* ctest: wrap prof_map_own */
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/base/arena.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "tests/support/check.h"

#define ARENAS 1024u
#define SIZE   512u
#define ALWAYS 320u /* arenas of which the memory may stay */

long __real_prof_map_own(size_t size);
long __wrap_prof_map_own(size_t size);

static unsigned mappings;
static struct prof_arena arenas[ARENAS];
static uint8_t *memory[ARENAS];

long __wrap_prof_map_own(size_t size)
{
  mappings++;
  return __real_prof_map_own(size);
}

/* Is it zeroed, and nobody else's? Writes to all of it. */
static void take(unsigned i)
{
  memory[i] = prof_arena_alloc(&arenas[i], SIZE);
  CHECK(memory[i]);
  for (unsigned byte = 0; byte < SIZE; byte++) {
    CHECK(memory[i][byte] == 0);
    memory[i][byte] = 1;
  }
}

static int is_mapped(const uint8_t *at)
{
  unsigned char there;
  return mincore((void *)((uintptr_t)at & ~(uintptr_t)4095), 1, &there) == 0;
}

static unsigned count_mapped(void)
{
  unsigned count = 0;
  for (unsigned i = 0; i < ARENAS; i++)
    count += is_mapped(memory[i]) != 0;
  return count;
}

/* In this order: 7 has no divisor in common with their number. */
static void give_all(void)
{
  for (unsigned i = 0; i < ARENAS; i++)
    prof_arena_free(&arenas[i * 7 % ARENAS]);
}

static void give_in_child(void)
{
  int status = -1;
  pid_t child = fork();
  if (child == 0) {
    prof_process.slabs = (struct prof_arena_slabs){0};
    prof_process.epoch++;
    give_all();
    CHECK(count_mapped() == 0);
    take(0);
    CHECK(prof_process.slabs.first);
    _exit(0);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

int main(void)
{
  uint64_t mask = prof_block_signals();
  mappings = 0;
  for (unsigned i = 0; i < ARENAS; i++)
    take(i);
  CHECK(mappings <= ARENAS / 16);
  give_in_child();
  give_all();
  CHECK(count_mapped() <= ALWAYS);
  const unsigned before = mappings;
  for (unsigned i = 0; i < ALWAYS / 2; i++)
    take(i);
  CHECK(mappings == before);
  prof_restore_signals(mask);
  return 0;
}
