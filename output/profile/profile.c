/* Makes, interns and frees what a profile holds. */
#include "output/profile/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/profile/layout.h"

int out_profile_init(struct out_profile *profile)
{
  *profile = (struct out_profile){
      .functions = BASE_VECTOR_OF(struct out_known_function),
      .stages = BASE_VECTOR_OF(struct out_known_stage),
      .modules = BASE_VECTOR_OF(struct out_known_module *),
      .callables = BASE_VECTOR_OF(struct out_callable),
      .layouts = BASE_VECTOR_OF(struct out_layout),
      .signatures = BASE_VECTOR_OF(struct out_signature),
      .words = BASE_VECTOR_OF(uint64_t),
      .threads = BASE_VECTOR_OF(struct out_known_thread),
      .contexts = BASE_VECTOR_OF(struct out_context),
      .preorder = BASE_VECTOR_OF(uint32_t),
      .variants = BASE_VECTOR_OF(struct out_variant),
      .edges = BASE_VECTOR_OF(struct out_edge),
      .recursions = BASE_VECTOR_OF(struct out_recursion),
      .samplings = BASE_VECTOR_OF(struct out_sampling),
      .sleeps = BASE_VECTOR_OF(struct out_sleep),
      .asked = BASE_VECTOR_OF(struct out_asked),
      .spans = BASE_VECTOR_OF(struct out_span),
      .times = BASE_VECTOR_OF(struct out_times),
      .buckets = BASE_VECTOR_OF(struct out_bucket),
      .times_of = BASE_VECTOR_OF(uint32_t),
      .recordings = BASE_VECTOR_OF(struct out_recording_info),
      .sampled_runs = BASE_VECTOR_OF(struct out_sampled_run),
      .places = BASE_VECTOR_OF(struct out_place),
      .rank_rows = BASE_VECTOR_OF(struct out_rank_row),
      .call_places = BASE_VECTOR_OF(struct out_call_place),
      .first_layout = BASE_VECTOR_OF(uint32_t),
      .strings = base_strings_new(),
  };
  out_stage_records_init(&profile->stage_records);
  return profile->strings && base_vector_add(&profile->stages, 1) ? 0 : -ENOMEM;
}

static void free_module(struct out_known_module *module)
{
  free(module->data);
  free(module);
}

void out_profile_free(struct out_profile *profile)
{
  for (uint32_t i = 0; i < profile->modules.count; i++)
    free_module(out_profile_module(profile, i));
  for (uint32_t i = 0; i < profile->layouts.count; i++)
    free(out_profile_layout(profile, i)->levels);
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    free(out_profile_recording(profile, i)->command);
    free(out_profile_recording(profile, i)->pauses);
  }
  struct base_vector *vectors[] = {
      &profile->functions,  &profile->stages,       &profile->modules,     &profile->callables,    &profile->layouts,
      &profile->signatures, &profile->words,        &profile->threads,     &profile->contexts,     &profile->preorder,
      &profile->variants,   &profile->edges,        &profile->recursions,  &profile->samplings,    &profile->spans,
      &profile->recordings, &profile->sampled_runs, &profile->places,      &profile->first_layout, &profile->times,
      &profile->buckets,    &profile->times_of,     &profile->call_places, &profile->sleeps,       &profile->asked,
      &profile->rank_rows,
  };
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
    base_vector_free(vectors[i]);
  out_stage_records_free(&profile->stage_records);
  out_idset_free(&profile->call_place_set);
  out_idset_free(&profile->callable_set);
  out_idset_free(&profile->function_set);
  out_idset_free(&profile->address_set);
  out_idset_free(&profile->stage_set);
  out_idset_free(&profile->signature_set);
  base_strings_free(profile->strings);
  profile->strings = NULL;
}

static uint64_t hash_function(const struct out_known_function *function)
{
  uint64_t hash = out_hash_mix(0, function->file);
  hash = out_hash_mix(hash, function->name);
  return out_hash_mix(hash, (uint64_t)function->line << 1 | function->is_action);
}

static bool equal_function(const void *owner, uint32_t number, const void *key)
{
  const struct out_known_function *there = out_profile_function(owner, number), *wanted = key;
  return there->file == wanted->file && there->line == wanted->line && there->name == wanted->name &&
         there->is_action == wanted->is_action;
}

static int add_function(struct out_profile *profile, const struct out_known_function *function, uint32_t *number)
{
  *number = profile->functions.count;
  struct out_known_function *added = base_vector_add(&profile->functions, 1);
  uint32_t *first_layout = base_vector_add(&profile->first_layout, 1);
  if (!added || !first_layout)
    return -ENOMEM;
  *added = *function;
  *first_layout = FMT_NONE;
  return 0;
}

int out_profile_intern_function(struct out_profile *profile, const struct out_known_function *function,
                                uint32_t *number)
{
  uint64_t hash = hash_function(function);
  *number = out_idset_find(&profile->function_set, hash, profile, function, equal_function);
  if (*number != FMT_NONE)
    return 0;
  int result = add_function(profile, function, number);
  return result < 0 ? result : out_idset_add(&profile->function_set, hash, *number);
}

static bool equal_address(const void *owner, uint32_t number, const void *key)
{
  const struct out_known_function *there = out_profile_function(owner, number), *wanted = key;
  return there->file == wanted->file && there->address == wanted->address && there->build == wanted->build;
}

/* Another build's code at this address, if any. */
static bool equal_place(const void *owner, uint32_t number, const void *key)
{
  const struct out_known_function *there = out_profile_function(owner, number), *wanted = key;
  return there->file == wanted->file && there->address == wanted->address;
}

/* "0x1234@0c5e1f22a9b4". */
static int name_with_build(struct out_profile *profile, uint32_t number)
{
  enum { SHOWN = 12 };
  const struct out_known_function *function = out_profile_function(profile, number);
  char name[64];
  if (!function->build)
    return 0;
  snprintf(name, sizeof name, "%.40s@%.*s", out_profile_string(profile, function->address), SHOWN,
           out_profile_string(profile, function->build));
  return base_strings_add(profile->strings, name, &out_profile_function(profile, number)->name);
}

int out_profile_intern_address(struct out_profile *profile, uint32_t file, uint32_t address, uint32_t build,
                               uint32_t *number)
{
  const struct out_known_function function = {.file = file, .name = address, .address = address, .build = build};
  uint64_t hash = out_hash_mix(file, address);
  *number = out_idset_find(&profile->address_set, hash, profile, &function, equal_address);
  if (*number != FMT_NONE)
    return 0;
  uint32_t other = out_idset_find(&profile->address_set, hash, profile, &function, equal_place);
  int result = add_function(profile, &function, number);
  if (result == 0 && other != FMT_NONE)
    result = name_with_build(profile, other);
  if (result == 0 && other != FMT_NONE)
    result = name_with_build(profile, *number);
  return result < 0 ? result : out_idset_add(&profile->address_set, hash, *number);
}

static bool equal_stage(const void *owner, uint32_t number, const void *key)
{
  return out_profile_stage(owner, number)->label == ((const struct out_known_stage *)key)->label;
}

int out_profile_intern_stage(struct out_profile *profile, const struct out_known_stage *stage, uint32_t *number)
{
  uint64_t hash = out_hash_mix(0, stage->label);
  *number = out_idset_find(&profile->stage_set, hash, profile, stage, equal_stage);
  if (*number != FMT_NONE)
    return 0;
  struct out_known_stage *added = base_vector_add(&profile->stages, 1);
  if (!added)
    return -ENOMEM;
  *added = *stage;
  *number = profile->stages.count - 1;
  return out_idset_add(&profile->stage_set, hash, *number);
}

/* No source has a function whose parameters are laid out in more ways. */
enum { MOST_COMPARED = 1000 };

int out_profile_intern_layout(struct out_profile *profile, uint32_t function, const struct fmt_index *index,
                              const struct fmt_index_function *entry, uint32_t *number)
{
  uint32_t *first = base_vector_at(&profile->first_layout, function), compared = 0, i = *first;
  for (; i != FMT_NONE && compared++ < MOST_COMPARED; i = out_profile_layout(profile, i)->next) {
    const struct out_layout *there = out_profile_layout(profile, i);
    if (out_layout_equal(there->index, there->entry, index, entry)) {
      *number = i;
      return 0;
    }
  }
  *number = profile->layouts.count;
  struct out_layout *added = base_vector_add(&profile->layouts, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct out_layout){.function = function, .index = index, .entry = entry, .next = *first};
  *first = *number;
  return i == FMT_NONE ? 0 : 1;
}

/* A function of a module's index. */
struct indexed {
  uint32_t module, function;
};

static uint64_t hash_indexed(const struct indexed *indexed)
{
  return out_hash_mix(indexed->module, indexed->function);
}

static bool equal_indexed(const void *owner, uint32_t number, const void *key)
{
  const struct out_callable *callable = out_profile_callable(owner, number);
  const struct indexed *wanted = key;
  return callable->module == wanted->module && callable->entry == wanted->function;
}

uint32_t out_profile_find_callable(const struct out_profile *profile, uint32_t module, uint32_t function)
{
  const struct indexed wanted = {.module = module, .function = function};
  return out_idset_find(&profile->callable_set, hash_indexed(&wanted), profile, &wanted, equal_indexed);
}

int out_profile_keep_callable(struct out_profile *profile, uint32_t number)
{
  const struct out_callable *callable = out_profile_callable(profile, number);
  const struct indexed indexed = {.module = callable->module, .function = callable->entry};
  return out_idset_add(&profile->callable_set, hash_indexed(&indexed), number);
}

struct signature_key {
  uint32_t layout;
  bool any, text;
  const uint64_t *words;
  uint16_t word_count;
};

static uint64_t hash_signature(const struct signature_key *key)
{
  uint64_t hash = out_hash_mix((uint64_t)key->word_count << 2 | (uint64_t)key->text << 1 | key->any, key->layout);
  for (uint16_t i = 0; i < key->word_count; i++)
    hash = out_hash_mix(hash, key->words[i]);
  return hash;
}

static bool equal_signature(const void *owner, uint32_t number, const void *key)
{
  const struct out_signature *there = out_profile_signature(owner, number);
  const struct signature_key *wanted = key;
  return there->layout == wanted->layout && there->any == wanted->any && there->text == wanted->text &&
         there->word_count == wanted->word_count &&
         (there->word_count == 0 ||
          memcmp(out_profile_words(owner, there), wanted->words, there->word_count * sizeof(uint64_t)) == 0);
}

static int add_signature(struct out_profile *profile, const struct signature_key *key, uint32_t *number)
{
  *number = profile->signatures.count;
  struct out_signature *added = base_vector_add(&profile->signatures, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct out_signature){.first_word = profile->words.count,
                                  .layout = key->layout,
                                  .any = key->any,
                                  .text = key->text,
                                  .word_count = key->word_count};
  if (key->word_count > 0) {
    uint64_t *copy = base_vector_add(&profile->words, key->word_count);
    if (!copy)
      return -ENOMEM;
    memcpy(copy, key->words, key->word_count * sizeof *copy);
  }
  return 0;
}

int out_profile_intern_signature(struct out_profile *profile, uint32_t layout, bool any, const uint64_t *words,
                                 uint16_t word_count, uint32_t *number)
{
  struct signature_key key = {.layout = layout, .any = any, .words = words, .word_count = word_count};
  uint64_t hash = hash_signature(&key);
  *number = out_idset_find(&profile->signature_set, hash, profile, &key, equal_signature);
  if (*number != FMT_NONE)
    return 0;
  int result = add_signature(profile, &key, number);
  return result < 0 ? result : out_idset_add(&profile->signature_set, hash, *number);
}

int out_profile_add_signature(struct out_profile *profile, uint32_t layout, bool any, const uint64_t *words,
                              uint16_t word_count, uint32_t *number)
{
  struct signature_key key = {.layout = layout, .any = any, .words = words, .word_count = word_count};
  return add_signature(profile, &key, number);
}

int out_profile_add_text(struct out_profile *profile, uint32_t layout, const char *text, uint32_t *number)
{
  uint32_t string;
  int result = base_strings_add(profile->strings, text, &string);
  if (result < 0)
    return result;
  uint64_t word = string;
  struct signature_key key = {.layout = layout, .any = true, .text = true, .words = &word, .word_count = 1};
  return add_signature(profile, &key, number);
}

static struct signature_key key_of(const struct out_profile *profile, const struct out_signature *signature)
{
  return (struct signature_key){.layout = signature->layout,
                                .any = signature->any,
                                .text = signature->text,
                                .words = out_profile_words(profile, signature),
                                .word_count = signature->word_count};
}

/* Moves a signature and its words down, to behind those that stay. */
static void keep_signature(struct out_profile *profile, const struct out_signature *signature)
{
  struct out_signature moved = *signature;
  moved.first_word = profile->words.count;
  uint64_t *words = profile->words.data;
  if (moved.first_word != signature->first_word)
    memmove(words + moved.first_word, words + signature->first_word, moved.word_count * sizeof *words);
  profile->words.count += moved.word_count;
  *out_profile_signature(profile, profile->signatures.count++) = moved;
}

/* The set is larger than the processor's caches: where a signature belongs in it is fetched while those before it are
 * looked up. */
int out_profile_join_signatures(struct out_profile *profile, uint32_t first, uint32_t *joined)
{
  enum { AHEAD = 16 };
  uint64_t hashes[AHEAD];
  uint32_t end = profile->signatures.count;
  if (first == end || out_idset_reserve(&profile->signature_set, end - first) < 0)
    return first == end ? 0 : -ENOMEM;
  profile->signatures.count = first;
  profile->words.count = (uint32_t)out_profile_signature(profile, first)->first_word;
  for (uint64_t i = first; i < (uint64_t)end + AHEAD; i++) {
    if (i >= first + AHEAD) {
      const struct out_signature *signature = out_profile_signature(profile, (uint32_t)i - AHEAD);
      struct signature_key key = key_of(profile, signature);
      uint32_t *number = &joined[i - AHEAD - first];
      *number = out_idset_find(&profile->signature_set, hashes[i % AHEAD], profile, &key, equal_signature);
      if (*number == FMT_NONE) {
        *number = profile->signatures.count;
        keep_signature(profile, signature);
        out_idset_add(&profile->signature_set, hashes[i % AHEAD], *number);
      }
    }
    if (i < end) {
      struct signature_key key = key_of(profile, out_profile_signature(profile, (uint32_t)i));
      hashes[i % AHEAD] = hash_signature(&key);
      out_idset_prefetch(&profile->signature_set, hashes[i % AHEAD]);
    }
  }
  return 0;
}

bool out_profile_is_call(const struct out_profile *profile, uint32_t variant)
{
  const struct out_variant *known = variant == FMT_NONE ? NULL : out_profile_variant(profile, variant);
  return known && known->signature != FMT_NONE && known->context != FMT_NONE &&
         out_profile_context(profile, known->context)->callable != FMT_NONE;
}
