/* The C library's restartable sequences are given back to the kernel, and the program has its own. */
#include "tests/guest/hazard.h"

#include <linux/rseq.h>
#include <sys/rseq.h>

static struct rseq own __attribute__((aligned(32)));

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  int n = 0;
  while (n < 500)
    n = work(n);
  if (__rseq_size > 0)
    CHECK(syscall(SYS_rseq, (char *)__builtin_thread_pointer() + __rseq_offset, 32L, (long)RSEQ_FLAG_UNREGISTER,
                  (long)RSEQ_SIG) == 0);
  CHECK(syscall(SYS_rseq, &own, 32L, 0L, 0x12345678L) == 0);
  while (n < 5000)
    n = work(n);
  printf("%d %d\n", n, own.cpu_id < 4096);
  return 0;
}
