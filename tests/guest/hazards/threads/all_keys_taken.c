/* A program that takes every key of thread-specific data that there is, after its start. */
#include "tests/guest/hazard.h"

#include <pthread.h>

static int made;

static void *thread(void *key)
{
  CALLED(thread);
  pthread_setspecific(*(pthread_key_t *)key, key);
  return NULL;
}

int main(void)
{
  CALLED(main);
  pthread_key_t key, last = 0;
  while (pthread_key_create(&key, NULL) == 0) {
    last = key;
    made++;
  }
  for (int i = 0; i < 100; i++) {
    pthread_t id;
    CHECK(pthread_create(&id, NULL, thread, &last) == 0);
    pthread_join(id, NULL);
  }
  printf("%d\n", made > 900);
  return 0;
}
