/* Reads modules with their signature indexes, and the functions that contexts name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/profile/layout.h"
#include "output/profile/load.h"
#include "output/profile/process.h"
#include "output/text/message.h"
#include "output/text/text.h"

/* Bytes of a name. Those of templates are seldom longer. */
enum { USUAL_NAME = 4096 };

static bool equal_index_address(const void *owner, uint32_t number, const void *key)
{
  return out_profile_module(owner, number)->index_address == *(const uint64_t *)key;
}

/* Copies the module's index out of the recording and opens it. A bad index leaves the module without one. */
static int copy_index(struct out_loader *loader, struct out_known_module *module, const struct fmt_rec_module *record)
{
  const void *bytes = out_recording_spend(loader->recording, record->index_size)
                          ? out_recording_bytes(loader->recording, record->index, record->index_size)
                          : NULL;
  if (!bytes) {
    loader->recording->damaged++;
    return 0;
  }
  module->data = malloc(record->index_size);
  if (!module->data)
    return -ENOMEM;
  memcpy(module->data, bytes, record->index_size);
  if (fmt_index_open(module->data, record->index_size, &module->index) < 0) {
    loader->recording->damaged++;
    memset(&module->index, 0, sizeof module->index);
  }
  return 0;
}

/* A module that was unloaded and loaded again has the same index, which is kept once. */
static int load_index(struct out_loader *loader, uint32_t number, const struct fmt_rec_module *record)
{
  struct out_known_module *module = out_profile_module(loader->profile, number);
  if (!record->index || !record->index_size)
    return 0;
  module->index_address = record->index;
  uint64_t hash = out_hash_mix(0, record->index);
  uint32_t same = out_idset_find(&loader->indexes, hash, loader->profile, &record->index, equal_index_address);
  if (same != FMT_NONE) {
    module->index = out_profile_module(loader->profile, same)->index;
    return 0;
  }
  int result = copy_index(loader, module, record);
  return result < 0 ? result : out_idset_add(&loader->indexes, hash, number);
}

static int load_module(struct out_loader *loader, const struct fmt_rec_module *record)
{
  struct out_known_module *module = calloc(1, sizeof *module);
  struct out_known_module **slot = module ? base_vector_add(&loader->profile->modules, 1) : NULL;
  if (!slot) {
    free(module);
    return -ENOMEM;
  }
  *slot = module;
  module->recording = loader->number;
  module->start = record->start;
  module->end = record->end;
  module->bias = record->bias;
  module->unloaded = record->unloaded != 0;
  module->build_id_size = record->build_id_size;
  memcpy(module->build_id, record->build_id, sizeof module->build_id);
  out_process_add_module(&out_profile_recording(loader->profile, loader->number)->process, record->start);
  int result = load_index(loader, loader->profile->modules.count - 1, record);
  return result < 0 ? result : out_load_name(loader, record->path, "?", &module->label);
}

int out_load_modules(struct out_loader *loader)
{
  struct fmt_rec_module module;
  uint64_t address = loader->recording->header.first_module;
  int result;
  loader->first_module = loader->profile->modules.count;
  while ((result = out_recording_next(loader->recording, &loader->modules, address, FMT_TAG_MODULE, &module,
                                      sizeof module)) > 0) {
    result = load_module(loader, &module);
    if (result < 0)
      break;
    address = module.next;
  }
  return result;
}

/* A file name of its own for code whose source is unknown: the module's, without directories. */
static int module_file(struct out_loader *loader, uint32_t module, uint32_t *string)
{
  if (module == FMT_NONE)
    return base_strings_add(loader->profile->strings, "?", string);
  char *copy = strdup(out_profile_string(loader->profile, out_profile_module(loader->profile, module)->label));
  if (!copy)
    return -ENOMEM;
  const char *slash = strrchr(copy, '/');
  int result = base_strings_add(loader->profile->strings, slash ? slash + 1 : copy, string);
  free(copy);
  return result;
}

/* In a hostile index each string may end as all others do, so that long ones are paid for as names are. Those of usual
 * names are not: a function that arguments point to is named once for each of their signatures. */
const char *out_load_index_string(struct out_loader *loader, const struct fmt_index *index, uint32_t offset)
{
  const char *string = fmt_index_string(index, offset);
  const size_t length = strlen(string);
  if (length <= USUAL_NAME || out_recording_spend(loader->recording, length))
    return string;
  loader->recording->damaged++;
  return "?";
}

static int describe_indexed(struct out_loader *loader, uint32_t module, const struct fmt_index_function *entry,
                            struct out_known_function *function)
{
  const struct fmt_index *index = &out_profile_module(loader->profile, module)->index;
  const char *file = out_load_index_string(loader, index, entry->file),
             *name = out_load_index_string(loader, index, entry->name);
  function->line = entry->line;
  function->is_library = (entry->flags & FMT_FUNCTION_LIBRARY) != 0;
  function->is_untimed = (entry->flags & FMT_FUNCTION_UNTIMED) != 0;
  int result =
      *file ? out_load_text(loader, file, strlen(file), &function->file) : module_file(loader, module, &function->file);
  return result < 0 ? result : out_load_text(loader, name, strlen(name), &function->name);
}

/* An action or a task: "{NAME}". */
static int describe_named(struct out_loader *loader, const char *bytes, size_t length,
                          struct out_known_function *function)
{
  struct out_text text = {0};
  out_text_putc(&text, '{');
  out_text_printable(&text, bytes, length);
  out_text_putc(&text, '}');
  function->is_action = true;
  int result =
      text.failed ? -ENOMEM : base_strings_add(loader->profile->strings, out_text_string(&text), &function->name);
  if (result == 0)
    result = base_strings_add(loader->profile->strings, "~", &function->file);
  out_text_free(&text);
  return result;
}

static int add_callable(struct out_loader *loader, const struct out_known_function *function, uint32_t module,
                        uint32_t stage, const struct fmt_index_function *entry, uint64_t address, uint32_t *number)
{
  struct out_profile *profile = loader->profile;
  struct out_callable callable = {.module = module, .stage = stage, .entry = FMT_NONE, .address = address};
  if (entry)
    callable.entry = (uint32_t)(entry - out_profile_module(profile, module)->index.functions);
  if (entry && !out_layout_nests(&out_profile_module(profile, module)->index, entry)) {
    loader->recording->damaged++;
    entry = NULL;
  }
  const struct fmt_index *index = entry ? &out_profile_module(profile, module)->index : NULL;
  int result = function->address ? out_profile_intern_address(profile, function->file, function->address,
                                                              function->build, &callable.function)
                                 : out_profile_intern_function(profile, function, &callable.function);
  if (result == 0)
    result = out_profile_intern_layout(profile, callable.function, index, entry, &callable.layout);
  if (result > 0)
    loader->recording->damaged++;
  struct out_callable *added = result >= 0 ? base_vector_add(&profile->callables, 1) : NULL;
  if (!added)
    return -ENOMEM;
  *added = callable;
  *number = profile->callables.count - 1;
  return 0;
}

static int load_action(struct out_loader *loader, uint64_t address, uint32_t *callable)
{
  struct out_known_function function = {0};
  size_t length = 0;
  const char *name = out_recording_name(loader->recording, address, &length);
  int result = describe_named(loader, name ? name : "?", name ? length : 1, &function);
  return result < 0 ? result : add_callable(loader, &function, FMT_NONE, 0, NULL, 0, callable);
}

static int load_task(struct out_loader *loader, uint64_t address, uint32_t *callable)
{
  struct out_known_function function = {0};
  uint32_t stage;
  int result = out_load_stage(loader, address, &stage);
  if (result < 0)
    return result;
  const char *label =
      stage ? out_profile_string(loader->profile, out_profile_stage(loader->profile, stage)->label) : "?";
  result = describe_named(loader, label, strlen(label), &function);
  return result < 0 ? result : add_callable(loader, &function, FMT_NONE, stage, NULL, 0, callable);
}

/* The module's build-id in hexadecimal; 0 when it has none. */
static int intern_build(struct out_loader *loader, uint32_t module, uint32_t *string)
{
  const struct out_known_module *known = module == FMT_NONE ? NULL : out_profile_module(loader->profile, module);
  char text[2 * sizeof known->build_id + 1] = "";
  for (uint32_t i = 0; known && i < known->build_id_size && i < sizeof known->build_id; i++)
    snprintf(text + 2 * i, 3, "%02x", known->build_id[i]);
  return base_strings_add(loader->profile->strings, text, string);
}

/* Code that is known by its address only. Inside its module, so that runs with other mappings meet. */
static int describe_address(struct out_loader *loader, uint32_t module, uint64_t address,
                            struct out_known_function *function)
{
  uint64_t bias = module == FMT_NONE ? 0 : out_profile_module(loader->profile, module)->bias;
  struct out_text text = {0};
  out_text_printf(&text, "0x%llx", (unsigned long long)(address - bias));
  int result =
      text.failed ? -ENOMEM : base_strings_add(loader->profile->strings, out_text_string(&text), &function->address);
  out_text_free(&text);
  if (result == 0)
    result = intern_build(loader, module, &function->build);
  return result < 0 ? result : module_file(loader, module, &function->file);
}

/* The highest widening of each argument, of all threads. */
static int load_levels(struct out_loader *loader, uint64_t address, uint32_t layout_number)
{
  struct out_layout *layout = out_profile_layout(loader->profile, layout_number);
  size_t length = 0;
  const char *levels = out_recording_name(loader->recording, address, &length);
  if (!levels || !layout->entry || length > layout->entry->arg_count) {
    loader->recording->damaged++;
    return 0;
  }
  if (!layout->levels)
    layout->levels = calloc(layout->entry->arg_count + 1u, 1);
  if (!layout->levels)
    return -ENOMEM;
  for (size_t i = 0; i < length; i++) {
    uint8_t level = (uint8_t)levels[i] > FMT_WIDEN_TYPE ? FMT_WIDEN_TYPE : (uint8_t)levels[i];
    if (level > layout->levels[i])
      layout->levels[i] = level;
  }
  return 0;
}

static int callable_of_record(struct out_loader *loader, const struct fmt_rec_function *record, uint32_t *callable)
{
  struct out_known_function function = {0};
  if (record->kind == FMT_FUNCTION_KIND_ACTION)
    return load_action(loader, record->address, callable);
  if (record->kind == FMT_FUNCTION_KIND_TASK)
    return load_task(loader, record->address, callable);
  uint32_t local = out_recording_known(loader->recording, &loader->modules, record->module);
  uint32_t module = local == FMT_NONE ? FMT_NONE : loader->first_module + local;
  struct out_known_module *known = module == FMT_NONE ? NULL : out_profile_module(loader->profile, module);
  if (!known || !known->index.header || record->function >= known->index.count[FMT_SECTION_FUNCTIONS]) {
    int result = describe_address(loader, module, record->address, &function);
    uint64_t address = record->address - (known ? known->bias : 0);
    return result < 0 ? result : add_callable(loader, &function, module, 0, NULL, address, callable);
  }
  *callable = out_profile_find_callable(loader->profile, module, record->function);
  if (*callable == FMT_NONE) {
    const struct fmt_index_function *entry = &known->index.functions[record->function];
    int result = describe_indexed(loader, module, entry, &function);
    if (result == 0)
      result = add_callable(loader, &function, module, 0, entry, 0, callable);
    if (result == 0)
      result = out_profile_keep_callable(loader->profile, *callable);
    if (result < 0)
      return result;
  }
  return record->levels ? load_levels(loader, record->levels, out_profile_callable(loader->profile, *callable)->layout)
                        : 0;
}

int out_load_callable(struct out_loader *loader, uint64_t address, uint32_t *callable)
{
  uint32_t number;
  struct out_record record;
  int found = out_recording_number(loader->recording, &loader->functions, address, FMT_TAG_FUNCTION,
                                   sizeof(struct fmt_rec_function), &number, &record);
  *callable = FMT_NONE;
  if (found < 0 || found == OUT_RECORD_BAD)
    return found < 0 ? found : 0;
  if (found == OUT_RECORD_NEW) {
    struct fmt_rec_function function;
    memcpy(&function, record.data, sizeof function);
    int result = callable_of_record(loader, &function, callable);
    uint32_t *slot = result == 0 ? base_vector_add(&loader->callable_of, 1) : NULL;
    if (!slot)
      return -ENOMEM;
    *slot = *callable;
    return 0;
  }
  *callable = *(uint32_t *)base_vector_at(&loader->callable_of, number);
  return 0;
}
