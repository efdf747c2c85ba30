/* memcpy, memset, strlen and strcmp of its own, with hooks. */
/* hazard: flags -fno-builtin */
/* hazard: not static: the C library's own are in the same object as what it needs */
/* hazard: not before: gcc puts calls of them into what is instrumented, and hooks into them */
#include "tests/guest/hazard.h"

OWN void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
  CALLED(memcpy);
  for (size_t i = 0; i < size; i++)
    ((volatile char *)to)[i] = ((const volatile char *)from)[i];
  return to;
}

OWN size_t strlen(const char *text)
{
  CALLED(strlen);
  size_t length = 0;
  while (((const volatile char *)text)[length])
    length++;
  return length;
}

int main(void)
{
  CALLED(main);
  char room[64];
  size_t sum = 0;
  for (int i = 0; i < 100; i++) {
    memcpy(room, "something", 10);
    sum += strlen(room);
  }
  printf("%zu\n", sum);
  return 0;
}
