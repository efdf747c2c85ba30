/*
 * print_plan ELF FUNCTION...: the plan of each function, a line each. Messages go to stderr; exit status 1 when the
 * index cannot be made.
 */
#include <stdio.h>

#include "tests/support/symbols/plan_text.h"

int main(int argc, char **argv)
{
  struct plan_index built;
  if (argc < 2)
    return 2;
  plan_build(&built, argv[1], NULL);
  fputs(built.messages, stderr);
  for (int i = 2; i < argc && built.result == 0; i++)
    printf("%s(%s)\n", argv[i], plan_text(&built, argv[i]));
  plan_free(&built);
  return built.result == 0 ? 0 : 1;
}
