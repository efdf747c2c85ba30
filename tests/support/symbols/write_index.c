/* Writes the index of an ELF file: write_index ELF INDEX [RULES]. Messages go to stderr. */
#include <stdbool.h>
#include <stdlib.h>

#include "symbols/index/build.h"
#include "symbols/plan/rules.h"

static void tell(const char *line, void *data)
{
  (void)data;
  fprintf(stderr, "%s\n", line);
}

int main(int argc, char **argv)
{
  struct sym_rules *rules = NULL;
  void *index;
  size_t size;
  if (argc != 3 && argc != 4)
    return 1;
  if (argc == 4 && sym_rules_load(argv[3], tell, NULL, &rules) != 0)
    return 1;
  const struct sym_index_options options = {.size = sizeof options, .rules = rules, .message = tell};
  int error = sym_index_build(argv[1], &options, &index, &size);
  sym_rules_free(rules);
  if (error != 0)
    return 1;
  FILE *file = fopen(argv[2], "wb");
  bool is_written = file && fwrite(index, 1, size, file) == size;
  free(index);
  return file && fclose(file) == 0 && is_written ? 0 : 1;
}
