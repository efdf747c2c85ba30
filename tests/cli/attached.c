/* A program to attach to: threads that wait and work in every way, and calls by the number on request. Any EINTR ends
 * it, but where it says that a signal comes. `attached MODE [LIBRARY]`; it reads numbers from stdin, a line each; one
 * below 0 has a forked child go on. */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOTHING_SECONDS 0.2 /* of a wait that nothing ends but its time */

static volatile long sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t nobody;
static pthread_t signalled;

__attribute__((noinline)) static int twice(int n)
{
  sum += n;
  return n * 2;
}

__attribute__((noinline)) static int work(int n)
{
  return twice(n) + twice(7);
}

static void fail(const char *what)
{
  printf("failed: %s: %s\n", what, strerror(errno));
  fflush(stdout);
  _exit(9);
}

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void check_wait(const char *what, double since, int result, int expected)
{
  if (result != expected)
    fail(what);
  if (now() - since < NOTHING_SECONDS * 0.999)
    fail("came back early");
}

/* Waits that nothing ends but their time, one after the other. */
static void *sleeps(void *data)
{
  struct timespec time = {.tv_nsec = (long)(NOTHING_SECONDS * 1e9)};
  int set = epoll_create1(0);
  for (;;) {
    double since = now();
    check_wait("nanosleep", since, nanosleep(&time, NULL), 0);
    since = now();
    check_wait("poll", since, poll(NULL, 0, (int)(NOTHING_SECONDS * 1000)), 0);
    struct epoll_event event;
    since = now();
    check_wait("epoll_wait", since, epoll_wait(set, &event, 1, (int)(NOTHING_SECONDS * 1000)), 0);
    struct timeval span = {.tv_usec = (long)(NOTHING_SECONDS * 1e6)};
    since = now();
    check_wait("select", since, select(0, NULL, NULL, NULL, &span), 0);
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec++;
    if (sem_timedwait(&nobody, &end) == 0 || errno != ETIMEDOUT)
      fail("sem_timedwait");
    if (data)
      return NULL;
  }
}

static void *waits_for_condition(void *data)
{
  (void)data;
  pthread_mutex_lock(&lock);
  for (;;)
    pthread_cond_wait(&never, &lock);
}

static void *reads_nothing(void *data)
{
  int ends[2];
  char byte;
  (void)data;
  if (pipe(ends) != 0 || read(ends[0], &byte, 1) != 1)
    fail("read");
  return NULL;
}

/* Asks the allocator for memory, small and so large that it asks the kernel. */
static void *allocates(void *data)
{
  unsigned state = (unsigned)(size_t)data;
  for (;;) {
    void *blocks[16];
    for (int i = 0; i < 16; i++) {
      state = state * 1103515245u + 12345u;
      blocks[i] = malloc(state >> 16 & 1 ? 300000 : state >> 20 & 1023);
      if (blocks[i])
        memset(blocks[i], 1, 8);
    }
    for (int i = 0; i < 16; i++)
      free(blocks[i]);
  }
}

/* In the allocator most of the time, too. */
static void on_signal(int number)
{
  (void)number;
  const struct timespec time = {.tv_nsec = 200000};
  nanosleep(&time, NULL);
}

static void *is_signalled(void *data)
{
  (void)data;
  for (;;)
    free(malloc(64));
}

static void *signals(void *data)
{
  (void)data;
  for (;;) {
    const struct timespec time = {.tv_nsec = 300000};
    nanosleep(&time, NULL);
    pthread_kill(signalled, SIGUSR1);
  }
}

static void begin(void *(*function)(void *), void *data, pthread_t *thread)
{
  pthread_t other;
  if (pthread_create(thread ? thread : &other, NULL, function, data) != 0)
    fail("pthread_create");
}

/* Loads a library whose constructor takes its time, under the loader's lock. */
static void *loads(void *path)
{
  if (!dlopen(path, RTLD_NOW))
    fail(dlerror());
  return NULL;
}

static void begin_timer(void)
{
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  const struct itimerval often = {{.tv_usec = 3000}, {.tv_usec = 3000}};
  if (sigaction(SIGALRM, &action, NULL) != 0 || setitimer(ITIMER_REAL, &often, NULL) != 0)
    fail("setitimer");
}

/* Has another process hand on the lines, so that they come from a socket. */
static void begin_socket(void)
{
  int ends[2];
  char byte;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    fail("socketpair");
  const pid_t child = fork();
  if (child < 0)
    fail("fork");
  if (child > 0) {
    dup2(ends[0], 0);
    close(ends[0]);
    close(ends[1]);
    return;
  }
  close(ends[0]);
  while (read(0, &byte, 1) == 1 && write(ends[1], &byte, 1) == 1)
    ;
  _exit(0);
}

static void begin_threads(const char *mode, char *library)
{
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  sem_init(&nobody, 0, 0);
  if (strcmp(mode, "timer") == 0)
    begin_timer();
  if (strcmp(mode, "recvmsg") == 0)
    begin_socket();
  if (strcmp(mode, "threads") == 0) {
    begin(sleeps, NULL, NULL);
    begin(waits_for_condition, NULL, NULL);
    begin(reads_nothing, NULL, NULL);
  }
  if (library)
    begin(loads, library, NULL);
  if (strcmp(mode, "sleeps") == 0)
    begin(sleeps, NULL, NULL);
  if (strcmp(mode, "threads") == 0 || strcmp(mode, "signals") == 0) {
    begin(is_signalled, NULL, &signalled);
    begin(signals, NULL, NULL);
  }
  for (size_t i = 1; i <= 8 && strcmp(mode, "allocate") == 0; i++)
    begin(allocates, (void *)i, NULL);
}

/* Small blocks of many sizes, so that the allocator splits and joins them. */
static void use_allocator(unsigned rounds)
{
  static void *blocks[64];
  static unsigned state = 1;
  while (rounds--) {
    state = state * 1103515245u + 12345u;
    void **block = &blocks[state >> 16 & 63];
    free(*block);
    *block = malloc(2000 + (state >> 22) * 37);
    if (!*block)
      fail("malloc");
    memset(*block, (int)rounds, 2000);
  }
}

/* The first thread's way of waiting for a line. */
static int has_line(const char *mode)
{
  if (strcmp(mode, "epoll") == 0) {
    static int set = -1;
    struct epoll_event event = {.events = EPOLLIN};
    if (set < 0 && ((set = epoll_create1(0)) < 0 || epoll_ctl(set, EPOLL_CTL_ADD, 0, &event) != 0))
      fail("epoll_ctl");
    int ready = epoll_wait(set, &event, 1, -1);
    if (ready < 0)
      fail("epoll_wait");
    return ready;
  }
  if (strcmp(mode, "epoll_pwait2") == 0) {
    const struct timespec time = {.tv_sec = 600};
    struct epoll_event event = {.events = EPOLLIN};
    int set = epoll_create1(0);
    if (set < 0 || epoll_ctl(set, EPOLL_CTL_ADD, 0, &event) != 0)
      fail("epoll_ctl");
    int ready = (int)syscall(SYS_epoll_pwait2, set, &event, 1, &time, NULL, (size_t)0);
    if (ready < 0)
      fail("epoll_pwait2");
    close(set);
    return ready;
  }
  if (strcmp(mode, "recvmsg") == 0) {
    char byte;
    struct iovec room = {&byte, 1};
    struct msghdr message = {.msg_iov = &room, .msg_iovlen = 1};
    if (recvmsg(0, &message, MSG_PEEK) < 0)
      fail("recvmsg");
    return 1;
  }
  if (strcmp(mode, "allocator") == 0 || strcmp(mode, "timer") == 0) {
    struct pollfd input = {.fd = 0, .events = POLLIN};
    use_allocator(3000);
    return poll(&input, 1, 0) > 0;
  }
  if (strcmp(mode, "poll") == 0) {
    struct pollfd input = {.fd = 0, .events = POLLIN};
    int ready = poll(&input, 1, 600000);
    if (ready < 0)
      fail("poll");
    return ready;
  }
  if (strcmp(mode, "compute") == 0) {
    struct pollfd input = {.fd = 0, .events = POLLIN};
    double until = now() + 0.01;
    while (now() < until)
      for (volatile int i = 0; i < 100000; i++)
        ;
    return poll(&input, 1, 0);
  }
  return 1;
}

/* The process that was started waits for the one that goes on in its place. */
static void go_on_in_child(void)
{
  int status;
  const pid_t child = fork();
  if (child < 0)
    fail("fork");
  if (child == 0)
    return;
  if (waitpid(child, &status, 0) != child)
    fail("waitpid");
  _exit(WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "";
  char line[64];
  long total = 0;
  begin_threads(mode, argc > 2 ? argv[2] : NULL);
  printf("ready\n");
  fflush(stdout);
  for (size_t used = 0;;) {
    while (!has_line(mode))
      ;
    ssize_t got = read(0, line + used, 1);
    if (got < 0)
      fail("read");
    if (got == 0)
      break;
    if (line[used] != '\n') {
      used++;
      continue;
    }
    line[used] = '\0';
    used = 0;
    if (atoi(line) < 0)
      go_on_in_child();
    for (int i = 0; i < atoi(line); i++)
      total += work(i & 3);
    printf("did %s, %ld\n", line, total);
    fflush(stdout);
  }
  printf("end %ld\n", total);
  fflush(stdout);
  _exit(5);
}
