/* Memory that cannot be read, where the kernel lets nobody copy any: of pointers that are none nothing is loaded. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/base/process.h"
#include "profiler/base/read_memory.h"
#include "tests/support/check.h"

/* From here on process_vm_readv() is forbidden, but under an emulator that knows no filters. */
static void forbid(void)
{
  struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog program = {sizeof code / sizeof *code, code};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 || errno == EINVAL);
}

static bool is_read(uintptr_t address, size_t size)
{
  uint64_t value[2];
  return prof_read_memory(value, address, size) == 0;
}

/* The first reads of all, before anything is armed that would catch a load which fails. */
static void read_first(void)
{
  static const uintptr_t none[] = {UINTPTR_MAX, UINTPTR_MAX - 7, 0, (uintptr_t)1 << 63};
  forbid();
  for (size_t n = 0; n < sizeof none / sizeof *none; n++)
    for (size_t size = 1; size <= 16; size *= 2)
      CHECK(!is_read(none[n], size));
}

static void read_others(void)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  static uint64_t there[2];
  char *mapped = mmap(NULL, 2 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(mapped != MAP_FAILED && munmap(mapped + page, page) == 0);
  CHECK(is_read((uintptr_t)there, sizeof there) && is_read((uintptr_t)mapped + page - 8, 8));
  CHECK(!is_read((uintptr_t)mapped + page - 8, 16));
}

int main(void)
{
  prof_process.pid = (uint32_t)getpid();
  read_first();
  read_others();
  return 0;
}
