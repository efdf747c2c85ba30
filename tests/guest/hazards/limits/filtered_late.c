/* A seccomp filter, set late, that lets only what the program itself needs pass, and all else fail by ENOSYS. */
/* hazard: expect counted */
#include "tests/guest/hazard.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

OWN static long work(long n)
{
  CALLED(work);
  const volatile long below = n ? work(n - 1) : 0;
  return below + 1;
}

/* Met only when the filter is set. */
OWN static long later(long n)
{
  CALLED(later);
  return work(n) + work(n / 3);
}

#define ALLOW(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

int main(void)
{
  CALLED(main);
  long sum = 0;
  for (long i = 0; i < 100; i++)
    sum += work(i % 7);
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      ALLOW(SYS_write),
      ALLOW(SYS_exit_group),
      ALLOW(SYS_newfstatat),
      ALLOW(SYS_rt_sigprocmask),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 38),
  };
  struct sock_fprog program = {sizeof code / sizeof code[0], code};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == 0 &&
        prctl(PR_SET_SECCOMP, (long)SECCOMP_MODE_FILTER, &program) == 0);
  for (long i = 0; i < 100; i++)
    sum += later(i % 40);
  printf("%ld\n", sum);
  return 0;
}
