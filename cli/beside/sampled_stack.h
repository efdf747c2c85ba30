/* Stacks of samples, between the moment at which they are taken from the kernel and that at which they are counted. */
#ifndef CALLSIG_CLI_BESIDE_SAMPLED_STACK_H
#define CALLSIG_CLI_BESIDE_SAMPLED_STACK_H

#include "cli/beside/unwind.h"

/* The stack and the registers of a sample. */
struct cli_sampled_stack {
  struct cli_sampled_stack *next; /* while it is spare */
  struct cli_registers registers;
  struct cli_stack stack; /* whose words are these: */
  uint64_t words[CLI_STACK_SIZE / sizeof(uint64_t)];
};

/* Those that are used again: freed and asked for anew at each look, the kernel would clear all their pages each time.
 */
struct cli_spare_stacks {
  struct cli_sampled_stack *first;
};

/* The caller's until it gives it back; its contents are as they were. NULL: no memory. */
struct cli_sampled_stack *cli_spare_stacks_take(struct cli_spare_stacks *spare);

/* NULL is nothing. */
void cli_spare_stacks_give(struct cli_spare_stacks *spare, struct cli_sampled_stack *stack);
void cli_spare_stacks_free(struct cli_spare_stacks *spare);

#endif
