/*
 * Calls the functions of everyday.h over some decades of sizes, by the machine's own clock.
 *
 *     everyday REPEAT
 */
#define _GNU_SOURCE
#include "everyday.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static int numbers[LARGEST], sorted[LARGEST], merged[LARGEST];
static char text[TEXT + 1], other[TEXT * 2 + 64];
static double left[SIDE * SIDE], right[SIDE * SIDE], product[SIDE * SIDE], real[LARGEST], imaginary[LARGEST];

QUIET static void shuffle(int n)
{
  for (int i = 0; i < n; i++)
    numbers[i] = (int)(next_random() % 100000000);
}

QUIET static void discard_node(void *node)
{
  (void)node;
}

QUIET static void call_sorts(int n)
{
  void (*const sorts[])(int *, int) = {sort_qsort, sort_merge, sort_heap, sort_shell};
  for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++) {
    shuffle(n);
    sorts[i](numbers, n);
  }
}

QUIET static void call_searches(int n)
{
  shuffle(n);
  for (int i = 0; i < 20; i++) {
    int key = (int)(next_random() % (uint64_t)(n / 4));
    search_binary(sorted, n / 4, &key);
    hash_find((int)(next_random() % LARGEST));
    look_up(sorted, key);
    days_in_month(1900 + (int)(next_random() % 200), 1 + (int)(next_random() % 12));
    free(allocate((size_t)n / 64));
    power_of(7, (uint64_t)n);
  }
  search_linear(sorted, n, -1);
  largest_of(numbers, n);
  if (n > SLOTS / 2)
    return;
  hash_fill(numbers, n);
  void *root = tree_build(numbers, n);
  for (int i = 0; i < 20; i++)
    tree_find(root, n, &numbers[next_random() % (uint64_t)n]);
  tdestroy(root, discard_node);
}

QUIET static void call_bytes(size_t n)
{
  copy_bytes(other, text, n);
  encode_base64(other, text, n);
  checksum_crc(text, (uint32_t)n);
  checksum_adler(text, (uint32_t)n);
  compress_random(text, (uint32_t)n);
  memset(other, 'x', n);
  other[n] = '\0';
  length_of(other, n);
  find_text(text, n, "\001\002\003\004\005");
  static const char json[] = "{\"name\": \"value\", \"list\": [1, 2, 3]}, ";
  for (size_t i = 0; i < n; i++)
    other[i] = json[i % (sizeof json - 1)];
  parse_json(other, n);
  compress_repetitive(other, (uint32_t)n);
  sieve((int)n);
}

QUIET static void call_squares(int n)
{
  shuffle(n);
  count_inversions(numbers, n);
  sort_insertion(numbers, n);
  tree_grow_sorted(sorted, n);
  join_words(other, n * 4);
  closest_pair(real, imaginary, n);
}

QUIET static void call_matrices(int n)
{
  for (int i = 0; i < n * n; i++)
    left[i] = right[i] = 1 + (double)(next_random() % 1000);
  matrix_multiply(product, left, right, n);
  matrix_transpose(product, left, n);
  shortest_paths(left, n);
  eliminate(right, n);
}

QUIET static void call_pairs(int n, int m)
{
  memset(other, 'a', TEXT);
  memset(other + TEXT, 'a', (size_t)m - 1);
  other[TEXT + m - 1] = 'b';
  search_naive(other, n * 4 + m, other + TEXT, m);
  edit_distance(text, n, text + 100, m);
  matrix_by_vector(product, real, imaginary, n, m);
  convolve(product, real, n, imaginary, m);
  merge_lists(merged, sorted, n * 16, sorted + 1000, m * 16);
}

QUIET static void call_lawless(void)
{
  fibonacci(16 + (int)(next_random() % 4));
  for (int i = 0; i < 200; i++) {
    greatest_divisor(next_random(), next_random());
    collatz_steps(1 + next_random() % 100000);
  }
  for (int n = 16; n <= LARGEST; n *= 3) {
    nap(n);
    spin_randomly(n);
  }
}

QUIET static void call_all(void)
{
  for (int n = 256; n <= LARGEST / 4; n = n * 7 / 4) {
    call_sorts(n);
    call_searches(n);
    call_bytes((size_t)n * 3);
  }
  for (int n = 256; n <= LARGEST / 8; n *= 2)
    transform(real, imaginary, n);
  for (int n = 64; n <= 3000; n = n * 8 / 5)
    call_squares(n);
  for (int n = 12; n <= SIDE; n = n * 3 / 2)
    call_matrices(n);
  for (int n = 32; n <= 512; n *= 2)
    for (int m = 32; m <= 512; m *= 2)
      call_pairs(n, m);
  call_lawless();
}

QUIET int main(int argc, char **argv)
{
  for (int i = 0; i < LARGEST; i++)
    sorted[i] = i;
  for (int i = 0; i < TEXT; i++)
    text[i] = (char)(next_random() >> 40);
  for (int i = 0; i < LARGEST; i++)
    real[i] = imaginary[i] = (double)(next_random() % 1000) / 1000;
  for (int repeat = argc > 1 ? atoi(argv[1]) : 1; repeat > 0; repeat--)
    call_all();
  return 0;
}
