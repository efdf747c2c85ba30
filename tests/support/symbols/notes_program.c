/*
 * A program with rules in its own source.
 */
#include <stdint.h>
#include <stdlib.h>

#include "callsig/callsig.h"

typedef struct {
  int dtype, ndim;
  int64_t ne[4];
} tensor;

CALLSIG_TYPE(tensor, "dtype=dtype, shape=ne[0..ndim]");
CALLSIG_STRING(open_file, path);
CALLSIG_BUCKET(resize, width, "0,64,1024");
CALLSIG_IGNORE(resize, cookie);
CALLSIG_LENGTH(total, values, many);
CALLSIG_FIELD(handle, "t->ne[0]");
#ifdef WRONG
CALLSIG_IGNORE(resize, cookies);
#endif

__attribute__((noinline)) int open_file(const char *path)
{
  return path[0];
}

__attribute__((noinline)) int resize(int width, long cookie)
{
  return width + (int)cookie;
}

static __attribute__((noinline)) int total(const int *values, int many)
{
  int sum = 0;
  for (int i = 0; i < many; i++)
    sum += values[i];
  return sum;
}

__attribute__((noinline)) int64_t handle(tensor *t)
{
  return t->ne[0];
}

__attribute__((noinline)) int unused_function(int x)
{
  return x;
}

int main(int argc, char **argv)
{
  tensor t = {.ndim = argc};
  int values[] = {argc, 2};
  return open_file(argv[0]) + resize(argc, 2) + total(values, 2) + (int)handle(&t) == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
