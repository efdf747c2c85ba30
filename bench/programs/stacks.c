/* stacks WAY N: N machine stacks that are alive at once, each entered three times: by makecontext() and swapcontext()
 * ("contexts"), or by code of its own ("own", x86-64), which tells nobody where a stack lies. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define QUIET      __attribute__((no_instrument_function))
#define STACK_SIZE 16384
#define ROUNDS     3

struct fiber {
  void *stack_pointer; /* own */
  ucontext_t context;  /* contexts */
};

static struct fiber caller, *fibers, *running;
static long calls;

__attribute__((naked)) QUIET static void switch_to(void **from __attribute__((unused)),
                                                   void **to __attribute__((unused)))
{
  __asm__("push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
          "mov %rsp, (%rdi)\n mov (%rsi), %rsp\n"
          "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret");
}

static int is_own;

__attribute__((noinline)) static void leave(void)
{
  calls++;
  if (is_own)
    switch_to(&running->stack_pointer, &caller.stack_pointer);
  else
    swapcontext(&running->context, &caller.context);
}

static void body(void)
{
  for (;;)
    leave();
}

QUIET static void enter(struct fiber *fiber)
{
  running = fiber;
  if (is_own)
    switch_to(&caller.stack_pointer, &fiber->stack_pointer);
  else
    swapcontext(&caller.context, &fiber->context);
}

/* With a page before it that keeps the kernel from making one mapping of two stacks. */
QUIET static char *make_stack(void)
{
  char *memory = mmap(NULL, STACK_SIZE + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + 4096, STACK_SIZE, PROT_READ | PROT_WRITE) != 0)
    exit(1);
  return memory + 4096;
}

QUIET static void prepare(struct fiber *fiber)
{
  char *stack = make_stack();
  void **top = (void **)(void *)(stack + STACK_SIZE) - 2;
  *top = (void *)body;
  fiber->stack_pointer = top - 6;
  if (is_own)
    return;
  getcontext(&fiber->context);
  fiber->context.uc_stack.ss_sp = stack;
  fiber->context.uc_stack.ss_size = STACK_SIZE;
  makecontext(&fiber->context, body, 0);
}

int main(int argc, char **argv)
{
  if (argc != 3)
    return 2;
  is_own = strcmp(argv[1], "own") == 0;
  int count = atoi(argv[2]);
  fibers = calloc((size_t)count, sizeof *fibers);
  for (int i = 0; i < count; i++)
    prepare(&fibers[i]);
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < count; i++)
      enter(&fibers[i]);
  printf("%ld\n", calls);
  return 0;
}
