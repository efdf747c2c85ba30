/* A program that brings its own malloc, and instruments it. */
/* hazard: expect counted */
/* hazard: expect static after falls: the first calls, before the runtime is set up, are not recorded nor counted */
/* hazard: expect static clang falls: likewise */
#include "tests/guest/guest.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

COUNTER(malloc);
COUNTER(free);
COUNTER(calloc);
COUNTER(realloc);
COUNTER(take);

union block {
  struct {
    size_t size;
    union block *next;
  } header;
  char align[32];
};

static char heap[64u << 20] __attribute__((aligned(64)));
static size_t used;
static union block *bins[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int inside;

static union block *take(unsigned bin)
{
  HIT(take);
  union block *block = bins[bin];
  if (block) {
    bins[bin] = block->header.next;
    return block;
  }
  size_t size = sizeof(union block) + ((size_t)1 << bin);
  if (used + size > sizeof heap)
    return NULL;
  block = (union block *)(void *)(heap + used);
  used += size;
  block->header.size = (size_t)1 << bin;
  return block;
}

static QUIET unsigned bin_of(size_t size)
{
  unsigned bin = 5;
  while (((size_t)1 << bin) < size)
    bin++;
  return bin;
}

void *malloc(size_t size)
{
  HIT(malloc);
  pthread_mutex_lock(&lock);
  if (inside)
    abort(); /* the profiler called malloc from a hook of malloc */
  inside = 1;
  union block *block = take(bin_of(size));
  inside = 0;
  pthread_mutex_unlock(&lock);
  if (!block)
    errno = ENOMEM;
  return block ? block + 1 : NULL;
}

void free(void *data)
{
  HIT(free);
  if (!data)
    return;
  union block *block = (union block *)data - 1;
  unsigned bin = bin_of(block->header.size);
  pthread_mutex_lock(&lock);
  block->header.next = bins[bin];
  bins[bin] = block;
  pthread_mutex_unlock(&lock);
}

void *calloc(size_t count, size_t size)
{
  HIT(calloc);
  void *data = malloc(count * size);
  if (data)
    memset(data, 0, count * size);
  return data;
}

void *realloc(void *old, size_t size)
{
  HIT(realloc);
  void *data = malloc(size);
  if (data && old) {
    size_t before = ((union block *)old - 1)->header.size;
    memcpy(data, old, before < size ? before : size);
    free(old);
  }
  return data;
}

static void *churn(void *data)
{
  for (size_t i = 0; i < 20000; i++) {
    /* Nothing is asked for, too. NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI) */
    char *p = malloc(i % 500);
    char *q = calloc(3, i % 100);
    char *larger = realloc(p, i % 900 + 1);
    CHECK(larger && q);
    larger[0] = 1;
    free(q);
    free(larger);
  }
  return data;
}

int main(void)
{
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, churn, NULL) == 0);
  churn(NULL);
  CHECK(pthread_join(thread, NULL) == 0);
  printf("done\n");
  unsigned long mallocs = count_of_malloc, frees = count_of_free, callocs = count_of_calloc;
  fflush(stdout);
  CHECK(count_of_malloc == mallocs);
  char line[256];
  int length = snprintf(line, sizeof line, "varies malloc %lu\nvaries free %lu\nvaries calloc %lu\nvaries take %lu\n",
                        mallocs, frees, callocs, count_of_take);
  CHECK(length > 0);
  fwrite(line, 1, (size_t)length, stdout);
  TELL(realloc);
  printf("count churn 2\ncount main 1\n");
  fflush(stdout);
  _Exit(0);
}
