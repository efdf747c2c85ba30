#include "index_writer.h"

#include <stdlib.h>

#include "strings.h"
#include "vector.h"
#include "write.h"

struct index_writer {
  struct cs_strings *strings;
  struct cs_vector functions, args, types, enumerators, ranges, symbols;
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
  writer->strings = need(cs_strings_new());
  writer->functions = (struct cs_vector)CS_VECTOR_OF(struct cs_index_function);
  writer->args = (struct cs_vector)CS_VECTOR_OF(struct cs_index_arg);
  writer->types = (struct cs_vector)CS_VECTOR_OF(struct cs_index_type);
  writer->enumerators = (struct cs_vector)CS_VECTOR_OF(struct cs_index_enumerator);
  writer->ranges = (struct cs_vector)CS_VECTOR_OF(int64_t);
  writer->symbols = (struct cs_vector)CS_VECTOR_OF(struct cs_index_symbol);
  return writer;
}

void index_writer_free(struct index_writer *writer)
{
  cs_strings_free(writer->strings);
  cs_vector_free(&writer->functions);
  cs_vector_free(&writer->args);
  cs_vector_free(&writer->types);
  cs_vector_free(&writer->enumerators);
  cs_vector_free(&writer->ranges);
  cs_vector_free(&writer->symbols);
  free(writer);
}

uint32_t index_writer_string(struct index_writer *writer, const char *text)
{
  uint32_t offset;
  if (cs_strings_add(writer->strings, text, &offset) < 0)
    abort();
  return offset;
}

uint32_t index_writer_type(struct index_writer *writer, enum cs_type_kind kind, const char *name, uint32_t size,
                           uint32_t target)
{
  struct cs_index_type *type = need(cs_vector_add(&writer->types, 1));
  type->name = index_writer_string(writer, name);
  type->kind = (uint8_t)kind;
  type->is_signed = kind == CS_TYPE_SIGNED || kind == CS_TYPE_CHAR;
  type->size = size;
  type->target = target;
  type->first_enumerator = writer->enumerators.count;
  return writer->types.count - 1;
}

void index_writer_enumerator(struct index_writer *writer, int64_t value, const char *name)
{
  struct cs_index_enumerator *one = need(cs_vector_add(&writer->enumerators, 1));
  struct cs_index_type *type = cs_vector_at(&writer->types, writer->types.count - 1);
  one->value = value;
  one->name = index_writer_string(writer, name);
  type->enumerator_count++;
}

uint32_t index_writer_function(struct index_writer *writer, const char *file, uint32_t line, const char *name,
                               uint32_t flags)
{
  struct cs_index_function *function = need(cs_vector_add(&writer->functions, 1));
  function->name = index_writer_string(writer, name);
  function->linkage_name = function->name;
  function->file = index_writer_string(writer, file);
  function->line = line;
  function->first_arg = writer->args.count;
  function->flags = flags;
  return writer->functions.count - 1;
}

struct cs_index_arg *index_writer_arg(struct index_writer *writer, enum cs_arg_kind kind, const char *name,
                                      uint32_t type)
{
  struct cs_index_arg *arg = need(cs_vector_add(&writer->args, 1));
  struct cs_index_function *function = cs_vector_at(&writer->functions, writer->functions.count - 1);
  arg->name = index_writer_string(writer, name);
  arg->type = type;
  arg->kind = (uint8_t)kind;
  arg->join = UINT16_MAX;
  arg->parameter = function->arg_count++;
  function->state_words = (uint16_t)((function->arg_count + 15) / 16);
  return arg;
}

void index_writer_symbol(struct index_writer *writer, uint64_t address, uint64_t size, const char *name)
{
  struct cs_index_symbol *symbol = need(cs_vector_add(&writer->symbols, 1));
  *symbol = (struct cs_index_symbol){.address = address, .size = size, .name = index_writer_string(writer, name)};
}

uint32_t index_writer_ranges(struct index_writer *writer, const int64_t *bounds, uint32_t count)
{
  uint32_t offset = writer->ranges.count;
  int64_t *list = need(cs_vector_add(&writer->ranges, count + 1));
  list[0] = count;
  for (uint32_t i = 0; i < count; i++)
    list[i + 1] = bounds[i];
  return offset;
}

static struct cs_section_data section(const struct cs_vector *vector)
{
  return (struct cs_section_data){
      .data = vector->data, .count = vector->count, .entry_size = (uint32_t)vector->entry_size};
}

void *index_writer_finish(struct index_writer *writer, size_t *size)
{
  struct cs_section_data sections[CS_SECTION_COUNT] = {
      [CS_SECTION_SITES] = {.entry_size = sizeof(struct cs_index_site)},
      [CS_SECTION_PHYSICALS] = {.entry_size = sizeof(struct cs_index_physical)},
      [CS_SECTION_FUNCTIONS] = section(&writer->functions),
      [CS_SECTION_ARGS] = section(&writer->args),
      [CS_SECTION_TYPES] = section(&writer->types),
      [CS_SECTION_ENUMERATORS] = section(&writer->enumerators),
      [CS_SECTION_OPS] = {.entry_size = sizeof(struct cs_op)},
      [CS_SECTION_STATES] = {.entry_size = sizeof(uint64_t)},
      [CS_SECTION_RANGES] = section(&writer->ranges),
      [CS_SECTION_CALL_SITES] = {.entry_size = sizeof(struct cs_index_call_site)},
      [CS_SECTION_CALL_VALUES] = {.entry_size = sizeof(struct cs_index_call_value)},
      [CS_SECTION_SYMBOLS] = section(&writer->symbols),
      [CS_SECTION_SAVED] = {.entry_size = sizeof(struct cs_index_saved)},
      [CS_SECTION_RULES] = {.entry_size = sizeof(struct cs_index_rule)},
  };
  struct cs_index_identity identity = {
      .flags = CS_INDEX_HAS_DWARF, .machine = 62 /* EM_X86_64 */, .path = index_writer_string(writer, "/bin/test")};
  size_t strings_size;
  const char *strings = cs_strings_data(writer->strings, &strings_size);
  sections[CS_SECTION_STRINGS] =
      (struct cs_section_data){.data = strings, .count = (uint32_t)strings_size, .entry_size = 1};
  void *file;
  if (cs_index_write(&identity, sections, &file, size) < 0)
    abort();
  return file;
}
