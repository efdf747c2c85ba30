/* Threads that call the same functions, some of them born while others end. */
#include <pthread.h>
#include <stdio.h>

static __thread long own;
static int step(int n)
{
  own += n;
  return n + 1;
}
static void *work(void *data)
{
  int calls = *(const int *)data;
  for (int i = 0; i < calls; i++)
    step(i % 4);
  return NULL;
}

int main(void)
{
  static const int calls[4] = {1000, 2000, 300, 40};
  for (int round = 0; round < 5; round++) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
      pthread_create(&threads[i], NULL, work, (void *)&calls[i]);
    for (int i = 0; i < 4; i++)
      pthread_join(threads[i], NULL);
  }
  puts("joined");
  return 0;
}
