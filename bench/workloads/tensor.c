/*
 * tensor: a small transformer's layers on four threads: matrix products of several shapes in two types, softmax,
 * additions. The threads share each operation by its rows and wait for each other after it, as inference engines do.
 * Prints a checksum.
 */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  THREADS = 4,
  TOKENS = 48,
  WIDTH = 256,
  HEADS = 4,
  HEAD = WIDTH / HEADS,
  HIDDEN = 1024,
  LAYERS = 8,
  MAX_DIMENSIONS = 4
};

enum dtype { F32, I8 };

struct tensor {
  enum dtype type;
  int ndim;
  long ne[MAX_DIMENSIONS]; /* columns first */
  void *data;
};

/* What a thread is to do of an operation: every THREADS-th row, from its own number on. */
struct part {
  int thread;
  pthread_barrier_t *barrier;
};

struct model {
  struct tensor *query, *key, *value, *up, *down;                    /* weights, of I8 */
  struct tensor *input, *q, *k, *v, *scores, *mixed, *wide, *narrow; /* of F32 */
};

static inline float *row_f32(const struct tensor *t, long row)
{
  return (float *)t->data + row * t->ne[0];
}

static inline const int8_t *row_i8(const struct tensor *t, long row)
{
  return (const int8_t *)t->data + row * t->ne[0];
}

static inline long rows(const struct tensor *t)
{
  return t->ne[1];
}

static __attribute__((noinline)) float dot_f32(const float *a, const float *b, long n)
{
  float sum = 0;
  for (long i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static __attribute__((noinline)) float dot_i8(const float *a, const int8_t *b, long n)
{
  float sum = 0;
  for (long i = 0; i < n; i++)
    sum += a[i] * (float)b[i];
  return sum * (1.0f / 1024);
}

/* out = a b', each row of b one column of the result. */
static __attribute__((noinline)) void multiply(const struct part *part, struct tensor *out, const struct tensor *a,
                                               const struct tensor *b)
{
  for (long i = part->thread; i < rows(a); i += THREADS) {
    const float *from = row_f32(a, i);
    float *to = row_f32(out, i);
    for (long j = 0; j < rows(b); j++)
      to[j] = b->type == F32 ? dot_f32(from, row_f32(b, j), a->ne[0]) : dot_i8(from, row_i8(b, j), a->ne[0]);
  }
  pthread_barrier_wait(part->barrier);
}

static __attribute__((noinline)) void softmax(const struct part *part, struct tensor *t)
{
  for (long i = part->thread; i < rows(t); i += THREADS) {
    float *values = row_f32(t, i), sum = 0;
    for (long j = 0; j < t->ne[0]; j++)
      sum += values[j] = expf(values[j] * 0.01f);
    for (long j = 0; j < t->ne[0]; j++)
      values[j] /= sum;
  }
  pthread_barrier_wait(part->barrier);
}

static __attribute__((noinline)) void add(const struct part *part, struct tensor *to, const struct tensor *from)
{
  for (long i = part->thread; i < rows(to); i += THREADS) {
    float *target = row_f32(to, i);
    const float *source = row_f32(from, i);
    for (long j = 0; j < to->ne[0]; j++)
      target[j] = tanhf(target[j] + source[j]);
  }
  pthread_barrier_wait(part->barrier);
}

/* One head's part of q, k or v: columns that lie together. */
static __attribute__((noinline)) void take_head(const struct part *part, struct tensor *out, const struct tensor *from,
                                                int head)
{
  for (long i = part->thread; i < rows(from); i += THREADS)
    for (long j = 0; j < HEAD; j++)
      row_f32(out, i)[j] = row_f32(from, i)[head * HEAD + j];
  pthread_barrier_wait(part->barrier);
}

static __attribute__((noinline)) void transpose(const struct part *part, struct tensor *out, const struct tensor *from)
{
  for (long i = part->thread; i < rows(out); i += THREADS)
    for (long j = 0; j < out->ne[0]; j++)
      row_f32(out, i)[j] = row_f32(from, j)[i];
  pthread_barrier_wait(part->barrier);
}

static struct tensor *new_tensor(enum dtype type, long columns, long count)
{
  struct tensor *t = malloc(sizeof *t);
  size_t cells = (size_t)(columns * count);
  if (t == NULL)
    exit(1);
  *t = (struct tensor){type, 2, {columns, count}, malloc(cells * (type == F32 ? sizeof(float) : 1))};
  if (t->data == NULL)
    exit(1);
  for (size_t i = 0; i < cells; i++) {
    int value = (int)(i * 7919 % 251) - 125;
    if (type == F32)
      ((float *)t->data)[i] = (float)value * 0.001f;
    else
      ((int8_t *)t->data)[i] = (int8_t)value;
  }
  return t;
}

static struct model model;
static struct tensor *heads[HEADS][4]; /* of q, k, v transposed, and the result, before they are put together */
static struct tensor *straight;

static void attention(const struct part *part)
{
  for (int head = 0; head < HEADS; head++) {
    take_head(part, heads[head][0], model.q, head);
    take_head(part, heads[head][1], model.k, head);
    take_head(part, straight, model.v, head);
    transpose(part, heads[head][2], straight);
    multiply(part, model.scores, heads[head][0], heads[head][1]);
    softmax(part, model.scores);
    multiply(part, heads[head][3], model.scores, heads[head][2]);
    for (long i = part->thread; i < TOKENS; i += THREADS)
      for (long j = 0; j < HEAD; j++)
        row_f32(model.mixed, i)[head * HEAD + j] = row_f32(heads[head][3], i)[j];
    pthread_barrier_wait(part->barrier);
  }
}

static void *run_layers(void *argument)
{
  const struct part *part = argument;
  for (int layer = 0; layer < LAYERS; layer++) {
    multiply(part, model.q, model.input, model.query);
    multiply(part, model.k, model.input, model.key);
    multiply(part, model.v, model.input, model.value);
    attention(part);
    add(part, model.input, model.mixed);
    multiply(part, model.wide, model.input, model.up);
    multiply(part, model.narrow, model.wide, model.down);
    add(part, model.input, model.narrow);
  }
  return NULL;
}

static void make_model(void)
{
  model =
      (struct model){new_tensor(I8, WIDTH, WIDTH),    new_tensor(I8, WIDTH, WIDTH),   new_tensor(I8, WIDTH, WIDTH),
                     new_tensor(I8, WIDTH, HIDDEN),   new_tensor(I8, HIDDEN, WIDTH),  new_tensor(F32, WIDTH, TOKENS),
                     new_tensor(F32, WIDTH, TOKENS),  new_tensor(F32, WIDTH, TOKENS), new_tensor(F32, WIDTH, TOKENS),
                     new_tensor(F32, TOKENS, TOKENS), new_tensor(F32, WIDTH, TOKENS), new_tensor(F32, HIDDEN, TOKENS),
                     new_tensor(F32, WIDTH, TOKENS)};
  straight = new_tensor(F32, HEAD, TOKENS);
  for (int head = 0; head < HEADS; head++) {
    heads[head][0] = new_tensor(F32, HEAD, TOKENS);
    heads[head][1] = new_tensor(F32, HEAD, TOKENS);
    heads[head][2] = new_tensor(F32, TOKENS, HEAD);
    heads[head][3] = new_tensor(F32, HEAD, TOKENS);
  }
}

int main(void)
{
  pthread_barrier_t barrier;
  pthread_t threads[THREADS];
  struct part parts[THREADS];
  make_model();
  if (pthread_barrier_init(&barrier, NULL, THREADS) != 0)
    return 1;
  for (int i = 0; i < THREADS; i++) {
    parts[i] = (struct part){i, &barrier};
    if (i > 0 && pthread_create(&threads[i], NULL, run_layers, &parts[i]) != 0)
      return 1;
  }
  run_layers(&parts[0]);
  double sum = 0;
  for (int i = 1; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (long i = 0; i < TOKENS * WIDTH; i++)
    sum += (double)((float *)model.input->data)[i];
  printf("%.6f\n", sum);
  return 0;
}
