/* Writes the index of an ELF file: write_index ELF INDEX. Messages go to stderr. */
#include <stdbool.h>
#include <stdlib.h>

#include "symbols/index/build.h"

static void tell(const char *line, void *data)
{
  (void)data;
  fprintf(stderr, "%s\n", line);
}

int main(int argc, char **argv)
{
  const struct sym_index_options options = {.size = sizeof options, .message = tell};
  void *index;
  size_t size;
  if (argc != 3 || sym_index_build(argv[1], &options, &index, &size) != 0)
    return 1;
  FILE *file = fopen(argv[2], "wb");
  bool is_written = file && fwrite(index, 1, size, file) == size;
  free(index);
  return file && fclose(file) == 0 && is_written ? 0 : 1;
}
