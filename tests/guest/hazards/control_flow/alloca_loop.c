/* alloca() of every size up to 64 KiB in functions that call. */
#include "tests/guest/hazard.h"

#include <alloca.h>

OWN static int fill(char *room, size_t size)
{
  CALLED(fill);
  room[0] = room[size - 1] = 1;
  return room[0];
}

OWN static int with_room(size_t size)
{
  CALLED(with_room);
  return fill((char *)alloca(size), size) + fill((char *)alloca(size / 2 + 1), size / 2 + 1);
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  for (size_t size = 1; size < 65536; size += 97)
    sum += with_room(size);
  printf("%d\n", sum);
  return 0;
}
