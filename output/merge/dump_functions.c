/* Modules with their indexes, and the functions of the profile. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/merge/dump.h"

/* A module as one process or several had it. Its index is kept once, whatever it is called. */
struct same_module {
  uint32_t module; /* the first of them */
  uint32_t label;
  uint32_t ordinal; /* in its process: a module that was loaded twice is two */
  uint64_t index;   /* address, 0 for none */
};

struct modules {
  struct out_dump *dump;
  struct base_vector list; /* struct same_module */
  struct out_idset list_set;
  struct out_idset index_set; /* modules by the content of their index */
  uint64_t *indexes;          /* addresses by module */
};

static uint64_t index_size(const struct out_known_module *module)
{
  return module->index.header ? module->index.header->file_size : 0;
}

static bool equal_index(const void *owner, uint32_t number, const void *key)
{
  const struct modules *modules = owner;
  const struct out_known_module *there = out_profile_module(modules->dump->profile, number), *wanted = key;
  return index_size(there) == index_size(wanted) &&
         (there->index.header == wanted->index.header ||
          memcmp(there->index.header, wanted->index.header, index_size(wanted)) == 0);
}

/* Writes the module's index unless an equal one is there. */
static int put_index(struct modules *modules, uint32_t number)
{
  const struct out_known_module *module = out_profile_module(modules->dump->profile, number);
  if (!module->index.header)
    return 0;
  uint64_t hash = out_hash_mix(module->index.header->checksum, index_size(module));
  uint32_t known = out_idset_find(&modules->index_set, hash, modules, module, equal_index);
  if (known != FMT_NONE) {
    modules->indexes[number] = modules->indexes[known];
    return 0;
  }
  modules->indexes[number] = out_dump_put(modules->dump, module->index.header, index_size(module));
  return out_idset_add(&modules->index_set, hash, number);
}

static bool equal_module(const void *owner, uint32_t number, const void *key)
{
  const struct modules *modules = owner;
  const struct same_module *there = base_vector_at(&modules->list, number), *wanted = key;
  return there->label == wanted->label && there->ordinal == wanted->ordinal && there->index == wanted->index;
}

/* The number in the list of the module, which is added when new; `ordinal` counts up past those that its own process
 * has already: their `user` is the process. Of processes that were made one, the modules are one. */
static int find_module(struct modules *modules, uint32_t number, uint32_t *users, uint32_t *same)
{
  const struct out_known_module *module = out_profile_module(modules->dump->profile, number);
  struct same_module key = {.module = number, .label = module->label, .index = modules->indexes[number]};
  for (;; key.ordinal++) {
    uint64_t hash = out_hash_mix(out_hash_mix(key.label, key.ordinal), key.index);
    *same = out_idset_find(&modules->list_set, hash, modules, &key, equal_module);
    if (*same == FMT_NONE) {
      struct same_module *added = base_vector_add(&modules->list, 1);
      if (!added)
        return -ENOMEM;
      *added = key;
      *same = modules->list.count - 1;
      users[*same] = module->recording;
      return out_idset_add(&modules->list_set, hash, *same);
    }
    if (module->is_joined)
      return 0;
    if (users[*same] != module->recording) {
      users[*same] = module->recording;
      return 0;
    }
  }
}

static void put_module(struct modules *modules, uint32_t number)
{
  struct out_dump *dump = modules->dump;
  const struct same_module *same = base_vector_at(&modules->list, number);
  const struct out_known_module *module = out_profile_module(dump->profile, same->module);
  struct fmt_rec_module record = {
      .tag = OUT_DUMP_TAG(FMT_TAG_MODULE, record),
      .next = out_dump_following(dump, number, modules->list.count, sizeof record),
      .path = out_dump_string(dump, module->label),
      .index = same->index,
      .index_size = index_size(module),
      .build_id_size = module->build_id_size,
      .id = number,
      .unloaded = module->unloaded,
  };
  memcpy(record.build_id, module->build_id, sizeof record.build_id);
  out_dump_put(dump, &record, sizeof record);
}

static int put_modules(struct modules *modules, uint32_t *users)
{
  struct out_dump *dump = modules->dump;
  uint32_t count = dump->profile->modules.count;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t same = 0;
    int result = put_index(modules, i);
    if (result == 0)
      result = find_module(modules, i, users, &same);
    if (result < 0)
      return result;
    dump->modules[i] = same;
    out_dump_string(dump, out_profile_module(dump->profile, i)->label);
  }
  uint64_t first = dump->next;
  for (uint32_t i = 0; i < modules->list.count; i++)
    put_module(modules, i);
  for (uint32_t i = 0; i < count; i++)
    dump->modules[i] = first + dump->modules[i] * sizeof(struct fmt_rec_module);
  dump->header.first_module = modules->list.count ? first : 0;
  return 0;
}

int out_dump_modules(struct out_dump *dump)
{
  size_t count = dump->profile->modules.count + 1u;
  struct modules modules = {.dump = dump, .list = BASE_VECTOR_OF(struct same_module)};
  uint32_t *users = calloc(count, sizeof *users);
  modules.indexes = calloc(count, sizeof *modules.indexes);
  dump->modules = calloc(count, sizeof *dump->modules);
  int result = users && modules.indexes && dump->modules ? put_modules(&modules, users) : -ENOMEM;
  free(users);
  free(modules.indexes);
  base_vector_free(&modules.list);
  out_idset_free(&modules.list_set);
  out_idset_free(&modules.index_set);
  return result;
}

/* The levels of a layout that was widened; 0 for others. */
static uint64_t put_levels(struct out_dump *dump, const struct out_layout *layout)
{
  return layout->levels ? out_dump_bytes(dump, layout->levels, layout->entry->arg_count) : 0;
}

/* The name of an action, which is in braces in memory. */
static uint64_t put_action(struct out_dump *dump, const struct out_known_function *function)
{
  const char *name = out_profile_string(dump->profile, function->name);
  return out_dump_bytes(dump, name + 1, strlen(name) - 2);
}

/* Codes of several processes that are one function of one module. */
struct same_function {
  uint64_t module, address;
  uint32_t function, entry, layout, stage;
};

struct functions {
  struct out_dump *dump;
  uint64_t *levels;     /* addresses by layout */
  struct out_idset set; /* callables, by what they are the same by */
};

static struct same_function sameness(const struct out_dump *dump, uint32_t number)
{
  const struct out_callable *callable = out_profile_callable(dump->profile, number);
  return (struct same_function){.module = callable->module == FMT_NONE ? 0 : dump->modules[callable->module],
                                .address = callable->address,
                                .function = callable->function,
                                .entry = callable->entry,
                                .layout = callable->layout,
                                .stage = callable->stage};
}

static bool equal_function(const void *owner, uint32_t number, const void *key)
{
  struct same_function there = sameness(owner, number);
  return memcmp(&there, key, sizeof there) == 0;
}

static int put_function(struct functions *functions, uint32_t number)
{
  struct out_dump *dump = functions->dump;
  struct same_function key = sameness(dump, number);
  uint64_t hash = out_hash_mix(out_hash_mix(key.module, key.function), out_hash_mix(key.entry, key.address));
  uint32_t known = out_idset_find(&functions->set, hash, dump, &key, equal_function);
  if (known != FMT_NONE) {
    dump->functions[number] = dump->functions[known];
    return 0;
  }
  struct fmt_rec_function record = {
      .tag = OUT_DUMP_TAG(FMT_TAG_FUNCTION, record),
      .next = dump->last_function,
      .module = key.module,
      .function = key.entry,
      .address = key.address,
      .levels = functions->levels[key.layout],
  };
  const struct out_known_function *function = out_profile_function(dump->profile, key.function);
  if (key.stage) {
    record.kind = FMT_FUNCTION_KIND_TASK;
    record.address = dump->stages[key.stage];
  } else if (function->is_action) {
    record.kind = FMT_FUNCTION_KIND_ACTION;
    record.address = put_action(dump, function);
  }
  dump->last_function = dump->functions[number] = out_dump_put(dump, &record, sizeof record);
  return out_idset_add(&functions->set, hash, number);
}

/* By callable, whether anything has need of it: a context has, rows of ranks may have, and a signature has of one with
 * its layout, where no context has. What only a root's edge led to has none. NULL: no memory. */
static bool *find_used(const struct out_profile *profile)
{
  bool *used = calloc(profile->callables.count + 1u, sizeof *used);
  bool *wanted = calloc(profile->layouts.count + 1u, sizeof *wanted); /* layouts of signatures */
  if (!used || !wanted) {
    free(used);
    free(wanted);
    return NULL;
  }
  for (uint32_t i = 0; i < profile->signatures.count; i++)
    wanted[out_profile_signature(profile, i)->layout] = true;
  for (uint32_t i = 0; i < profile->contexts.count; i++) {
    const uint32_t callable = out_profile_context(profile, i)->callable;
    if (callable == FMT_NONE)
      continue;
    used[callable] = true;
    wanted[out_profile_callable(profile, callable)->layout] = false;
  }
  for (uint32_t i = 0; i < profile->callables.count; i++)
    used[i] |= wanted[out_profile_callable(profile, i)->layout] || profile->rank_rows.count > 0;
  free(wanted);
  return used;
}

int out_dump_functions(struct out_dump *dump)
{
  const struct out_profile *profile = dump->profile;
  struct functions functions = {.dump = dump, .levels = calloc(profile->layouts.count + 1u, sizeof(uint64_t))};
  dump->functions = calloc(profile->callables.count + 1u, sizeof *dump->functions);
  bool *used = find_used(profile);
  int result = functions.levels && dump->functions && used ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < profile->layouts.count && result == 0; i++)
    functions.levels[i] = put_levels(dump, out_profile_layout(profile, i));
  /* In the order in which contexts name them. That in which they were read is another where a signature names one of
   * several functions that share its layout, and would not be the same when what is written here is read. */
  for (uint32_t i = 0; i < profile->contexts.count && result == 0; i++) {
    const uint32_t callable = out_profile_context(profile, i)->callable;
    if (callable != FMT_NONE && dump->functions[callable] == 0)
      result = put_function(&functions, callable);
  }
  for (uint32_t i = 0; i < profile->callables.count && result == 0; i++)
    result = used[i] && dump->functions[i] == 0 ? put_function(&functions, i) : 0;
  out_idset_free(&functions.set);
  free(used);
  free(functions.levels);
  return result;
}
