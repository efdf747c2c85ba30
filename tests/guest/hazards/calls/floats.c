/* Ten doubles and ten floats, among integers, and a double that is returned. */
#include "tests/guest/hazard.h"

OWN static double mixed(int a, double b, float c, long d, double e, float f, double g, double h, float i, double j,
                        double k, float l, double m, char n)
{
  CALLED(mixed);
  return a + b * 2 + (double)c * 3 + (double)d * 5 + e * 7 + (double)f * 11 + g * 13 + h * 17 + (double)i * 19 +
         j * 23 + k * 29 + (double)l * 31 + m * 37 + n;
}

int main(void)
{
  CALLED(main);
  double sum = 0;
  for (int i = 0; i < 200; i++)
    sum += mixed(i, 1.5, 2.5f, i, -1.25, 0.5f, i * 0.5, 3, 4, 5, 6, 7, 8, (char)i);
  printf("%.17g\n", sum);
  return 0;
}
