/*
 * System calls that leave errno alone and cannot be replaced by the program: each returns what the kernel returned, a
 * negative errno on failure. Safe anywhere.
 */
#ifndef CALLSIG_PROFILER_BASE_SYSCALL_H
#define CALLSIG_PROFILER_BASE_SYSCALL_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "profiler/arch/primitives.h"

#ifdef __clang_analyzer__
/* It does not see that the instruction writes to what its operands point to, but takes that for possible of a function
 * whose body it lacks. */
long prof_analysed_syscall(long number, long a, long b, long c, long d, long e, long f);
#define prof_syscall6 prof_analysed_syscall
#endif

#define PROF_SYSCALL0(number)             prof_syscall6((number), 0, 0, 0, 0, 0, 0)
#define PROF_SYSCALL1(number, a)          prof_syscall6((number), (long)(a), 0, 0, 0, 0, 0)
#define PROF_SYSCALL2(number, a, b)       prof_syscall6((number), (long)(a), (long)(b), 0, 0, 0, 0)
#define PROF_SYSCALL3(number, a, b, c)    prof_syscall6((number), (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define PROF_SYSCALL4(number, a, b, c, d) prof_syscall6((number), (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define PROF_SYSCALL6(number, a, b, c, d, e, f)                                                                        \
  prof_syscall6((number), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline long prof_sys_open(const char *path, int flags, int mode)
{
  return PROF_SYSCALL4(SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline long prof_sys_close(long fd)
{
  return PROF_SYSCALL1(SYS_close, fd);
}

static inline long prof_sys_read(long fd, void *data, size_t size)
{
  return PROF_SYSCALL3(SYS_read, fd, data, size);
}

static inline long prof_sys_write(long fd, const void *data, size_t size)
{
  return PROF_SYSCALL3(SYS_write, fd, data, size);
}

/* The address, or a negative errno: compare with prof_sys_failed(). */
static inline long prof_sys_mmap(uintptr_t address, size_t size, int protection, int flags, long fd, uint64_t offset)
{
  return PROF_SYSCALL6(SYS_mmap, address, size, protection, flags, fd, offset);
}

static inline long prof_sys_munmap(void *address, size_t size)
{
  return PROF_SYSCALL2(SYS_munmap, address, size);
}

static inline int prof_sys_failed(long result)
{
  return result < 0 && result >= -4095;
}

static inline uint32_t prof_sys_getpid(void)
{
  return (uint32_t)PROF_SYSCALL0(SYS_getpid);
}

static inline uint32_t prof_sys_gettid(void)
{
  return (uint32_t)PROF_SYSCALL0(SYS_gettid);
}

#endif
