/* A recording's address range: how it grows where others map memory in its way, and what happens where it cannot. */
#include "profiler/base/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/base/own_memory.h"
#include "profiler/base/process.h"

#define PAGE     4096u
#define MEBIBYTE ((size_t)1 << 20)

/* Of what is mapped in the way: at most so many mappings. */
#define OBSTACLES 2u

static struct {
  void *start;
  size_t size;
} obstacles[OBSTACLES];
static unsigned obstacle_count;

static int start(void **state)
{
  (void)state;
  memset(&prof_process, 0, sizeof prof_process);
  obstacle_count = 0;
  prof_process.pid = (uint32_t)getpid();
  prof_process.settings.clock = FMT_CLOCK_MONOTONIC;
  prof_process.settings.memory_limit = 64 * MEBIBYTE;
  snprintf(prof_process.settings.output, sizeof prof_process.settings.output, "test_recording.%d", getpid());
  return 0;
}

static int stop(void **state)
{
  (void)state;
  for (unsigned i = 0; i < obstacle_count; i++)
    munmap(obstacles[i].start, obstacles[i].size);
  if (prof_process.header)
    munmap(prof_process.header, prof_process.allocated);
  return unlink(prof_process.path);
}

/* Maps something just there. */
static void obstruct(uintptr_t address, size_t size)
{
  void *mapped =
      mmap((void *)address, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  assert_ptr_equal(mapped, (void *)address);
  assert_in_range(obstacle_count, 0, OBSTACLES - 1);
  obstacles[obstacle_count].start = mapped;
  obstacles[obstacle_count++].size = size;
}

/* The end of what is mapped of the recording. */
static uintptr_t mapped_end(void)
{
  return (uintptr_t)prof_process.header + prof_process.allocated;
}

/* How many pages are given before none is. Each is written to. */
static unsigned count_pages(void)
{
  unsigned count = 0;
  for (uint8_t *page; (page = prof_record_alloc_run(PAGE)); count++)
    memset(page, 1, PAGE);
  return count;
}

/* What is mapped behind it later ends it there: all up to there is handed out, the recording says that it is full, and
 * nobody writes to what is another's. */
static void ends_at_what_others_map(void **state)
{
  (void)state;
  assert_int_equal(prof_recording_open(&prof_process, false), 0);
  obstruct(mapped_end() + 64 * PAGE, PAGE);
  const uint64_t before = prof_process.header->next;
  assert_int_equal(count_pages(), (MEBIBYTE + 64 * PAGE - before) / PAGE);
  assert_true(prof_process.full);
  assert_true(prof_process.header->flags & FMT_REC_FULL);
  assert_int_equal(mapped_end(), (uintptr_t)obstacles[0].start);
  assert_null(prof_record_alloc_run(PAGE));
}

/* Where the places that nobody else is likely to map at are taken, the kernel chooses one, in which it can grow. */
static void grows_in_a_hole(void **state)
{
  (void)state;
  /* Each place is tried at most once: so far is all that is asked for now. */
  const uintptr_t highest = prof_growing_place(PAGE), size = (uintptr_t)64 << 30;
  obstruct((highest - size) & ~(uintptr_t)(PAGE - 1), size + PAGE);
  assert_int_equal(prof_recording_open(&prof_process, false), 0);
  const uintptr_t header = (uintptr_t)prof_process.header;
  assert_true(header + MEBIBYTE <= (uintptr_t)obstacles[0].start ||
              header >= (uintptr_t)obstacles[0].start + obstacles[0].size);
  /* What others map meanwhile by the kernel's choice is not in its way. */
  void *others[48];
  for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
    others[i] = mmap(NULL, MEBIBYTE / 4, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(others[i], MAP_FAILED);
    uint8_t *run = prof_record_alloc_run(MEBIBYTE);
    assert_non_null(run);
    memset(run, 1, MEBIBYTE);
  }
  assert_false(prof_process.full);
  for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
    munmap(others[i], MEBIBYTE / 4);
}

/* Where the file can be opened no more, the recording grows into the room that was kept before, as far as that goes,
 * and no page of it has no space. */
static void grows_out_of_reach(void **state)
{
  (void)state;
  assert_int_equal(prof_recording_open(&prof_process, false), 0);
  prof_recording_keep_room(); /* up to the limit that start() sets */
  struct stat status;
  assert_int_equal(stat(prof_process.path, &status), 0);
  assert_int_equal(status.st_size, 64 * MEBIBYTE);
  assert_true((uint64_t)status.st_blocks * 512 < 2 * MEBIBYTE);
  assert_int_equal(rename(prof_process.path, "test_recording.away"), 0);
  const uint64_t before = prof_process.header->next;
  assert_int_equal(count_pages(), (64 * MEBIBYTE - before) / PAGE);
  assert_true(prof_process.full);
  assert_int_equal(rename("test_recording.away", prof_process.path), 0);
}

/* The room is what limits leave of it. */
static void keeps_room_within_limits(void **state)
{
  (void)state;
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  prof_process.settings.memory_limit = 4 * MEBIBYTE;
  assert_int_equal(prof_recording_open(&prof_process, false), 0);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){3 * MEBIBYTE + 1, before.rlim_max}), 0);
  prof_recording_keep_room();
  assert_int_equal(prof_process.room, 3 * MEBIBYTE);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  prof_recording_keep_room();
  assert_int_equal(prof_process.room, 4 * MEBIBYTE);
  struct stat status;
  assert_int_equal(stat(prof_process.path, &status), 0);
  assert_int_equal(status.st_size, 4 * MEBIBYTE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(ends_at_what_others_map, start, stop),
                                     cmocka_unit_test_setup_teardown(grows_in_a_hole, start, stop),
                                     cmocka_unit_test_setup_teardown(grows_out_of_reach, start, stop),
                                     cmocka_unit_test_setup_teardown(keeps_room_within_limits, start, stop)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
