/*
 * Runs a fuzz target without libFuzzer: on each file named, on a recording made here, and on mutations of each that are
 * the same every time.
 *
 *   replay MUTATIONS recording|FILE...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/support/seeds.h"

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016. */
static uint64_t next(uint64_t *state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(2685821657736338717);
}

static void *read_file(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  size_t room = 1 << 20;
  unsigned char *data = malloc(room);
  *size = data ? fread(data, 1, room, file) : 0;
  fclose(file);
  return data;
}

/* One to four changes: a byte, a bit, an aligned word taken from elsewhere, a small or extreme word. */
static void mutate(unsigned char *data, size_t size, uint64_t *random)
{
  static const uint64_t values[] = {0, 1, 2, 8, UINT64_MAX, UINT32_MAX, UINT64_C(1) << 63, 0xFFFF, 64, 256};
  for (uint64_t i = next(random) % 4 + 1; i > 0; i--) {
    uint64_t where = next(random) % size, what = next(random);
    switch (next(random) % 4) {
    case 0:
      data[where] = (unsigned char)what;
      break;
    case 1:
      data[where] ^= (unsigned char)(1u << what % 8);
      break;
    case 2:
      if (size >= 16)
        memmove(data + where % (size / 8) * 8, data + what % (size / 8) * 8, 8);
      break;
    default:
      if (size >= 8)
        memcpy(data + where % (size / 8) * 8, &values[what % (sizeof values / sizeof values[0])], 8);
    }
  }
}

static int run(const unsigned char *data, size_t size, unsigned long mutations)
{
  unsigned char *copy = malloc(size + 1);
  uint64_t random = UINT64_C(88172645463325252);
  if (!copy)
    return 1;
  LLVMFuzzerTestOneInput(data, size);
  for (unsigned long i = 0; i < mutations && size > 0; i++) {
    memcpy(copy, data, size);
    mutate(copy, size, &random);
    LLVMFuzzerTestOneInput(copy, i % 8 ? size : next(&random) % size);
  }
  free(copy);
  return 0;
}

int main(int argc, char **argv)
{
  unsigned long mutations = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
  int failed = argc < 3;
  for (int i = 2; i < argc && !failed; i++) {
    size_t size;
    void *data = strcmp(argv[i], "recording") == 0 ? seed_recording(&size) : read_file(argv[i], &size);
    failed = !data || run(data, size, mutations);
    free(data);
  }
  return failed;
}
