// A C++ program that tells what its functions are called with, as the trace at their sleds should tell it: classes that
// are passed by reference, members, constructors with and without virtual bases, packs, results in memory.
#include <cstdarg>
#include <cstdio>
#include <string>
#include <utility>

#ifdef __clang__
#define UNSEEN __attribute__((xray_never_instrument, noinline))
#else
#define UNSEEN __attribute__((no_instrument_function, noinline))
#endif
#define APART __attribute__((noinline))

UNSEEN static void tell(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stdout, format, arguments);
  va_end(arguments);
}

namespace shapes
{

struct plain {
  int a;
  double b;
};

struct empty {
};

// Copied by code of its own, so passed by reference.
struct counted {
  int value;
  UNSEEN explicit counted(int v) : value(v)
  {
  }
  UNSEEN counted(const counted &other) : value(other.value)
  {
  }
};

struct base {
  long n;
  APART explicit base(long number) : n(number)
  {
    tell("shapes::base::base 1 %ld\n", number);
  }
  APART virtual int area(int width, long height) const
  {
    tell("shapes::base::area 1 %d %ld\n", width, height);
    return width + (int)height;
  }
};

struct left : virtual base {
  APART left(int x, char y) : base(x)
  {
    tell("shapes::left::left 1 %d %d\n", x, y);
  }
};

struct both : left {
  APART both(int x, unsigned y) : base(7), left(x + 1, 'z')
  {
    tell("shapes::both::both 1 %d %u\n", x, y);
  }
  APART int area(int width, long height) const override
  {
    tell("shapes::both::area 1 %d %ld\n", width, height);
    return width - (int)height;
  }
};

APART int by_value(plain p, int after)
{
  tell("shapes::by_value - %d\n", after);
  return p.a + after;
}

/* Passed by value on purpose: that is what is tested. */
APART int by_reference(counted c, // NOLINT(performance-unnecessary-value-param)
                       int after, empty, long last)
{
  tell("shapes::by_reference - %d - %ld\n", after, last);
  return c.value + after + (int)last;
}

APART counted result_in_memory(int n, const char *text)
{
  tell("shapes::result_in_memory %d %d\n", n, text != nullptr);
  return counted(n);
}

APART plain result_in_registers(int n, const plain &from)
{
  tell("shapes::result_in_registers %d 1\n", n);
  return {n, from.b};
}

APART int string_length(std::string text, // NOLINT(performance-unnecessary-value-param)
                        int add)
{
  tell("shapes::string_length - %d\n", add);
  return (int)text.size() + add;
}

APART int member_pointers(int (base::*function)(int, long) const, int plain::*data, int after)
{
  tell("shapes::member_pointers - - %d\n", after);
  return (function != nullptr) + (data != nullptr) + after;
}

template <typename... T> APART int pack(int first, T... rest)
{
  tell("shapes::pack<...> %d %ld %ld\n", first, (long)rest...);
  return first;
}

} // namespace shapes

UNSEEN int main()
{
  shapes::plain p = {3, 2.5};
  int sum = shapes::by_value(p, 11) + shapes::by_reference(shapes::counted(4), 12, shapes::empty(), -13L);
  sum += shapes::result_in_memory(14, "text").value + shapes::result_in_registers(15, p).a;
  sum += shapes::string_length("longer than what is kept inside of a string", 16);
  sum += shapes::member_pointers(&shapes::base::area, &shapes::plain::a, 17);
  sum += shapes::pack(18, 19, 20L);
  shapes::left l(21, 'y');
  shapes::both b(22, 23u);
  const shapes::base *any[] = {&l, &b};
  for (const shapes::base *one : any)
    sum += one->area(24, 25L);
  return sum == 0;
}
