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
#include "profiler/base/known_pages.h"
#include "profiler/base/process.h"
#include "profiler/base/syscall.h"

/* Pages of the process that were there: by a hash of their number, the newest of each set first. Sets, because two
 * pages that share a place and are read in turn would cost a system call each time. Atomic; page 0 is none. Threads
 * that note pages of one set at once may lose one, which is asked for again. */
uint64_t prof_known_pages[1u << PROF_PAGE_SET_BITS][PROF_PAGE_WAYS];

/* Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4): pages at any stride fall into sets evenly. */
static uint64_t *page_set(uint64_t page)
{
  return prof_known_pages[page * PROF_PAGE_FACTOR >> (64 - PROF_PAGE_SET_BITS)];
}

static bool is_known(uint64_t page)
{
  const uint64_t *set = page_set(page);
  for (unsigned way = 0; page && way < PROF_PAGE_WAYS; way++)
    if (__atomic_load_n(&set[way], __ATOMIC_RELAXED) == page)
      return true;
  return false;
}

static void know(uint64_t page)
{
  uint64_t *set = page_set(page), next = page;
  if (is_known(page))
    return;
  for (unsigned way = 0; way < PROF_PAGE_WAYS && next; way++)
    next = __atomic_exchange_n(&set[way], next, __ATOMIC_RELAXED);
}

static void forget(uint64_t page)
{
  uint64_t *set = page_set(page);
  for (unsigned way = 0; way < PROF_PAGE_WAYS; way++)
    if (__atomic_load_n(&set[way], __ATOMIC_RELAXED) == page)
      __atomic_store_n(&set[way], 0, __ATOMIC_RELAXED);
}

/* Notes what [address, address + size) lies in as there, or as not. */
static void note_pages(uintptr_t address, size_t size, bool there)
{
  for (uint64_t page = address >> PROF_PAGE_BITS; page <= (address + size - 1) >> PROF_PAGE_BITS; page++)
    (there ? know : forget)(page);
}

/* May [address, address + size), no longer than a page, be loaded from directly? */
static bool is_open(uintptr_t address, size_t size)
{
  return prof_net_holds() && is_known(address >> PROF_PAGE_BITS) && is_known((address + size - 1) >> PROF_PAGE_BITS);
}

/* Is memory mapped here? The kernel copies the mask of signals in before it looks at the operation, which does not
 * exist: EINVAL tells that it could, EFAULT that it could not, and nothing changes either way. A fifth of what a copy
 * of the memory costs. */
static bool word_is_mapped(uintptr_t address)
{
  const uint64_t nothing = UINT64_MAX;
  return PROF_SYSCALL4(SYS_rt_sigprocmask, nothing, address, 0, sizeof(uint64_t)) == -EINVAL;
}

bool prof_is_mapped(uintptr_t address, size_t size)
{
  if (address + size < address) /* none of it would be asked for: a pointer that is -1, as of what failed */
    return false;
  for (uintptr_t page = address >> PROF_PAGE_BITS; page <= (address + size - 1) >> PROF_PAGE_BITS; page++) {
    uintptr_t first = page << PROF_PAGE_BITS;
    if (!word_is_mapped(first > address ? first : address & ~7ul))
      return false;
  }
  return true;
}

/* Copies where the kernel has no process_vm_readv(), or none for this process (an emulator, a sandbox): each page is
 * asked for before it is loaded from. One that another thread unmaps in between is caught by the net, as far as that
 * holds. */
static int read_mapped(void *target, uintptr_t address, size_t size)
{
  return prof_is_mapped(address, size) && prof_guarded_copy(target, address, size) == 0 ? 0 : -EFAULT;
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
  if (size <= (size_t)1 << PROF_PAGE_BITS && prof_net_holds())
    note_pages(address, size, true);
  return 0;
}

int prof_read_memory(void *target, uintptr_t address, size_t size)
{
  if (size <= (size_t)1 << PROF_PAGE_BITS && is_open(address, size)) {
    if (prof_guarded_copy(target, address, size) == 0)
      return 0;
    note_pages(address, size, false);
  }
  return read_slowly(target, address, size);
}

bool prof_read_known(uint64_t *target, uintptr_t address, size_t size)
{
  *target = 0;
  if (!is_open(address, size))
    return false;
  if (prof_guarded_copy(target, address, size) == 0)
    return true;
  note_pages(address, size, false);
  return false;
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
    size_t left = ((size_t)1 << PROF_PAGE_BITS) - (address + done) % ((size_t)1 << PROF_PAGE_BITS);
    if (read_piece(bytes + done, address + done, left < size - done ? left : size - done, &piece) < 0)
      return -EFAULT;
    done += piece;
  }
  *read = done;
  return 0;
}

int prof_read_storage(uint64_t *target, uintptr_t address, size_t size)
{
  if (!prof_net_holds() && address % sizeof *target + size <= sizeof *target && word_is_mapped(address & ~7ul))
    return (int)prof_guarded_copy(target, address, size);
  return prof_read_memory(target, address, size);
}
