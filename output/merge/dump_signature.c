/* The signatures that variants refer to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/merge/dump.h"
#include "output/profile/signature.h"

/* The words as they were recorded: a function pointer, which is a name in memory, refers to that name. */
static int restore_words(struct out_dump *dump, uint32_t number, struct out_arguments *scratch, uint64_t *words)
{
  const struct out_signature *signature = out_profile_signature(dump->profile, number);
  const struct out_layout *layout = out_profile_layout(dump->profile, signature->layout);
  const uint64_t *known = out_profile_words(dump->profile, signature);
  memcpy(words, known, signature->word_count * sizeof *words);
  int result = out_arguments_of(dump->profile, number, scratch);
  for (uint32_t i = 0; i < scratch->count && result == 0; i++) {
    const struct out_argument *argument = &scratch->list[i];
    if (out_argument_is_function(layout->index, argument))
      words[argument->words - known] = out_dump_string(dump, (uint32_t)argument->words[0]);
  }
  return result;
}

static int put_signature(struct out_dump *dump, uint32_t number, uint64_t function, struct out_arguments *scratch)
{
  const struct out_signature *signature = out_profile_signature(dump->profile, number);
  enum { HEAD_WORDS = sizeof(struct fmt_rec_signature) / sizeof(uint64_t) };
  uint64_t record[HEAD_WORDS + FMT_SIGNATURE_MAX_WORDS] = {0}, *words = record + HEAD_WORDS;
  struct fmt_rec_signature *head = (struct fmt_rec_signature *)(void *)record;
  *head = (struct fmt_rec_signature){.function = function, .word_count = signature->word_count};
  head->flags = signature->text ? FMT_SIGNATURE_TEXT : (signature->any ? FMT_SIGNATURE_NONE : 0);
  int result = 0;
  if (signature->text)
    words[0] = out_dump_string(dump, (uint32_t)*out_profile_words(dump->profile, signature));
  else if (signature->word_count > 0)
    result = restore_words(dump, number, scratch, words);
  size_t size = sizeof *head + signature->word_count * sizeof *words;
  head->tag = (struct fmt_rec_tag){.tag = FMT_TAG_SIGNATURE, .size = (uint32_t)size};
  dump->signatures[number] = out_dump_put(dump, record, size);
  return result;
}

/* By layout, the first function that was written with it. */
static uint64_t *functions_by_layout(const struct out_dump *dump)
{
  uint64_t *functions = calloc(dump->profile->layouts.count + 1u, sizeof *functions);
  for (uint32_t i = 0; functions && i < dump->profile->callables.count; i++) {
    uint64_t *first = &functions[out_profile_callable(dump->profile, i)->layout];
    if (dump->functions[i] != 0 && (*first == 0 || dump->functions[i] < *first))
      *first = dump->functions[i];
  }
  return functions;
}

int out_dump_signatures(struct out_dump *dump)
{
  const struct out_profile *profile = dump->profile;
  uint64_t *functions = functions_by_layout(dump);
  dump->signatures = calloc(profile->signatures.count + 1u, sizeof *dump->signatures);
  struct out_arguments scratch = {0};
  int result = functions && dump->signatures ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < profile->variants.count && result == 0; i++) {
    uint32_t signature = out_profile_variant(profile, i)->signature;
    if (signature != FMT_NONE && dump->signatures[signature] == 0)
      result = put_signature(dump, signature, functions[out_profile_signature(profile, signature)->layout], &scratch);
  }
  out_arguments_free(&scratch);
  free(functions);
  return result;
}
