/* A steady run makes no system call: from some moment on, those that could read memory or look at signals fail, and
 * what a rule follows is read all the same, also where it lies on pages whose numbers end alike ("apart"). */
#include "tests/guest/guest.h"

#include <callsig/callsig.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

CALLSIG_STRING(open_thing, name);

#define MANY 5000

__attribute__((noinline)) static int open_thing(const char *name, int flags)
{
  KEEP(name);
  return name != NULL && flags;
}

static QUIET void forbid_system_calls(void)
{
#define FORBID(number)                                                                                                 \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      FORBID(SYS_process_vm_readv),
      FORBID(SYS_rt_sigprocmask),
      FORBID(SYS_rt_sigaction),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
  char from = 1, to = 0;
  struct iovec local = {&to, 1}, remote = {&from, 1};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
  CHECK(syscall(SYS_process_vm_readv, getpid(), &local, 1, &remote, 1, 0) < 0 && errno == EPERM);
}

/* Moves the names 16 MiB from each other. */
static QUIET void move_apart(char *names[4])
{
  const size_t apart = (size_t)16 << 20;
  char *memory = mmap(NULL, 4 * apart, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(memory != MAP_FAILED);
  for (size_t i = 0; i < 4; i++)
    names[i] = strcpy(memory + i * apart, names[i]);
}

int main(int argc, char **argv)
{
  char *names[] = {strdup("on the heap"), strdup("short"), (char[]){"on the stack"}, "of the program"};
  if (argc > 2 && !strcmp(argv[2], "apart"))
    move_apart(names);
  for (int i = 0; i < 4 * MANY; i++) {
    /* Told apart by `flags`: what is foretold and what is not. */
    CHECK(open_thing(names[i & 3], 1 + (i * 7 >> 2 & 3)) == 1);
    if (i == 63 && argc > 1)
      forbid_system_calls();
  }
  printf("count open_thing %d\n", 4 * MANY);
  return 0;
}
