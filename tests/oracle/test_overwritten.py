#!/usr/bin/env python3
# ctest: case - quick
# ctest: case _all full --all
"""Arguments that a function overwrites, or does not look at: printed as they were passed, or as `?`, and never as anything else.

    test_overwritten.py [--build FOLDER] [--all]

Compilers describe such parameters by what the function makes of them, or by a place that nobody fills. Each program says in a comment
behind each function with what it is called.
"""
import argparse
import os
import re
import shutil
import sys

from one_program import OneProgram, in_each_way

HEAD = """
volatile int sink; long acc;
#define OUT __attribute__((noinline))
OUT void use(int x) { sink = x; }
OUT void esc(int *x) { sink = *x; }
OUT int g(int x) { sink = x; return sink + 1; }
struct pair { long a, b; };
struct large { long u, v, w; };
struct mixed { int u; long v; };
"""
# `//= ` and what a row of the function must look like, a regular expression: `?` may stand for each value. Behind `!` is what must be read.
DEAD = HEAD + """
OUT int masked(int a, int b) { b = a & 7; use(b); return a + b; } //= a=1[0-3], b=100 ! a=
OUT int called(int a, int b) { use(a); b = g(a); use(b); return a + b; } //= a=1[0-3], b=100 ! a=
OUT int constant(int a, int b) { b = 5; use(a); for (int i = 0; i < a; i++) b += g(b); return b; } //= a=1[0-3], b=100 ! a=
OUT int escapes(int a, int b) { b = g(a); esc(&b); return a + b; } //= a=1[0-3], b=100 ! a=
OUT int counted(int a, int b) { b += 3; use(b); return a + b; } //= a=1[0-3], b=100 ! a= b=
OUT int used(int a, int b) { use(b); b = a & 7; esc(&b); return a + b; } //= a=1[0-3], b=100 ! a= b=
static OUT int local(int a, int c, int b) { use(a); b = g(c); use(b); return a + b; } //= a=1[0-3], c=200, b=100 ! a=
static OUT int local_escapes(int a, int c, int b) { use(a); b = g(c); esc(&b); return a + b; } //= a=1[0-3], c=200, b=100
OUT int far(int a, int b, int c, int d, int e, int f, int h) { h = g(a); esc(&h); return a + h; } //= a=1[0-3], b=1, c=2, d=3, e=4, f=5, h=100 ! a=
int main(void)
{
  int s = 0;
  for (int i = 10; i < 14; i++)
    s += masked(i, 100) + called(i, 100) + constant(i, 100) + escapes(i, 100) + counted(i, 100) + used(i, 100) + local(i, 200, 100) +
         local_escapes(i, 200, 100) + far(i, 1, 2, 3, 4, 5, 100);
  return s & 0;
}
"""
BY_VALUE = HEAD + """
int cells[8];
static OUT int unused(int a, struct large p, int b) { use(a); use(b); return a; } //= a=1[0-3], p:struct large, b=1[0-3], p.u=20, p.v=21
static OUT int written(int a, struct large p, int b) { use(a); p.v = a; use(p.v); use(b); return a; } //= a=1[0-3], p:struct large, b=1[0-3], p.u=20, p.v=21
OUT int global(int a, struct large p, int b) { use(a); use(b); return a; } //= a=1[0-3], p:struct large, b=1[0-3], p.u=20, p.v=21 ! a= b=
OUT int half(int a, struct mixed p, int b) { p.u = 4; cells[3] = p.v; sink = a; if (b < 4) cells[b & 7] += 1; return cells[3]; } //= a=1[0-3], p:struct mixed, b=[0-3], p.u=12[0-9], p.v=21 ! a= b=
OUT int sums(int a, struct large p, int b) { use(p.u + b); return p.v + a; } //= a=1[0-3], p:struct large, b=1[0-3], p.u=20, p.v=21 ! a= b= p.u= p.v=
int main(void)
{
  int s = 0;
  for (int i = 10; i < 14; i++) {
    struct large large = {20, 21, sink};
    s += unused(i, large, i) + written(i, large, i) + global(i, large, i) + half(i, (struct mixed){120 + g(0), 21}, i - 10) + sums(i, large, i);
  }
  return s & 0;
}
"""
AT_HOOKS = HEAD + """
static OUT int single(int p) { p += 1; acc += p; p *= 2; use(p); p = 0; use(p); return p; } //= p=2
OUT int sums(int a, int b) { acc += a; b = 0; acc += a * b; use(a); use(b); return a; } //= a=3, b=5[0-3] ! a=
OUT int later(int a, int b) { acc += b; b = 7; use(a); use(b); return a; } //= a=4, b=6[0-3] ! a=
int main(void)
{
  int s = 0;
  for (int i = 0; i < 4; i++)
    s += single(2) + sums(3, 50 + i) + later(4, 60 + i);
  return s & 0;
}
"""
MEMORY = HEAD + """
struct n { short a; unsigned char b; float d; int z; };
__attribute__((noinline, no_instrument_function)) void away(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }
OUT int pass(int x) { sink = x; return sink; }
static OUT double first(int p0, struct n p) { int x = 1; x ^= (p.b == (p.b + p0 + (p.b > x))); acc += x; p0 *= 2; p.z = p0 & 3; return x * 1.5; } //= p0=[0-3], p:struct n, p.b=2, p.z=4[0-3]
static OUT int second(int c, struct n p, int e) { int x = pass(p.a + e); if (x == 77) away(&p); p.b = x; return p.z + p.b + c; } //= c=[0-3], p:struct n, e=[0-3], p.b=2[0-3], p.z=5[0-3]
int main(void)
{
  for (int i = 0; i < 4; i++) {
    sink = first(i, (struct n){1, 2, 3.f, 40 + i});
    sink = second(i, (struct n){10 + i, 20 + i, 3.f, 50 + i}, i);
  }
  return 0;
}
"""
COROUTINE = """#include <coroutine>
struct task {
  struct promise_type {
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> h;
};
volatile int sink;
__attribute__((noinline)) void use(int x) { sink = x; }
task co(int n, const char *s) { for (int i = 0; i < n; i++) { use(i); co_await std::suspend_always{}; } use(s[0]); } //= n=[23], s.*
int main()
{
  for (int k = 0; k < 2; k++) {
    task t = co(2 + k, "abc");
    while (!t.h.done())
      t.h.resume();
    t.h.destroy();
  }
}
"""
AT_SLOTS = HEAD + """
__attribute__((no_instrument_function, noinline)) void away(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }
OUT void many(int a, int b, int c, int d, int e, int f, int g, int h) { sink = a + b + c + d + e + f + g + h; } //= a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=8
OUT void pushes(double d, int n) { many(1, 2, 3, 4, 5, 6, 7, 8); away(&d); away(&n); } //= d=1.5, n=7[0-3]
OUT long unread(struct large p, int n) { if (n > 9) p.u = sink; return acc; } //= p:struct large, n=[0-3], p.u=11, p.v=12
OUT long unused(int n, struct large p) { return acc + n; } //= n=[0-3], p:struct large, p.u=13, p.v=14
int main(void)
{
  for (int i = 0; i < 4; i++) {
    pushes(1.5, 70 + i);
    sink = unread((struct large){11, 12, 13}, i) + unused(i, (struct large){13, 14, 15});
  }
  return 0;
}
"""
INLINED = HEAD + """
volatile int zero;
__attribute__((no_instrument_function, noinline)) void away(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }
static inline int both(int a, int b) { sink = a; away(&b); return b; } //= a=100, b=200
static inline int turns(int a, int b) { sink += a; away(&b); return b; } //= a=[0-2], b=400
static inline int leaves(int a, long b) { sink += a; if (a > 1000) return 5; away(&b); return b; } //= a=[0-2], b=30[0-2]
int main(void)
{
  for (int i = 0; i < 3; i++) {
    sink = both(100 + zero, 200 + zero);
    sink = leaves(i, 300 + i);
    sink += turns(i, 400);
  }
  return 0;
}
"""
SET_LATER = """
volatile int in[4] = {9, 21, 6, 17};
int sink[64];
long wide[64];
#define OUT __attribute__((noinline))
struct two { int a; long b; };
static int late(int *p, int x) { *p += 1; x = x * 2; sink[x & 63] += *p; return sink[3] + x; } //= p.*, x=6
static int other(int x, int y) { sink[40] += 1; x = y; sink[x & 63] += 2; return sink[3] + x; } //= x=6, y=9
static void lags(int x, int y) { if (y < 3) sink[3] += y; sink[5] += x; } //= x=[0-3], y=9
static void known(int x) { if (x) sink[5] = x; } //= x=0
static void swapped(struct two x) { long t = x.a; x.a = (int)x.b; x.b = t; wide[8] = x.b; sink[7] = x.a; } //= x:struct two, x.a=9, x.b=21
OUT int stacked(int a, int b, int c, int d, int e, int y, int x, int z) { x = y; sink[x & 63] += z; return x; } //= a=1, b=2, c=3, d=4, e=5, y=9, x=21, z=4
static OUT int local(int x, int y) { x = y; sink[x & 63]++; return x; } //= x=9, y=21
static OUT int turned(int x, int y, int z) { int t = x; x = z; z = t; sink[x & 63] += y; return z; } //= x=9, y=21, z=6
int main(void)
{
  int a = in[2], n = 0, t = a * 2, v = in[0];
  sink[1] = t;
  sink[2] = late(&n, a);
  sink[4] = n + t;
  sink[9] = other(in[2], in[0]);
  for (int i = 0; i < 4; i++)
    lags(i, v);
  for (int i = 0; i < 4; i++)
    known(in[i] > 30 ? 13 : 0);
  swapped((struct two){in[0], in[1]});
  sink[2] += stacked(1, 2, 3, 4, 5, in[0], in[1], 4) + local(in[0], in[1]) + turned(in[0], in[1], in[2]);
  return 0;
}
"""
CONVERTED = HEAD + """
volatile double wide;
volatile float narrow = 1.5f;
OUT int first(a, b, c, d) float a; char b; short c; float d; { wide = a + d; return b + c; } //= a=1.5, b='x', c=-5, d=2.5 ! b= c=
OUT int second(b, a) char b; float a; { __asm__ volatile("" : : : "memory"); return 3; } //= b='q', a=3.5
static OUT int third(a, b) float a; char b; { wide = a * 2; return b; } //= a=1.5, b='z' ! b=
OUT int declared(float a, char b) { wide = a * 2; return b; } //= a=1.5, b='y' ! a= b=
int main(void)
{
  return (first(narrow, 'x', -5, 2.5f) + second('q', 3.5f) + third(narrow, 'z') + declared(narrow, 'y')) & 0;
}
"""
SWITCHES = HEAD + """
OUT void go(int a, long b, long c) { sink = a + b + c; }
OUT long global(unsigned t, int b, int c, int d, int e, int f, int max, long code, int m1, int m2) { m2 = sink; if (t == 77) go(m2, 1, 2); switch (t) { case 0: go(max, code, 1); go(b, c, max); return code; case 1: go(code, max, 3); go(d, e, code); return max; case 2: go(1, 2, b); go(max, f, code); return b; case 3: go(3, 4, 4); go(c, d, code); return max + code; case 4: go(m2, 3, 4); break; case 5: go(7, 8, 9); break; } return m2; } //= t=[0-4], b=2, c=3, d=4, e=5, f=6, max=7[0-4], code=8[0-4], m1=999, m2=888 ! t= b= c= d= e= f= max= code=
static OUT long local(int t, int b, int c, int d, int e, int f, int m0, int max, long code) { switch (t) { case 0: go(max, code, 1); go(b, c, max); return code; case 1: go(code, max, 3); go(d, e, code); return max; case 2: go(1, 2, b); go(max, f, code); return b; case 3: go(3, 4, 4); go(c, d, code); return max + code; case 4: go(4, code, 5); go(f, f, f); return 7; } return -1; } //= t=[0-4], b=2, c=3, d=4, e=5, f=6, m0=5, max=7[0-4], code=8[0-4] ! t= b= c= d= e= f= max= code=
OUT int few(int t, int b, int c) { switch (t) { case 10: go(1, 2, 3); go(b, 1, 1); return 1; case 11: go(2, 3, 4); return c; case 12: return 4; case 13: go(b, c, b); return 8; case 14: go(9, 9, 9); return 9; } return 0; } //= t=1[0-4], b=50[0-4], c=60[0-4] ! t= b= c=
int main(void)
{
  volatile int k = 0;
  for (int i = 0; i < 5; i++) {
    sink = global(i + k, 2 + k, 3 + k, 4 + k, 5 + k, 6 + k, 70 + i + k, 80 + i, 999, 888);
    sink = local(i + k, 2 + k, 3 + k, 4 + k, 5 + k, 6 + k, 5, 70 + i + k, 80 + i);
    sink = few(10 + i, 500 + i, 600 + i);
  }
  return 0;
}
"""
AT_CALLS = HEAD + """
volatile int zero;
volatile long wide;
struct two { int a, b; };
struct bits { int a : 5; long b : 40; };
__attribute__((no_instrument_function, noinline)) void away(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }
__attribute__((no_instrument_function, noinline)) long mix(long x) { sink += x; return sink & 0xff; }
static inline double sets(int a, unsigned char b) { int k = zero; b = 5; a = mix(1); away(&a); return acc; } //= a=3, b=(118|233)
static inline double copies(short c, int a) { int k = zero; c = acc; mix(c); mix(c + a); return acc; } //= c=44, a=[0-3] ! a=
OUT int extends(double d, struct two p, int n) { wide += p.a; use(n); wide = n; return acc; } //= d=1.5, p:struct two, n=[0-3], p.a=7[0-3], p.b=200 ! n= p.a=
OUT void shifts(struct bits p, char c) { for (int i = 0; i < 3; i++) sink += p.b; sink += c; } //= p:struct bits, c='x', p.a=3, p.b=1000
OUT double lacks(int m, int n, long b, double d, short e, unsigned char f) { int k = zero; sink += (long)d; d += 3; return acc; } //= m=7, n=8, b=[0-9], d=480.5, e=1[0-3], f=104 ! d=
OUT double shares(int a, int b, int c, char *s) { mix(c); use(c); return acc; } //= a=10[0-3], b=20[0-3], c=30[0-3], s=NULL ! c=
int main(void)
{
  for (int i = 0; i < 4; i++) {
    sets(3, i & 1 ? 118 + zero : 233);
    copies(44, i);
    sink = extends(1.5, (struct two){70 + i, 200}, i);
    shifts((struct bits){3, 1000}, 'x');
    lacks(7, 8, zero, 480.5, 10 + i, 104);
    shares(100 + i, 200 + i, 300 + i, 0);
  }
  return 0;
}
"""
# Behind instructions on vectors and on the x87's stack, before the hook's call and after it.
NUMBERS = HEAD + """
#include <stdarg.h>
struct vector { float x, y; };
OUT int sum(int n, ...) { va_list rest; int s = 0; va_start(rest, n); while (n--) s += va_arg(rest, int); va_end(rest); return s; } //= n=[1-3] ! n=
OUT int wide(int i, long double x, int j) { use(i + (int)x); return i + j; } //= i=[1-3], x:long double, j=7 ! i= j=
OUT int flat(int i, struct vector v, int j) { use(i + (int)v.x); return i + j; } //= i=[1-3], v:struct vector, j=8 ! i= j=
int main(void)
{
  int s = 0;
  for (int i = 1; i < 4; i++)
    s += sum(i, 1, 2, 3) + wide(i, i, 7) + flat(i, (struct vector){2, 3}, 8);
  return s & 0;
}
"""
# What gcc takes out of clones, and tells at their calls: constants, of which one is set to another; what one call of two in a function loses.
CLONES = HEAD + r"""
int cells[64]; volatile int zero; double dacc;
static OUT int kept(int x, int n) { for (int i = 0; i < n; i++) cells[i] += x; return cells[3]; } //= x=100, n=20 ! x= n=
static OUT int turned(int x, int n) { for (int i = 0; i < n; i++) cells[i] += x; x = 7; for (int i = 0; i < n; i++) cells[i] *= x; return cells[3]; } //= x=100, n=20 ! x= n=
static OUT int masked(int x, int n) { for (int i = 0; i < (x & 7); i++) cells[i] += 1; cells[13] += n; x = (unsigned char)x * 8; return cells[3] + x; } //= x=100, n=20 ! x= n=
static OUT double scaled(double x, int y, int n) { for (int i = 0; i < ((int)x & 7); i++) cells[i] += 1; cells[13] += n; x = (unsigned char)x * 8; dacc += y; return cells[3] + x; } //= x=100.0, y=5, n=20 ! x= y= n=
static OUT int stale(int a, int y) { use(a); y = a & 7; use(y); return cells[a]; } //= a=(?!3\x2c y=5)[23], y=(5|7[0-9]) ! a=
OUT int both(int k) { int s = stale(2, 5); for (int i = k; i < k + 3; i++) s += stale(3, i + 70); return s; } //= k=[01]
static int halves(int x, _Bool y, double z) { if (y) return 1; z = y ^ 31; for (int i = 0; i < 2; i++) cells[i] += y ? y : 10; if (z != 8) dacc += z * 3; else cells[10] = x; cells[y] += 1; z *= 2; dacc = z; return 2; } //= x=[2-9], y=(true|false), z=(1.5|8.0)
OUT int once(int k) { return halves(k + 2, k & 1, 1.5); } //= k=[01]
OUT int again(int k) { return halves(k + 7, zero, 8.0); } //= k=[01]
int main(void)
{
  const int n = 20 + zero;
  return (kept(100, n) + turned(100, n) + masked(100, n) + (int)scaled(100, 5, n) + both(zero) + once(1) + again(zero)) & 0;
}
"""
# What gcc takes out of clones, or passes in parts, and the function sets before its first instruction.
PARTS = HEAD + r"""
volatile int in[8] = {9, 21, 6, 17, 2, 33, 0, 5};
int cells[64]; long wide[64];
static OUT int moved(int a, int x, int y) { x = y; y = 7; cells[x & 63] += a; cells[y] += x; return x; } //= a=9, x=21, y=6 ! a= y=
static OUT int stays(int x, int y) { x = y; y = 7; cells[x & 63] += y; cells[y] += x; return x; } //= x=9, y=21 ! y=
static OUT void swapped(struct mixed x) { long t = x.u; x.u = (int)x.v; x.v = t; wide[8] += x.v; cells[x.u & 7] += x.u; } //= x:struct mixed, x.u=9, x.v=21
static OUT void both(struct pair x) { long t = x.a; x.a = x.b; x.b = t; wide[8] += x.b; cells[x.a & 7] += 3; } //= x:struct pair, x.a=9, x.b=21
static OUT void gives(struct mixed x, int k) { k = x.u; x.u = 7; wide[8] += x.v; cells[k & 7] += x.u; } //= x:struct mixed, k=6, x.u=9, x.v=21
static OUT int reads(int *p, int k) { k = *p; cells[k & 63] += k; return k; } //= p.*, k=6
static OUT long set(struct mixed x, int y, int z) { y = 7; cells[y & 63] += z; if (y) cells[x.u & 63] ^= x.v; return y; } //= x:struct mixed, y=6, z=30, x.u=9, x.v=21
int main(void)
{
  for (int i = 0; i < 2; i++) {
    struct mixed mixed = {in[0], in[1]};
    struct pair pair = {in[0], in[1]};
    int v = in[3];
    moved(in[0], in[1], in[2]), stays(in[0], in[1]), swapped(mixed), both(pair), gives(mixed, in[2]), reads(&v, in[2]), set(mixed, in[2], 30);
  }
  return 0;
}
"""
# Functions whose code is the same, of which gcc describes the code of one, and of which a linker keeps one.
FOLDED = HEAD + r"""
int set_a(int p, int n) { return 0; } //= p=[12], n=[0-2] ! p= n=
int set_b(int p, int n) { return 0; } //= p=[12], n=[0-2] ! p= n=
int get_a(long p, short n) { sink = n; return p && n > 5; } //= p=[34], n=[0-2] ! p= n=
int get_b(long p, short n) { sink = n; return p && n > 5; } //= p=[34], n=[0-2] ! p= n=
int (*volatile sets[])(int, int) = {set_a, set_b};
int (*volatile gets[])(long, short) = {get_a, get_b};
int main(void)
{
  int s = 0;
  for (int i = 0; i < 3; i++)
    s += sets[0](1, i) + sets[1](2, i) + gets[0](3, i) + gets[1](4, i);
  return s & 0;
}
"""
# Of which the function looks at some bits alone: the optimiser makes what it likes of the others.
DEMANDED = HEAD + r"""
volatile int in[4] = {9, 21, 33, 17};
int cells[64];
static inline int high(unsigned x, int y) { cells[y & 63] += 1; return cells[x >> 3]; } //= x=(0|3), y=[0-3]
OUT int calls(int a, int i) { return high((a & 1) ^ 1, i) + high((a & 3) ^ 2, i); } //= a=(9|21|33|17), i=[0-3]
int main(void)
{
  int s = 0;
  for (int i = 0; i < 4; i++)
    s += calls(in[i], i);
  return s & 0;
}
"""
# gcc 11 and 12 tell of a call that has lost a value what another call in its caller passed, also one that was inlined. Which programs they do
# so in changes with the program's every line: here the assembly is edited to tell it.
RETOLD = HEAD + r"""
volatile int zero; int cells[64];
static int stale(int a, int y) { use(a); y = a & 7; use(y); use(a * 3); use(a * 15); use(a * 25); use(a * 35); use(a * 45); use(a ^ 55); use(a * 65); use(a * 75); use(a * 85); cells[a] += y; return cells[a]; } //= a=(?!3\x2c y=500)[39], y=(500|7[0-9]) ! a=
static __attribute__((flatten)) int first(void) { return stale(2, 500); }
OUT int other(int k) { return stale(k + 9, 500); }
OUT int both(int k) { int s = first(); for (int i = k; i < k + 3; i++) s += stale(3, i + 70); return s; }
int main(void) { return (both(zero) + other(zero)) & 0; }
"""
# {case: (what in the assembly, by what it is replaced)}: here the sum of rbx and 69 or 70 by the constant 500, which is as long.
EDITS = {"retold": (r"(\.uleb128 0x3\n)\t\.byte\t0x73\n\t\.sleb128 (?:69|70)\n", r"\1\t.byte\t0xa\n\t.value\t0x1f4\n")}
FOLDING = [["-O2", "-ffunction-sections", f"-fuse-ld={linker}", "-Wl,--icf=all"] for linker in ("gold", "lld") if shutil.which(f"ld.{linker}")]
PARTS_RULES = "".join(f"function *: show x.{member}\n" for member in "abuv")
CLANG = ["clang", "clang-16", "clang-19"]
GCC = ["gcc-12", "gcc-11"]
AT_CALLS_RULES = "function *: d value\nfunction extends: show p.a\nfunction extends: show p.b\nfunction shifts: show p.a\nfunction shifts: show p.b\n"
# (name, source, rules, compilers, ways to compile)
CASES = [
    ("dead", DEAD, "", CLANG, [["-O2"], ["-O0"], ["-O1"], ["-O3"]]),
    ("dead", DEAD, "", GCC, [["-O2"], ["-O0"]]),
    ("by_value", BY_VALUE, "function *: show p.u\nfunction *: show p.v\n", CLANG, [["-O2"], ["-O1"], ["-O0"], ["-O2", "-gdwarf-4"]]),
    ("by_value", BY_VALUE, "function *: show p.u\nfunction *: show p.v\n", GCC, [["-O2"], ["-O0"]]),
    ("coroutine", COROUTINE, "", [name.replace("clang", "clang++") for name in CLANG], [["-O0", "-std=c++20"]]),
    ("at_hooks", AT_HOOKS, "", CLANG, [["--before-inlining", "-O1"], ["--calls", "-O2"], ["--calls", "-O1"], ["--calls", "-O0"]]),
    ("at_hooks", AT_HOOKS, "", GCC, [["--calls", "-O2"], ["--calls", "-O3"], ["--before-inlining", "-O2"], ["--calls", "-O0"]]),
    ("memory", MEMORY, "function *: show p.b\nfunction *: show p.z\n", CLANG[::-1], [["--calls", "-O1"], ["--before-inlining", "-O2"], ["--calls", "-O0"]]),
    ("slots", AT_SLOTS, "function *: d value\nfunction *: show p.u\nfunction *: show p.v\n", CLANG[::-1], [["--calls", "-O2"], ["--before-inlining", "-O2"], ["--calls", "-O1"], ["--calls", "-O0"], ["-O2"]]),
    ("inlined", INLINED, "", CLANG[::-1], [["--before-inlining", "-O2"], ["--before-inlining", "-O1"], ["--before-inlining", "-O3"]]),
    ("at_calls", AT_CALLS, AT_CALLS_RULES, GCC, [["--before-inlining", "-O2"], ["--before-inlining", "-O3"], ["--calls", "-O2"], ["--calls", "-O0"]]),
    ("at_calls", AT_CALLS, AT_CALLS_RULES, CLANG, [["--before-inlining", "-O2"], ["--calls", "-O1"], ["--calls", "-O0"]]),
    ("set_later", SET_LATER, "function *: show x.a\nfunction *: show x.b\n", CLANG[::-1], [["--before-inlining", "-O2"], ["-O2"], ["--calls", "-O2"], ["--before-inlining", "-O1"], ["--before-inlining", "-O3"], ["-O1"]]),
    ("converted", CONVERTED, "function *: a value\nfunction first: d value\n", GCC, [["-O2"], ["--calls", "-O2"], ["-O0"], ["--calls", "-O0"]]),
    ("numbers", NUMBERS, "", CLANG, [["--before-inlining", "-O2"], ["--before-inlining", "-O0"], ["--calls", "-O1"], ["--calls", "-O0"], ["-O2"]]),
    ("numbers", NUMBERS, "", GCC, [["--before-inlining", "-O2"], ["--calls", "-O0"]]),
    ("switches", SWITCHES, "", CLANG, [["-O2"], ["-O3"], ["-O2", "-fno-pie", "-no-pie"], ["-O0"]]),
    ("switches", SWITCHES, "", GCC, [["-O2"], ["-O2", "-fno-pie", "-no-pie"]]),
    ("clones", CLONES, "function *: x value\nfunction *: z value\n", GCC, [["-O2"], ["-O3"], ["--calls", "-O2"], ["-O2", "-flto"], ["--before-inlining", "-O2"], ["-O1"], ["-O0"]]),
    ("retold", RETOLD, "", GCC, [["-O2"], ["--calls", "-O2"]]),
    ("demanded", DEMANDED, "", CLANG, [["--before-inlining", "-O2"], ["--before-inlining", "-O1"], ["--before-inlining", "-O3"]]),
    ("folded", FOLDED, "", GCC, [["-O2"], ["--calls", "-O2"], ["-O3"], ["--before-inlining", "-O2"], ["-O0"], *FOLDING]),
    ("folded", re.sub(" ! .*", "", FOLDED), "", CLANG, FOLDING),
    ("parts", PARTS, PARTS_RULES, GCC, [["-O2", "-flto"], ["--calls", "-O2", "-flto"], ["-O3", "-flto", "-gdwarf-4"], ["-O2"], ["-O3"], ["-O0"]]),
    ("parts", re.sub(" ! .*", "", PARTS), PARTS_RULES, GCC, [["-O2", "-flto", "-gno-variable-location-views"]]),
    ("memory", MEMORY, "function *: show p.b\nfunction *: show p.z\n", GCC, [["--before-inlining", "-O2"], ["--calls", "-O2"], ["--calls", "-O0"]]),
]


def promises(source):
    """{function: (what a row's arguments must look like, what of them must be read)}."""
    made = {}
    for name, text in re.findall(r"^.*?(\w+)\([^()]*\)[^(){}]* \{.*//= (.*)$", source, re.M):
        row, _, must = text.partition(" ! ")
        pattern = re.sub(r"=([^,]+)", r"=(?:\1|\\?)", row)
        made[name] = re.compile(pattern + "(, .*)?"), must.split()
    return made


def rows(output):
    return re.findall(r":\d+\((\w+)\((.*)\)\)( \[~\])?$", output, re.M)


def compile_edited(program, edit, *how):
    """Compiles a program whose assembly is changed in one place."""
    compiler, options, wrapper = how
    built = program.compile(compiler, [*options, "-S"], wrapper)
    if built.returncode:
        return built
    with open(program.program, encoding="utf-8") as file:
        text, made = re.subn(*edit, file.read())
    assert made == 1, f"{made} places to edit"
    program.source = program.path("edited.s")
    with open(program.source, "w", encoding="utf-8") as file:
        file.write(text)
    return program.compile(*how)


def check(build, name, source, rules, compiler, options, folder):
    cli = os.path.join(os.path.realpath(build), "cli")
    program = OneProgram(os.path.join(cli, "callsig"), folder, source, rules, ".cc" if "++" in compiler else ".c")
    how = compiler, options, os.path.join(cli, "callsig-cc")
    built = compile_edited(program, EDITS[name], *how) if name in EDITS else program.compile(*how)
    if built.returncode:
        return [f"does not compile: {built.stderr[-500:]}"], 0
    done = program.run()
    is_hooked = any(option.startswith("--") for option in options)
    wanted, wrong, seen = promises(source), [], set()
    for function, arguments, _ in rows(done.stderr):
        if function not in wanted:
            continue
        seen.add(function)
        pattern, must = wanted[function]
        lost = [one for one in must if one + "?" in arguments]
        if not pattern.fullmatch(arguments):
            wrong.append(f"{function}({arguments}), not {pattern.pattern}")
        elif lost and "-O0" in options or lost and not is_hooked:
            wrong.append(f"{function}({arguments}) lacks {' '.join(lost)}")
    # An optimiser drops calls that do nothing.
    return wrong + [f"no row of {function}" for function in wanted if function not in seen and "-O0" in options], len(seen)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.environ.get("CALLSIG_BUILD", "build"), help="folder of a build, else that of CALLSIG_BUILD")
    parser.add_argument("--all", action="store_true", help="every compiler, and every way to compile")
    options = parser.parse_args()
    failed = ran = 0
    for name, source, rules, compilers, ways in CASES:
        checked = in_each_way(compilers, ways, lambda *how: check(options.build, name, source, rules, *how), None if options.all else (1, 2))
        for compiler, way, (wrong, functions) in checked:
            ran += 1
            failed += bool(wrong)
            print(f"{name:10} {compiler:9} {' '.join(way):24} {functions} functions" + "".join("\n    " + text for text in wrong[:12]))
    return 1 if failed else 0 if ran else 77


if __name__ == "__main__":
    sys.exit(main())
