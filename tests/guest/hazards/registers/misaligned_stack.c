/* Calls from assembly with a stack that is not aligned to 16 bytes, as code that never uses vectors may make. */
/* hazard: flags -mno-sse -mno-avx -mno-mmx */
#include "tests/guest/hazard.h"

OWN static long work(long n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  long n = 0;
  for (int i = 0; i < 100; i++)
    __asm__ volatile(
        "mov %%rsp, %%rbx\n sub $136, %%rsp\n and $-16, %%rsp\n sub $8, %%rsp\n call *%1\n mov %%rbx, %%rsp"
        : "=a"(n)
        : "r"(work), "D"(n)
        : "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
  printf("%ld\n", n);
  return 0;
}
