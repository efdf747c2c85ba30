/*
 * Forty and more functions as real programs have them, those of libc and zlib among them: of each it is known how its
 * time grows with its arguments, or that it follows none. everyday_calls.c calls them over some decades of sizes.
 */
#ifndef CALLSIG_TESTS_EVERYDAY_H
#define CALLSIG_TESTS_EVERYDAY_H

#include <stddef.h>
#include <stdint.h>

#define NOINLINE __attribute__((noinline))
#define QUIET    __attribute__((no_instrument_function, noinline))

enum { LARGEST = 1 << 18, SIDE = 256, TEXT = 1 << 18, SLOTS = 1 << 15 };

struct node {
  struct node *left, *right;
  int key;
};

/* A number that nothing predicts, of a sequence that is always the same. */
uint64_t next_random(void);

void sort_qsort(int *a, int n);
void sort_merge(int *a, int n);
void sort_heap(int *a, int n);
void sort_shell(int *a, int n);
void sort_insertion(int *a, int n);
uint64_t count_inversions(const int *a, int n);
const void *search_binary(const int *a, int n, const int *key);
int search_linear(const int *a, int n, int key);
int largest_of(const int *a, int n);
void hash_fill(const int *keys, int n);
int hash_find(int key);
void *tree_build(const int *keys, int n);
void *tree_find(void *root, int size, const int *key);
struct node *tree_grow_sorted(const int *keys, int n);
void copy_bytes(char *to, const char *from, size_t n);
size_t length_of(const char *string, size_t n);
const char *find_text(const char *in, size_t n, const char *what);
int search_naive(const char *in, int n, const char *what, int m);
void join_words(char *to, int words);
int edit_distance(const char *a, int n, const char *b, int m);
size_t encode_base64(char *to, const char *from, size_t n);
uint64_t checksum_crc(const char *from, uint32_t n);
uint64_t checksum_adler(const char *from, uint32_t n);
uint64_t compress_random(const char *from, uint32_t n);
uint64_t compress_repetitive(const char *from, uint32_t n);
int parse_json(const char *json, size_t n);
void matrix_multiply(double *c, const double *a, const double *b, int n);
void matrix_transpose(double *to, const double *from, int n);
void matrix_by_vector(double *to, const double *matrix, const double *vector, int rows, int columns);
void convolve(double *to, const double *signal, int n, const double *kernel, int m);
void shortest_paths(double *paths, int n);
double eliminate(double *a, int n);
void transform(double *re, double *im, int n);
int sieve(int n);
double closest_pair(const double *x, const double *y, int n);
uint64_t power_of(uint64_t base, uint64_t exponent);
void merge_lists(int *to, const int *a, int n, const int *b, int m);
int look_up(const int *table, int index);
int days_in_month(int year, int month);
void *allocate(size_t n);
int fibonacci(int n);
uint64_t greatest_divisor(uint64_t a, uint64_t b);
int collatz_steps(uint64_t n);
void nap(int n);
void spin_randomly(int n);

#endif
