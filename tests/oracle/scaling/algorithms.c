/*
 * Functions whose cost is known, each called over a range of sizes.
 *
 * The clock counts steps: every STEP is one tick, so that times are what the algorithms do, on any machine and load.
 * With REAL_TIME defined the clock is the machine's.
 */
#include <callsig/callsig.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define QUIET    __attribute__((no_instrument_function, noinline))

/* Volatile: a step is made each time it is written, so that no compiler sums a loop up. */
static volatile uint64_t steps = 1;

#define STEP (steps++)

QUIET static uint64_t read_steps(void *data)
{
  (void)data;
  return steps;
}

enum { LARGEST = 1 << 14, SIDE = 96 };

static int numbers[LARGEST], sorted[LARGEST], room[LARGEST];
static char text[1 << 16], other_text[1 << 16];
static double left[SIDE * SIDE], right[SIDE * SIDE], product[SIDE * SIDE];
static unsigned random_state = 1;

QUIET static unsigned next_random(void)
{
  random_state = random_state * 1664525u + 1013904223u;
  return random_state >> 8;
}

QUIET static void shuffle(int n)
{
  for (int i = 0; i < n; i++)
    numbers[i] = (int)(next_random() % 1000000);
}

QUIET static void descend(int n)
{
  for (int i = 0; i < n; i++)
    numbers[i] = n - i;
}

NOINLINE void copy(char *to, const char *from, size_t n)
{
  for (size_t i = 0; i < n; i++, STEP)
    to[i] = from[i];
}

NOINLINE void prefix_sums(int *a, int n)
{
  for (int i = 1; i < n; i++, STEP)
    a[i] = (a[i] + a[i - 1]) & 0xFFFF;
}

NOINLINE int linear_search(const int *a, int n, int key)
{
  for (int i = 0; i < n; i++, STEP)
    if (a[i] == key)
      return i;
  return -1;
}

NOINLINE int binary_search(const int *a, int n, int key)
{
  int low = 0, high = n;
  while (low < high) {
    int middle = low + (high - low) / 2;
    STEP;
    if (a[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

NOINLINE void merge_sort(int *a, int n)
{
  STEP;
  if (n < 2)
    return;
  int half = n / 2, i = 0, j = half, k = 0;
  merge_sort(a, half);
  merge_sort(a + half, n - half);
  for (; i < half || j < n; STEP)
    room[k++] = j >= n || (i < half && a[i] <= a[j]) ? a[i++] : a[j++];
  memcpy(a, room, (size_t)n * sizeof *a);
}

QUIET static void sift(int *a, int root, int n)
{
  for (int child; (child = 2 * root + 1) < n; root = child, STEP) {
    if (child + 1 < n && a[child + 1] > a[child])
      child++;
    if (a[root] >= a[child])
      return;
    int swap = a[root];
    a[root] = a[child];
    a[child] = swap;
  }
}

NOINLINE void heap_sort(int *a, int n)
{
  for (int i = n / 2; i-- > 0;)
    sift(a, i, n);
  for (int i = n; i-- > 1;) {
    int swap = a[0];
    a[0] = a[i];
    a[i] = swap;
    sift(a, 0, i);
  }
}

NOINLINE void bubble_sort(int *a, int n)
{
  for (int end = n; end > 1; end--)
    for (int i = 1; i < end; i++, STEP)
      if (a[i - 1] > a[i]) {
        int swap = a[i];
        a[i] = a[i - 1];
        a[i - 1] = swap;
      }
}

NOINLINE void insertion_sort(int *a, int n)
{
  for (int i = 1; i < n; i++) {
    int value = a[i], j = i;
    for (; j > 0 && a[j - 1] > value; j--, STEP)
      a[j] = a[j - 1];
    a[j] = value;
  }
}

NOINLINE int has_duplicate(const int *a, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++, STEP)
      if (a[i] == a[j])
        return 1;
  return 0;
}

NOINLINE void square_product(double *c, const double *a, const double *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++, STEP)
        sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

NOINLINE void matrix_product(double *c, const double *a, const double *b, int rows, int columns, int inner)
{
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      double sum = 0;
      for (int k = 0; k < inner; k++, STEP)
        sum += a[i * inner + k] * b[k * columns + j];
      c[i * columns + j] = sum;
    }
}

NOINLINE void matrix_vector(double *c, const double *a, const double *b, int rows, int columns)
{
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int j = 0; j < columns; j++, STEP)
      sum += a[i * columns + j] * b[j];
    c[i] = sum;
  }
}

NOINLINE void transpose(double *c, const double *a, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++, STEP)
      c[j * n + i] = a[i * n + j];
}

NOINLINE void shortest_paths(double *distance, int n)
{
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++, STEP)
        if (distance[i * n + k] + distance[k * n + j] < distance[i * n + j])
          distance[i * n + j] = distance[i * n + k] + distance[k * n + j];
}

NOINLINE long string_search(const char *in, int n, const char *what, int m)
{
  for (int i = 0; i + m <= n + m; i++) {
    int j = 0;
    for (; j < m && in[i + j] == what[j]; j++)
      STEP;
    if (j == m)
      return i;
  }
  return -1;
}

/* A table of as many chains as entries: `n` says how many it has. */
NOINLINE int hash_lookup(const int *table, int n, int key)
{
  unsigned place = (unsigned)key * 2654435761u % (unsigned)n;
  STEP;
  STEP;
  STEP;
  return table[place];
}

NOINLINE void hash_insert(int *table, int n, int key)
{
  unsigned place = (unsigned)key * 2654435761u % (unsigned)n;
  STEP;
  STEP;
  table[place] = key;
}

NOINLINE void heap_push(int *heap, int n, int value)
{
  int i = n;
  for (; i > 0 && heap[(i - 1) / 2] < value; i = (i - 1) / 2, STEP)
    heap[i] = heap[(i - 1) / 2];
  heap[i] = value;
  STEP;
}

NOINLINE int stack_push(int *stack, int n, int value)
{
  stack[n] = value;
  STEP;
  return n + 1;
}

NOINLINE int list_nth(const int *next, int n)
{
  int at = 0;
  for (int i = 0; i < n; i++, STEP)
    at = next[at] & 1023;
  return at;
}

NOINLINE unsigned power(unsigned base, unsigned n)
{
  unsigned result = 1;
  for (; n > 0; n >>= 1, STEP) {
    if (n & 1)
      result *= base;
    base *= base;
  }
  return result;
}

NOINLINE void merge(int *to, const int *a, int n, const int *b, int m)
{
  for (int i = 0, j = 0, k = 0; i < n || j < m; k++, STEP)
    to[k & (LARGEST - 1)] = j >= m || (i < n && a[i] <= b[j]) ? a[i++] : b[j++];
}

NOINLINE void histogram(int *bins, int count_bins, const int *a, int n)
{
  for (int i = 0; i < count_bins; i++, STEP)
    bins[i] = 0;
  for (int i = 0; i < n; i++, STEP)
    bins[(unsigned)a[i] % (unsigned)count_bins]++;
}

/* Looks up n keys in a sorted array of m. */
NOINLINE int search_all(const int *keys, int n, const int *a, int m)
{
  int found = 0;
  for (int i = 0; i < n; i++) {
    int low = 0, high = m;
    while (low < high) {
      int middle = low + (high - low) / 2;
      STEP;
      if (a[middle] < keys[i])
        low = middle + 1;
      else
        high = middle;
    }
    found += low;
  }
  return found;
}

NOINLINE static void append(char *to, const char *word)
{
  size_t length = 0;
  for (; to[length]; length++)
    STEP;
  strcpy(to + length, word);
}

/* Linear to read, quadratic to run: each append walks what is there. */
NOINLINE void join(char *to, const char *word, int n)
{
  to[0] = 0;
  for (int i = 0; i < n; i++)
    append(to, word);
}

NOINLINE unsigned long fibonacci(int n)
{
  STEP;
  return n < 2 ? (unsigned long)n : fibonacci(n - 1) + fibonacci(n - 2);
}

/* Where there is no law to find. */

NOINLINE int noise(int n)
{
  for (unsigned i = 1u << next_random() % 12; i > 0; i--)
    STEP;
  return n;
}

NOINLINE int few(int n)
{
  for (int i = 0; i < n; i++)
    STEP;
  return n;
}

NOINLINE int narrow(int n)
{
  for (int i = 0; i < n; i++)
    STEP;
  return n;
}

enum mode { QUICK, THOROUGH };

NOINLINE void by_mode(int n, enum mode mode)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < (mode == QUICK ? 1 : n); j++)
      STEP;
}

NOINLINE void twice_as_long(int n, int length)
{
  for (int i = 0; i < n + length; i++)
    STEP;
}

NOINLINE void signed_place(int x)
{
  for (int i = 0; i < x * x; i++)
    STEP;
}

/* The harness. */

QUIET static void run_arrays(void)
{
  for (int n = 8; n <= LARGEST; n *= 2) {
    copy(text, other_text, (size_t)n);
    prefix_sums(room, n);
    linear_search(sorted, n, -1);
    for (int i = 0; i < 4; i++)
      binary_search(sorted, n, 1 << 30);
    shuffle(n);
    merge_sort(numbers, n);
    shuffle(n);
    heap_sort(numbers, n);
    hash_insert(room, n, 17);
    hash_lookup(room, n, 17);
    memset(room, 0, (size_t)n * sizeof *room);
    if (n < LARGEST)
      heap_push(room, n, 1);
    stack_push(room, n - 1, 3);
    list_nth(sorted, n);
    power(3, (unsigned)n - 1);
  }
}

QUIET static void run_squares(void)
{
  for (int n = 8; n <= 512; n = n * 3 / 2) {
    descend(n);
    bubble_sort(numbers, n);
    descend(n);
    insertion_sort(numbers, n);
    has_duplicate(sorted, n);
    join(text, "word ", n);
    by_mode(n, QUICK);
    by_mode(n, THOROUGH);
    twice_as_long(n, 2 * n);
  }
  for (int n = 4; n <= SIDE; n += 8) {
    square_product(product, left, right, n);
    transpose(product, left, n);
    shortest_paths(left, n);
  }
}

QUIET static void run_pairs(void)
{
  for (int n = 8; n <= 256; n *= 2)
    for (int m = 4; m <= 128; m *= 2) {
      matrix_vector(product, left, right, n / 8, m);
      memset(text, 'a', sizeof text);
      memset(other_text, 'a', (size_t)m);
      other_text[m - 1] = 'b';
      string_search(text, n, other_text, m);
      merge(room, sorted, n, sorted, 2 * m);
      histogram(room, m, sorted, n);
      search_all(numbers, n, sorted, m * 64);
    }
  for (int i = 4; i <= 64; i *= 2)
    for (int j = 4; j <= 64; j *= 2)
      for (int k = 4; k <= 64; k *= 2)
        if ((i + 2 * j + 4 * k) % 3 == 1)
          matrix_product(product, left, right, i, j, k);
}

QUIET static void run_lawless(void)
{
  for (int n = 1; n <= 4096; n *= 2)
    noise(n);
  for (int n = 1; n <= 64; n *= 4)
    few(n);
  for (int n = 100; n <= 300; n += 20)
    narrow(n);
  for (int x = -20; x <= 20; x += 2)
    signed_place(x);
  fibonacci(22);
}

QUIET static void prepare(void)
{
  for (int i = 0; i < LARGEST; i++)
    sorted[i] = i;
  for (int i = 0; i < SIDE * SIDE; i++)
    left[i] = right[i] = i % 7;
}

QUIET int main(int argc, char **argv)
{
#ifndef REAL_TIME
  if (callsig_set_clock(read_steps, NULL, 1000000000) != 0)
    return 1;
#else
  (void)read_steps;
#endif
  prepare();
  for (int repeat = argc > 1 ? atoi(argv[1]) : 1; repeat > 0; repeat--) {
    run_arrays();
    run_squares();
    run_pairs();
    run_lawless();
  }
  return 0;
}
