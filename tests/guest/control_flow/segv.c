/* A program with its own SIGSEGV handler, and functions whose string parameter is shown by content but dangles. */
#include "tests/guest/guest.h"

#include <callsig/callsig.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

CALLSIG_STRING(open_thing, name);

static sigjmp_buf back;
static volatile int handled;

static QUIET void on_fault(int number)
{
  handled++;
  siglongjmp(back, number);
}

__attribute__((noinline)) static int open_thing(const char *name, int flags)
{
  KEEP(name);
  return name != NULL && flags;
}

__attribute__((noinline)) static int touch(const char *address)
{
  return *(volatile const char *)address;
}

int main(void)
{
  struct sigaction action = {.sa_handler = on_fault};
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
  CHECK(sigaction(SIGBUS, &action, NULL) == 0);
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(two != MAP_FAILED);
  CHECK(munmap(two + page, page) == 0);
  for (size_t i = 0; i < 8; i++)
    two[page - 8 + i] = 'x';
  for (int i = 0; i < 100; i++) {
    CHECK(open_thing("good", 1) == 1);
    CHECK(open_thing((const char *)(uintptr_t)0x10, 1) == 1);
    CHECK(open_thing((const char *)UINTPTR_MAX, 1) == 1);
    CHECK(open_thing(two + page, 1) == 1);
    CHECK(open_thing(two + page - 8, 1) == 1); /* no terminator before the hole */
    CHECK(open_thing(NULL, 1) == 0);
  }
  CHECK(handled == 0);
  for (int i = 0; i < 100; i++)
    if (sigsetjmp(back, 1) == 0)
      touch(two + page);
  CHECK(handled == 100);
  printf("count open_thing 600\ncount touch 100\ncount main 1\n");
  return 0;
}
