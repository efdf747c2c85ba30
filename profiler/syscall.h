/*
 * System calls that leave errno alone and cannot be replaced by the program: each returns what the kernel returned, a
 * negative errno on failure. Safe anywhere.
 */
#ifndef CALLSIG_SYSCALL_H
#define CALLSIG_SYSCALL_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#include "syscall_x86_64.h"
#else
#error "callsig's runtime knows x86-64 only"
#endif

#define CS_SYSCALL0(number)             cs_syscall6((number), 0, 0, 0, 0, 0, 0)
#define CS_SYSCALL1(number, a)          cs_syscall6((number), (long)(a), 0, 0, 0, 0, 0)
#define CS_SYSCALL2(number, a, b)       cs_syscall6((number), (long)(a), (long)(b), 0, 0, 0, 0)
#define CS_SYSCALL3(number, a, b, c)    cs_syscall6((number), (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define CS_SYSCALL4(number, a, b, c, d) cs_syscall6((number), (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define CS_SYSCALL6(number, a, b, c, d, e, f)                                                                          \
  cs_syscall6((number), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline long cs_sys_open(const char *path, int flags, int mode)
{
  return CS_SYSCALL4(SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline long cs_sys_close(long fd)
{
  return CS_SYSCALL1(SYS_close, fd);
}

static inline long cs_sys_read(long fd, void *data, size_t size)
{
  return CS_SYSCALL3(SYS_read, fd, data, size);
}

static inline long cs_sys_write(long fd, const void *data, size_t size)
{
  return CS_SYSCALL3(SYS_write, fd, data, size);
}

/* The address, or a negative errno: compare with cs_sys_failed(). */
static inline long cs_sys_mmap(uintptr_t address, size_t size, int protection, int flags, long fd, uint64_t offset)
{
  return CS_SYSCALL6(SYS_mmap, address, size, protection, flags, fd, offset);
}

static inline long cs_sys_munmap(void *address, size_t size)
{
  return CS_SYSCALL2(SYS_munmap, address, size);
}

static inline int cs_sys_failed(long result)
{
  return result < 0 && result >= -4095;
}

static inline uint32_t cs_sys_getpid(void)
{
  return (uint32_t)CS_SYSCALL0(SYS_getpid);
}

static inline uint32_t cs_sys_gettid(void)
{
  return (uint32_t)CS_SYSCALL0(SYS_gettid);
}

#endif
