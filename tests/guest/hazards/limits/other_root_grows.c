/* chroot() into an empty folder, and then so many threads at once that the recording has to grow. */
/* hazard: needs root */
/* hazard: expect static falls: nothing stands in for the C library, so that it cannot grow, which a line says */
#include "tests/guest/growing.h"

int main(void)
{
  CALLED(main);
  char name[] = "root-XXXXXX";
  work(0);
  CHECK(mkdtemp(name) && chroot(name) == 0 && chdir("/") == 0);
  grow();
  puts("done");
  return 0;
}
