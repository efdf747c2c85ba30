// C++ functions whose plans the tests look at. Never run.
#include <cstddef>

namespace geometry
{
struct Point {
  double x, y;
};
template <typename T> struct Box {
  T low, high;
  __attribute__((noinline, used)) void grow(const T &by, int times)
  {
    low = by;
  }
};
namespace
{
struct Hidden {
  int value;
};
} // namespace
class Shape
{
public:
  __attribute__((noinline, used)) explicit Shape(int sides) : sides(sides)
  {
  }
  __attribute__((noinline, used)) int area(Point *points, std::size_t point_count, Hidden &&hidden) const
  {
    return sides + hidden.value;
  }
  int sides;
};
__attribute__((noinline, used)) void pair(int Shape::*member, int (Shape::*method)(int) const, std::nullptr_t)
{
}
template <typename... T> __attribute__((noinline, used)) void pack(int first, T... rest)
{
}
} // namespace geometry

void use_all(geometry::Shape *shape, geometry::Box<geometry::Point> *box)
{
  geometry::Point point{};
  shape->area(&point, 1, {});
  box->grow(point, 1);
  geometry::pack(1, 2.0f, 'c');
  geometry::Shape other(3);
}
