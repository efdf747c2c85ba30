/* Stacks that the program switches by assembly of its own, on mappings of their own. */
#include "tests/guest/hazard.h"

struct fiber {
  void *stack_pointer;
};

static struct fiber caller, callee;
static int state;

/* Saves the registers that belong to the caller, changes stacks, and takes the others'. */
__attribute__((naked)) QUIET static void switch_to(struct fiber *from __attribute__((unused)),
                                                   struct fiber *to __attribute__((unused)))
{
  __asm__("push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
          "mov %rsp, (%rdi)\n mov (%rsi), %rsp\n"
          "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret");
}

OWN static void step(void)
{
  CALLED(step);
  state++;
  switch_to(&callee, &caller);
}

static void body(void)
{
  CALLED(body);
  for (;;)
    step();
}

int main(void)
{
  CALLED(main);
  char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void **top = (void **)(void *)(stack + 65536) - 2;
  *top = (void *)body;
  callee.stack_pointer = top - 6;
  for (int i = 0; i < 500; i++)
    switch_to(&caller, &callee);
  printf("%d\n", state);
  return 0;
}
