/* C++ exceptions through instrumented frames: with destructors on the way, rethrown, and out of templates and methods.
 */
#include "tests/guest/guest.h"

#include <stdexcept>
#include <string>

COUNTER(thrower);
COUNTER(middle);
COUNTER(catcher);
COUNTER(rethrow);
COUNTER(leaf);

static int leaf(int x)
{
  HIT(leaf);
  KEEP(x);
  return x;
}

struct Guard {
  int value;
  explicit Guard(int v) : value(v)
  {
  }
  ~Guard()
  {
    leaf(value);
  }
};

static int thrower(int n)
{
  HIT(thrower);
  KEEP(n);
  if (n % 3 == 0)
    throw std::runtime_error("three");
  if (n % 3 == 1)
    throw n;
  return n;
}

template <typename T> static T middle(T n)
{
  HIT(middle);
  Guard guard(1);
  T result = thrower(n);
  return result + leaf(1);
}

static int rethrow(int n)
{
  HIT(rethrow);
  try {
    return middle(n);
  } catch (const std::exception &) {
    leaf(2);
    throw;
  }
}

static int catcher(int n)
{
  HIT(catcher);
  try {
    return rethrow(n);
  } catch (int value) {
    return leaf(value);
  } catch (const std::exception &error) {
    return leaf(int(std::string(error.what()).size()));
  }
}

int main()
{
  long sum = 0;
  for (int i = 0; i < 3000; i++)
    sum += catcher(i);
  printf("sum %ld\n", sum);
  TELL(thrower);
  printf("count middle<int> %lu\n", count_of_middle);
  TELL(catcher);
  TELL(rethrow);
  TELL(leaf);
  return 0;
}
