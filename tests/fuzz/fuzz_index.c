/*
 * Any bytes as a signature index. What is accepted is followed everywhere. The checksum is made to fit, so that what is
 * behind it is reached.
 */
/* ctest: case - quick 20000 @CALLSIG_FUZZ@/index/gcc @CALLSIG_FUZZ@/index/clang @CALLSIG_FUZZ@/index/pick-beyond-all */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "format/open.h"
#include "format/sled.h"
#include "symbols/capture/optext.h"

fuzz_mutate_fn *const fuzz_mutate = fuzz_mutate_index;

static void mend_checksum(unsigned char *data, size_t size)
{
  struct fmt_index_header header = {0};
  if (size < FMT_INDEX_HEADER_MIN)
    return;
  memcpy(&header, data, FMT_INDEX_HEADER_MIN);
  if (header.header_size > size)
    return;
  header.checksum = XXH64(data + header.header_size, size - header.header_size, 0);
  memcpy(data, &header, FMT_INDEX_HEADER_MIN);
}

static uint64_t follow_sites(const struct fmt_index *index)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < index->count[FMT_SECTION_SITES]; i++) {
    const struct fmt_index_site *site = &index->sites[i];
    for (uint32_t k = 0; k < index->functions[site->function].state_words; k++)
      sum += index->states[site->first_state + k];
    for (uint32_t k = 0; k < site->saved_count; k++)
      sum += (uint64_t)index->saved[site->first_saved + k].cfa_offset;
    if (site->physical != FMT_NONE)
      sum += index->physicals[site->physical].low;
  }
  return sum;
}

static uint64_t follow_calls(const struct fmt_index *index)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < index->count[FMT_SECTION_CALL_SITES]; i++) {
    const struct fmt_index_call_site *call = &index->call_sites[i];
    sum += index->physicals[call->physical].low;
    for (uint32_t k = 0; k < call->value_count; k++)
      sum += (uint64_t)index->call_values[call->first_value + k].imm;
    if (fmt_index_call_site_at(index, call->pc) != call)
      abort();
  }
  return sum;
}

/* What the runtime does with sleds: each leads to its function's entry, and that to its site. */
static uint64_t follow_sleds(const struct fmt_index *index)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < index->count[FMT_SECTION_SLEDS]; i++) {
    const struct fmt_index_sled *entry = fmt_index_sled_from(index, index->sleds[i].function);
    if (entry->function != index->sleds[i].function || !fmt_sled_is_entry(entry->kind))
      abort();
    if (entry->site != FMT_NONE)
      sum += index->sites[entry->site].pc - entry->address;
  }
  return sum;
}

static size_t follow_texts(const struct fmt_index *index)
{
  size_t sum = strlen(fmt_index_string(index, index->header->path));
  for (uint32_t i = 0; i < index->count[FMT_SECTION_TYPES]; i++)
    for (uint32_t k = 0; k < index->types[i].enumerator_count; k++)
      sum += strlen(fmt_index_string(index, index->enumerators[index->types[i].first_enumerator + k].name));
  for (uint32_t i = 0; i < index->count[FMT_SECTION_SYMBOLS]; i++) {
    const struct fmt_index_symbol *symbol = &index->symbols[i];
    sum += strlen(fmt_index_string(index, symbol->name));
    if (fmt_index_symbol_at(index, symbol->address) != symbol)
      abort();
  }
  for (uint32_t i = 0; i < index->count[FMT_SECTION_RULES]; i++)
    sum += strlen(fmt_index_string(index, index->rules[i].problem));
  return sum;
}

static size_t follow_functions(const struct fmt_index *index)
{
  size_t sum = 0;
  for (uint32_t i = 0; i < index->count[FMT_SECTION_FUNCTIONS]; i++) {
    const struct fmt_index_function *function = &index->functions[i];
    sum += strlen(fmt_index_string(index, function->name)) + strlen(fmt_index_string(index, function->file)) +
           strlen(fmt_index_string(index, function->linkage_name));
    for (uint32_t k = 0; k < function->arg_count; k++) {
      const struct fmt_index_arg *arg = &index->args[function->first_arg + k];
      const struct fmt_index_type *type = &index->types[arg->type];
      sum += strlen(fmt_index_string(index, arg->name)) + strlen(fmt_index_string(index, arg->text));
      sum += strlen(fmt_index_string(index, type->name));
    }
  }
  return sum;
}

static void print_programs(const struct fmt_index *index, FILE *out)
{
  const struct sym_processor *known = sym_processor_of((uint16_t)index->header->machine);
  const struct sym_processor *processor = known ? known : &sym_x86_64;
  for (uint32_t i = 0; i < index->count[FMT_SECTION_SITES]; i++) {
    const struct fmt_index_site *site = fmt_index_site_at(index, index->sites[i].pc);
    if (!site)
      abort();
    for (uint16_t arg = 0; arg < index->functions[site->function].arg_count; arg++)
      if (sym_ops_print(processor, index->ops + site->first_op, site->op_count, arg, out) < 0)
        abort();
    fmt_index_symbol_at(index, site->pc);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct fmt_index index;
  char *text = NULL;
  size_t length;
  unsigned char *copy = malloc(size + 1);
  FILE *out = open_memstream(&text, &length);
  if (!copy || !out)
    abort();
  memcpy(copy, data, size);
  mend_checksum(copy, size);
  if (fmt_index_open(copy, size, &index) == 0) {
    fprintf(out, "%zu %zu\n", follow_functions(&index), follow_texts(&index));
    fprintf(out, "%llu %llu\n", (unsigned long long)follow_sites(&index), (unsigned long long)follow_calls(&index));
    fprintf(out, "%llu\n", (unsigned long long)follow_sleds(&index));
    print_programs(&index, out);
  }
  fclose(out);
  free(text);
  free(copy);
  return 0;
}
