#include <errno.h>
#include <string.h>

#include "large.h"
#include "load.h"
#include "text.h"

/* The module of this recording that a run-time address lies in; a loaded one before one that was unloaded. */
static const struct cs_known_module *module_at(struct cs_loader *loader, uint64_t address)
{
  const struct cs_known_module *found = NULL;
  if (!cs_recording_spend(loader->recording, loader->profile->modules.count - loader->first_module))
    return NULL;
  for (uint32_t i = loader->first_module; i < loader->profile->modules.count; i++) {
    const struct cs_known_module *module = cs_profile_module(loader->profile, i);
    if (address >= module->start && address < module->end && (!found || (found->unloaded && !module->unloaded)))
      found = module;
  }
  return found;
}

/* A merged recording, which knows many processes' addresses, has the name itself. */
static int name_merged(struct cs_loader *loader, uint64_t address, uint64_t *string)
{
  size_t length = 0;
  const char *name = cs_recording_name(loader->recording, address, &length);
  if (!name)
    loader->recording->damaged++;
  struct cs_text text = {0};
  cs_text_printable(&text, name ? name : "?", name ? length : 1);
  uint32_t offset = 0;
  int result = text.failed ? -ENOMEM : cs_strings_add(loader->profile->strings, cs_text_string(&text), &offset);
  cs_text_free(&text);
  *string = offset;
  return result;
}

/* The name of the function at a run-time address: its symbol, else module+0xoffset, else the address. */
static int name_address(struct cs_loader *loader, uint64_t address, uint64_t *string)
{
  const struct cs_known_module *module = module_at(loader, address);
  uint64_t linked = module ? address - module->bias : address;
  const struct cs_index_symbol *symbol =
      module && module->index.header ? cs_index_symbol_at(&module->index, linked) : NULL;
  struct cs_text text = {0};
  if (symbol) {
    const char *name = cs_index_string(&module->index, symbol->name);
    cs_text_printable(&text, name, strlen(name));
    linked -= symbol->address;
  } else if (module) {
    const char *path = cs_profile_string(loader->profile, module->label);
    const char *slash = strrchr(path, '/');
    cs_text_puts(&text, slash ? slash + 1 : path);
  }
  if (!symbol || linked != 0)
    cs_text_printf(&text, "%s0x%llx", module ? "+" : "", (unsigned long long)linked);
  uint32_t offset = 0;
  int result = text.failed ? -ENOMEM : cs_strings_add(loader->profile->strings, cs_text_string(&text), &offset);
  cs_text_free(&text);
  *string = offset;
  return result;
}

/* Addresses differ from one process to the next; the names of what they point to do not. */
static int name_function_pointers(struct cs_loader *loader, const struct cs_layout *layout, uint64_t *words,
                                  const struct cs_arguments *arguments)
{
  for (uint32_t i = 0; i < arguments->count; i++) {
    const struct cs_argument *argument = &arguments->list[i];
    if (!cs_argument_is_function(layout->index, argument))
      continue;
    bool merged = loader->recording->header.flags & CS_REC_MERGED;
    int result = (merged ? name_merged : name_address)(loader, argument->words[0], &words[argument->words - words]);
    if (result < 0)
      return result;
  }
  return 0;
}

static int add_words(struct cs_loader *loader, uint32_t layout_number, uint64_t *words, uint16_t word_count,
                     uint32_t *signature)
{
  const struct cs_layout *layout = cs_profile_layout(loader->profile, layout_number);
  int result = cs_arguments_split(layout->index, layout->entry, words, word_count, &loader->arguments);
  bool any = result == -EINVAL;
  if (any)
    loader->recording->damaged++;
  else if (result == 0)
    result = name_function_pointers(loader, layout, words, &loader->arguments);
  if (result < 0 && !any)
    return result;
  return cs_profile_add_signature(loader->profile, layout_number, any, words, any ? 0 : word_count, signature);
}

/* A task's signature, given as text. */
static int add_text(struct cs_loader *loader, uint32_t layout, uint64_t address, uint32_t *signature)
{
  size_t length = 0;
  const char *bytes = cs_recording_name(loader->recording, address, &length);
  struct cs_text text = {0};
  if (!bytes) {
    loader->recording->damaged++;
    return cs_profile_add_signature(loader->profile, layout, true, NULL, 0, signature);
  }
  cs_text_printable(&text, bytes, length);
  int result = text.failed ? -ENOMEM : cs_profile_add_text(loader->profile, layout, cs_text_string(&text), signature);
  cs_text_free(&text);
  return result;
}

static int load_record(struct cs_loader *loader, uint64_t address, const struct cs_record *record, uint32_t *signature)
{
  struct cs_rec_signature head;
  uint64_t words[CS_SIGNATURE_MAX_WORDS];
  memcpy(&head, record->data, sizeof head);
  bool any = head.flags & CS_SIGNATURE_NONE;
  if (head.word_count > CS_SIGNATURE_MAX_WORDS || head.word_count > (record->size - sizeof head) / sizeof words[0]) {
    loader->recording->damaged++;
    any = true;
  }
  const void *recorded =
      any ? NULL : cs_recording_bytes(loader->recording, address + sizeof head, head.word_count * sizeof words[0]);
  if (recorded)
    memcpy(words, recorded, head.word_count * sizeof words[0]);
  else
    any = true;
  uint32_t code;
  int result = cs_load_code(loader, head.function, &code);
  if (result < 0 || code == CS_NONE)
    return result;
  uint32_t number = cs_profile_code(loader->profile, code)->layout;
  const struct cs_layout *layout = cs_profile_layout(loader->profile, number);
  /* A function without parameters has one signature, however it was recorded. */
  if (layout->entry && layout->entry->arg_count == 0 && layout->entry->state_words == 0)
    return cs_profile_add_signature(loader->profile, number, false, words, 0, signature);
  if (head.flags & CS_SIGNATURE_TEXT && !any && !layout->entry && head.word_count == 1)
    return add_text(loader, number, words[0], signature);
  if (any || !layout->entry)
    return cs_profile_add_signature(loader->profile, number, true, words, 0, signature);
  return add_words(loader, number, words, (uint16_t)head.word_count, signature);
}

int cs_load_signature(struct cs_loader *loader, uint64_t address, uint32_t *signature)
{
  uint32_t number;
  struct cs_record record;
  *signature = CS_NONE;
  int found = cs_recording_number(loader->recording, &loader->signatures, address, CS_TAG_SIGNATURE,
                                  sizeof(struct cs_rec_signature), &number, &record);
  if (found < 0 || found == CS_RECORD_BAD)
    return found < 0 ? found : 0;
  if (found == CS_RECORD_KNOWN) {
    *signature = *(uint32_t *)cs_vector_at(&loader->signature_of, number);
    return 0;
  }
  int result = load_record(loader, address, &record, signature);
  uint32_t *slot = result == 0 ? cs_vector_add(&loader->signature_of, 1) : NULL;
  if (!slot)
    return -ENOMEM;
  *slot = *signature;
  return 0;
}

int cs_load_join_signatures(struct cs_loader *loader, uint32_t first, uint32_t first_record, uint32_t first_variant)
{
  struct cs_profile *profile = loader->profile;
  uint32_t count = profile->signatures.count - first;
  uint32_t *joined = cs_large_array(count, sizeof *joined);
  int result = joined ? cs_profile_join_signatures(profile, first, joined) : -ENOMEM;
  for (uint32_t i = first_record; i < loader->signature_of.count && result == 0; i++) {
    uint32_t *signature = cs_vector_at(&loader->signature_of, i);
    if (*signature != CS_NONE)
      *signature = joined[*signature - first];
  }
  for (uint32_t i = first_variant; i < profile->variants.count && result == 0; i++) {
    struct cs_variant *variant = cs_profile_variant(profile, i);
    if (variant->signature != CS_NONE && variant->signature >= first)
      variant->signature = joined[variant->signature - first];
  }
  cs_large_free(joined, count * sizeof *joined);
  return result;
}
