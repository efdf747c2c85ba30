/* Runs the server beside a program, in a process of its own. */
#include "cli/serve/side_server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/subcommand.h"
#include "cli/serve/server.h"

/* A handler gets no argument of ours. */
static volatile sig_atomic_t is_told_to_end;

/* For so long it may tell those that wait that it ends. */
enum { MOST_LOOKS = 60, LOOK_NS = 5000000 };

static void end(int signal)
{
  (void)signal;
  is_told_to_end = 1;
}

int cli_side_server_open(struct cli_side_server *server)
{
  if (!server->address)
    return CLI_EXIT_OK;
  if (!cli_server_is_there("run"))
    return CLI_EXIT_FAILURE;
  int status = server->token_file ? cli_token_read(server->token_file, &server->token) : CLI_EXIT_OK;
  if (status == CLI_EXIT_OK)
    status = cli_listener_open("--serve", server->address, server->token_file != NULL, &server->listener);
  return status;
}

/* What the terminal says is for the program, whose end ends this, too. */
static void take_signals(void)
{
  static const int ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGTSTP};
  struct sigaction action = {.sa_handler = SIG_IGN};
  sigset_t none;
  for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
    sigaction(ignored[i], &action, NULL);
  action.sa_handler = end;
  sigaction(SIGTERM, &action, NULL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Gives up what is the other process's: its input and output, and locks on recordings. */
static void let_go(int listener)
{
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) {
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
  }
  if (listener > STDERR_FILENO + 1)
    (void)close_range(STDERR_FILENO + 1, (unsigned)listener - 1, 0);
  (void)close_range((unsigned)listener + 1, ~0U, 0);
}

/* In the new process. */
static int serve(struct cli_side_server *server, const char *path, pid_t parent)
{
  take_signals();
  /* When the parent is killed, this ends; it may have been before that was asked for. */
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
    return CLI_EXIT_FAILURE;
  (void)prctl(PR_SET_NAME, "callsig serve");
  let_go(server->listener.fd);
  const struct cli_server_options options = {
      .recording = path, .listener = &server->listener, .token = &server->token, .stop = &is_told_to_end};
  return cli_server_run(&options);
}

int cli_side_server_start(struct cli_side_server *server, const char *path)
{
  if (!server->address)
    return 0;
  const pid_t parent = getpid();
  server->pid = fork();
  if (server->pid == 0)
    _exit(serve(server, path, parent));
  if (server->pid < 0) {
    int error = -errno;
    server->pid = 0;
    cli_error("run: the server cannot be started: %s", strerror(-error));
    return error;
  }
  cli_listener_close(&server->listener);
  cli_error("serving at %s", server->listener.url);
  return 0;
}

/* How it ended, where that was not by what told it to: whoever asked it since has got no answer. */
static void tell_end(int status)
{
  if (WIFSIGNALED(status) && WTERMSIG(status) != SIGTERM)
    cli_error("run: the server had ended before the program: signal %d", WTERMSIG(status));
  else if (WIFEXITED(status) && WEXITSTATUS(status) != CLI_EXIT_OK)
    cli_error("run: the server had ended before the program: status %d", WEXITSTATUS(status));
}

void cli_side_server_end(struct cli_side_server *server)
{
  int status;
  bool is_there = server->pid > 0;
  if (is_there)
    kill(server->pid, SIGTERM);
  for (int i = 0; is_there && i < MOST_LOOKS; i++) {
    const pid_t found = waitpid(server->pid, &status, WNOHANG);
    if (found > 0)
      tell_end(status);
    is_there = found == 0;
    if (is_there)
      nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
  }
  /* It may be reading a large recording. */
  if (is_there) {
    kill(server->pid, SIGKILL);
    while (waitpid(server->pid, NULL, 0) < 0 && errno == EINTR) {
    }
  }
  server->pid = 0;
  cli_listener_remove(&server->listener);
}
