/* A program that works as programs do: small functions in loops, and calls through pointers. It knows nothing of
 * callsig. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

static NOINLINE uint32_t mix(const unsigned char *text, unsigned length)
{
  uint32_t hash = 2166136261u;
  for (unsigned i = 0; i < length; i++)
    hash = (hash ^ text[i]) * 16777619u;
  return hash;
}

static NOINLINE void sort(uint32_t *numbers, int first, int last)
{
  if (last - first < 2)
    return;
  uint32_t middle = numbers[(first + last) / 2];
  int i = first, j = last - 1;
  while (i <= j) {
    while (numbers[i] < middle)
      i++;
    while (numbers[j] > middle)
      j--;
    if (i <= j) {
      uint32_t kept = numbers[i];
      numbers[i++] = numbers[j];
      numbers[j--] = kept;
    }
  }
  sort(numbers, first, j + 1);
  sort(numbers, i, last);
}

int main(void)
{
  static uint32_t numbers[20000];
  unsigned char text[64];
  for (int i = 0; i < 20000; i++) {
    memset(text, i & 255, sizeof text);
    memcpy(text, &i, sizeof i);
    numbers[i] = mix(text, sizeof text);
  }
  sort(numbers, 0, 20000);
  uint32_t sum = 0;
  for (int i = 0; i < 20000; i++)
    sum = sum * 31 + numbers[i];
  printf("%u\n", sum);
  return 0;
}
