/* write_seed FILE: the recording of seeds.h, for a corpus of libFuzzer to begin with. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/seeds.h"

int main(int argc, char **argv)
{
  if (argc != 2) {
    fputs("usage: write_seed FILE\n", stderr);
    return 2;
  }
  size_t size;
  void *data = seed_recording(&size);
  FILE *file = fopen(argv[1], "wb");
  int failed = !file || fwrite(data, 1, size, file) != size;
  failed |= file && fclose(file) != 0;
  if (failed)
    perror(argv[1]);
  free(data);
  return failed;
}
