/* MAP_FIXED over what /proc/self/maps shows as free, a megabyte at both ends of each gap, before and after calls. */
#include "tests/guest/hazard.h"

#include <string.h>

#define LARGEST 512
#define PART    (1ul << 20)

static char text[1 << 16];
static struct {
  uintptr_t low, high;
} gaps[LARGEST];

OWN static long work(long n)
{
  CALLED(work);
  const volatile long below = n ? work(n - 1) : 0;
  return below + 1;
}

OWN static long other(long n)
{
  CALLED(other);
  return work(n) + 1;
}

/* Without a call that has hooks between looking and mapping. */
QUIET static int map_gaps(void)
{
  const int file = open("/proc/self/maps", O_RDONLY);
  long size = 0, got;
  while ((got = read(file, text + size, sizeof text - 1 - (size_t)size)) > 0)
    size += got;
  close(file);
  text[size] = '\0';
  int count = 0;
  uintptr_t below = 1ul << 32;
  for (char *line = text; line && *line && count < LARGEST; line = strchr(line, '\n'), line += line != NULL) {
    char *rest;
    const uintptr_t low = strtoul(line, &rest, 16), high = strtoul(rest + 1, &rest, 16);
    /* Room for the stack to grow is none of it. */
    if (low > below && low < 1ul << 47 && !strstr(line, "[stack]\n"))
      gaps[count].low = below, gaps[count++].high = low;
    below = high > below ? high : below;
  }
  for (int i = 0; i < count; i++) {
    const uintptr_t low = gaps[i].low, high = gaps[i].high, part = high - low < 2 * PART ? high - low : PART;
    CHECK(mmap((void *)low, part, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == (void *)low);
    CHECK(mmap((void *)(high - part), part, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
          (void *)(high - part));
  }
  return count;
}

int main(void)
{
  CALLED(main);
  long sum = work(3);
  const int first = map_gaps();
  for (long i = 0; i < 300; i++)
    sum += work(i);
  const int second = map_gaps();
  for (long i = 0; i < 300; i++)
    sum += other(i);
  printf("%ld %d\n", sum, first > 0 && second > 0);
  return 0;
}
