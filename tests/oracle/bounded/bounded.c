/*
 * Programs that would need boundless memory if every call's arguments were kept.
 *
 *   bounded values N      one function, called with N distinct values
 *   bounded twenty N      20 parameters, each of which takes 1,000 values; N calls
 *   bounded pairs N       every one of N callers' arguments with every one of N callees' arguments
 *   bounded threads N     N threads, one after another, each of which calls a little
 *   bounded together N    the same, 50 at a time
 *   bounded deep N        N calls inside each other, each with its own argument
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_INSTRUMENT __attribute__((no_instrument_function))
#define NO_INLINE     __attribute__((noinline))

static volatile uint64_t sink;

NO_INLINE static void value(uint64_t number)
{
  sink += number;
}

NO_INSTRUMENT static void values(uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    value(i * 0x9E3779B97F4A7C15u); /* odd: distinct for distinct i */
}

NO_INLINE static void twenty(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m,
                             int n, int o, int p, int q, int r, int s, int t)
{
  sink += (uint64_t)(a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + s + t);
}

NO_INSTRUMENT static int chance(uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (int)(*state >> 40) % 1000;
}

NO_INSTRUMENT static void many_parameters(uint64_t count)
{
  uint64_t state = 1;
  for (uint64_t call = 0; call < count; call++) {
    int v[20];
    for (int index = 0; index < 20; index++)
      v[index] = chance(&state);
    twenty(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15], v[16],
           v[17], v[18], v[19]);
  }
}

NO_INLINE static void callee(int y)
{
  sink += (uint64_t)y;
}

NO_INLINE static void caller(int x, int count)
{
  for (int y = 0; y < count; y++)
    callee(x * 7 + y);
}

NO_INSTRUMENT static void pairs(uint64_t count)
{
  for (int x = 0; x < (int)count; x++)
    caller(x, (int)count);
}

NO_INLINE static void work(int n)
{
  if (n > 0)
    work(n - 1);
  sink++;
}

static void *thread(void *argument)
{
  work((int)(uintptr_t)argument % 5);
  return NULL;
}

NO_INSTRUMENT static int start(pthread_t *id, uint64_t number)
{
  int error = pthread_create(id, NULL, thread, (void *)(uintptr_t)number);
  if (error != 0)
    fprintf(stderr, "bounded: cannot start a thread: %s\n", strerror(error));
  return error;
}

NO_INSTRUMENT static void threads(uint64_t count, uint64_t together)
{
  pthread_t ids[64];
  for (uint64_t i = 0; i < count; i += together) {
    uint64_t group = count - i < together ? count - i : together;
    for (uint64_t j = 0; j < group; j++)
      if (start(&ids[j], i + j) != 0)
        exit(1);
    for (uint64_t j = 0; j < group; j++)
      pthread_join(ids[j], NULL);
  }
}

NO_INLINE static uint64_t deep(uint64_t left)
{
  uint64_t result = left == 0 ? 0 : deep(left - 1) + 1;
  sink++;
  return result;
}

static void *deep_thread(void *count)
{
  sink += deep(*(uint64_t *)count);
  return NULL;
}

NO_INSTRUMENT static void recursion(uint64_t count)
{
  pthread_attr_t attributes;
  pthread_t id;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, (size_t)count * 256 + (1 << 20));
  if (pthread_create(&id, &attributes, deep_thread, &count) != 0) {
    fprintf(stderr, "bounded: no thread with a stack for %llu calls\n", (unsigned long long)count);
    exit(1);
  }
  pthread_join(id, NULL);
}

NO_INSTRUMENT int main(int argc, char **argv)
{
  uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
  const char *what = argc > 1 ? argv[1] : "";
  if (count == 0)
    return fprintf(stderr, "usage: bounded values|twenty|pairs|threads|together|deep N\n"), 2;
  if (strcmp(what, "values") == 0)
    values(count);
  else if (strcmp(what, "twenty") == 0)
    many_parameters(count);
  else if (strcmp(what, "pairs") == 0)
    pairs(count);
  else if (strcmp(what, "threads") == 0)
    threads(count, 1);
  else if (strcmp(what, "together") == 0)
    threads(count, 50);
  else if (strcmp(what, "deep") == 0)
    recursion(count);
  return 0;
}
