/*
 * alloc_calls ROUNDS: what alloc_instructions.py counts the instructions of: so many times malloc() and free().
 */
#include <stdlib.h>

static void *volatile block;

static void take_and_give(long rounds)
{
  for (long i = 0; i < rounds; i++) {
    block = malloc(32);
    free(block);
  }
}

int main(int argc, char **argv)
{
  take_and_give(argc > 1 ? atol(argv[1]) : 1);
  return 0;
}
