/* Functions that are const, pure, returns_nonnull, malloc: what the optimiser may leave out is not called. */
#include "tests/guest/hazard.h"

OWN __attribute__((malloc)) static char *fresh(size_t size)
{
  CALLED(fresh);
  return (char *)calloc(1, size);
}

OWN __attribute__((returns_nonnull)) static char *same(char *at)
{
  CALLED(same);
  return at;
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  for (int i = 0; i < 100; i++) {
    char *at = same(fresh(8));
    sum += at[3];
    free(at);
  }
  printf("%d\n", sum);
  return 0;
}
