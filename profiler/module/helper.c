/*
 * Running the command that makes an index, where the program does not see it.
 *
 * The command runs as the child of a child. The first child is cloned without an exit signal, so that wait() and
 * SIGCHLD do not show it, but that holds only while it does not execute anything: execve() gives a process SIGCHLD
 * back. So it stays, shares the program's memory and does nothing but start the command, as a child of its own, and
 * wait for it.
 */
#include "profiler/module/helper.h"

#include <errno.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "profiler/arch/primitives.h"
#include "profiler/base/environment.h"
#include "profiler/base/message.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"

#define STACK_SIZE    (32 * 1024)
#define LAST_SIGNAL   64
#define ALL_ARGUMENTS 8

enum helper_status { STATUS_NOT_RUN = 127, STATUS_KILLED = 126 };

/* What the child works on. It shares the program's memory until it executes, so it writes here and to its own stack
 * only. */
struct helper {
  const char *arguments[ALL_ARGUMENTS];
  const char **environment;
  const char *path;                                          /* PATH of the program */
  char candidate[PROF_MAX_PATH];                             /* PATH's folder and the command's name */
  long error;                                                /* of the last execve() */
  char cache[PROF_MAX_PATH + 32];                            /* CALLSIG_CACHE_DIR=... */
  char stack[STACK_SIZE] __attribute__((aligned(64)));       /* of the first child */
  char inner_stack[STACK_SIZE] __attribute__((aligned(64))); /* of the second */
};

/* As the kernel has it. */
struct kernel_sigaction {
  void *handler;
  uint64_t flags;
  void *restorer;
  uint64_t mask;
};

/* A child has handlers of its own since clone(): none of the program's may run in it. All signals are blocked. */
static void default_signals(void)
{
  const struct kernel_sigaction action = {0};
  for (int number = 1; number <= LAST_SIGNAL; number++)
    PROF_SYSCALL4(SYS_rt_sigaction, number, &action, 0, sizeof action.mask);
}

/* The program's limits are for the program. */
static void raise_limits(void)
{
  static const int limits[] = {RLIMIT_AS, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_STACK, RLIMIT_NOFILE};
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    struct rlimit limit;
    if (PROF_SYSCALL4(SYS_prlimit64, 0, limits[i], 0, &limit) == 0) {
      limit.rlim_cur = limit.rlim_max;
      PROF_SYSCALL4(SYS_prlimit64, 0, limits[i], &limit, 0);
    }
  }
}

static void silent_descriptors(void)
{
  long null = prof_sys_open("/dev/null", O_RDWR, 0);
  for (int fd = 0; null >= 0 && fd <= 2; fd++)
    if (null != fd)
      PROF_SYSCALL3(SYS_dup3, null, fd, 0);
  PROF_SYSCALL3(SYS_close_range, 3, UINT32_MAX, 0);
}

/* Executes the command, looked for in PATH when its name has no slash, but never in the current folder, which may be
 * anybody's. Comes back when that fails. */
static void execute(struct helper *helper)
{
  const char *name = helper->arguments[0];
  if (prof_base_name(name) != name) {
    helper->error = PROF_SYSCALL3(SYS_execve, name, helper->arguments, helper->environment);
    return;
  }
  helper->error = -ENOENT;
  for (const char *next = helper->path; next && *next;) {
    struct prof_text text = prof_text_begin(helper->candidate, sizeof helper->candidate);
    const char *end = next;
    while (*end && *end != ':')
      end++;
    prof_text_add_bytes(&text, next, (size_t)(end - next));
    prof_text_add(&text, "/");
    prof_text_add(&text, name);
    if (helper->candidate[0] == '/' && end != next)
      helper->error = PROF_SYSCALL3(SYS_execve, helper->candidate, helper->arguments, helper->environment);
    next = *end ? end + 1 : end;
  }
}

static void inner_child(void *data)
{
  struct helper *helper = data;
  const uint64_t none = 0;
  raise_limits();
  PROF_SYSCALL4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &none, 0, sizeof none);
  execute(helper);
  PROF_SYSCALL1(SYS_exit_group, STATUS_NOT_RUN);
}

static void outer_child(void *data)
{
  struct helper *helper = data;
  int status = 0;
  long waited = -ECHILD;
  PROF_SYSCALL2(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  default_signals();
  silent_descriptors();
  long pid = prof_clone(helper->inner_stack + STACK_SIZE, CLONE_VM | CLONE_VFORK | SIGCHLD, inner_child, helper);
  if (pid < 0)
    helper->error = pid;
  while (pid > 0 && (waited = PROF_SYSCALL4(SYS_wait4, pid, &status, __WALL, 0)) == -EINTR)
    ;
  bool exited = waited == pid && (status & 0x7f) == 0;
  PROF_SYSCALL1(SYS_exit_group, pid < 0 ? STATUS_NOT_RUN : exited ? status >> 8 & 0xff : STATUS_KILLED);
}

/* The program's environment without what is meant for the program alone. False when there is no memory. */
static bool prepare_environment(struct helper *helper, const struct prof_settings *settings, size_t room)
{
  static const char *const left_out[] = {"LD_PRELOAD=", "LD_AUDIT=", "CALLSIG_OUTPUT=", "CALLSIG_CACHE_DIR="};
  size_t count = 0;
  for (char *const *entry = prof_environment_entries(); *entry; entry++) {
    bool keep = true;
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++)
      keep = keep && !prof_starts_with(*entry, left_out[i]);
    if (!keep)
      continue;
    if (count + 2 >= room)
      return false;
    helper->environment[count++] = *entry;
  }
  struct prof_text text = prof_text_begin(helper->cache, sizeof helper->cache);
  prof_text_add(&text, "CALLSIG_CACHE_DIR=");
  prof_text_add(&text, settings->cache);
  helper->environment[count++] = helper->cache;
  helper->environment[count] = NULL;
  return true;
}

static void prepare_arguments(struct helper *helper, const struct prof_settings *settings, const char *file)
{
  const char **next = helper->arguments;
  *next++ = settings->command;
  *next++ = "index";
  *next++ = "--cache";
  if (settings->rules[0]) {
    *next++ = "--rules";
    *next++ = settings->rules;
  }
  if (settings->library_calls)
    *next++ = "--library-calls";
  *next++ = "--";
  *next++ = file;
  *next = NULL;
}

/* Waits for the child and tells how it went. */
static int finish(const struct helper *helper, const char *file, long pid)
{
  int status = 0;
  long waited;
  do
    waited = PROF_SYSCALL4(SYS_wait4, pid, &status, __WCLONE, 0);
  while (waited == -EINTR);
  if (waited == -ECHILD) /* somebody waits with __WALL: the index tells whether it went well */
    return 0;
  if (waited < 0)
    return (int)waited;
  if (status == STATUS_NOT_RUN << 8) {
    prof_message("%s: no signature index, and '%s' cannot be run to make it (error %ld): set CALLSIG_COMMAND", file,
                 helper->arguments[0], -helper->error);
    return -ENOENT;
  }
  if (status) {
    prof_message("%s: no signature index: '%s index' failed: run it on this file to see why", file,
                 helper->arguments[0]);
    return -EIO;
  }
  return 0;
}

static size_t count_environment(void)
{
  char *const *entries = prof_environment_entries();
  size_t count = 0;
  while (entries[count])
    count++;
  return count;
}

int prof_helper_index(const struct prof_settings *settings, const char *file)
{
  size_t room = count_environment() + 16;
  size_t size = sizeof(struct helper) + room * sizeof(char *);
  long mapped = prof_sys_mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (prof_sys_failed(mapped)) {
    prof_message("%s: no memory to make its signature index: raise RLIMIT_AS", file);
    return (int)mapped;
  }
  struct helper *helper = (struct helper *)mapped;
  helper->environment = (const char **)(mapped + (long)sizeof *helper);
  helper->path = prof_environment("PATH");
  prepare_arguments(helper, settings, file);
  int error = -E2BIG;
  if (prepare_environment(helper, settings, room)) {
    /* As vfork() does, which valgrind knows and lets through: this thread waits for its end in any case. */
    long pid = prof_clone(helper->stack + STACK_SIZE, CLONE_VM | CLONE_VFORK, outer_child, helper);
    if (pid < 0)
      prof_message("%s: no signature index, and no process can be started to make it (error %ld)", file, -pid);
    error = pid < 0 ? (int)pid : finish(helper, file, pid);
  }
  prof_sys_munmap((void *)mapped, size);
  return error;
}
