/* The signatures that variants refer to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "signature.h"

/* The words as they were recorded: a function pointer, which is a name in memory, refers to that name. */
static int restore_words(struct cs_dump *dump, uint32_t number, struct cs_arguments *scratch, uint64_t *words)
{
  const struct cs_signature *signature = cs_profile_signature(dump->profile, number);
  const struct cs_layout *layout = cs_profile_layout(dump->profile, signature->layout);
  const uint64_t *known = cs_profile_words(dump->profile, signature);
  memcpy(words, known, signature->word_count * sizeof *words);
  int result = cs_arguments_of(dump->profile, number, scratch);
  for (uint32_t i = 0; i < scratch->count && result == 0; i++) {
    const struct cs_argument *argument = &scratch->list[i];
    if (cs_argument_is_function(layout->index, argument))
      words[argument->words - known] = cs_dump_string(dump, (uint32_t)argument->words[0]);
  }
  return result;
}

static int put_signature(struct cs_dump *dump, uint32_t number, uint64_t function, struct cs_arguments *scratch)
{
  const struct cs_signature *signature = cs_profile_signature(dump->profile, number);
  enum { HEAD_WORDS = sizeof(struct cs_rec_signature) / sizeof(uint64_t) };
  uint64_t record[HEAD_WORDS + CS_SIGNATURE_MAX_WORDS] = {0}, *words = record + HEAD_WORDS;
  struct cs_rec_signature *head = (struct cs_rec_signature *)(void *)record;
  *head = (struct cs_rec_signature){.function = function, .word_count = signature->word_count};
  head->flags = signature->text ? CS_SIGNATURE_TEXT : (signature->any ? CS_SIGNATURE_NONE : 0);
  int result = 0;
  if (signature->text)
    words[0] = cs_dump_string(dump, (uint32_t)*cs_profile_words(dump->profile, signature));
  else if (signature->word_count > 0)
    result = restore_words(dump, number, scratch, words);
  size_t size = sizeof *head + signature->word_count * sizeof *words;
  head->tag = (struct cs_rec_tag){.tag = CS_TAG_SIGNATURE, .size = (uint32_t)size};
  dump->signatures[number] = cs_dump_put(dump, record, size);
  return result;
}

/* By layout, a function that has it. */
static uint64_t *functions_by_layout(const struct cs_dump *dump)
{
  uint64_t *functions = calloc(dump->profile->layouts.count + 1u, sizeof *functions);
  for (uint32_t i = dump->profile->codes.count; functions && i-- > 0;)
    functions[cs_profile_code(dump->profile, i)->layout] = dump->functions[i];
  return functions;
}

int cs_dump_signatures(struct cs_dump *dump)
{
  const struct cs_profile *profile = dump->profile;
  uint64_t *functions = functions_by_layout(dump);
  dump->signatures = calloc(profile->signatures.count + 1u, sizeof *dump->signatures);
  struct cs_arguments scratch = {0};
  int result = functions && dump->signatures ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < profile->variants.count && result == 0; i++) {
    uint32_t signature = cs_profile_variant(profile, i)->signature;
    if (signature != CS_NONE && dump->signatures[signature] == 0)
      result = put_signature(dump, signature, functions[cs_profile_signature(profile, signature)->layout], &scratch);
  }
  cs_arguments_free(&scratch);
  free(functions);
  return result;
}
