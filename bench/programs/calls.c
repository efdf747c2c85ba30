/* The call patterns of calls.h, which every tool instruments in its own way. */
#include "calls.h"

#include <stddef.h>

/* The compilers may neither inline a function nor see through a value, so that a call in the source is a call in the
 * program under every tool: mcount and sleds fire once for each function entered, hooks once for each one inlined. */
#define NOINLINE      __attribute__((noinline))
#define OPAQUE(value) __asm__ volatile("" : "+r"(value))

static NOINLINE uint64_t fib(uint64_t n)
{
  if (n < 2)
    return n;
  uint64_t first = fib(n - 1);
  OPAQUE(first);
  uint64_t second = fib(n - 2);
  OPAQUE(second);
  return first + second;
}

static uint64_t counter;

static NOINLINE void chain_inner(void)
{
  counter += 1;
  OPAQUE(counter);
}

static NOINLINE void chain_middle(void)
{
  chain_inner();
  counter += 2;
}

static NOINLINE void chain_outer(void)
{
  chain_middle();
  counter += 3;
}

static NOINLINE uint64_t args_inner(int a, long n)
{
  OPAQUE(a);
  OPAQUE(n);
  return (uint64_t)a + (uint64_t)n;
}

static NOINLINE uint64_t args_middle(int a, long n)
{
  uint64_t sum = args_inner(a, n);
  OPAQUE(sum);
  return sum + (uint64_t)n;
}

static NOINLINE uint64_t args_outer(int a, long n)
{
  uint64_t sum = args_middle(a, n);
  OPAQUE(sum);
  return sum + (uint64_t)a;
}

#define TABLE_FUNCTION(number)                                                                                         \
  static NOINLINE uint64_t table_##number(uint64_t value)                                                              \
  {                                                                                                                    \
    OPAQUE(value);                                                                                                     \
    return value + 1##number;                                                                                          \
  }
#define TABLE_NAME(number) table_##number,
#define TEN(X, tens)                                                                                                   \
  X(tens##0) X(tens##1) X(tens##2) X(tens##3) X(tens##4) X(tens##5) X(tens##6) X(tens##7) X(tens##8) X(tens##9)
#define HUNDRED(X, hundreds)                                                                                           \
  TEN(X, hundreds##0)                                                                                                  \
  TEN(X, hundreds##1)                                                                                                  \
  TEN(X, hundreds##2)                                                                                                  \
  TEN(X, hundreds##3)                                                                                                  \
  TEN(X, hundreds##4)                                                                                                  \
  TEN(X, hundreds##5)                                                                                                  \
  TEN(X, hundreds##6)                                                                                                  \
  TEN(X, hundreds##7)                                                                                                  \
  TEN(X, hundreds##8)                                                                                                  \
  TEN(X, hundreds##9)

HUNDRED(TABLE_FUNCTION, 0)
HUNDRED(TABLE_FUNCTION, 1)

static uint64_t (*const table[TABLE_SIZE])(uint64_t) = {HUNDRED(TABLE_NAME, 0) HUNDRED(TABLE_NAME, 1)};

uint64_t run_fib(uint64_t rounds)
{
  uint64_t sum = 0;
  for (uint64_t i = 0; i < rounds; i++)
    sum += fib(FIB_ARGUMENT);
  return sum;
}

uint64_t run_chain(uint64_t rounds)
{
  for (uint64_t i = 0; i < rounds; i++)
    chain_outer();
  return counter;
}

uint64_t run_two_args(uint64_t rounds)
{
  uint64_t sum = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    int a = 7;
    long n = 128;
    OPAQUE(a);
    OPAQUE(n);
    sum += args_outer(a, n);
  }
  return sum;
}

uint64_t run_four_sigs(uint64_t rounds)
{
  uint64_t sum = 0;
  for (uint64_t i = 0; i < rounds; i++)
    sum += args_outer(7, 16L << (i & 3));
  return sum;
}

uint64_t run_table(uint64_t rounds)
{
  uint64_t sum = 0;
  for (uint64_t i = 0; i < rounds; i++)
    for (int k = 0; k < TABLE_SIZE; k++)
      sum += table[k](7);
  return sum;
}

/* The same values in the same order in each run. */
static uint64_t run_random(uint64_t rounds, unsigned values)
{
  static unsigned char order[RANDOM_VALUES];
  uint32_t state = 1;
  for (int i = 0; i < RANDOM_VALUES; i++) {
    state = state * 1664525 + 1013904223;
    order[i] = (unsigned char)((state >> 24) % values);
  }
  uint64_t sum = 0;
  for (uint64_t i = 0; i < rounds; i++)
    sum += args_outer(7, 16L + order[i % RANDOM_VALUES]);
  return sum;
}

uint64_t run_random_16(uint64_t rounds)
{
  return run_random(rounds, 16);
}

uint64_t run_random_256(uint64_t rounds)
{
  return run_random(rounds, 256);
}

uint64_t run_leaf(uint64_t rounds)
{
  uint64_t sum = 0;
  for (uint64_t i = 0; i < rounds; i++)
    sum += args_inner(7, 128);
  return sum;
}

static NOINLINE uint64_t with_frame(int a, long n)
{
  uint64_t sum = without_hooks(n);
  OPAQUE(sum);
  return sum + (uint64_t)a;
}

uint64_t run_frame(uint64_t rounds)
{
  uint64_t sum = 0;
  for (uint64_t i = 0; i < rounds; i++)
    sum += with_frame(7, 128);
  return sum;
}

static NOINLINE uint64_t take_node(const struct node *node)
{
  OPAQUE(node);
  return (uint64_t)node->kind;
}

uint64_t run_pointer(uint64_t rounds)
{
  static struct node nodes[4] = {{&nodes[1], 0}, {&nodes[2], 1}, {&nodes[3], 2}, {&nodes[0], 3}};
  uint64_t sum = 0;
  for (uint64_t i = 0; i < rounds; i++)
    sum += take_node(&nodes[i & 3]);
  return sum;
}

static NOINLINE uint64_t take_either(const struct node *node)
{
  OPAQUE(node);
  return node ? (uint64_t)node->kind : 1;
}

uint64_t run_nulls(uint64_t rounds)
{
  static struct node node;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < rounds; i++)
    sum += take_either(i & 1 ? &node : NULL);
  return sum;
}

static NOINLINE uint64_t take_text(const char *text)
{
  OPAQUE(text);
  return (uint64_t)(unsigned char)text[0];
}

uint64_t run_string(uint64_t rounds)
{
  static const char *const texts[4] = {"convolution", "pooling", "activation", "normalisation"};
  uint64_t sum = 0;
  for (uint64_t i = 0; i < rounds; i++)
    sum += take_text(texts[i & 3]);
  return sum;
}
