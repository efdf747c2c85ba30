/* SIGBUS on a mapping whose file the program made shorter; the handler maps memory there. */
#include "tests/guest/hazard.h"

#include <signal.h>

static void handler(int number, siginfo_t *info, void *context)
{
  CALLED(handler);
  (void)number, (void)context;
  void *page = (void *)((uintptr_t)info->si_addr & ~(uintptr_t)4095);
  if (mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    _exit(3);
}

OWN static int read_from(const volatile char *at)
{
  CALLED(read_from);
  return *at;
}

int main(void)
{
  CALLED(main);
  sigaction(SIGBUS, &(struct sigaction){.sa_sigaction = handler, .sa_flags = SA_SIGINFO}, NULL);
  int file = memfd_create("short", 0), sum = 0;
  CHECK(ftruncate(file, 16 * 4096) == 0);
  char *pages = mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  for (int i = 0; i < 16; i++)
    pages[i * 4096] = 1;
  CHECK(ftruncate(file, 8 * 4096) == 0);
  for (int i = 0; i < 16; i++)
    sum += read_from(pages + i * 4096);
  printf("%d\n", sum);
  return 0;
}
