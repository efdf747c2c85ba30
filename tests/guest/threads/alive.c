/* Thousands of threads that are alive at once, each with a few calls: what the process holds for each stays small.
 * argv[1]: how many. */
#include "tests/guest/guest.h"

#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#define OWN_BYTES  9000 /* of a thread without callsig: two pages of its stack, and the C library's share */
#define MOST_BYTES (16 * 1024)

COUNTER(leaf);
COUNTER(middle);
COUNTER(body);

static pthread_barrier_t all_are_there, all_may_go;

static int leaf(int x)
{
  HIT(leaf);
  KEEP(x);
  return x + 1;
}

static int middle(int x)
{
  HIT(middle);
  return leaf(x) + leaf(x + 1);
}

static void *body(void *data)
{
  HIT(body);
  for (int i = 0; i < 10; i++)
    middle(*(int *)data);
  pthread_barrier_wait(&all_are_there);
  pthread_barrier_wait(&all_may_go);
  return NULL;
}

/* Private memory that the process has, and what its recording takes of the disk. */
static QUIET long bytes_held(void)
{
  const char *path = getenv("CALLSIG_OUTPUT");
  struct stat file;
  char line[200];
  long kilobytes = 0;
  FILE *status = fopen("/proc/self/status", "r");
  CHECK(status);
  while (fgets(line, sizeof line, status))
    if (strncmp(line, "RssAnon:", 8) == 0)
      kilobytes = atol(line + 8);
  fclose(status);
  CHECK(kilobytes > 0);
  return kilobytes * 1024 + (path && stat(path, &file) == 0 ? (long)file.st_blocks * 512 : 0);
}

int main(int argc, char **argv)
{
  unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 4000;
  pthread_t *threads = calloc(count, sizeof *threads);
  pthread_attr_t small;
  int value = 3;
  CHECK(threads && pthread_attr_init(&small) == 0 && pthread_attr_setstacksize(&small, 64 << 10) == 0);
  CHECK(pthread_barrier_init(&all_are_there, NULL, count + 1) == 0);
  CHECK(pthread_barrier_init(&all_may_go, NULL, count + 1) == 0);
  long before = bytes_held();
  for (unsigned i = 0; i < count; i++)
    CHECK(pthread_create(&threads[i], &small, body, &value) == 0);
  pthread_barrier_wait(&all_are_there);
  long each = (bytes_held() - before) / (long)count - OWN_BYTES;
  if (each > MOST_BYTES) {
    fprintf(stderr, "%ld bytes for each thread\n", each);
    return 1;
  }
  pthread_barrier_wait(&all_may_go);
  for (unsigned i = 0; i < count; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  free(threads);
  TELL(leaf);
  TELL(middle);
  TELL(body);
  printf("count main 1\n");
  return 0;
}
