/* Keeps stacks of samples that were counted for the next ones. */
#include "cli/beside/sampled_stack.h"

#include <stddef.h>
#include <stdlib.h>

struct cli_sampled_stack *cli_spare_stacks_take(struct cli_spare_stacks *spare)
{
  struct cli_sampled_stack *stack = spare->first;
  if (stack == NULL)
    return malloc(sizeof *stack);
  spare->first = stack->next;
  return stack;
}

void cli_spare_stacks_give(struct cli_spare_stacks *spare, struct cli_sampled_stack *stack)
{
  if (stack == NULL)
    return;
  stack->next = spare->first;
  spare->first = stack;
}

void cli_spare_stacks_free(struct cli_spare_stacks *spare)
{
  while (spare->first != NULL)
    free(cli_spare_stacks_take(spare));
}
