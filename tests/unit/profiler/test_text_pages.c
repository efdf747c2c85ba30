/*
 * The protection of text around writing sleds: every part gets back what it had.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "profiler/base/proc_maps.h"
#include "profiler/sled/text_pages.h"
#include "tests/support/check.h"

#define PAGES 6u

static uintptr_t first;
static size_t page;

/* The protections of the pages, one letter each: those of the last mapping that was seen. */
struct seen {
  char letters[PAGES + 1];
};

static bool look(const struct prof_mapping *mapping, void *data)
{
  struct seen *seen = data;
  for (uint32_t i = 0; i < PAGES; i++)
    if (mapping->low <= first + i * page && first + i * page < mapping->high)
      seen->letters[i] = "-rwWxXeE"[mapping->readable + 2 * mapping->writable + 4 * mapping->executable];
  return true;
}

static struct seen now(void)
{
  struct seen seen = {"......"};
  CHECK(prof_proc_maps_walk(look, &seen) == 0);
  return seen;
}

static void set(uint32_t number, int protection)
{
  CHECK(mprotect((void *)(first + number * page), page, protection) == 0);
}

/* X: r-x, E: rwx, W: rw-, r: r--, x: --x. */
static void map(void)
{
  void *mapped = mmap((void *)first, PAGES * page, PROT_READ | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS | (first ? MAP_FIXED : 0), -1, 0);
  CHECK(mapped != MAP_FAILED);
  first = (uintptr_t)mapped;
  set(1, PROT_READ | PROT_WRITE | PROT_EXEC);
  set(2, PROT_READ);
  set(3, PROT_READ | PROT_WRITE);
  set(4, PROT_EXEC);
  CHECK(strcmp(now().letters, "XErWxX") == 0);
}

static void each_part_is_given_back(void)
{
  struct prof_text_pages pages;
  map();
  CHECK(prof_text_open(&pages, first + 8, first + (PAGES - 1) * page + 1, true, PROT_READ | PROT_EXEC) == 0);
  CHECK(strcmp(now().letters, "EEWWEE") == 0);
  memset((void *)first, 0x90, PAGES * page);
  prof_text_close(&pages);
  CHECK(strcmp(now().letters, "XErWxX") == 0);
}

/* Where a loader may be at work, what is not executable may become so. */
static void what_may_change_is_left_alone(void)
{
  struct prof_text_pages pages;
  map();
  CHECK(prof_text_open(&pages, first, first + 3 * page, false, PROT_READ | PROT_EXEC) == -EAGAIN);
  CHECK(prof_text_open(&pages, first + 3 * page, first + 5 * page, false, PROT_READ | PROT_EXEC) == -EAGAIN);
  CHECK(strcmp(now().letters, "XErWxX") == 0);
  CHECK(prof_text_open(&pages, first, first + 2 * page, false, PROT_READ | PROT_EXEC) == 0);
  CHECK(strcmp(now().letters, "EErWxX") == 0);
  prof_text_close(&pages);
  CHECK(strcmp(now().letters, "XErWxX") == 0);
}

static void pages_beside_are_left_alone(void)
{
  struct prof_text_pages pages;
  map();
  CHECK(prof_text_open(&pages, first + 4 * page, first + 5 * page, true, PROT_READ | PROT_EXEC) == 0);
  CHECK(strcmp(now().letters, "XErWEX") == 0);
  prof_text_close(&pages);
  CHECK(strcmp(now().letters, "XErWxX") == 0);
}

static void a_gap_is_refused_and_nothing_changed(void)
{
  struct prof_text_pages pages;
  map();
  CHECK(munmap((void *)(first + 3 * page), page) == 0);
  CHECK(prof_text_open(&pages, first, first + PAGES * page, true, PROT_READ | PROT_EXEC) == -ENOMEM);
  CHECK(prof_text_open(&pages, first, first + PAGES * page, false, PROT_READ | PROT_EXEC) == -EAGAIN);
  CHECK(strcmp(now().letters, "XEr.xX") == 0);
}

/* Where /proc does not tell what they are: it cannot be opened here. Text is taken for text; of data that would be a
 * guess, after which its program could not write it any more. */
static void what_is_not_told_is_not_guessed(void)
{
  struct prof_text_pages pages;
  struct rlimit limit;
  map();
  CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  const struct rlimit none = {0, limit.rlim_max};
  CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
  const long refused = prof_text_open(&pages, first + 3 * page, first + 4 * page, true, 0);
  const long opened = prof_text_open(&pages, first, first + page, true, PROT_READ | PROT_EXEC);
  CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(refused == -EMFILE && opened == 0);
  CHECK(strcmp(now().letters, "EErWxX") == 0);
  prof_text_close(&pages);
  CHECK(strcmp(now().letters, "XErWxX") == 0);
}

int main(void)
{
  page = (size_t)sysconf(_SC_PAGESIZE);
  each_part_is_given_back();
  what_may_change_is_left_alone();
  pages_beside_are_left_alone();
  a_gap_is_refused_and_nothing_changed();
  what_is_not_told_is_not_guessed();
  return 0;
}
