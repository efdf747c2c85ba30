/*
 * Running a command where the program does not see it.
 *
 * The command runs as the child of a child. The first child is cloned without an exit signal, so that wait() and
 * SIGCHLD do not show it, but that holds only while it does not execute anything: execve() gives a process SIGCHLD
 * back. So it stays, shares the program's memory and does nothing but start the command, as a child of its own, and
 * wait for it.
 */
#include "profiler/base/hidden_command.h"

#include <errno.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "profiler/arch/primitives.h"
#include "profiler/base/settings.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"

#define STACK_SIZE  (32 * 1024)
#define LAST_SIGNAL 64

enum helper_status { STATUS_NOT_RUN = 127, STATUS_KILLED = 126 };

/* What the child works on. It shares the program's memory until it executes, so it writes here and to its own stack
 * only. */
struct helper {
  const struct prof_hidden *command;
  const char **environment;
  char candidate[PROF_MAX_PATH];                             /* PATH's folder and the command's name */
  long error;                                                /* of the last execve() */
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

/* What the command reads and writes is for nobody: the first three descriptors may be anything of the program's, and
 * where there is no /dev they lead to memory. 0, or a negative errno. */
static long silent_descriptors(void)
{
  long null = prof_sys_open("/dev/null", O_RDWR, 0);
  if (null < 0)
    null = PROF_SYSCALL2(SYS_memfd_create, "callsig", 0);
  if (null < 0)
    return null;
  for (int fd = 0; fd <= 2; fd++)
    if (null != fd)
      PROF_SYSCALL3(SYS_dup3, null, fd, 0);
  PROF_SYSCALL3(SYS_close_range, 3, UINT32_MAX, 0);
  return 0;
}

/* Executes the command, looked for in PATH when its name has no slash, but never in the current folder, which may be
 * anybody's. Comes back when that fails. */
static void execute(struct helper *helper)
{
  const char *name = helper->command->arguments[0];
  if (prof_base_name(name) != name) {
    helper->error = PROF_SYSCALL3(SYS_execve, name, helper->command->arguments, helper->environment);
    return;
  }
  helper->error = -ENOENT;
  for (const char *next = helper->command->path; next && *next;) {
    struct prof_text text = prof_text_begin(helper->candidate, sizeof helper->candidate);
    const char *end = next;
    while (*end && *end != ':')
      end++;
    prof_text_add_bytes(&text, next, (size_t)(end - next));
    prof_text_add(&text, "/");
    prof_text_add(&text, name);
    if (helper->candidate[0] == '/' && end != next)
      helper->error = PROF_SYSCALL3(SYS_execve, helper->candidate, helper->command->arguments, helper->environment);
    next = *end ? end + 1 : end;
  }
}

static void inner_child(void *data)
{
  struct helper *helper = data;
  const uint64_t none = 0;
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
  raise_limits();
  long pid = silent_descriptors();
  if (pid == 0)
    pid = prof_clone(helper->inner_stack + STACK_SIZE, CLONE_VM | CLONE_VFORK | SIGCHLD, inner_child, helper);
  if (pid < 0)
    helper->error = pid;
  while (pid > 0 && (waited = PROF_SYSCALL4(SYS_wait4, pid, &status, __WALL, 0)) == -EINTR)
    ;
  bool exited = waited == pid && (status & 0x7f) == 0;
  PROF_SYSCALL1(SYS_exit_group, pid < 0 ? STATUS_NOT_RUN : exited ? status >> 8 & 0xff : STATUS_KILLED);
}

/* Is it an entry of the variable that `other`, "NAME=VALUE", sets? */
static bool sets_same(const char *entry, const char *other)
{
  size_t i = 0;
  while (other && other[i] && other[i] != '=' && entry[i] == other[i])
    i++;
  return other && other[i] == '=' && entry[i] == '=';
}

/* The program's environment without what is meant for the program alone, and with `variable`. */
static void prepare_environment(struct helper *helper)
{
  static const char *const left_out[] = {"LD_PRELOAD=", "LD_AUDIT=", "CALLSIG_OUTPUT="};
  const char *variable = helper->command->variable;
  size_t count = 0;
  for (char *const *entry = helper->command->environment; *entry; entry++) {
    bool keep = !sets_same(*entry, variable);
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++)
      keep = keep && !prof_starts_with(*entry, left_out[i]);
    if (keep)
      helper->environment[count++] = *entry;
  }
  if (variable)
    helper->environment[count++] = variable;
  helper->environment[count] = NULL;
}

/* Waits for the child and tells how it went. */
static enum prof_hidden_end finish(const struct helper *helper, long pid, int *error)
{
  int status = 0;
  long waited;
  do
    waited = PROF_SYSCALL4(SYS_wait4, pid, &status, __WCLONE, 0);
  while (waited == -EINTR);
  if (waited == -ECHILD) /* somebody waits with __WALL: what the command left tells whether it went well */
    return PROF_HIDDEN_DONE;
  *error = waited < 0 ? (int)waited : -EIO;
  if (waited >= 0 && status == STATUS_NOT_RUN << 8) {
    *error = (int)helper->error;
    return PROF_HIDDEN_NOT_RUN;
  }
  if (waited < 0 || status)
    return PROF_HIDDEN_FAILED;
  *error = 0;
  return PROF_HIDDEN_DONE;
}

static size_t count_entries(char *const *entries)
{
  size_t count = 0;
  while (entries[count])
    count++;
  return count;
}

enum prof_hidden_end prof_hidden_run(const struct prof_hidden *command, int *error)
{
  const size_t room = count_entries(command->environment) + 2; /* the variable, and the end */
  const size_t size = sizeof(struct helper) + room * sizeof(char *);
  *error = 0;
  long mapped = prof_sys_mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (prof_sys_failed(mapped)) {
    *error = (int)mapped;
    return PROF_HIDDEN_NO_MEMORY;
  }
  struct helper *helper = (struct helper *)mapped;
  helper->environment = (const char **)(mapped + (long)sizeof *helper);
  helper->command = command;
  prepare_environment(helper);
  /* As vfork() does, which valgrind knows and lets through: this thread waits for its end in any case. */
  long pid = prof_clone(helper->stack + STACK_SIZE, CLONE_VM | CLONE_VFORK, outer_child, helper);
  enum prof_hidden_end end = PROF_HIDDEN_NO_PROCESS;
  if (pid < 0)
    *error = (int)pid;
  else
    end = finish(helper, pid, error);
  prof_sys_munmap((void *)mapped, size);
  return end;
}
