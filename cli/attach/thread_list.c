/* Reads /proc/PID/task, and what each thread there is doing. */
#include "cli/attach/thread_list.h"

#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* Calls in which programs wait, which the allocator and the dynamic loader do not make, or only with other callers, and
 * which have done nothing yet when they are interrupted, as a write of which a part is written has. */
static const struct {
  long number;
  enum cli_thread_rank rank;
} calls[] = {
    {SYS_read, CLI_THREAD_WAITS},
    {SYS_readv, CLI_THREAD_WAITS},
    {SYS_accept, CLI_THREAD_WAITS},
    {SYS_accept4, CLI_THREAD_WAITS},
    {SYS_wait4, CLI_THREAD_WAITS},
    {SYS_waitid, CLI_THREAD_WAITS},
    {SYS_rt_sigsuspend, CLI_THREAD_WAITS},
    {SYS_flock, CLI_THREAD_WAITS},
    {SYS_pselect6, CLI_THREAD_WAITS},
    {SYS_ppoll, CLI_THREAD_WAITS},
#ifdef SYS_pause
    {SYS_pause, CLI_THREAD_WAITS},
    {SYS_select, CLI_THREAD_WAITS},
    {SYS_poll, CLI_THREAD_SLEEPS},
    {SYS_epoll_wait, CLI_THREAD_SLEEPS},
#endif
    {SYS_nanosleep, CLI_THREAD_SLEEPS},
    {SYS_clock_nanosleep, CLI_THREAD_SLEEPS},
    {SYS_epoll_pwait, CLI_THREAD_SLEEPS},
#ifdef SYS_epoll_pwait2
    {SYS_epoll_pwait2, CLI_THREAD_SLEEPS},
#endif
    {SYS_rt_sigtimedwait, CLI_THREAD_SLEEPS},
    {SYS_mq_timedreceive, CLI_THREAD_WAITS}, /* its time is a moment, not a span */
    {SYS_msgrcv, CLI_THREAD_SLEEPS},
    {SYS_semop, CLI_THREAD_SLEEPS},
    {SYS_semtimedop, CLI_THREAD_SLEEPS},
    /* What a poll, a sleep or a futex with a time is called from when it was interrupted once. No lock of the allocator
     * or the loader is waited for with a time. */
    {SYS_restart_syscall, CLI_THREAD_SLEEPS},
};

/* Receives from a socket, of which nothing can have come yet: all of it that is waited for is waited for at once. */
static bool receives(long number, const unsigned long arguments[CLI_CALL_ARGUMENTS])
{
  return (number == SYS_recvfrom && !(arguments[3] & MSG_WAITALL)) ||
         (number == SYS_recvmsg && !(arguments[2] & MSG_WAITALL)) ||
         (number == SYS_recvmmsg && arguments[3] & MSG_WAITFORONE && !(arguments[3] & MSG_WAITALL));
}

enum cli_thread_rank cli_thread_rank_of(long number, const unsigned long arguments[CLI_CALL_ARGUMENTS])
{
  if (number < 0)
    return CLI_THREAD_RUNS;
  /* Conditions, semaphores, and the end of a thread are waited for with a mask of bits; the C library's own locks,
   * whose holders may be waiting for each other, are not. */
  if (number == SYS_futex && (arguments[1] & (unsigned long)FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET)
    return arguments[3] == 0 ? CLI_THREAD_WAITS : CLI_THREAD_SLEEPS;
  if (receives(number, arguments))
    return CLI_THREAD_WAITS;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (calls[i].number == number)
      return calls[i].rank;
  return CLI_THREAD_BUSY;
}

/* Reads what the kernel says of the thread: the number of its call and the arguments, or that it runs. */
static long read_call(pid_t process, pid_t thread, unsigned long arguments[CLI_CALL_ARGUMENTS])
{
  char path[96], line[256];
  long number = -1;
  snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)process, (int)thread);
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return -1;
  char *next = fgets(line, sizeof line, file);
  if (next != NULL && strncmp(line, "running", strlen("running")) != 0)
    number = strtol(line, &next, 10);
  for (int i = 0; i < CLI_CALL_ARGUMENTS && number >= 0; i++)
    arguments[i] = strtoul(next, &next, 16);
  fclose(file);
  return number;
}

long cli_thread_call(pid_t process, pid_t thread)
{
  unsigned long arguments[CLI_CALL_ARGUMENTS] = {0};
  return read_call(process, thread, arguments);
}

static int by_rank(const void *a, const void *b)
{
  const struct cli_thread *x = a, *y = b;
  return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (x->id > y->id) - (x->id < y->id);
}

int cli_thread_list(pid_t process, struct base_vector *threads)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", (int)process);
  *threads = (struct base_vector)BASE_VECTOR_OF(struct cli_thread);
  DIR *folder = opendir(path);
  if (folder == NULL)
    return errno == ENOENT ? -ESRCH : -errno;
  int error = 0;
  for (struct dirent *entry; error == 0 && (entry = readdir(folder)) != NULL;) {
    unsigned long arguments[CLI_CALL_ARGUMENTS] = {0};
    pid_t id = (pid_t)strtol(entry->d_name, NULL, 10);
    struct cli_thread *thread = id > 0 ? base_vector_add(threads, 1) : NULL;
    if (thread != NULL) {
      long number = read_call(process, id, arguments);
      *thread = (struct cli_thread){id, cli_thread_rank_of(number, arguments)};
    } else if (id > 0) {
      error = -ENOMEM;
    }
  }
  closedir(folder);
  if (error == 0 && threads->count > 0)
    qsort(threads->data, threads->count, sizeof(struct cli_thread), by_rank);
  return error;
}
