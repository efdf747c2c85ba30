/* Faults on protected pages that its own handler makes writable again. */
#include "tests/guest/hazard.h"

#include <signal.h>

static char *pages;

static void handler(int number, siginfo_t *info, void *context)
{
  CALLED(handler);
  (void)number, (void)context;
  char *page = (char *)((uintptr_t)info->si_addr & ~(uintptr_t)4095);
  if (mprotect(page, 4096, PROT_READ | PROT_WRITE))
    _exit(3);
}

OWN static void touch(char *at)
{
  CALLED(touch);
  *(volatile char *)at = 1;
}

int main(void)
{
  CALLED(main);
  sigaction(SIGSEGV, &(struct sigaction){.sa_sigaction = handler, .sa_flags = SA_SIGINFO}, NULL);
  pages = mmap(NULL, 64 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 64; i++)
    for (int twice = 0; twice < 2; twice++)
      touch(pages + i * 4096);
  return 0;
}
