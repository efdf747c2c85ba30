/* Reads signatures, whose words are made comparable across processes, and interns them. */
#include <errno.h>
#include <string.h>

#include "base/hugepage_array.h"
#include "output/profile/load.h"
#include "output/text/text.h"

uint32_t out_load_module_at(struct out_loader *loader, uint64_t address)
{
  const struct out_known_module *found = NULL;
  uint32_t number = FMT_NONE;
  /* Looking through all of thousands of modules, for each of as many addresses, is more than an honest recording asks
   * for: what is not looked for then is told as damage. */
  if (!out_recording_spend(loader->recording, loader->profile->modules.count - loader->first_module)) {
    loader->recording->damaged++;
    return FMT_NONE;
  }
  for (uint32_t i = loader->first_module; i < loader->profile->modules.count; i++) {
    const struct out_known_module *module = out_profile_module(loader->profile, i);
    if (address >= module->start && address < module->end && (!found || (found->unloaded && !module->unloaded))) {
      found = module;
      number = i;
    }
  }
  return number;
}

/* A merged recording, which knows many processes' addresses, has the name itself. */
static int name_merged(struct out_loader *loader, uint64_t address, uint64_t *string)
{
  size_t length = 0;
  const char *name = out_recording_name(loader->recording, address, &length);
  if (!name)
    loader->recording->damaged++;
  struct out_text text = {0};
  out_text_printable(&text, name ? name : "?", name ? length : 1);
  uint32_t offset = 0;
  int result = text.failed ? -ENOMEM : base_strings_add(loader->profile->strings, out_text_string(&text), &offset);
  out_text_free(&text);
  *string = offset;
  return result;
}

/* The name of the function at a run-time address: its symbol, else module+0xoffset, else the address. */
static int name_address(struct out_loader *loader, uint64_t address, uint64_t *string)
{
  const uint32_t number = out_load_module_at(loader, address);
  const struct out_known_module *module = number == FMT_NONE ? NULL : out_profile_module(loader->profile, number);
  uint64_t linked = module ? address - module->bias : address;
  const struct fmt_index_symbol *symbol =
      module && module->index.header ? fmt_index_symbol_at(&module->index, linked) : NULL;
  struct out_text text = {0};
  if (symbol) {
    const char *name = out_load_index_string(loader, &module->index, symbol->name);
    out_text_printable(&text, name, strlen(name));
    linked -= symbol->address;
  } else if (module) {
    const char *path = out_profile_string(loader->profile, module->label);
    const char *slash = strrchr(path, '/');
    out_text_puts(&text, slash ? slash + 1 : path);
  }
  if (!symbol || linked != 0)
    out_text_printf(&text, "%s0x%llx", module ? "+" : "", (unsigned long long)linked);
  uint32_t offset = 0;
  int result = text.failed ? -ENOMEM : base_strings_add(loader->profile->strings, out_text_string(&text), &offset);
  out_text_free(&text);
  *string = offset;
  return result;
}

/* Addresses differ from one process to the next; the names of what they point to do not. */
static int name_function_pointers(struct out_loader *loader, const struct out_layout *layout, uint64_t *words,
                                  const struct out_arguments *arguments)
{
  for (uint32_t i = 0; i < arguments->count; i++) {
    const struct out_argument *argument = &arguments->list[i];
    if (!out_argument_is_function(layout->index, argument))
      continue;
    bool merged = loader->recording->header.flags & FMT_REC_MERGED;
    int result = (merged ? name_merged : name_address)(loader, argument->words[0], &words[argument->words - words]);
    if (result < 0)
      return result;
  }
  return 0;
}

static int add_words(struct out_loader *loader, uint32_t layout_number, uint64_t *words, uint16_t word_count,
                     uint32_t *signature)
{
  const struct out_layout *layout = out_profile_layout(loader->profile, layout_number);
  int result = out_arguments_split(layout->index, layout->entry, words, word_count, &loader->arguments);
  bool any = result == -EINVAL;
  if (any)
    loader->recording->damaged++;
  else if (result == 0)
    result = name_function_pointers(loader, layout, words, &loader->arguments);
  if (result < 0 && !any)
    return result;
  return out_profile_add_signature(loader->profile, layout_number, any, words, any ? 0 : word_count, signature);
}

/* A task's signature, given as text. */
static int add_text(struct out_loader *loader, uint32_t layout, uint64_t address, uint32_t *signature)
{
  size_t length = 0;
  const char *bytes = out_recording_name(loader->recording, address, &length);
  struct out_text text = {0};
  if (!bytes) {
    loader->recording->damaged++;
    return out_profile_add_signature(loader->profile, layout, true, NULL, 0, signature);
  }
  out_text_printable(&text, bytes, length);
  int result = text.failed ? -ENOMEM : out_profile_add_text(loader->profile, layout, out_text_string(&text), signature);
  out_text_free(&text);
  return result;
}

static int load_record(struct out_loader *loader, uint64_t address, const struct out_record *record,
                       uint32_t *signature)
{
  struct fmt_rec_signature head;
  uint64_t words[FMT_SIGNATURE_MAX_WORDS];
  memcpy(&head, record->data, sizeof head);
  bool any = head.flags & FMT_SIGNATURE_NONE;
  if (head.word_count > FMT_SIGNATURE_MAX_WORDS || head.word_count > (record->size - sizeof head) / sizeof words[0]) {
    loader->recording->damaged++;
    any = true;
  }
  const void *recorded =
      any ? NULL : out_recording_bytes(loader->recording, address + sizeof head, head.word_count * sizeof words[0]);
  if (recorded)
    memcpy(words, recorded, head.word_count * sizeof words[0]);
  else
    any = true;
  uint32_t callable;
  int result = out_load_callable(loader, head.function, &callable);
  if (result < 0 || callable == FMT_NONE)
    return result;
  uint32_t number = out_profile_callable(loader->profile, callable)->layout;
  const struct out_layout *layout = out_profile_layout(loader->profile, number);
  /* A function without parameters has one signature, however it was recorded. */
  if (layout->entry && layout->entry->arg_count == 0 && layout->entry->state_words == 0)
    return out_profile_add_signature(loader->profile, number, false, words, 0, signature);
  if (head.flags & FMT_SIGNATURE_TEXT && !any && !layout->entry && head.word_count == 1)
    return add_text(loader, number, words[0], signature);
  if (any || !layout->entry)
    return out_profile_add_signature(loader->profile, number, true, words, 0, signature);
  return add_words(loader, number, words, (uint16_t)head.word_count, signature);
}

int out_load_signature(struct out_loader *loader, uint64_t address, uint32_t *signature)
{
  uint32_t number;
  struct out_record record;
  *signature = FMT_NONE;
  int found = out_recording_number(loader->recording, &loader->signatures, address, FMT_TAG_SIGNATURE,
                                   sizeof(struct fmt_rec_signature), &number, &record);
  if (found < 0 || found == OUT_RECORD_BAD)
    return found < 0 ? found : 0;
  if (found == OUT_RECORD_KNOWN) {
    *signature = *(uint32_t *)base_vector_at(&loader->signature_of, number);
    return 0;
  }
  int result = load_record(loader, address, &record, signature);
  uint32_t *slot = result == 0 ? base_vector_add(&loader->signature_of, 1) : NULL;
  if (!slot)
    return -ENOMEM;
  *slot = *signature;
  return 0;
}

int out_load_join_signatures(struct out_loader *loader, uint32_t first, uint32_t first_record, uint32_t first_variant)
{
  struct out_profile *profile = loader->profile;
  uint32_t count = profile->signatures.count - first;
  uint32_t *joined = base_hugepage_array_new(count, sizeof *joined);
  int result = joined ? out_profile_join_signatures(profile, first, joined) : -ENOMEM;
  for (uint32_t i = first_record; i < loader->signature_of.count && result == 0; i++) {
    uint32_t *signature = base_vector_at(&loader->signature_of, i);
    if (*signature != FMT_NONE)
      *signature = joined[*signature - first];
  }
  for (uint32_t i = first_variant; i < profile->variants.count && result == 0; i++) {
    struct out_variant *variant = out_profile_variant(profile, i);
    if (variant->signature != FMT_NONE && variant->signature >= first)
      variant->signature = joined[variant->signature - first];
  }
  base_hugepage_array_free(joined, count * sizeof *joined);
  return result;
}
