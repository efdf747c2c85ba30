/*
 * known_memory: as known.c, of work that waits for memory: work(n) makes n steps through 16 MB in no order.
 */
#include <stdint.h>
#include <stdlib.h>

#include "known.h"

enum { ROUNDS = 6, ARGUMENTS = 4, STEPS = 200000, PLACES = 1 << 22 };

static uint32_t *next, place;

static __attribute__((noinline)) void work(long n)
{
  uint32_t at = place;
  for (long i = 0; i < n; i++)
    at = next[at];
  place = at;
}

/* One ring of all places (Sattolo, "An algorithm to generate a random cyclic permutation", 1986). */
static void shuffle(void)
{
  uint64_t random = 88172645463325252u;
  for (uint32_t i = 0; i < PLACES; i++)
    next[i] = i;
  for (uint32_t i = PLACES - 1; i > 0; i--) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    const uint32_t other = (uint32_t)(random % i), kept = next[i];
    next[i] = next[other];
    next[other] = kept;
  }
}

int main(void)
{
  static const long arguments[ARGUMENTS] = {1, 10, 100, 10000};
  double seconds[ARGUMENTS] = {0};
  next = malloc(PLACES * sizeof *next);
  if (!next)
    return 1;
  shuffle();
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < ARGUMENTS; i++) {
      const double start = known_now();
      for (long calls = STEPS / arguments[i]; calls > 0; calls--)
        work(arguments[i]);
      seconds[i] += known_now() - start;
    }
  known_show(ARGUMENTS, arguments, seconds);
  free(next);
  return 0;
}
