/* Starts the program, hands signals on, waits. */
#define _GNU_SOURCE
#include "cli/run/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/common/ignored_signals.h"
#include "cli/common/standard_files.h"
#include "cli/common/subcommand.h"
#include "cli/run/group_witness.h"

/* Signals that ask a program to do something, or to end: all of them are sent on. Those of faults and of limits are
 * this process's own, and the terminal's that stop it stop the program by themselves. */
static const int forwarded[] = {SIGHUP,   SIGINT,  SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2,   SIGALRM, SIGCONT,
                                SIGWINCH, SIGABRT, SIGPIPE, SIGURG,  SIGIO,   SIGVTALRM, SIGPROF, SIGPWR};
enum { SIGNALS = 65 };

/* The program that signals go to; 0 before it runs and after it was waited for. A handler gets no argument of ours. */
static volatile sig_atomic_t target;

/* Of the group that this process and the program are in. */
static struct cli_group_witness witness;

/* The terminal's key has interrupted this process; and the program, which ended by that. */
static volatile sig_atomic_t is_interrupted;
static bool has_ended_by_key;

/* Has the program got the signal by itself? timeout(1) and shells signal groups; the program may have left this one. */
static bool has_it(int signal, const siginfo_t *info)
{
  return info->si_code == SI_USER && getpgid((pid_t)target) == getpgrp() && cli_group_witness_saw(&witness, signal);
}

static void forward(int signal, siginfo_t *info, void *context)
{
  (void)context;
  int saved = errno;
  is_interrupted |= signal == SIGINT && info->si_code == SI_KERNEL;
  /* The kernel itself (a terminal's key, its hang-up) signals the whole foreground group, the program included; but for
   * a timer that whoever executed this process has set for the program. What the program sends to its group it gets by
   * itself, and what it sends to its parent is not for it. And a pipe that nobody reads any more looks as if this
   * process had sent the signal. */
  const bool is_of_timer =
      info->si_code == SI_KERNEL && (signal == SIGALRM || signal == SIGVTALRM || signal == SIGPROF);
  const bool is_sent = info->si_code <= 0 && info->si_pid != (pid_t)target && info->si_pid != getpid();
  if (is_sent && target != 0 && info->si_code == SI_QUEUE)
    sigqueue((pid_t)target, signal, info->si_value);
  else if (target != 0 && (is_of_timer || (is_sent && !has_it(signal, info))))
    kill((pid_t)target, signal);
  errno = saved;
}

static bool is_forwarded(int signal)
{
  for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
    if (forwarded[i] == signal)
      return true;
  return signal >= SIGRTMIN && signal <= SIGRTMAX;
}

/* The program has started: what is ignored here (nohup; SIGINT and SIGQUIT of what a script puts into the background)
 * is ignored there, unless it asks for it all the same, which only it can tell. */
static void install_handlers(struct sigaction saved[SIGNALS])
{
  struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigfillset(&action.sa_mask);
  for (int signal = 1; signal < SIGNALS; signal++)
    if (is_forwarded(signal))
      sigaction(signal, &action, &saved[signal]);
}

static void restore_handlers(const struct sigaction saved[SIGNALS])
{
  for (int signal = 1; signal < SIGNALS; signal++)
    if (is_forwarded(signal))
      sigaction(signal, &saved[signal], NULL);
}

/* Starts the program with the signal mask `mask`. */
static int start(const char *path, char *const argv[], char *const environment[], const sigset_t *mask, pid_t *pid)
{
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  cli_signals_defaults(&defaults);
  posix_spawnattr_setsigmask(&attributes, mask);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int error = posix_spawn(pid, path, NULL, &attributes, argv, environment);
  posix_spawnattr_destroy(&attributes);
  return -error;
}

/* What the program's process does before it is that. Async-signal-safe: this process may have other threads. */
static _Noreturn void become(const char *path, char *const argv[], char *const environment[], const sigset_t *mask,
                             pid_t parent, int report)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  /* Gone before it could be asked for. */
  if (getppid() != parent)
    raise(SIGKILL);
  cli_signals_reset();
  sigprocmask(SIG_SETMASK, mask, NULL);
  execve(path, argv, environment);
  const int error = errno;
  while (write(report, &error, sizeof error) < 0 && errno == EINTR)
    ;
  _exit(127);
}

/* The same as start(), of a program that does not outlive this thread. */
static int start_bound(const char *path, char *const argv[], char *const environment[], const sigset_t *mask,
                       pid_t *pid)
{
  int ends[2], error = 0;
  const pid_t own = getpid();
  if (pipe2(ends, O_CLOEXEC) != 0)
    return -errno;
  *pid = fork();
  if (*pid == 0)
    become(path, argv, environment, mask, own, ends[1]);
  if (*pid < 0)
    error = errno;
  close(ends[1]);
  /* What closes this without a word is execve(). */
  if (*pid > 0 && read(ends[0], &error, sizeof error) == (ssize_t)sizeof error)
    waitpid(*pid, NULL, 0);
  close(ends[0]);
  return -error;
}

/* Waits without reaping. Where another thread stops the program for an instant to sample it, such a stop shows here,
 * whatever is waited for. */
static void wait_for_end(pid_t pid)
{
  siginfo_t info;
  for (;;) {
    int result = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    if (result == 0 && info.si_code == CLD_TRAPPED)
      sched_yield();
    else if (result == 0 || errno != EINTR)
      return;
  }
}

int cli_supervise(const char *path, char *const argv[], char *const environment[], bool is_bound,
                  void (*look)(pid_t pid, void *data), void *data, pid_t *pid, int *status)
{
  struct sigaction saved[SIGNALS];
  sigset_t all, mask;
  /* Blocked until the program's id is known, so that no signal is lost in between. */
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &mask);
  int error = (is_bound ? start_bound : start)(path, argv, environment, &mask, pid);
  if (error == 0)
    cli_group_witness_start(&witness);
  if (error < 0) {
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return error;
  }
  target = *pid;
  is_interrupted = 0;
  install_handlers(saved);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  cli_standard_files_let_go();
  if (look)
    look(*pid, data);

  /* The id stays the program's until it is reaped, so it is taken back between its end and that. */
  wait_for_end(*pid);
  target = 0;
  if (look)
    look(*pid, data);
  while (waitpid(*pid, status, 0) < 0)
    if (errno != EINTR) {
      error = -errno;
      break;
    }
  restore_handlers(saved);
  cli_group_witness_end(&witness);
  has_ended_by_key = error == 0 && is_interrupted && WIFSIGNALED(*status) && WTERMSIG(*status) == SIGINT;
  return error;
}

int cli_supervise_end(int status)
{
  struct sigaction action;
  fflush(NULL);
  if (has_ended_by_key && sigaction(SIGINT, NULL, &action) == 0 && action.sa_handler == SIG_DFL)
    raise(SIGINT);
  return status;
}
