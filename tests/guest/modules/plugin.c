/* A plugin that is built twice, as PLUGIN=alpha and PLUGIN=beta: the same code at the same addresses under other names.
 */
#include "tests/guest/guest.h"

#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)

__attribute__((noinline)) static int PASTE(PLUGIN, _inner)(int x)
{
  KEEP(x);
  return x + 1;
}

__attribute__((noinline)) static int PASTE(PLUGIN, _work)(int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += PASTE(PLUGIN, _inner)(i & 1);
  return sum;
}

int plugin_entry(int n);

int plugin_entry(int n)
{
  return PASTE(PLUGIN, _work)(n);
}
