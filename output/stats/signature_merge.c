/* Finds which signatures meet in one row. */
#include "output/stats/signature_merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/profile/signature.h"
#include "output/stats/addresses.h"
#include "output/stats/render.h"

void out_signature_merge_free(struct out_signature_merge *signature_merge)
{
  free(signature_merge->row_of);
  free(signature_merge->joined);
  *signature_merge = (struct out_signature_merge){0};
}

/* Buckets are of numbers alone; everything else goes from exact to its type. */
static bool has_buckets(const struct fmt_index *index, const struct out_argument *argument)
{
  return out_argument_is_number(index, argument) || argument->arg->kind == FMT_ARG_BUCKET_LOG2;
}

static bool is_signed(const struct fmt_index_type *type)
{
  return type->is_signed || type->kind == FMT_TYPE_SIGNED;
}

/* The state of an argument under a level, and the bucket that goes with FMT_STATE_LOG2. What has no words has nothing
 * to widen; what was not read stays so. */
static uint32_t widen_argument(const struct fmt_index *index, const struct out_argument *argument, uint8_t level,
                               uint64_t *bucket)
{
  if (level == FMT_WIDEN_NONE || argument->word_count == 0)
    return argument->state;
  if (level == FMT_WIDEN_TYPE || !has_buckets(index, argument))
    return FMT_STATE_TYPE;
  bool is_bucket = argument->state == FMT_STATE_LOG2 || argument->arg->kind == FMT_ARG_BUCKET_LOG2;
  *bucket = is_bucket ? argument->words[0]
                      : (uint64_t)fmt_bucket_log2(argument->words[0], is_signed(&index->types[argument->arg->type]));
  return FMT_STATE_LOG2;
}

/* Writes the widened words of `arguments` into `words` (room for FMT_SIGNATURE_MAX_WORDS) and returns how many there
 * are. */
static uint16_t widen_words(const struct out_layout *layout, const struct out_arguments *arguments, uint64_t *words)
{
  uint16_t count = layout->entry->state_words;
  memset(words, 0, count * sizeof *words);
  for (uint32_t i = 0; i < arguments->count; i++) {
    const struct out_argument *argument = &arguments->list[i];
    uint64_t bucket = 0;
    uint32_t state = widen_argument(layout->index, argument, layout->levels[i], &bucket);
    words[i / 16] |= (uint64_t)state << (i % 16 * 4);
    if (state == FMT_STATE_LOG2) {
      words[count++] = bucket;
    } else if (state == argument->state && argument->word_count > 0) {
      memcpy(&words[count], argument->words, argument->word_count * sizeof *words);
      count = (uint16_t)(count + argument->word_count);
    }
  }
  return count;
}

static int widen_one(struct out_profile *profile, uint32_t number, struct out_arguments *scratch, uint32_t *row)
{
  const struct out_signature *signature = out_profile_signature(profile, number);
  const struct out_layout *layout = out_profile_layout(profile, signature->layout);
  *row = number;
  if (!layout->levels || signature->any)
    return 0;
  uint64_t words[FMT_SIGNATURE_MAX_WORDS];
  int result = out_arguments_of(profile, number, scratch);
  if (result < 0)
    return result;
  uint16_t count = widen_words(layout, scratch, words);
  return out_profile_intern_signature(profile, signature->layout, false, words, count, row);
}

/* Signatures by what is printed of them: the function that they are shown as, and their text. */
struct texts {
  struct base_vector entries; /* struct text_entry */
  struct out_idset set;
};

struct text_entry {
  uint32_t function, string, signature;
};

static bool equal_entry(const void *owner, uint32_t number, const void *key)
{
  const struct texts *texts = owner;
  const struct text_entry *there = base_vector_at(&texts->entries, number), *wanted = key;
  return there->function == wanted->function && there->string == wanted->string;
}

/* The first signature that prints as this one does. */
static int meet_by_text(struct texts *texts, struct text_entry entry, uint32_t *row)
{
  uint64_t hash = out_hash_mix(entry.function, entry.string);
  uint32_t found = out_idset_find(&texts->set, hash, texts, &entry, equal_entry);
  if (found != UINT32_MAX) {
    *row = ((struct text_entry *)base_vector_at(&texts->entries, found))->signature;
    return 0;
  }
  struct text_entry *added = base_vector_add(&texts->entries, 1);
  if (!added)
    return -ENOMEM;
  *added = entry;
  *row = entry.signature;
  return out_idset_add(&texts->set, hash, texts->entries.count - 1);
}

static int meet_row(struct out_profile *profile, struct texts *texts, uint32_t function, uint32_t signature,
                    struct out_arguments *scratch, uint32_t *row)
{
  struct out_text text = {0};
  struct text_entry entry = {.function = function, .signature = signature};
  out_render_signature(profile, signature, scratch, &text);
  int result = text.failed ? -ENOMEM : base_strings_add(profile->strings, out_text_string(&text), &entry.string);
  out_text_free(&text);
  return result < 0 ? result : meet_by_text(texts, entry, row);
}

/* How many layouts each shown function has. */
static uint32_t *count_layouts(const struct out_profile *profile, const uint32_t *shown_function)
{
  uint32_t *layouts = calloc(profile->functions.count + 1u, sizeof *layouts);
  for (uint32_t i = 0; layouts && i < profile->layouts.count; i++)
    layouts[shown_function[out_profile_layout(profile, i)->function]]++;
  return layouts;
}

static int meet_texts(struct out_profile *profile, const uint32_t *shown_function, const uint32_t *layouts,
                      struct out_signature_merge *signature_merge)
{
  struct texts texts = {.entries = BASE_VECTOR_OF(struct text_entry)};
  struct out_arguments scratch = {0};
  int result = 0;
  for (uint32_t i = 0; i < profile->signatures.count && result == 0; i++) {
    uint32_t row = signature_merge->row_of[i];
    uint32_t function =
        shown_function[out_profile_layout(profile, out_profile_signature(profile, row)->layout)->function];
    if (layouts[function] > 1)
      result = meet_row(profile, &texts, function, row, &scratch, &signature_merge->row_of[i]);
  }
  out_arguments_free(&scratch);
  base_vector_free(&texts.entries);
  out_idset_free(&texts.set);
  return result;
}

static int widen_all(struct out_profile *profile, struct out_signature_merge *signature_merge, uint32_t count)
{
  struct out_arguments scratch = {0};
  int result = 0;
  for (uint32_t i = 0; i < count && result == 0; i++) {
    result = widen_one(profile, i, &scratch, &signature_merge->row_of[i]);
    signature_merge->widened += result == 0 && signature_merge->row_of[i] != i;
  }
  out_arguments_free(&scratch);
  return result;
}

/* What widening made belongs to its own row, or to that of an equal text. */
static int cover_made(const struct out_profile *profile, struct out_signature_merge *signature_merge, uint32_t count)
{
  uint32_t all = profile->signatures.count;
  uint32_t *row_of = reallocarray(signature_merge->row_of, all + 1u, sizeof *row_of);
  if (!row_of)
    return -ENOMEM;
  signature_merge->row_of = row_of;
  for (uint32_t i = count; i < all; i++)
    row_of[i] = i;
  signature_merge->joined = calloc(all + 1u, 1);
  if (!signature_merge->joined)
    return -ENOMEM;
  for (uint32_t i = 0; i < count; i++)
    signature_merge->joined[row_of[i]] |= row_of[i] != i;
  return 0;
}

int out_signature_merge_make(struct out_profile *profile, const uint32_t *shown_function,
                             struct out_signature_merge *signature_merge)
{
  *signature_merge = (struct out_signature_merge){0};
  if (out_addresses_widen(profile) < 0)
    return -ENOMEM;
  uint32_t count = profile->signatures.count;
  uint32_t *layouts = count_layouts(profile, shown_function);
  signature_merge->row_of = malloc((count + 1u) * sizeof *signature_merge->row_of);
  int result = layouts && signature_merge->row_of ? widen_all(profile, signature_merge, count) : -ENOMEM;
  if (result == 0)
    result = cover_made(profile, signature_merge, count);
  if (result == 0)
    result = meet_texts(profile, shown_function, layouts, signature_merge);
  free(layouts);
  if (result < 0)
    out_signature_merge_free(signature_merge);
  return result;
}
