/*
 * Calls functions of mini-gmp, libsodium, xxHash, LZ4, libbsd and C/C++ Minpack over some decades of sizes, by the
 * machine's own clock.
 *
 *     library_calls REPEAT
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "given.h"

/* The libraries' headers are there where their sources are, which is not where this file is checked. */
typedef unsigned long limb;
void mpn_copyi(limb *to, const limb *from, long n);
int mpn_cmp(const limb *a, const limb *b, long n);
limb mpn_add_n(limb *to, const limb *a, const limb *b, long n);
limb mpn_sub_n(limb *to, const limb *a, const limb *b, long n);
limb mpn_mul_1(limb *to, const limb *a, long n, limb b);
limb mpn_addmul_1(limb *to, const limb *a, long n, limb b);
limb mpn_lshift(limb *to, const limb *a, long n, unsigned bits);
limb mpn_rshift(limb *to, const limb *a, long n, unsigned bits);
void mpn_com(limb *to, const limb *a, long n);
unsigned long mpn_popcount(const limb *a, long n);
limb mpn_mul(limb *to, const limb *a, long an, const limb *b, long bn);
void mpn_mul_n(limb *to, const limb *a, const limb *b, long n);
void mpn_sqr(limb *to, const limb *a, long n);
size_t mpn_get_str(unsigned char *to, int base, limb *a, long n);
long mpn_set_str(limb *to, const unsigned char *from, size_t n, int base);
int crypto_hash_sha256(unsigned char *to, const unsigned char *from, unsigned long long n);
int crypto_hash_sha512(unsigned char *to, const unsigned char *from, unsigned long long n);
int crypto_shorthash_siphash24(unsigned char *to, const unsigned char *from, unsigned long long n,
                               const unsigned char *key);
int sodium_memcmp(const void *a, const void *b, size_t n);
int sodium_compare(const unsigned char *a, const unsigned char *b, size_t n);
int sodium_is_zero(const unsigned char *a, size_t n);
void sodium_increment(unsigned char *a, size_t n);
void sodium_add(unsigned char *a, const unsigned char *b, size_t n);
char *sodium_bin2hex(char *to, size_t most, const unsigned char *from, size_t n);
int sodium_hex2bin(unsigned char *to, size_t most, const char *from, size_t n, const char *ignore, size_t *length,
                   const char **end);
char *sodium_bin2base64(char *to, size_t most, const unsigned char *from, size_t n, int variant);
unsigned XXH32(const void *from, size_t n, unsigned seed);
unsigned long XXH64(const void *from, size_t n, unsigned long seed);
unsigned long XXH3_64bits(const void *from, size_t n);
int LZ4_compress_default(const char *from, char *to, int n, int most);
int LZ4_decompress_safe(const char *from, char *to, int n, int most);
int LZ4_compressBound(int n);
int heapsort(void *array, size_t count, size_t size, int (*compare)(const void *a, const void *b));
int mergesort(void *array, size_t count, size_t size, int (*compare)(const void *a, const void *b));
double enorm(int n, const double *x);
void qrfac(int m, int n, double *a, int width, int pivot, int *order, int order_size, double *diagonal, double *norms,
           double *room);
void qrsolv(int n, double *r, int width, const int *order, const double *diagonal, const double *qtb, double *x,
            double *changed, double *room);
void covar(int n, double *r, int width, const int *order, double tolerance, double *room);
void qform(int m, int n, double *q, int width, double *room);
void r1mpyq(int m, int n, double *a, int width, const double *v, const double *w);
void r1updt(int m, int n, double *s, int size, const double *u, double *v, double *w, int *singular);
void rwupdt(int n, double *r, int width, const double *w, double *b, double *alpha, double *cosines, double *sines);
void dogleg(int n, const double *r, int size, const double *diagonal, const double *qtb, double delta, double *x,
            double *room, double *other_room);

enum { MOST = 1 << 17, LIMBS = 1 << 14, SIDE = 192, DIGITS = 20 };

static unsigned char given[MOST], same[MOST], nothing[MOST], changed[MOST], packed[2 * MOST];
static char text[3 * MOST];
static limb left[LIMBS], right[LIMBS], product[2 * LIMBS], kept[LIMBS];
static unsigned char digits[DIGITS * LIMBS];
static double values[LIMBS], sorted[LIMBS], vectors[6][LIMBS], matrix[SIDE * SIDE];
static int order[LIMBS];

QUIET static double *unsorted(size_t count)
{
  for (size_t i = 0; i < count; i++)
    sorted[i] = values[i];
  return sorted;
}

/* A matrix that is far from singular, by columns, with what it is multiplied by. */
QUIET static double *fresh(int n)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      matrix[i * SIDE + j] = i == j ? 4 + i % 3 : 1.0 / (1 + i + j);
    for (int k = 0; k < 6; k++)
      vectors[k][i] = 1 + (double)((i + k) % 5) / 8;
    order[i] = i + 1;
  }
  return matrix;
}

/* The same, packed: its upper triangle by rows. */
QUIET static double *fresh_triangle(int n)
{
  fresh(n);
  int next = 0;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      matrix[next++] = i == j ? 4 + i % 3 : 1.0 / (1 + i + j);
  return matrix;
}

QUIET static void call_limbs(long n)
{
  mpn_copyi(product, left, n);
  mpn_cmp(left, kept, n);
  mpn_add_n(product, left, right, n);
  mpn_sub_n(product, left, right, n);
  mpn_mul_1(product, left, n, 12345);
  mpn_addmul_1(product, left, n, 12345);
  mpn_lshift(product, left, n, 7);
  mpn_rshift(product, left, n, 7);
  mpn_com(product, left, n);
  mpn_popcount(left, n);
  enorm((int)n, values);
  heapsort(unsorted((size_t)n), (size_t)n, sizeof *sorted, by_value);
  mergesort(unsorted((size_t)n), (size_t)n, sizeof *sorted, by_value);
}

QUIET static void call_bytes(size_t n)
{
  size_t length;
  const char *end;
  unsigned char digest[64];
  crypto_hash_sha256(digest, given, n);
  crypto_hash_sha512(digest, given, n);
  crypto_shorthash_siphash24(digest, given, n, same);
  sodium_memcmp(given, same, n);
  sodium_compare(given, same, n);
  sodium_is_zero(nothing, n);
  sodium_increment(changed, n);
  sodium_add(changed, given, n);
  sodium_bin2hex(text, sizeof text, given, n);
  sodium_hex2bin(packed, MOST, text, n, NULL, &length, &end);
  sodium_bin2base64(text, sizeof text, given, n, 1);
  XXH32(given, n, 1);
  XXH64(given, n, 1);
  XXH3_64bits(given, n);
  const int size = LZ4_compress_default((const char *)given, (char *)packed, (int)n, sizeof packed);
  LZ4_decompress_safe((const char *)packed, (char *)changed, size, MOST);
  LZ4_compressBound((int)n);
}

QUIET static void call_squares(long n)
{
  mpn_sqr(product, left, n);
  mpn_mul_n(product, left, right, n);
  for (long i = 0; i < n; i++)
    product[i] = left[i];
  const size_t length = mpn_get_str(digits, 10, product, n);
  mpn_set_str(product, digits, length, 10);
  for (long m = 8; m <= n; m *= 2)
    mpn_mul(product, left, n, right, m);
}

QUIET static void call_matrices(int n)
{
  int singular;
  qrfac(n, n, fresh(n), SIDE, 1, order, n, vectors[3], vectors[4], vectors[5]);
  qform(n, n, matrix, SIDE, vectors[5]);
  qrsolv(n, fresh(n), SIDE, order, vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]);
  covar(n, fresh(n), SIDE, order, 0, vectors[4]);
  rwupdt(n, fresh(n), SIDE, vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]);
  r1updt(n, n, fresh_triangle(n), n * (n + 1) / 2, vectors[0], vectors[1], vectors[2], &singular);
  dogleg(n, fresh_triangle(n), n * (n + 1) / 2, vectors[0], vectors[1], 0.01, vectors[2], vectors[3], vectors[4]);
  for (int m = 12; m <= SIDE; m *= 2)
    r1mpyq(m, n, fresh(n), SIDE, vectors[0], vectors[1]);
}

QUIET static void call_all(void)
{
  for (long n = 128; n <= LIMBS; n = n * 9 / 5)
    call_limbs(n);
  for (size_t n = 512; n <= MOST; n = n * 9 / 5)
    call_bytes(n);
  for (long n = 16; n <= 512; n = n * 3 / 2)
    call_squares(n);
  for (int n = 12; n <= SIDE; n = n * 3 / 2)
    call_matrices(n);
}

QUIET int main(int argc, char **argv)
{
  for (size_t i = 0; i < MOST; i++)
    given[i] = same[i] = (unsigned char)(next_random() % 7 + (i % 5 ? 'a' : 'A'));
  for (size_t i = 0; i < LIMBS; i++) {
    left[i] = kept[i] = next_random();
    right[i] = next_random();
    values[i] = (double)(next_random() % 1000000) / 1000;
  }
  for (int repeat = argc > 1 ? atoi(argv[1]) : 1; repeat > 0; repeat--)
    call_all();
  return 0;
}
