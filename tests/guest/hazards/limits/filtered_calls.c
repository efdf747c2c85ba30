/* A seccomp filter that forbids open, socket and ptrace by EPERM, set while it runs. */
#include "tests/guest/hazard.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  work(0);
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
  struct sock_fprog program = {sizeof code / sizeof code[0], code};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == 0 &&
        prctl(PR_SET_SECCOMP, (long)SECCOMP_MODE_FILTER, &program) == 0);
  int n = 0;
  while (n < 2000)
    n = work(n);
  printf("%d %d %d\n", n, open("/dev/null", O_RDONLY) == -1, socket(AF_UNIX, SOCK_STREAM, 0) == -1 && errno == EPERM);
  return 0;
}
