/*
 * Reading memory of the program that may not be there, with process_vm_readv(), which fails where a load would fault.
 */
#include "profiler/base/read_memory.h"

#include <errno.h>
#include <sys/uio.h>

#include "profiler/base/process.h"
#include "profiler/base/syscall.h"

int prof_read_memory(void *target, uintptr_t address, size_t size)
{
  struct iovec local = {target, size}, remote = {(void *)address, size};
  long done = PROF_SYSCALL6(SYS_process_vm_readv, prof_process.pid, &local, 1, &remote, 1, 0);
  return done == (long)size ? 0 : -EFAULT;
}
