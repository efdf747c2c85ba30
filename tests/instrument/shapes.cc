/* Odd shapes of C++ functions: what each does is printed, so that two builds can be compared. */
#include <algorithm>
#include <coroutine>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define NOINLINE __attribute__((noinline))

template <class T> NOINLINE T twice(T x)
{
  return x + x;
}

struct noisy {
  const char *name;
  explicit NOINLINE noisy(const char *text) : name(text)
  {
  }
  NOINLINE ~noisy()
  {
    std::printf("~%s ", name);
  }
};

/* Throws through three frames, each with something to destroy. */
NOINLINE int thrower(int n)
{
  noisy local("thrower");
  if (n > 2)
    throw std::runtime_error("too many");
  return n;
}

NOINLINE int passes(int n)
{
  noisy local("passes");
  return thrower(n) + 1;
}

NOINLINE int catches(int n)
{
  try {
    noisy local("catches");
    return passes(n);
  } catch (const std::exception &e) {
    std::printf("%s ", e.what());
    return -1;
  }
}

NOINLINE int rethrows(int n)
{
  try {
    return passes(n);
  } catch (...) {
    std::printf("again ");
    throw;
  }
}

NOINLINE int never(int n) noexcept
{
  return n * 3;
}

struct generator {
  struct promise_type {
    int value = 0;
    generator get_return_object()
    {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend()
    {
      return {};
    }
    std::suspend_always final_suspend() noexcept
    {
      return {};
    }
    std::suspend_always yield_value(int x)
    {
      value = x;
      return {};
    }
    void return_void()
    {
    }
    void unhandled_exception()
    {
      throw;
    }
  };
  std::coroutine_handle<promise_type> handle;
};

generator count(int n)
{
  noisy local("coroutine");
  for (int i = 0; i < n; i++)
    co_yield i;
}

struct left {
  virtual int f(int x)
  {
    return x;
  }
  virtual ~left()
  {
  }
};

struct right {
  virtual int g(int x)
  {
    return x + 1;
  }
  virtual ~right()
  {
  }
};

/* Its g() is called through a thunk, its base through a table of its own. */
struct both : left, virtual right {
  int g(int x) override
  {
    return x * 7;
  }
};

inline NOINLINE int shared(int x)
{
  static int calls;
  return x + ++calls;
}

static NOINLINE int apply(const std::function<int(int)> &f, int n)
{
  return f(n);
}

namespace hidden
{
NOINLINE int excluded_by_list(int n)
{
  return n * 13;
}
} // namespace hidden

static std::map<std::string, int> table = {{"one", 1}, {"two", 2}};
thread_local std::string greeting = "hello";

int main(int argc, char **)
{
  int sum = 0;
  generator numbers = count(5);
  for (numbers.handle.resume(); !numbers.handle.done(); numbers.handle.resume())
    sum += numbers.handle.promise().value;
  numbers.handle.destroy();
  std::printf("%d %d %g\n", sum, twice(argc), twice(1.25));
  std::printf("%d %d\n", catches(1), catches(3));
  try {
    rethrows(9);
  } catch (const std::runtime_error &e) {
    std::printf("%s\n", e.what());
  }
  std::unique_ptr<right> object(new both);
  std::printf("%d %d %d\n", object->g(argc), shared(argc), never(argc));
  std::vector<int> v = {3, 1, 2};
  std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
  std::printf("%d %d %d %s\n", v[0], table["two"], hidden::excluded_by_list(argc), greeting.c_str());
  std::printf("%d\n", apply([&](int n) { return n + sum; }, argc));
}
