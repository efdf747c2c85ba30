/*
 * Finds preemptions by way of restartable sequences (rseq): the C library registers a structure for each thread, whose
 * rseq_cs names a section of code that the kernel has to abort when it interrupts it. The kernel stores 0 there once it
 * has preempted the thread, or delivered a signal to it, outside of that section: so a section that never runs is
 * named.
 *
 * A program that uses such sections itself stores its own just before each, and no hook runs inside one.
 */
#include "profiler/base/preemption.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "profiler/arch/primitives.h"
#include "profiler/base/clock.h"
#include "profiler/base/proc_files.h"
#include "profiler/base/syscall.h"

#if defined(__has_include)
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define HAS_RSEQ 1
#endif
#endif

#ifdef HAS_RSEQ

/* The C library of the machine that it runs on may be older. */
#pragma weak __rseq_offset
#pragma weak __rseq_size

#define PAGE_SIZE 4096u

/* A page that is there as long as the process: the kernel ends a thread that names what it cannot read. */
struct section {
  struct rseq_cs descriptor;
  uint32_t signature; /* what the kernel wants to see before the address that aborts lead to */
  uint32_t aborted;
  uint8_t code[8]; /* no code: no thread's instruction pointer is ever here */
};

static uint64_t section_address; /* 0 until it is made; forked children inherit it */

static uint64_t make_section(void)
{
  uint64_t known = __atomic_load_n(&section_address, __ATOMIC_ACQUIRE);
  if (known)
    return known;
  long address = prof_sys_mmap(0, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (prof_sys_failed(address))
    return 0;
  struct section *section = (struct section *)address;
  section->signature = RSEQ_SIG;
  section->descriptor.start_ip = (uintptr_t)section->code;
  section->descriptor.post_commit_offset = 1;
  section->descriptor.abort_ip = (uintptr_t)&section->aborted;
  PROF_SYSCALL3(SYS_mprotect, address, PAGE_SIZE, PROT_READ);
  if (__atomic_compare_exchange_n(&section_address, &known, (uint64_t)address, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return (uint64_t)address;
  prof_sys_munmap(section, PAGE_SIZE); /* another thread was first */
  return known;
}

struct prof_preemption prof_preemption_word(void)
{
  const struct prof_preemption none = {NULL, 0};
  if (!&__rseq_size || !&__rseq_offset || __rseq_size == 0)
    return none;
  struct rseq *area = (struct rseq *)(prof_thread_pointer() + (uintptr_t)__rseq_offset);
  /* A thread that the C library did not make has none: the kernel never wrote a processor's number there. */
  if ((int32_t)__atomic_load_n(&area->cpu_id, __ATOMIC_RELAXED) < 0)
    return none;
  uint64_t armed = make_section();
  if (!armed)
    return none;
  return (struct prof_preemption){.word = (uint64_t *)((uintptr_t)area + offsetof(struct rseq, rseq_cs)),
                                  .armed = armed};
}

#else

struct prof_preemption prof_preemption_word(void)
{
  return (struct prof_preemption){NULL, 0};
}

#endif

bool prof_preemption_waited(uint64_t *ns)
{
  char text[PROF_SCHEDSTAT_SIZE];
  prof_small_file_read("/proc/thread-self/schedstat", text, sizeof text);
  const struct prof_schedstat told = prof_schedstat_parse(text);
  *ns = told.waited_ns;
  return told.turns > 0;
}

struct prof_turns prof_preemption_turns(void)
{
  struct rusage usage = {0};
  struct timespec ran = {0};
  PROF_SYSCALL2(SYS_getrusage, RUSAGE_THREAD, &usage);
  PROF_SYSCALL2(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &ran);
  const uint64_t ran_ns = (uint64_t)ran.tv_sec * 1000000000u + (uint64_t)ran.tv_nsec;
  return (struct prof_turns){
      .slept = (uint64_t)usage.ru_nvcsw,
      .preempted = (uint64_t)usage.ru_nivcsw,
      .away_ns = prof_monotonic_ns() - ran_ns,
  };
}
