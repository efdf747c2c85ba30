/* What readers of ELF and DWARF are fuzzed with: parameters of every kind, inlined calls, and where compilers put them.
 */
enum color { RED, GREEN = 5, BLUE };
union either {
  int number;
  float real;
};
struct point {
  int x, y;
  unsigned flags : 3;
};
struct node {
  struct node *next;
  const char *name;
  struct point at[2];
  union either what;
};
typedef int (*callback)(struct node *, enum color);

static int total;

static inline __attribute__((always_inline)) int folded(const int *values, unsigned long count)
{
  int sum = 0;
  for (unsigned long i = 0; i < count; i++)
    sum += values[i];
  return sum;
}

int visit(struct node *node, enum color color)
{
  return node->at[color == RED].x + (int)node->at[0].flags;
}

int numbers(signed char a, unsigned short b, long long c, _Bool d, double e, long double f)
{
  return a + b + (int)c + d + (int)e + (int)f;
}

int many(int a, int b, int c, int d, int e, int f, int g, struct point p, const char *text, unsigned long length)
{
  int values[4] = {a, b, c, d};
  return folded(values, 4) + e + f + g + p.x + text[length - 1];
}

int walk(struct node *node, callback call)
{
  for (; node; node = node->next)
    total += call(node, GREEN);
  return many(1, 2, 3, 4, 5, 6, total, node ? node->at[0] : (struct point){0}, "text", 4);
}
