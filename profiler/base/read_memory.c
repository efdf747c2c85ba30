/*
 * Reading memory of the program that may not be there.
 *
 * A page's first time is a process_vm_readv(), which fails where a load would fault. From then on the page is known to
 * have been there, and is loaded from directly; should it be gone by then, the net of fault_net.c catches the fault,
 * and the page is no longer known. Where the net would not hold, each time is a first time. docs/hot-path.md has the
 * reasons.
 */
#include "profiler/base/read_memory.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/uio.h>

#include "profiler/arch/primitives.h"
#include "profiler/base/fault_net.h"
#include "profiler/base/process.h"
#include "profiler/base/syscall.h"

#define PAGE_BITS  12
#define PAGES_BITS 12

/* Pages of the process that were there: by the low bits of their number, the newest of each. Atomic; page 0 is none. */
static uint64_t pages[1u << PAGES_BITS];

static uint64_t *page_slot(uint64_t page)
{
  return &pages[page & ((1u << PAGES_BITS) - 1)];
}

static bool is_known(uint64_t page)
{
  return __atomic_load_n(page_slot(page), __ATOMIC_RELAXED) == page && page;
}

/* Notes what [address, address + size) lies in as there, or as not. */
static void note_pages(uintptr_t address, size_t size, bool there)
{
  for (uint64_t page = address >> PAGE_BITS; page <= (address + size - 1) >> PAGE_BITS; page++)
    __atomic_store_n(page_slot(page), there ? page : 0, __ATOMIC_RELAXED);
}

/* May [address, address + size), no longer than a page, be loaded from directly? */
static bool is_open(uintptr_t address, size_t size)
{
  return prof_net_holds() && is_known(address >> PAGE_BITS) && is_known((address + size - 1) >> PAGE_BITS);
}

/* Is memory mapped here? The kernel copies the mask of signals in before it looks at the operation, which does not
 * exist: EINVAL tells that it could, EFAULT that it could not, and nothing changes either way. A fifth of what a copy
 * of the memory costs. */
static bool is_mapped(uintptr_t address)
{
  const uint64_t nothing = UINT64_MAX;
  return PROF_SYSCALL4(SYS_rt_sigprocmask, nothing, address, 0, sizeof(uint64_t)) == -EINVAL;
}

/* Copies where the kernel has no process_vm_readv(), or none for this process (an emulator, a sandbox): each page is
 * asked for before it is loaded from. One that another thread unmaps in between is caught by the net, as far as that
 * holds. */
static int read_mapped(void *target, uintptr_t address, size_t size)
{
  for (uintptr_t page = address >> PAGE_BITS; page <= (address + size - 1) >> PAGE_BITS; page++) {
    uintptr_t first = page << PAGE_BITS;
    if (!is_mapped(first > address ? first : address & ~7ul))
      return -EFAULT;
  }
  return prof_guarded_copy(target, address, size) == 0 ? 0 : -EFAULT;
}

static int read_slowly(void *target, uintptr_t address, size_t size)
{
  struct iovec local = {target, size}, remote = {(void *)address, size};
  long done = PROF_SYSCALL6(SYS_process_vm_readv, prof_process.pid, &local, 1, &remote, 1, 0);
  if (done == -ENOSYS || done == -EPERM) {
    if (read_mapped(target, address, size) < 0)
      return -EFAULT;
  } else if (done != (long)size) {
    return -EFAULT;
  }
  prof_net_arm();
  if (size <= (size_t)1 << PAGE_BITS && prof_net_holds())
    note_pages(address, size, true);
  return 0;
}

int prof_read_memory(void *target, uintptr_t address, size_t size)
{
  if (size <= (size_t)1 << PAGE_BITS && is_open(address, size)) {
    if (prof_guarded_copy(target, address, size) == 0)
      return 0;
    note_pages(address, size, false);
  }
  return read_slowly(target, address, size);
}

/* A piece of a text that lies in one page. */
static int read_piece(uint8_t *target, uintptr_t address, size_t size, size_t *read)
{
  if (is_open(address, size)) {
    long done = prof_guarded_text(target, address, size);
    if (done > 0) {
      *read = (size_t)done;
      return 0;
    }
    note_pages(address, size, false);
  }
  if (read_slowly(target, address, size) < 0)
    return -EFAULT;
  for (*read = 0; *read < size && target[(*read)++];)
    ;
  return 0;
}

int prof_read_text(void *target, uintptr_t address, size_t size, size_t *read)
{
  uint8_t *bytes = target;
  size_t done = 0, piece = 0;
  while (done < size && (done == 0 || bytes[done - 1])) {
    size_t left = ((size_t)1 << PAGE_BITS) - (address + done) % ((size_t)1 << PAGE_BITS);
    if (read_piece(bytes + done, address + done, left < size - done ? left : size - done, &piece) < 0)
      return -EFAULT;
    done += piece;
  }
  *read = done;
  return 0;
}

int prof_read_storage(uint64_t *target, uintptr_t address, size_t size)
{
  if (!prof_net_holds() && address % sizeof *target + size <= sizeof *target && is_mapped(address & ~7ul))
    return (int)prof_guarded_copy(target, address, size);
  return prof_read_memory(target, address, size);
}
