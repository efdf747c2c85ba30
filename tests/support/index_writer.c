/* Signature indexes made by hand, put together by the writer of symbols/. */
#include "tests/support/index_writer.h"

#include <stdlib.h>

#include "base/strings.h"
#include "base/vector.h"
#include "format/sled.h"
#include "symbols/index/write.h"

struct index_writer {
  struct base_strings *strings;
  struct base_vector functions, args, types, enumerators, ranges, symbols, sites, sleds, states;
};

static void *need(void *memory)
{
  if (!memory)
    abort();
  return memory;
}

struct index_writer *index_writer_new(void)
{
  struct index_writer *writer = need(calloc(1, sizeof *writer));
  writer->strings = need(base_strings_new());
  writer->functions = (struct base_vector)BASE_VECTOR_OF(struct fmt_index_function);
  writer->args = (struct base_vector)BASE_VECTOR_OF(struct fmt_index_arg);
  writer->types = (struct base_vector)BASE_VECTOR_OF(struct fmt_index_type);
  writer->enumerators = (struct base_vector)BASE_VECTOR_OF(struct fmt_index_enumerator);
  writer->ranges = (struct base_vector)BASE_VECTOR_OF(int64_t);
  writer->symbols = (struct base_vector)BASE_VECTOR_OF(struct fmt_index_symbol);
  writer->sites = (struct base_vector)BASE_VECTOR_OF(struct fmt_index_site);
  writer->sleds = (struct base_vector)BASE_VECTOR_OF(struct fmt_index_sled);
  writer->states = (struct base_vector)BASE_VECTOR_OF(uint64_t);
  return writer;
}

void index_writer_free(struct index_writer *writer)
{
  base_strings_free(writer->strings);
  base_vector_free(&writer->functions);
  base_vector_free(&writer->args);
  base_vector_free(&writer->types);
  base_vector_free(&writer->enumerators);
  base_vector_free(&writer->ranges);
  base_vector_free(&writer->symbols);
  base_vector_free(&writer->sites);
  base_vector_free(&writer->sleds);
  base_vector_free(&writer->states);
  free(writer);
}

uint32_t index_writer_string(struct index_writer *writer, const char *text)
{
  uint32_t offset;
  if (base_strings_add(writer->strings, text, &offset) < 0)
    abort();
  return offset;
}

uint32_t index_writer_type(struct index_writer *writer, enum fmt_type_kind kind, const char *name, uint32_t size,
                           uint32_t target)
{
  struct fmt_index_type *type = need(base_vector_add(&writer->types, 1));
  type->name = index_writer_string(writer, name);
  type->kind = (uint8_t)kind;
  type->is_signed = kind == FMT_TYPE_SIGNED || kind == FMT_TYPE_CHAR;
  type->size = size;
  type->target = target;
  type->first_enumerator = writer->enumerators.count;
  return writer->types.count - 1;
}

void index_writer_enumerator(struct index_writer *writer, int64_t value, const char *name)
{
  struct fmt_index_enumerator *one = need(base_vector_add(&writer->enumerators, 1));
  struct fmt_index_type *type = base_vector_at(&writer->types, writer->types.count - 1);
  one->value = value;
  one->name = index_writer_string(writer, name);
  type->enumerator_count++;
}

uint32_t index_writer_function(struct index_writer *writer, const char *file, uint32_t line, const char *name,
                               uint32_t flags)
{
  struct fmt_index_function *function = need(base_vector_add(&writer->functions, 1));
  function->name = index_writer_string(writer, name);
  function->linkage_name = function->name;
  function->file = index_writer_string(writer, file);
  function->line = line;
  function->first_arg = writer->args.count;
  function->flags = flags;
  return writer->functions.count - 1;
}

struct fmt_index_arg *index_writer_arg(struct index_writer *writer, enum fmt_arg_kind kind, const char *name,
                                       uint32_t type)
{
  struct fmt_index_arg *arg = need(base_vector_add(&writer->args, 1));
  struct fmt_index_function *function = base_vector_at(&writer->functions, writer->functions.count - 1);
  arg->name = index_writer_string(writer, name);
  arg->type = type;
  arg->kind = (uint8_t)kind;
  arg->join = UINT16_MAX;
  arg->parameter = function->arg_count++;
  function->state_words = (uint16_t)((function->arg_count + 15) / 16);
  return arg;
}

void index_writer_sled(struct index_writer *writer, uint32_t instructions, uint8_t flags)
{
  struct fmt_index_site *site = need(base_vector_add(&writer->sites, 1));
  struct fmt_index_sled *sled = need(base_vector_add(&writer->sleds, 1));
  const struct fmt_index_function *function = base_vector_at(&writer->functions, writer->functions.count - 1);
  uint64_t address = 16u * writer->sleds.count;
  *site = (struct fmt_index_site){.pc = address + FMT_SLED_CALL,
                                  .function = writer->functions.count - 1,
                                  .physical = FMT_NONE,
                                  .first_state = writer->states.count,
                                  .flags = FMT_SITE_SLED};
  need(base_vector_add(&writer->states, function->state_words));
  *sled = (struct fmt_index_sled){.address = address,
                                  .function = address,
                                  .site = writer->sites.count - 1,
                                  .instructions = instructions,
                                  .flags = flags};
}

void index_writer_symbol(struct index_writer *writer, uint64_t address, uint64_t size, const char *name)
{
  struct fmt_index_symbol *symbol = need(base_vector_add(&writer->symbols, 1));
  *symbol = (struct fmt_index_symbol){.address = address, .size = size, .name = index_writer_string(writer, name)};
}

uint32_t index_writer_ranges(struct index_writer *writer, const int64_t *bounds, uint32_t count)
{
  uint32_t offset = writer->ranges.count;
  int64_t *list = need(base_vector_add(&writer->ranges, count + 1));
  list[0] = count;
  for (uint32_t i = 0; i < count; i++)
    list[i + 1] = bounds[i];
  return offset;
}

static struct sym_section_data section(const struct base_vector *vector)
{
  return (struct sym_section_data){
      .data = vector->data, .count = vector->count, .entry_size = (uint32_t)vector->entry_size};
}

void *index_writer_finish(struct index_writer *writer, size_t *size)
{
  struct sym_section_data sections[FMT_SECTION_COUNT] = {
      [FMT_SECTION_SITES] = section(&writer->sites),
      [FMT_SECTION_PHYSICALS] = {.entry_size = sizeof(struct fmt_index_physical)},
      [FMT_SECTION_FUNCTIONS] = section(&writer->functions),
      [FMT_SECTION_ARGS] = section(&writer->args),
      [FMT_SECTION_TYPES] = section(&writer->types),
      [FMT_SECTION_ENUMERATORS] = section(&writer->enumerators),
      [FMT_SECTION_OPS] = {.entry_size = sizeof(struct fmt_op)},
      [FMT_SECTION_STATES] = section(&writer->states),
      [FMT_SECTION_RANGES] = section(&writer->ranges),
      [FMT_SECTION_CALL_SITES] = {.entry_size = sizeof(struct fmt_index_call_site)},
      [FMT_SECTION_CALL_VALUES] = {.entry_size = sizeof(struct fmt_index_call_value)},
      [FMT_SECTION_SYMBOLS] = section(&writer->symbols),
      [FMT_SECTION_SAVED] = {.entry_size = sizeof(struct fmt_index_saved)},
      [FMT_SECTION_RULES] = {.entry_size = sizeof(struct fmt_index_rule)},
      [FMT_SECTION_SLEDS] = section(&writer->sleds),
  };
  struct sym_index_identity identity = {
      .flags = FMT_INDEX_HAS_DWARF, .machine = 62 /* EM_X86_64 */, .path = index_writer_string(writer, "/bin/test")};
  size_t strings_size;
  const char *strings = base_strings_data(writer->strings, &strings_size);
  sections[FMT_SECTION_STRINGS] =
      (struct sym_section_data){.data = strings, .count = (uint32_t)strings_size, .entry_size = 1};
  void *file;
  if (sym_index_write(&identity, sections, &file, size) < 0)
    abort();
  return file;
}
