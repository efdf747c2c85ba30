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
#include "tests/fuzz/random.h"
#include "tests/support/seeds.h"

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
static void change_bytes(unsigned char *data, size_t size, uint64_t *random)
{
  for (uint64_t i = fuzz_random(random) % 4 + 1; i > 0; i--) {
    uint64_t where = fuzz_random(random) % size, what = fuzz_random(random);
    switch (fuzz_random(random) % 4) {
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
      if (size >= 8) {
        uint64_t value = fuzz_extreme(random);
        memcpy(data + where % (size / 8) * 8, &value, 8);
      }
    }
  }
}

/* Every other time as the format's structure leads, where the target knows of one; every eighth of the others is cut.
 */
static size_t mutate(unsigned char *data, size_t size, size_t room, unsigned long number, uint64_t *random)
{
  size_t made = fuzz_mutate && number % 2 ? fuzz_mutate(data, size, room, fuzz_random(random) | 1) : 0;
  if (made)
    return made;
  change_bytes(data, size, random);
  return number % 8 ? size : fuzz_random(random) % size;
}

static int run(const unsigned char *data, size_t size, unsigned long mutations)
{
  const size_t room = size + 4096 + size / 8;
  unsigned char *copy = malloc(room);
  uint64_t random = UINT64_C(88172645463325252);
  if (!copy)
    return 1;
  LLVMFuzzerTestOneInput(data, size);
  for (unsigned long i = 0; i < mutations && size > 0; i++) {
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, mutate(copy, size, room, i, &random));
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
