/* Becomes another user, and then has so many threads at once that the recording has to grow. */
/* hazard: needs root */
/* hazard: expect static falls: nothing stands in for the C library, so that it cannot grow, which a line says */
#include "tests/guest/growing.h"

int main(void)
{
  CALLED(main);
  work(0);
  CHECK(setuid(65534) == 0);
  grow();
  puts("done");
  return 0;
}
