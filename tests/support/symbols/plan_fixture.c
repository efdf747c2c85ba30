/*
 * Functions whose plans the tests look at. Never run.
 */
#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum mode { SLOW, FAST, OTHER };
enum permission { READ = 1, WRITE = 2, EXECUTE = 4, ALL = 7 };
enum pair { FIRST = 1, SECOND = 2 };
enum forced { FORCED_A = 1, FORCED_B = 8, FORCED_C = 16, FORCED_32BIT = 0x7fffffff };
enum negative { MINUS = -1, ONE = 1, TWO = 2, FOUR = 4 };
typedef enum { ANONYMOUS_X, ANONYMOUS_Y } anonymous_enum;

struct node {
  struct node *next;
  int value;
};
struct opaque;
struct opaque_to_all {
  int kind;
} opaque_to_all;
typedef struct tensor {
  enum { F32, F16 } type;
  int ndim;
  int64_t ne[4];
  float *data;
  const char *name;
} tensor;
struct image {
  unsigned width, height;
  enum mode format;
};
struct header {
  int kind;
  char tag[8];
  unsigned low : 3, high : 7;
  union {
    int number;
    struct {
      short inner;
    };
  };
};
struct request {
  struct header *hdr;
  size_t *length;
  struct header embedded;
  uint16_t parts[6];
};
typedef struct lua_State lua_State;
struct lua_State {
  int top;
};
typedef unsigned char Bitmap;
typedef int (*callback)(void *, int);
typedef float vector_of_4 __attribute__((vector_size(16)));

#define FUNCTION __attribute__((noinline, used))

/* Types. */
FUNCTION void integers(char a, signed char b, unsigned char c, int8_t d, uint8_t e, short f, unsigned int g, size_t h,
                       bool i)
{
}
FUNCTION void enums(enum mode a, enum permission b, enum pair c, enum forced d, enum negative e, anonymous_enum f)
{
}
FUNCTION void floats(float a, double b, long double c, double complex d, __int128 e, vector_of_4 f)
{
}
FUNCTION void pointers(struct node *a, const char *const *b, Bitmap *c, lua_State *d, struct opaque *e, void *f,
                       double (*g)[3])
{
}
FUNCTION void functions(int (*a)(int), callback b, void (**c)(void), void (*d)(void (*)(int), ...), int (*e[3])(int))
{
}
FUNCTION void aggregates(struct node a, tensor b, struct image c)
{
}
FUNCTION int variadic(const char *format, ...)
{
  return format != NULL;
}

/* Joins. */
FUNCTION float dot(const float *a, const float *b, size_t n)
{
  return n ? a[0] * b[0] : 0;
}
FUNCTION void copy(void *dst, size_t dstCapacity, const void *src, size_t srcSize)
{
}
FUNCTION void context_first(void *ctx, const char *text, size_t len)
{
}
FUNCTION size_t read_items(void *ptr, size_t size, size_t nmemb, FILE *stream)
{
  return size * nmemb;
}
FUNCTION void structs(struct node *nodes, int node_count, struct node *one, int n)
{
}
FUNCTION void hungarian(const unsigned char *zBuf, int nBuf, int *aData, int nData, char **azArg, int nArg)
{
}
FUNCTION void run_together(char *buf, size_t buflen, int *rows, int nrows)
{
}
FUNCTION void arguments(int argc, char **argv)
{
}
FUNCTION void bytes_of_ints(int *values, size_t nBytes)
{
}
FUNCTION void not_lengths(lua_State *L, int nresults, int *error, int page_size, callback f, int count)
{
}
FUNCTION void size_of_another(struct node *strm, int level, const char *version, int stream_size)
{
}
FUNCTION void sizes_by_place(void *workspace, size_t wkspSize, char *text, size_t buf_size)
{
}
typedef void stream_handle;
typedef void GLvoid;
FUNCTION void handle_first(stream_handle *b, void *buf, int len)
{
}
FUNCTION void renamed_void(GLvoid *data, const GLvoid *from, int size)
{
}
FUNCTION void pointers_out(char **out, size_t len, size_t *n)
{
}
FUNCTION void text_before(const char *name, const int *values, int count)
{
}

/* Rules. */
FUNCTION void ruled(tensor *t, struct image image, struct request *req, const char *name, char *data, int used,
                    double x, unsigned long cookie)
{
}
FUNCTION void by_value(tensor t)
{
}
FUNCTION void link_list(struct node *list)
{
}
