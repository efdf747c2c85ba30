// An exception through frames of C functions: qsort's comparison throws.
// hazard: flags -fexceptions
#include "tests/guest/hazard.h"

static int compared;

extern "C" OWN int compare(const void *a, const void *b)
{
  CALLED(compare);
  if (++compared % 7 == 0)
    throw 3;
  return *(const int *)a - *(const int *)b;
}

int main()
{
  CALLED(main);
  int caught = 0, numbers[8] = {5, 3, 8, 1, 9, 2, 7, 4};
  for (int i = 0; i < 20; i++)
    try {
      qsort(numbers, 8, sizeof numbers[0], compare);
    } catch (int value) {
      caught += value;
    }
  printf("%d\n", caught);
  return 0;
}
