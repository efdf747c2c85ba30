/* write_rank NUMBER FILE [folds]: the recording of this rank of seed_rank.h, for fuzzers to begin with. With "folds" it
 * has nothing that keeps it from being folded with other ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/seed_rank.h"

int main(int argc, char **argv)
{
  if (argc != 3 && (argc != 4 || strcmp(argv[3], "folds") != 0)) {
    fputs("usage: write_rank NUMBER FILE [folds]\n", stderr);
    return 2;
  }
  uint64_t end;
  struct recording_writer *writer = seed_rank((uint32_t)strtoul(argv[1], NULL, 10), argc == 3, &end);
  recording_writer_save(writer, end, argv[2]);
  recording_writer_free(writer);
  return 0;
}
