/* Pages that vanish under a followed string, and every way in which a program may deal with SIGSEGV and SIGBUS itself.
 */
#define _GNU_SOURCE /* sysv_signal */
#include "tests/guest/guest.h"

#include <callsig/callsig.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct thing {
  int first;
};

CALLSIG_STRING(open_thing, name);
CALLSIG_FIELD(read_thing, "thing->first");

#define MANY 20000

static sigjmp_buf back;
static volatile int handled;
static void *volatile seen_address;
static char *page;
static size_t page_size;

__attribute__((noinline)) static int open_thing(const char *name, int flags)
{
  KEEP(name);
  return name != NULL && flags;
}

__attribute__((noinline)) static int read_thing(const struct thing *thing, int flags)
{
  KEEP(thing);
  return thing != NULL && flags;
}

/* A call of each. */
static QUIET int use(const void *at)
{
  return open_thing(at, 1) && read_thing(at, 1);
}

__attribute__((noinline)) static int touch(const char *address)
{
  return *(volatile const char *)address;
}

static QUIET void map(void)
{
  CHECK(mmap(page, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page);
  strcpy(page, "there");
}

static QUIET void unmap(void)
{
  CHECK(munmap(page, page_size) == 0);
}

/* Has the page known to be there and then gone: 2 calls by name, 1 that dangles. */
static QUIET void vanish(void)
{
  map();
  CHECK(use(page) == 1);
  CHECK(use(page) == 1);
  unmap();
  CHECK(use(page) == 1);
}

static QUIET void on_fault(int number)
{
  handled++;
  siglongjmp(back, number);
}

/* A fault of the program's own: its handler runs once, and control comes back. */
static QUIET void fault(void)
{
  int before = handled;
  if (sigsetjmp(back, 1) == 0)
    touch(page);
  CHECK(handled == before + 1);
}

static QUIET void on_fault_with_info(int number, siginfo_t *info, void *context)
{
  CHECK(context != NULL && info->si_signo == number && info->si_code == SEGV_MAPERR);
  seen_address = info->si_addr;
  on_fault(number);
}

static QUIET void set(int number, void (*handler)(int), int flags)
{
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, before, now;
  CHECK(sigaction(number, NULL, &before) == 0);
  CHECK(sigaction(number, &action, &now) == 0);
  CHECK(before.sa_handler == now.sa_handler && before.sa_flags == now.sa_flags);
  CHECK(sigaction(number, NULL, &now) == 0);
  CHECK(now.sa_handler == handler && (now.sa_flags & ~0x04000000) == flags);
}

/* Handlers that are set before anything is followed (`late` 0) or after. */
static QUIET void own_handlers(int late)
{
  if (late)
    vanish();
  set(SIGSEGV, on_fault, 0);
  vanish();
  fault();
  vanish();
  set(SIGSEGV, (void (*)(int))on_fault_with_info, SA_SIGINFO);
  vanish();
  fault();
  CHECK(seen_address == page);
  CHECK(signal(SIGSEGV, on_fault) == (void (*)(int))on_fault_with_info);
  vanish();
  fault();
  set(SIGSEGV, on_fault, SA_RESETHAND | SA_NODEFER);
  vanish();
  fault();
  struct sigaction now;
  CHECK(sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
  vanish();
  CHECK(handled == 4);
}

struct kernel_action {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)(void);
  unsigned long mask;
};

/* A handler that is set past the C library: the program's fault alone reaches it. */
static QUIET void raw_handler(int late)
{
  struct sigaction model = {.sa_handler = on_fault};
  struct kernel_action action;
  /* A restorer comes from the C library, or what stands in for it. */
  CHECK(sigaction(SIGUSR1, &model, NULL) == 0);
  CHECK(syscall(SYS_rt_sigaction, SIGUSR1, NULL, &action, 8) == 0);
  action.handler = on_fault;
  if (late)
    vanish();
  CHECK(syscall(SYS_rt_sigaction, SIGSEGV, &action, NULL, 8) == 0);
  fault();
  /* A first read of another page finds it out; before it there is no telling. */
  CHECK(use(page + 64 * page_size) == 1);
  static char elsewhere[3 * 4096] = "elsewhere";
  strcpy(elsewhere + 4096, "elsewhere");
  CHECK(use(elsewhere + 4096) == 1);
  vanish();
  fault();
  CHECK(handled == 2);
}

/* What a rarer call of the C library gave for the handler before it is given back to a common one: the default comes
 * back, and a fault ends the program. */
static QUIET void give_back(void)
{
  struct sigaction now;
  vanish();
  struct sigaction before = {.sa_handler = sysv_signal(SIGSEGV, on_fault)};
  CHECK(sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_handler == on_fault);
  CHECK(sigaction(SIGSEGV, &before, &now) == 0 && now.sa_handler == on_fault);
  CHECK(sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
  CHECK(signal(SIGSEGV, SIG_ERR) == SIG_ERR && errno == EINVAL);
  CHECK(sigprocmask(SIG_BLOCK, NULL, (sigset_t *)page) == -1 && errno == EFAULT);
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, (sigset_t *)page) == EFAULT);
  vanish();
  alarm(20);
}

/* The kernel kills a process that faults while the signal is blocked. */
static QUIET void blocked(void)
{
  sigset_t all;
  sigfillset(&all);
  vanish();
  CHECK(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
  vanish();
  CHECK(sigprocmask(SIG_UNBLOCK, &all, NULL) == 0);
  vanish();
  CHECK(sigprocmask(SIG_SETMASK, &all, NULL) == 0);
  vanish();
}

/* Called with the signal blocked, or with all of them. */
static QUIET void on_signal(int number)
{
  (void)number;
  handled++;
  unmap();
  CHECK(use(page) == 1);
}

static QUIET void in_handlers(void)
{
  struct sigaction action = {.sa_handler = on_signal};
  set(SIGSEGV, on_signal, 0);
  vanish();
  map();
  CHECK(use(page) == 1);
  CHECK(use(page) == 1);
  raise(SIGSEGV);
  vanish();
  sigfillset(&action.sa_mask);
  map();
  CHECK(use(page) == 1);
  CHECK(use(page) == 1);
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  raise(SIGUSR1);
  CHECK(handled == 2);
}

static QUIET void on_alternate_stack(int number)
{
  int here;
  CHECK((uintptr_t)&here >= (uintptr_t)seen_address && (uintptr_t)&here < (uintptr_t)seen_address + 65536);
  on_fault(number);
}

static QUIET void alternate_stack(void)
{
  stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
  seen_address = stack.ss_sp;
  CHECK(sigaltstack(&stack, NULL) == 0);
  vanish();
  set(SIGSEGV, on_alternate_stack, SA_ONSTACK);
  vanish();
  fault();
  vanish();
}

/* A file that is truncated while it is mapped: SIGBUS. */
static QUIET void truncated(void)
{
  char name[] = "/tmp/callsig-guest-XXXXXX";
  int fd = mkstemp(name);
  CHECK(fd >= 0 && unlink(name) == 0);
  for (int i = 0; i < 3; i++) {
    CHECK(ftruncate(fd, (off_t)page_size) == 0 && pwrite(fd, "in a file", 10, 0) == 10);
    CHECK(mmap(page, page_size, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == page);
    CHECK(use(page) == 1);
    CHECK(use(page) == 1);
    CHECK(ftruncate(fd, 0) == 0);
    CHECK(use(page) == 1);
  }
  close(fd);
}

static volatile int stop;

static QUIET void *map_and_unmap(void *unused)
{
  while (!stop) {
    mprotect(page, page_size, PROT_NONE);
    mprotect(page, page_size, PROT_READ | PROT_WRITE);
    madvise(page, page_size, MADV_DONTNEED);
    munmap(page, page_size);
    if (mmap(page, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page)
      abort();
  }
  return unused;
}

/* Under one's feet. */
static QUIET void by_another_thread(void)
{
  pthread_t thread;
  map();
  CHECK(pthread_create(&thread, NULL, map_and_unmap, NULL) == 0);
  for (int i = 0; i < MANY; i++)
    CHECK(use(page) == 1);
  stop = 1;
  CHECK(pthread_join(thread, NULL) == 0);
}

/* An ignored signal stays ignored, and so it is in what the program executes. */
static QUIET void ignored(void)
{
  struct kernel_action action;
  vanish();
  CHECK(signal(SIGSEGV, SIG_IGN) == SIG_DFL);
  CHECK(syscall(SYS_rt_sigaction, SIGSEGV, NULL, &action, 8) == 0 && action.handler == SIG_IGN);
  raise(SIGSEGV);
  vanish();
  CHECK(signal(SIGSEGV, on_fault) == SIG_IGN);
  vanish();
  fault();
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "";
  int calls = 0;
  page_size = (size_t)sysconf(_SC_PAGESIZE);
  /* Room around it, so that nothing else comes to lie there. */
  char *room = mmap(NULL, 128 * page_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(room != MAP_FAILED);
  page = room + 32 * page_size;
  if (strcmp(mode, "early") == 0 || strcmp(mode, "late") == 0) {
    own_handlers(mode[0] == 'l');
    calls = 3 * (6 + (mode[0] == 'l'));
  } else if (strcmp(mode, "raw") == 0 || strcmp(mode, "raw-late") == 0) {
    raw_handler(mode[3] != '\0');
    calls = 3 * (1 + (mode[3] != '\0')) + 2;
  } else if (strcmp(mode, "given-back") == 0) {
    give_back();
    calls = 6;
  } else if (strcmp(mode, "blocked") == 0) {
    blocked();
    calls = 12;
  } else if (strcmp(mode, "handlers") == 0) {
    in_handlers();
    calls = 3 + 3 + 3 + 3;
  } else if (strcmp(mode, "stack") == 0) {
    alternate_stack();
    calls = 9;
  } else if (strcmp(mode, "truncated") == 0) {
    truncated();
    calls = 9;
  } else if (strcmp(mode, "thread") == 0) {
    by_another_thread();
    calls = MANY;
  } else if (strcmp(mode, "ignored") == 0) {
    ignored();
    calls = 9;
  } else {
    vanish();
    calls = 3;
  }
  printf("count open_thing %d\ncount read_thing %d\ncount main 1\n", calls, calls);
  fflush(stdout);
  if (strcmp(mode, "dies") == 0 || strcmp(mode, "given-back") == 0)
    touch(page);
  if (strcmp(mode, "killed") == 0)
    kill(getpid(), SIGSEGV);
  return 0;
}
