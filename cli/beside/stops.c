/* Samples a program from outside by stopping its running threads for an instant. */
#include "cli/beside/stops.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/beside/code_map.h"

/* Two looks are as far apart as this on average, and a sample stands for as much CPU time of a thread. */
#define PERIOD_NS 1000000u

/* Pages, of 4096 bytes or more, that what is read of a stack lies in. */
#define STACK_PARTS (CLI_STACK_SIZE / 4096u + 1)

/* A thread as it was seen last. */
struct seen {
  pid_t id;
  bool alive;      /* it was there at this look */
  uint64_t used;   /* nanoseconds on a processor, when it was sampled last, or first seen */
  uint64_t latest; /* the same at the last look */
};

struct cli_stops {
  struct base_vector threads; /* struct seen */
  struct cli_code_map map;
  struct cli_callers callers;
  uint64_t random;
  uint64_t used_ns; /* of all threads, from each one's first look on */
  uint64_t stops;   /* samples, those of threads that had gone included */
};

int cli_stops_open(struct cli_stops **opened, const struct cli_profiled *profiled)
{
  struct cli_stops *stops = calloc(1, sizeof *stops);
  *opened = stops;
  if (stops == NULL)
    return -ENOMEM;
  stops->threads = (struct base_vector)BASE_VECTOR_OF(struct seen);
  stops->map.mappings = (struct base_vector)BASE_VECTOR_OF(struct cli_mapping);
  cli_callers_init(&stops->callers, profiled);
  if (getrandom(&stops->random, sizeof stops->random, GRND_NONBLOCK) != sizeof stops->random)
    stops->random = (uint64_t)time(NULL);
  return 0;
}

/* Waits for 0 to twice the period: Knuth's MMIX generator, whose high bits are good. */
static void wait_randomly(struct cli_stops *stops)
{
  stops->random = stops->random * 6364136223846793005u + 1442695040888963407u;
  struct timespec pause = {.tv_nsec = (long)((stops->random >> 32) % (2u * PERIOD_NS))};
  nanosleep(&pause, NULL);
}

/* Reads the first line of a file of /proc about a thread. */
static bool read_thread_file(pid_t pid, pid_t thread, const char *name, char *line, int size)
{
  char path[96];
  snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)thread, name);
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return false;
  bool found = fgets(line, size, file) != NULL;
  fclose(file);
  return found;
}

/* How long the thread was on a processor. */
static bool read_used(pid_t pid, pid_t thread, uint64_t *used)
{
  char line[128];
  if (!read_thread_file(pid, thread, "schedstat", line, sizeof line))
    return false;
  char *end;
  *used = strtoull(line, &end, 10);
  return end != line;
}

static bool is_running(pid_t pid, pid_t thread)
{
  char line[512];
  const char *state = read_thread_file(pid, thread, "stat", line, sizeof line) ? strrchr(line, ')') : NULL;
  return state != NULL && strncmp(state, ") R", 3) == 0;
}

/* Where a stopped thread is, and what lies on the top of its stack. */
struct stopped {
  struct cli_registers registers;
  struct cli_stack stack; /* whose words are these: */
  uint64_t words[CLI_STACK_SIZE / sizeof(uint64_t)];
};

/* A stack may end behind any page: what lies before that is read. */
static void read_stack(pid_t thread, uint64_t top, struct stopped *stopped)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  struct iovec local = {.iov_base = stopped->words, .iov_len = sizeof stopped->words}, parts[STACK_PARTS];
  size_t count = 0;
  uint64_t next = top & ~UINT64_C(7);
  const uint64_t end = next + sizeof stopped->words;
  stopped->stack = (struct cli_stack){.start = next, .words = stopped->words};
  for (; next < end && count < STACK_PARTS; count++) {
    const uint64_t behind = next - next % page + page, size = (behind < end ? behind : end) - next;
    parts[count] = (struct iovec){.iov_base = (void *)(uintptr_t)next, .iov_len = (size_t)size};
    next += size;
  }
  const ssize_t length = process_vm_readv(thread, &local, 1, parts, count, 0);
  stopped->stack.count = length > 0 ? (size_t)length / sizeof *stopped->words : 0;
}

static bool read_stopped(pid_t thread, struct stopped *stopped)
{
#if defined(__x86_64__)
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, thread, NULL, &registers) != 0)
    return false;
  /* DWARF's numbers of the registers: System V ABI, AMD64 supplement, figure 3.36. */
  stopped->registers = (struct cli_registers){.address = registers.rip,
                                              .values = {[3] = registers.rbx,
                                                         [6] = registers.rbp,
                                                         [7] = registers.rsp,
                                                         [12] = registers.r12,
                                                         [13] = registers.r13,
                                                         [14] = registers.r14,
                                                         [15] = registers.r15},
                                              .known = 1u << 3 | 1u << 6 | 1u << 7 | 0xF000u};
  read_stack(thread, registers.rsp, stopped);
  return true;
#else
  (void)thread;
  (void)stopped;
  return false;
#endif
}

/* Waits until the thread that was asked to has stopped. False when it ended instead: a thread is then given up, which
 * only its tracer can do; the process's first one is left to who started it. */
static bool wait_for_stop(pid_t pid, pid_t thread, int *status)
{
  siginfo_t info = {0};
  if (waitid(P_PID, (id_t)thread, &info, WSTOPPED | WEXITED | WNOWAIT | __WALL) != 0)
    return false;
  bool ended = info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED;
  if (ended && thread == pid)
    return false;
  return waitpid(thread, status, __WALL | WNOHANG) == thread && WIFSTOPPED(*status);
}

/* Stops the thread, reads where it is, and lets it go on. 1: it is there; 0: it has gone. One that the kernel works for
 * is where it called it. */
static int stop_thread(pid_t pid, pid_t thread, struct stopped *stopped)
{
  int status = 0;
  if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0)
    return errno == ESRCH ? 0 : -errno;
  if (ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) != 0 || !wait_for_stop(pid, thread, &status))
    return 0;
  int found = read_stopped(thread, stopped);
  /* A signal that was on its way to the thread goes on with it. */
  long signal = status >> 16 == 0 ? WSTOPSIG(status) : 0;
  ptrace(PTRACE_DETACH, thread, NULL, signal);
  return found;
}

/* Files may have been mapped since: those that lead to the address are asked for when it is in none, or nobody is known
 * to have called it. */
static int take_sample(struct cli_stops *stops, pid_t pid, const struct stopped *stopped, struct cli_samples *samples)
{
  if (!cli_callers_knows(&stops->callers, &stops->map, samples->strings, &stopped->stack, &stopped->registers)) {
    if (cli_code_map_read(&stops->map, samples->strings, pid) == -ENOMEM)
      return -ENOMEM;
    cli_callers_clear(&stops->callers);
  }
  return cli_callers_count(&stops->callers, &stops->map, &stopped->stack, &stopped->registers, samples);
}

/* The thread's entry, made when it is new. NULL when memory is short. */
static struct seen *find_thread(struct cli_stops *stops, pid_t thread, uint64_t used)
{
  for (uint32_t i = 0; i < stops->threads.count; i++) {
    struct seen *seen = base_vector_at(&stops->threads, i);
    if (seen->id == thread)
      return seen;
  }
  struct seen *added = base_vector_add(&stops->threads, 1);
  if (added != NULL)
    *added = (struct seen){.id = thread, .used = used, .latest = used};
  return added;
}

static int look_at_thread(struct cli_stops *stops, pid_t pid, pid_t thread, struct cli_samples *samples)
{
  struct stopped stopped;
  uint64_t used;
  if (!read_used(pid, thread, &used))
    return 0;
  struct seen *seen = find_thread(stops, thread, used);
  if (seen == NULL)
    return -ENOMEM;
  seen->alive = true;
  stops->used_ns += used - seen->latest;
  seen->latest = used;
  if (used - seen->used < PERIOD_NS || !is_running(pid, thread))
    return 0;
  int found = stop_thread(pid, thread, &stopped);
  if (found < 0)
    return found;
  seen->used += PERIOD_NS;
  stops->stops++;
  return found > 0 ? take_sample(stops, pid, &stopped, samples) : 0;
}

/* Forgets the threads that have ended, whose numbers may come again. */
static void forget_ended(struct cli_stops *stops)
{
  struct seen *all = stops->threads.data;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < stops->threads.count; i++) {
    if (!all[i].alive)
      continue;
    all[kept] = all[i];
    all[kept++].alive = false;
  }
  stops->threads.count = kept;
}

int cli_stops_look(struct cli_stops *stops, pid_t pid, struct cli_samples *samples)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
  DIR *folder = opendir(path);
  if (folder == NULL)
    return -ESRCH;
  int error = 0;
  for (struct dirent *entry; error == 0 && (entry = readdir(folder)) != NULL;)
    if (entry->d_name[0] != '.')
      error = look_at_thread(stops, pid, (pid_t)strtol(entry->d_name, NULL, 10), samples);
  closedir(folder);
  forget_ended(stops);
  if (error == 0)
    wait_randomly(stops);
  return error;
}

uint64_t cli_stops_period(const struct cli_stops *stops)
{
  return stops->stops > 0 ? stops->used_ns / stops->stops : 0;
}

void cli_stops_close(struct cli_stops *stops)
{
  if (stops == NULL)
    return;
  base_vector_free(&stops->threads);
  cli_code_map_free(&stops->map);
  cli_callers_free(&stops->callers);
  free(stops);
}
