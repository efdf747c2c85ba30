/* The functions of everyday.h. */
#define _GNU_SOURCE
#include "everyday.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

static int room[LARGEST], slots[SLOTS * 2];
static char squeezed[TEXT * 2], composite[TEXT];
static struct node nodes[LARGEST];
static uint64_t random_state = 88172645463325252u;
static volatile uint64_t sink;

QUIET uint64_t next_random(void)
{
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

QUIET static int by_value(const void *a, const void *b)
{
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Sorting. */

NOINLINE void sort_qsort(int *a, int n)
{
  qsort(a, (size_t)n, sizeof *a, by_value);
}

QUIET static void merge_halves(int *a, int *spare, int n)
{
  if (n < 2)
    return;
  int half = n / 2, i = 0, j = half, k = 0;
  merge_halves(a, spare, half);
  merge_halves(a + half, spare, n - half);
  while (i < half && j < n)
    spare[k++] = a[i] <= a[j] ? a[i++] : a[j++];
  while (i < half)
    spare[k++] = a[i++];
  memcpy(a, spare, (size_t)k * sizeof *a);
}

NOINLINE void sort_merge(int *a, int n)
{
  merge_halves(a, room, n);
}

QUIET static void sift(int *a, int i, int n)
{
  for (int child; (child = 2 * i + 1) < n; i = child) {
    child += child + 1 < n && a[child] < a[child + 1];
    if (a[i] >= a[child])
      return;
    int value = a[i];
    a[i] = a[child];
    a[child] = value;
  }
}

NOINLINE void sort_heap(int *a, int n)
{
  for (int i = n / 2; i-- > 0;)
    sift(a, i, n);
  for (int end = n; end-- > 1;) {
    int value = a[0];
    a[0] = a[end];
    a[end] = value;
    sift(a, 0, end);
  }
}

QUIET static void insert_by(int *a, int n, int gap)
{
  for (int i = gap; i < n; i++) {
    int value = a[i], j = i;
    for (; j >= gap && a[j - gap] > value; j -= gap)
      a[j] = a[j - gap];
    a[j] = value;
  }
}

NOINLINE void sort_shell(int *a, int n)
{
  int gap = 1;
  while (gap < n / 3)
    gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3)
    insert_by(a, n, gap);
}

NOINLINE void sort_insertion(int *a, int n)
{
  insert_by(a, n, 1);
}

NOINLINE uint64_t count_inversions(const int *a, int n)
{
  uint64_t count = 0;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      count += a[i] > a[j];
  return count;
}

/* Searching. */

NOINLINE const void *search_binary(const int *a, int n, const int *key)
{
  return bsearch(key, a, (size_t)n, sizeof *a, by_value);
}

NOINLINE int search_linear(const int *a, int n, int key)
{
  for (int i = 0; i < n; i++)
    if (a[i] == key)
      return i;
  return -1;
}

NOINLINE int largest_of(const int *a, int n)
{
  int largest = a[0];
  for (int i = 1; i < n; i++)
    largest = a[i] > largest ? a[i] : largest;
  return largest;
}

NOINLINE void hash_fill(const int *keys, int n)
{
  memset(slots, 0, sizeof slots);
  for (int i = 0; i < n; i++) {
    uint32_t at = (uint32_t)keys[i] * 2654435761u >> 17;
    while (slots[at % SLOTS])
      at++;
    slots[at % SLOTS] = keys[i] | 1;
  }
}

NOINLINE int hash_find(int key)
{
  uint32_t at = (uint32_t)key * 2654435761u >> 17;
  while (slots[at % SLOTS] && slots[at % SLOTS] != (key | 1))
    at++;
  return slots[at % SLOTS];
}

NOINLINE void *tree_build(const int *keys, int n)
{
  void *root = NULL;
  for (int i = 0; i < n; i++)
    tsearch(&keys[i], &root, by_value);
  return root;
}

NOINLINE void *tree_find(void *root, int size, const int *key)
{
  void *found = tfind(key, &root, by_value);
  sink += (uint64_t)size;
  return found;
}

NOINLINE struct node *tree_grow_sorted(const int *keys, int n)
{
  struct node *root = NULL;
  for (int i = 0; i < n; i++) {
    struct node **at = &root;
    while (*at)
      at = keys[i] < (*at)->key ? &(*at)->left : &(*at)->right;
    nodes[i] = (struct node){.key = keys[i]};
    *at = &nodes[i];
  }
  return root;
}

/* Bytes and texts. */

NOINLINE void copy_bytes(char *to, const char *from, size_t n)
{
  memcpy(to, from, n);
}

NOINLINE size_t length_of(const char *string, size_t n)
{
  (void)n;
  return strlen(string);
}

NOINLINE const char *find_text(const char *in, size_t n, const char *what)
{
  return memmem(in, n, what, 5);
}

NOINLINE int search_naive(const char *in, int n, const char *what, int m)
{
  for (int i = 0; i + m <= n; i++) {
    int j = 0;
    while (j < m && in[i + j] == what[j])
      j++;
    if (j == m)
      return i;
  }
  return -1;
}

NOINLINE void join_words(char *to, int words)
{
  to[0] = '\0';
  for (int i = 0; i < words; i++)
    strcat(to, "words ");
}

NOINLINE int edit_distance(const char *a, int n, const char *b, int m)
{
  int *row = room;
  for (int j = 0; j <= m; j++)
    row[j] = j;
  for (int i = 1; i <= n; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= m; j++) {
      int best = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      best = row[j] + 1 < best ? row[j] + 1 : best;
      row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
    }
  }
  return row[m];
}

NOINLINE size_t encode_base64(char *to, const char *from, size_t n)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *at = to;
  for (size_t i = 0; i + 2 < n; i += 3) {
    uint32_t bits =
        (uint32_t)(unsigned char)from[i] << 16 | (uint32_t)(unsigned char)from[i + 1] << 8 | (unsigned char)from[i + 2];
    for (int shift = 18; shift >= 0; shift -= 6)
      *at++ = letters[bits >> shift & 63];
  }
  return (size_t)(at - to);
}

NOINLINE uint64_t checksum_crc(const char *from, uint32_t n)
{
  return crc32(0, (const Bytef *)from, n);
}

NOINLINE uint64_t checksum_adler(const char *from, uint32_t n)
{
  return adler32(1, (const Bytef *)from, n);
}

QUIET static uint64_t squeeze(const char *from, uint32_t n)
{
  uLongf size = sizeof squeezed;
  compress2((Bytef *)squeezed, &size, (const Bytef *)from, n, 6);
  return size;
}

NOINLINE uint64_t compress_random(const char *from, uint32_t n)
{
  return squeeze(from, n);
}

NOINLINE uint64_t compress_repetitive(const char *from, uint32_t n)
{
  return squeeze(from, n);
}

NOINLINE int parse_json(const char *json, size_t n)
{
  int depth = 0, values = 0;
  for (size_t i = 0; i < n; i++) {
    if (json[i] == '"')
      for (i++; i < n && json[i] != '"'; i++)
        i += json[i] == '\\';
    else if (json[i] == '[' || json[i] == '{')
      depth++;
    else if (json[i] == ']' || json[i] == '}')
      depth--;
    else
      values += json[i] == ',' || json[i] == ':';
  }
  return depth == 0 ? values : -1;
}

/* Numbers. */

NOINLINE void matrix_multiply(double *c, const double *a, const double *b, int n)
{
  for (int i = 0; i < n; i++) {
    memset(c + i * n, 0, (size_t)n * sizeof *c);
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

NOINLINE void matrix_transpose(double *to, const double *from, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      to[j * n + i] = from[i * n + j];
}

NOINLINE void matrix_by_vector(double *to, const double *matrix, const double *vector, int rows, int columns)
{
  for (int i = 0; i < rows; i++) {
    to[i] = 0;
    for (int j = 0; j < columns; j++)
      to[i] += matrix[i * columns + j] * vector[j];
  }
}

NOINLINE void convolve(double *to, const double *signal, int n, const double *kernel, int m)
{
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < m; j++)
      sum += signal[i + j] * kernel[j];
    to[i] = sum;
  }
}

NOINLINE void shortest_paths(double *paths, int n)
{
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double over = paths[i * n + k] + paths[k * n + j];
        paths[i * n + j] = over < paths[i * n + j] ? over : paths[i * n + j];
      }
}

NOINLINE double eliminate(double *a, int n)
{
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      double factor = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; j++)
        a[i * n + j] -= factor * a[k * n + j];
    }
  return a[n * n - 1];
}

NOINLINE void transform(double *re, double *im, int n)
{
  for (int step = n / 2; step > 0; step /= 2)
    for (int from = 0; from < n; from += 2 * step)
      for (int i = from; i < from + step; i++) {
        double a = re[i] - re[i + step], b = im[i] - im[i + step];
        re[i] = (re[i] + re[i + step]) * 0.7071;
        im[i] = (im[i] + im[i + step]) * 0.7071;
        re[i + step] = (a * 0.8 - b * 0.6) * 0.7071;
        im[i + step] = (a * 0.6 + b * 0.8) * 0.7071;
      }
}

NOINLINE int sieve(int n)
{
  int count = 0;
  memset(composite, 0, (size_t)n);
  for (int i = 2; i < n; i++) {
    if (composite[i])
      continue;
    count++;
    for (int64_t j = (int64_t)i * i; j < n; j += i)
      composite[j] = 1;
  }
  return count;
}

NOINLINE double closest_pair(const double *x, const double *y, int n)
{
  double best = INFINITY;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      best = fmin(best, (x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]));
  return best;
}

NOINLINE uint64_t power_of(uint64_t base, uint64_t exponent)
{
  uint64_t result = 1;
  for (; exponent; exponent >>= 1, base = base * base % 4294967291u)
    result = exponent & 1 ? result * base % 4294967291u : result;
  return result;
}

NOINLINE void merge_lists(int *to, const int *a, int n, const int *b, int m)
{
  int i = 0, j = 0;
  while (i < n && j < m)
    *to++ = a[i] <= b[j] ? a[i++] : b[j++];
  while (i < n)
    *to++ = a[i++];
  while (j < m)
    *to++ = b[j++];
}

/* Constant, whatever the number. */

NOINLINE int look_up(const int *table, int index)
{
  return table[index];
}

NOINLINE int days_in_month(int year, int month)
{
  static const char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month - 1] + (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

NOINLINE void *allocate(size_t n)
{
  return malloc(n);
}

/* What no law here is right for. */

NOINLINE int fibonacci(int n)
{
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

NOINLINE uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

NOINLINE int collatz_steps(uint64_t n)
{
  int steps = 0;
  for (; n != 1; steps++)
    n = n & 1 ? 3 * n + 1 : n / 2;
  return steps;
}

NOINLINE void nap(int n)
{
  (void)n;
  struct timespec time = {.tv_nsec = (long)(next_random() % 400000)};
  nanosleep(&time, NULL);
}

NOINLINE void spin_randomly(int n)
{
  sink += (uint64_t)n;
  double share = (double)(next_random() >> 11) / (double)(UINT64_C(1) << 53);
  for (uint64_t left_over = (uint64_t)exp(4 + 8 * share); left_over > 0; left_over--)
    sink++;
}
