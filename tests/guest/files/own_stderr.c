/* A program that closes its stderr and has a file of its own under that number, while there is something to say.
 * argv[1]: the file. Nothing but its own bytes may be in it. Its limit on the size of files makes the recording full.
 */
#include "tests/guest/paths.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  CHECK(argc == 2);
  close(2);
  CHECK(open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) == 2);
  struct rlimit limit = {.rlim_cur = 1 << 20, .rlim_max = 1 << 20};
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  call_all_paths();
  CHECK(write(2, "mine", 4) == 4);
  CHECK(lseek(2, 0, SEEK_END) == 4);
  printf("done\n");
  return 0;
}
