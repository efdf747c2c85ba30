/* Code that the program makes, which calls functions with hooks and is called by them. */
#include "tests/guest/hazard.h"

#include <string.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

OWN static int call(int (*code)(int), int n)
{
  CALLED(call);
  return code(n);
}

int main(void)
{
  CALLED(main);
  /* mov $work, %rax; jmp *%rax */
  unsigned char code[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  int (*target)(int) = work, n = 0;
  memcpy(code + 2, &target, sizeof target);
  for (int i = 0; i < 50; i++) {
    unsigned char *page =
        (unsigned char *)mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(page, code, sizeof code);
    int (*made)(int);
    memcpy(&made, &page, sizeof made);
    n = call(made, n);
    munmap(page, 4096);
  }
  printf("%d\n", n);
  return 0;
}
