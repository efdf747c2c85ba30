/*
 * Any bytes as a signature index, for both of its readers: the one of the report and the runtime's own. What one of
 * them has accepted is followed everywhere. The checksum is made to fit, so that what is behind it is reached.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "coverage.h"
#include "fuzz_view.h"
#include "symbols.h"

static void mend_checksum(unsigned char *data, size_t size)
{
  struct cs_index_header header;
  if (size < sizeof header)
    return;
  memcpy(&header, data, sizeof header);
  if (header.header_size > size)
    return;
  header.checksum = XXH64(data + header.header_size, size - header.header_size, 0);
  memcpy(data, &header, sizeof header);
}

static size_t follow_functions(const struct cs_index *index)
{
  size_t sum = 0;
  for (uint32_t i = 0; i < index->count[CS_SECTION_FUNCTIONS]; i++) {
    const struct cs_index_function *function = &index->functions[i];
    sum += strlen(cs_index_string(index, function->name)) + strlen(cs_index_string(index, function->file));
    for (uint32_t k = 0; k < function->arg_count; k++) {
      const struct cs_index_arg *arg = &index->args[function->first_arg + k];
      const struct cs_index_type *type = &index->types[arg->type];
      sum += strlen(cs_index_string(index, arg->name)) + strlen(cs_index_string(index, arg->text));
      sum += strlen(cs_index_string(index, type->name));
    }
  }
  return sum;
}

static void print_programs(const struct cs_index *index, FILE *out)
{
  for (uint32_t i = 0; i < index->count[CS_SECTION_SITES]; i++) {
    const struct cs_index_site *site = cs_index_site_at(index, index->sites[i].pc);
    if (!site)
      abort();
    for (uint16_t arg = 0; arg < index->functions[site->function].arg_count; arg++)
      if (cs_ops_print(index->ops + site->first_op, site->op_count, arg, out) < 0)
        abort();
    cs_index_symbol_at(index, site->pc);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct cs_index index;
  char *text = NULL;
  size_t length;
  unsigned char *copy = malloc(size + 1);
  FILE *out = open_memstream(&text, &length);
  if (!copy || !out)
    abort();
  memcpy(copy, data, size);
  mend_checksum(copy, size);
  if (cs_index_open(copy, size, &index) == 0) {
    fprintf(out, "%zu\n", follow_functions(&index));
    print_programs(&index, out);
  }
  fprintf(out, "%llu\n", (unsigned long long)fuzz_view(copy, size));
  fclose(out);
  free(text);
  free(copy);
  return 0;
}
