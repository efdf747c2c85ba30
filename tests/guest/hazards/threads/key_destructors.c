/* Destructors of thread-specific data that set it again, as often as the C library calls them. */
/* hazard: expect counted */
#include "tests/guest/hazard.h"

#include <pthread.h>

static pthread_key_t keys[3];

static void destroy(void *value)
{
  CALLED(destroy);
  for (int i = 0; i < 3; i++)
    if (value == &keys[i])
      pthread_setspecific(keys[i], value);
}

static void *thread(void *unused)
{
  CALLED(thread);
  for (int i = 0; i < 3; i++)
    pthread_setspecific(keys[i], &keys[i]);
  return unused;
}

int main(void)
{
  CALLED(main);
  for (int i = 0; i < 3; i++)
    pthread_key_create(&keys[i], destroy);
  for (int i = 0; i < 30; i++) {
    pthread_t id;
    CHECK(pthread_create(&id, NULL, thread, NULL) == 0);
    pthread_join(id, NULL);
  }
  return 0;
}
