/* Many short threads, four at a time, with one that lives through all of them. argv[1]: how many. */
#include "tests/guest/guest.h"

#include <pthread.h>
#include <stdint.h>

COUNTER(leaf);
COUNTER(body);

static int leaf(int x)
{
  HIT(leaf);
  KEEP(x);
  return x + 1;
}

static void *body(void *data)
{
  HIT(body);
  for (int i = 0; i < 3; i++)
    leaf((int)(intptr_t)data + i);
  return NULL;
}

int main(int argc, char **argv)
{
  int count = argc > 1 ? atoi(argv[1]) : 100000;
  for (int i = 0; i < count; i += 4) {
    pthread_t threads[4];
    for (int k = 0; k < 4; k++)
      CHECK(pthread_create(&threads[k], NULL, body, (void *)(intptr_t)(i % 5)) == 0);
    for (int k = 0; k < 4; k++)
      CHECK(pthread_join(threads[k], NULL) == 0);
  }
  TELL(leaf);
  TELL(body);
  printf("count main 1\n");
  return 0;
}
