/* Reads and writes its own memory by process_vm_readv and /proc/self/mem. */
#include "tests/guest/hazard.h"

#include <sys/uio.h>

static int value = 5;

OWN static int work(int n)
{
  CALLED(work);
  return n + value;
}

int main(void)
{
  CALLED(main);
  int copy = 0, file = open("/proc/self/mem", O_RDWR), n = 0;
  struct iovec here = {&copy, sizeof copy}, there = {&value, sizeof value};
  for (int i = 0; i < 50; i++) {
    CHECK(process_vm_readv(getpid(), &here, 1, &there, 1, 0) == sizeof copy && copy == value);
    copy++;
    CHECK(pwrite(file, &copy, sizeof copy, (off_t)(uintptr_t)&value) == sizeof copy);
    n = work(n);
  }
  printf("%d\n", n);
  return 0;
}
