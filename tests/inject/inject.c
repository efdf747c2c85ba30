/*
 * Runs a command and lets one of its system calls fail, or kills the process that makes it, by ptrace(): the call is
 * never made, and returns an error.
 *
 *   inject OUTPUT WHO NUMBER CALL ERROR COMMAND ARGUMENT...
 *
 * WHO says which calls count. "library=NAME": those made by the code of the mapped file whose name begins with NAME;
 * "program=NAME": those of processes that run the executable NAME, but for those of its loader; "whole=NAME": its
 * loader's too. Of the calls from NUMBER on, the first that is CALL, "any" or a system call's number and, behind a dot,
 * the operation of a futex, returns ERROR, a number of errno; for ERROR "kill" its process gets SIGKILL instead. With
 * NUMBER 0 nothing fails, and no writing to standard error ever does, where failures are told, nor to an eventfd.
 *
 * OUTPUT has a line for each call that counts: its number, from 1, the system call's, its first two arguments, and a
 * number that calls from the same place have in common: of the addresses of the same mapping that it returns to, as far
 * as the stack tells. Then "injected NUMBER" where one was, behind which no calls are told, and "ended STATUS", of the
 * command: 128 + N for a signal N.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_THREADS 1024
#define PLACES       256u
#define STACK_WORDS  256u /* that are searched for return addresses */
#define MOST_RETURNS 8u

enum who { LIBRARY, PROGRAM, WHOLE };

/* A mapping of a thread's, and whether calls that are made from there count; forgotten when a process runs something
 * else. */
struct place {
  pid_t thread;
  unsigned long low, high;
  bool counts;
};

struct injection {
  struct place places[PLACES];
  FILE *output;
  enum who who;
  const char *name;
  unsigned long number, counted;
  long call, operation;        /* -1: any */
  int error;                   /* 0: SIGKILL */
  bool done;                   /* nothing is left to be injected or told */
  pid_t failing[MOST_THREADS]; /* threads that are in a call that was not made */
  size_t failing_count;
};

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* The file that is mapped at the address, into `path`, "" where none is, and its bounds. */
static void mapped_file(pid_t thread, unsigned long address, char path[static PATH_MAX], struct place *place)
{
  char name[64], line[PATH_MAX + 128];
  snprintf(name, sizeof name, "/proc/%d/maps", thread);
  FILE *maps = fopen(name, "re");
  bool found = false;
  path[0] = 0;
  while (maps && !found && fgets(line, sizeof line, maps)) {
    path[0] = 0;
    found = sscanf(line, "%lx-%lx %*s %*s %*s %*s %4095[^\n]", &place->low, &place->high, path) >= 2 &&
            place->low <= address && address < place->high;
  }
  if (maps)
    fclose(maps);
  if (!found)
    path[0] = 0;
}

static bool runs_program(pid_t thread, const char *program)
{
  char path[PATH_MAX], link[64];
  snprintf(link, sizeof link, "/proc/%d/exe", thread);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  return strcmp(base_name(path), program) == 0;
}

static struct place *place_of(struct injection *injection, pid_t thread, unsigned long address)
{
  return &injection->places[((unsigned long)thread ^ address >> 20) % PLACES];
}

static bool counts(struct injection *injection, pid_t thread, unsigned long address)
{
  struct place *place = place_of(injection, thread, address);
  if (place->thread == thread && place->low <= address && address < place->high)
    return place->counts;
  char path[PATH_MAX];
  place->low = place->high = 0;
  mapped_file(thread, address, path, place);
  const char *file = base_name(path);
  place->thread = thread;
  if (injection->who == LIBRARY)
    place->counts = strncmp(file, injection->name, strlen(injection->name)) == 0;
  else
    place->counts =
        runs_program(thread, injection->name) && (injection->who == WHOLE || strncmp(file, "ld-linux", 8) != 0);
  return place->counts;
}

#if defined(__x86_64__)

static int skip_call(pid_t thread)
{
  return ptrace(PTRACE_POKEUSER, thread, offsetof(struct user_regs_struct, orig_rax), -1L) ? -errno : 0;
}

static int set_result(pid_t thread, long result)
{
  return ptrace(PTRACE_POKEUSER, thread, offsetof(struct user_regs_struct, rax), result) ? -errno : 0;
}

#elif defined(__aarch64__)

static int skip_call(pid_t thread)
{
  int none = -1;
  struct iovec part = {&none, sizeof none};
  return ptrace(PTRACE_SETREGSET, thread, NT_ARM_SYSTEM_CALL, &part) ? -errno : 0;
}

static int set_result(pid_t thread, long result)
{
  struct user_regs_struct registers;
  struct iovec part = {&registers, sizeof registers};
  if (ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &part))
    return -errno;
  registers.regs[0] = (unsigned long)result;
  return ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &part) ? -errno : 0;
}

#endif

/* The process of a thread. */
static pid_t process_of(pid_t thread)
{
  char name[64], line[256];
  pid_t process = thread;
  snprintf(name, sizeof name, "/proc/%d/status", thread);
  FILE *status = fopen(name, "r");
  while (status && fgets(line, sizeof line, status))
    if (sscanf(line, "Tgid: %d", &process) == 1)
      break;
  if (status)
    fclose(status);
  return process;
}

static uint32_t hash_more(uint32_t hash, unsigned long address)
{
  return (hash ^ (uint32_t)address) * 16777619u;
}

/* What calls from the same place have in common. */
static uint32_t way_to(const struct place *place, pid_t thread, const struct __ptrace_syscall_info *call)
{
  unsigned long words[STACK_WORDS];
  struct iovec to = {words, sizeof words}, from = {(void *)(uintptr_t)call->stack_pointer, sizeof words};
  uint32_t hash = hash_more(2166136261u, (unsigned long)call->instruction_pointer - place->low);
  /* As much as there is: near the end of a stack less. */
  ssize_t size = process_vm_readv(thread, &to, 1, &from, 1, 0);
  const size_t count = size > 0 ? (size_t)size / sizeof *words : 0;
  for (size_t i = 0, found = 0; i < count && found < MOST_RETURNS; i++)
    if (words[i] >= place->low && words[i] < place->high) {
      hash = hash_more(hash, words[i] - place->low);
      found++;
    }
  return hash;
}

static void inject(struct injection *injection, pid_t thread)
{
  fprintf(injection->output, "injected %lu\n", injection->counted);
  injection->number = 0;
  injection->done = true;
  if (!injection->error)
    kill(process_of(thread), SIGKILL);
  else if (injection->failing_count < MOST_THREADS && skip_call(thread) == 0)
    injection->failing[injection->failing_count++] = thread;
}

/* A counter in the kernel takes what is written to it, however full disks and memory are. */
static bool is_eventfd(pid_t thread, uint64_t descriptor)
{
  static const char eventfd[] = "anon_inode:[eventfd]";
  char path[64], file[sizeof eventfd] = "";
  snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)thread, (int)descriptor);
  return readlink(path, file, sizeof file) == (ssize_t)strlen(eventfd) && memcmp(file, eventfd, strlen(eventfd)) == 0;
}

static bool is_chosen(const struct injection *injection, pid_t thread, const struct __ptrace_syscall_info *call)
{
  if (!injection->error)
    return true;
  long number = (long)call->entry.nr, operation = (long)(call->entry.args[1] & (uint64_t)FUTEX_CMD_MASK);
  bool tells = (number == SYS_write || number == SYS_writev) && call->entry.args[0] == STDERR_FILENO;
  if (number == SYS_write && is_eventfd(thread, call->entry.args[0]))
    return false;
  return !tells && (injection->call < 0 || number == injection->call) &&
         (injection->operation < 0 || operation == injection->operation);
}

static void entered(struct injection *injection, pid_t thread, const struct __ptrace_syscall_info *call)
{
  if (injection->done || !counts(injection, thread, call->instruction_pointer))
    return;
  const struct place *place = place_of(injection, thread, call->instruction_pointer);
  injection->counted++;
  fprintf(injection->output, "%lu %llu %llu %llu %u\n", injection->counted, (unsigned long long)call->entry.nr,
          (unsigned long long)call->entry.args[0], (unsigned long long)call->entry.args[1],
          injection->number ? 0 : way_to(place, thread, call));
  if (injection->number && injection->counted >= injection->number && is_chosen(injection, thread, call))
    inject(injection, thread);
}

static void left(struct injection *injection, pid_t thread)
{
  for (size_t i = 0; i < injection->failing_count; i++)
    if (injection->failing[i] == thread) {
      set_result(thread, -injection->error);
      injection->failing[i] = injection->failing[--injection->failing_count];
      return;
    }
}

static void stopped_at_call(struct injection *injection, pid_t thread)
{
  struct __ptrace_syscall_info call;
  if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof call, &call) <= 0)
    return;
  if (call.op == PTRACE_SYSCALL_INFO_ENTRY)
    entered(injection, thread, &call);
  else if (call.op == PTRACE_SYSCALL_INFO_EXIT)
    left(injection, thread);
}

/* The signal with which a stopped thread goes on. */
static int signal_of(struct injection *injection, pid_t thread, int status)
{
  int number = WSTOPSIG(status);
  if (number == (SIGTRAP | 0x80)) {
    stopped_at_call(injection, thread);
    return 0;
  }
  if (status >> 16 == PTRACE_EVENT_EXEC)
    memset(injection->places, 0, sizeof injection->places);
  /* Stops of new threads and images are ptrace()'s own, and a group's stop is left at once: nobody here stops. */
  return status >> 16 || number == SIGSTOP ? 0 : number;
}

/* Follows all processes to their ends. Returns the first one's status. */
static int follow(struct injection *injection, pid_t first)
{
  int status, result = 0;
  pid_t thread;
  while ((thread = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
    if (thread <= 0)
      continue;
    if (WIFSTOPPED(status)) {
      const int number = signal_of(injection, thread, status);
      /* Nobody asks for the calls that come then: the command ends as fast as it would. */
      const bool is_over = injection->done && injection->failing_count == 0;
      ptrace(is_over ? PTRACE_CONT : PTRACE_SYSCALL, thread, 0, number);
    } else if (thread == first) {
      result = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
  }
  return result;
}

static int read_who(struct injection *injection, const char *text)
{
  static const char *const kinds[] = {[LIBRARY] = "library=", [PROGRAM] = "program=", [WHOLE] = "whole="};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (strncmp(text, kinds[i], strlen(kinds[i])) == 0) {
      injection->who = (enum who)i;
      injection->name = text + strlen(kinds[i]);
      return 0;
    }
  return -EINVAL;
}

static void read_call(struct injection *injection, const char *text)
{
  injection->call = injection->operation = -1;
  char *end;
  if (strcmp(text, "any") == 0)
    return;
  injection->call = strtol(text, &end, 10);
  if (*end == '.')
    injection->operation = strtol(end + 1, NULL, 10);
}

int main(int argc, char **argv)
{
  static struct injection injection;
  if (argc < 7 || read_who(&injection, argv[2]) || !(injection.output = fopen(argv[1], "we"))) {
    fprintf(stderr, "usage: inject OUTPUT (library|program|whole)=NAME NUMBER CALL (ERROR|kill) COMMAND ARGUMENT...\n");
    return 2;
  }
  injection.number = strtoul(argv[3], NULL, 10);
  read_call(&injection, argv[4]);
  injection.error = strcmp(argv[5], "kill") == 0 ? 0 : atoi(argv[5]);
  pid_t first = fork();
  if (first == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    execvp(argv[6], argv + 6);
    _exit(127);
  }
  int status;
  long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                 PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (first < 0 || waitpid(first, &status, 0) != first || !WIFSTOPPED(status) ||
      ptrace(PTRACE_SETOPTIONS, first, 0, options)) {
    fprintf(stderr, "inject: cannot trace: %s\n", strerror(errno));
    return 77;
  }
  ptrace(PTRACE_SYSCALL, first, 0, 0);
  fprintf(injection.output, "ended %d\n", follow(&injection, first));
  return fclose(injection.output) ? 1 : 0;
}
