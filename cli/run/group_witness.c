/* A child process that blocks all signals, so that those which are sent to its group wait in it, where /proc shows
 * them. */
#define _GNU_SOURCE
#include "cli/run/group_witness.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  LOOKS = 3,          /* at what waits */
  PAUSE_NS = 1000000, /* between two of them */
  STATUS_MOST = 8192, /* bytes of /proc/PID/status that are read */
  ARG_START = 48      /* the field of /proc/PID/stat, which arg_end follows (proc(5)) */
};

/* Without the command's name in it: who signals all that is called callsig means the programs, and not this. */
static const char own_name[] = "group-witness";

/* Names the process, in ps and for pkill, killall and pidof. Where that fails nothing is different: async-signal-safe,
 * since a fork of a process with threads runs this. */
static void take_name(void)
{
  char text[STATUS_MOST];
  const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  const ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0)
    close(file);
  prctl(PR_SET_NAME, own_name);
  text[size > 0 ? size : 0] = '\0';
  char *next = strrchr(text, ')');
  uintptr_t start = 0;
  for (unsigned field = 2; next && field < ARG_START; field++)
    next = strchr(next + 1, ' ');
  if (next)
    start = strtoul(next, &next, 10);
  const uintptr_t end = next ? strtoul(next, &next, 10) : 0;
  for (uintptr_t at = start; start != 0 && at < end; at++)
    *(char *)at = at - start < sizeof own_name && at + 1 < end ? own_name[at - start] : '\0';
}

/* What the process does, all its life. It holds nothing open that others may wait for the end of. */
static _Noreturn void watch(int told, pid_t parent)
{
  const struct timespec now = {0};
  sigset_t all;
  char byte;
  sigfillset(&all);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent || dup2(told, 0) < 0 || close_range(1, UINT_MAX, 0) != 0)
    _exit(1);
  take_name();
  while (read(0, &byte, 1) == 1)
    while (sigtimedwait(&all, NULL, &now) > 0)
      ;
  _exit(0);
}

static int open_status(pid_t pid)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  return open(path, O_RDONLY | O_CLOEXEC);
}

void cli_group_witness_start(struct cli_group_witness *witness)
{
  int ends[2];
  const pid_t own = getpid();
  *witness = (struct cli_group_witness){.pid = 0, .status = -1, .ask = -1};
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return;
  fcntl(ends[0], F_SETFL, 0);
  const pid_t pid = fork();
  if (pid == 0)
    watch(ends[0], own);
  close(ends[0]);
  *witness = (struct cli_group_witness){.pid = pid > 0 ? pid : 0, .status = -1, .ask = ends[1]};
  if (pid > 0)
    witness->status = open_status(pid);
  if (witness->status < 0)
    cli_group_witness_end(witness);
}

/* The signals that wait in the whole process, by the line "ShdPnd:\t" and sixteen digits; as sigset_t's bits. */
static uint64_t waiting(const struct cli_group_witness *witness)
{
  static const char name[] = "\nShdPnd:\t";
  char text[STATUS_MOST];
  const ssize_t size = pread(witness->status, text, sizeof text - 1, 0);
  text[size > 0 ? size : 0] = '\0';
  const char *digit = strstr(text, name);
  uint64_t set = 0;
  for (digit = digit ? digit + sizeof name - 1 : ""; *digit > ' '; digit++)
    set = set << 4 | (uint64_t)(*digit <= '9' ? *digit - '0' : *digit - 'a' + 10);
  return set;
}

bool cli_group_witness_saw(const struct cli_group_witness *witness, int signal)
{
  const struct timespec pause = {.tv_nsec = PAUSE_NS};
  bool saw = false;
  for (unsigned look = 0; witness->pid != 0 && !saw && look < LOOKS; look++) {
    if (look > 0)
      nanosleep(&pause, NULL);
    saw = waiting(witness) >> (signal - 1) & 1;
  }
  /* Also where nothing was seen: what waits from now on is of another signal. */
  if (witness->pid != 0)
    while (write(witness->ask, "", 1) < 0 && errno == EINTR)
      ;
  return saw;
}

void cli_group_witness_end(struct cli_group_witness *witness)
{
  if (witness->pid != 0) {
    kill(witness->pid, SIGKILL);
    while (waitpid(witness->pid, NULL, 0) < 0 && errno == EINTR)
      ;
  }
  if (witness->status >= 0)
    close(witness->status);
  if (witness->ask >= 0)
    close(witness->ask);
  *witness = (struct cli_group_witness){.pid = 0, .status = -1, .ask = -1};
}
