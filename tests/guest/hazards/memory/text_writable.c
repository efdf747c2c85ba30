/* Its own text is made writable, changed and executable again, between calls. */
#include "tests/guest/hazard.h"

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

/* A byte of text that is no instruction: it may be written. */
__asm__(".text\n.globl spare_byte\nspare_byte: .byte 0x90\n.previous");
extern char spare_byte;

int main(void)
{
  CALLED(main);
  char *page = (char *)((uintptr_t)&spare_byte & ~(uintptr_t)4095);
  int n = 0;
  for (int i = 0; i < 20; i++) {
    CHECK(mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
    *(volatile char *)&spare_byte = (char)i;
    n = work(n);
    CHECK(mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0);
    n = work(n);
  }
  printf("%d %d\n", n, spare_byte);
  return 0;
}
