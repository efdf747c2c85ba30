/*
 * Recursion of every shape, timed by an injected clock that only tick() advances. reference.py makes the same calls and
 * the same ticks in Python under cProfile; the two profiles must be equal to the tick.
 *
 *   recursion SCENARIO [SEED]     fact, mutual, fib, ackermann, parser or random
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <callsig/callsig.h>

#define TICKS_PER_SECOND 1000

static uint64_t now;
static uint32_t state = 1;

CALLSIG_NO_INSTRUMENT static uint64_t read_clock(void *data)
{
  (void)data;
  return now;
}

CALLSIG_NO_INSTRUMENT static uint32_t next_random(void)
{
  state = (uint32_t)((state * 1103515245ull + 12345) & 0x7fffffff);
  return state >> 16;
}

CALLSIG_NO_INSTRUMENT static void tick(void)
{
  now += 1 + next_random() % 5;
}

static long fact(int n)
{
  tick();
  long result = n <= 1 ? 1 : n * fact(n - 1);
  tick();
  return result;
}

static int b(int n);

static int a(int n)
{
  tick();
  int result = n <= 0 ? 0 : b(n - 1) + 1;
  tick();
  return result;
}

static int b(int n)
{
  tick();
  int result = n <= 0 ? 0 : a(n - 1) + 1;
  tick();
  return result;
}

static int fib(int n)
{
  tick();
  int result = n < 2 ? n : fib(n - 1);
  tick();
  if (n >= 2)
    result += fib(n - 2);
  tick();
  return result;
}

static int ackermann(int m, int n)
{
  tick();
  int result;
  if (m == 0)
    result = n + 1;
  else if (n == 0)
    result = ackermann(m - 1, 1);
  else
    result = ackermann(m - 1, ackermann(m, n - 1));
  tick();
  return result;
}

static const char *cursor;
static int expression(int depth);

static int number(int depth)
{
  tick();
  int value = 0;
  while (*cursor >= '0' && *cursor <= '9') {
    value = value * 10 + (*cursor++ - '0');
    tick();
  }
  return value + 0 * depth;
}

static int factor(int depth)
{
  tick();
  int value;
  if (*cursor == '(') {
    cursor++;
    value = expression(depth + 1);
    cursor++;
  } else if (*cursor == '-') {
    cursor++;
    value = -factor(depth);
  } else {
    value = number(depth);
  }
  tick();
  return value;
}

static int term(int depth)
{
  int value = factor(depth);
  while (*cursor == '*') {
    cursor++;
    tick();
    value *= factor(depth);
  }
  return value;
}

static int expression(int depth)
{
  tick();
  int value = term(depth);
  while (*cursor == '+') {
    cursor++;
    value += term(depth);
    tick();
  }
  return value;
}

static void node0(int depth);
static void node1(int depth);
static void node2(int depth);
static void node3(int depth);
static void node4(int depth);
static void node5(int depth);
static void (*const nodes[])(int) = {node0, node1, node2, node3, node4, node5};

/* Calls up to three functions that chance chooses. */
#define NODE(number)                                                                                                   \
  static void node##number(int depth)                                                                                  \
  {                                                                                                                    \
    tick();                                                                                                            \
    for (uint32_t calls = depth > 0 ? next_random() % 4 : 0; calls > 0; calls--) {                                     \
      uint32_t callee = next_random() % 6;                                                                             \
      nodes[callee](depth - 1 - (int)(next_random() % 2));                                                             \
      tick();                                                                                                          \
    }                                                                                                                  \
    tick();                                                                                                            \
  }
NODE(0)
NODE(1)
NODE(2)
NODE(3)
NODE(4)
NODE(5)

static int scenario(int which)
{
  int result = 0;
  tick();
  switch (which) {
  case 0:
    result = (int)fact(5) + (int)fact(3);
    break;
  case 1:
    result = a(4) + b(7) + a(2);
    break;
  case 2:
    result = fib(11);
    break;
  case 3:
    result = ackermann(2, 3) + ackermann(1, 4);
    break;
  case 4:
    cursor = "1+2*(3+4*(5+-6))*7+((8))*-(9+(10+(11*12)))";
    result = expression(0);
    break;
  default:
    for (int i = 0; i < 12; i++)
      nodes[i % 6](9);
    break;
  }
  tick();
  return result;
}

CALLSIG_NO_INSTRUMENT int main(int argc, char **argv)
{
  static const char *const names[] = {"fact", "mutual", "fib", "ackermann", "parser", "random"};
  struct callsig_options options = {.size = sizeof options};
  int which = 0;
  while (argc > 1 && which < 6 && strcmp(argv[1], names[which]) != 0)
    which++;
  if (argc < 2 || which == 6) {
    fprintf(stderr, "usage: recursion fact|mutual|fib|ackermann|parser|random [SEED]\n");
    return 2;
  }
  if (argc > 2)
    state = (uint32_t)strtoul(argv[2], NULL, 10); /* not atoi(), which glibc's header lets be instrumented */
  int error = callsig_start(&options);
  if (error == 0)
    error = callsig_set_clock(read_clock, NULL, TICKS_PER_SECOND);
  if (error != 0) {
    fprintf(stderr, "recursion: cannot start recording: %s\n", strerror(-error));
    return 1;
  }
  int result = scenario(which);
  printf("%d %llu\n", result, (unsigned long long)now);
  return 0;
}
