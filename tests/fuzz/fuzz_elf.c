/*
 * Any bytes as an ELF file that an index is made of, with all that is told of it on the way. An index that is made is
 * sound.
 */
/* ctest: case - quick 300 @CALLSIG_FUZZ_ELF@ */
/* ctest: case .kept_lists quick 50 @CALLSIG_FUZZ@/programs/description-of-half-the-memory */
/* ctest: case .kept_units quick 50 @CALLSIG_FUZZ@/programs/unit-beyond-its-section */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/open.h"
#include "symbols/index/build.h"
#include "tests/fuzz/fuzz.h"

fuzz_mutate_fn *const fuzz_mutate = fuzz_mutate_elf;

static void ignore(const char *line, void *data)
{
  (void)line;
  (void)data;
}

static void build(const char *path)
{
  void *data = NULL;
  size_t size = 0;
  struct fmt_index index;
  char *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  const struct sym_index_options options = {.size = sizeof options, .message = ignore, .explain = out, .coverage = out};
  if (!out)
    abort();
  int error = sym_index_build(path, &options, &data, &size);
  if (error == 0 && fmt_index_open(data, size, &index) != 0)
    abort();
  free(data);
  fclose(out);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[64];
  int file = memfd_create("elf", MFD_CLOEXEC);
  if (file < 0 || write(file, data, size) != (ssize_t)size)
    abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  build(path);
  close(file);
  return 0;
}
