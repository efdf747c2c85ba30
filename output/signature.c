#include "signature.h"

#include <errno.h>
#include <stdlib.h>

void cs_arguments_free(struct cs_arguments *arguments)
{
  free(arguments->list);
  *arguments = (struct cs_arguments){0};
}

/* How many words an argument has whose first word (when there is one) is at `words`, of which `left` remain. SIZE_MAX
 * when they cannot be its words. */
static size_t words_of(const struct cs_index_arg *arg, uint32_t state, const uint64_t *words, size_t left)
{
  if (state == CS_STATE_LOG2)
    return 1;
  if (state != CS_STATE_READ)
    return 0;
  switch (arg->kind) {
  case CS_ARG_TYPE:
  case CS_ARG_GROUP:
  case CS_ARG_IGNORED:
    return 0;
  case CS_ARG_STRING:
    if (left == 0 || (words[0] != UINT64_MAX && (words[0] & ~CS_CUT) > CS_STRING_MAX))
      return SIZE_MAX;
    return words[0] == UINT64_MAX ? 1 : 1 + ((words[0] & ~CS_CUT) + 7) / 8;
  case CS_ARG_SPAN:
    if (left == 0 || (words[0] & ~CS_CUT) > CS_SPAN_MAX)
      return SIZE_MAX;
    return 1 + (words[0] & ~CS_CUT);
  default:
    return 1;
  }
}

/* Log2 buckets are -64 to 64. */
static bool is_bucket_valid(const struct cs_index_arg *arg, uint32_t state, const uint64_t *words)
{
  bool is_bucket = state == CS_STATE_LOG2 || (state == CS_STATE_READ && arg->kind == CS_ARG_BUCKET_LOG2);
  return !is_bucket || words[0] + 64 <= 128;
}

static int reserve(struct cs_arguments *arguments, uint32_t count)
{
  if (count <= arguments->capacity)
    return 0;
  struct cs_argument *list = reallocarray(arguments->list, count + 16, sizeof *list);
  if (!list)
    return -ENOMEM;
  arguments->list = list;
  arguments->capacity = count + 16;
  return 0;
}

int cs_arguments_split(const struct cs_index *index, const struct cs_index_function *entry, const uint64_t *words,
                       uint32_t word_count, struct cs_arguments *arguments)
{
  int result = reserve(arguments, entry->arg_count);
  if (result < 0)
    return result;
  if (word_count < entry->state_words || entry->state_words < (entry->arg_count + 15u) / 16)
    return -EINVAL;
  const uint64_t *next = word_count ? words + entry->state_words : NULL;
  size_t left = word_count - entry->state_words;
  for (uint32_t i = 0; i < entry->arg_count; i++) {
    const struct cs_index_arg *arg = &index->args[entry->first_arg + i];
    uint32_t state = words[i / 16] >> (i % 16 * 4) & 15;
    if (state > CS_STATE_TYPE)
      return -EINVAL;
    size_t count = words_of(arg, state, next, left);
    if (count > left || !is_bucket_valid(arg, state, next))
      return -EINVAL;
    arguments->list[i] = (struct cs_argument){.arg = arg, .words = next, .word_count = (uint32_t)count, .state = state};
    next += count;
    left -= count;
  }
  arguments->count = entry->arg_count;
  return left == 0 ? 0 : -EINVAL;
}

int cs_arguments_of(const struct cs_profile *profile, uint32_t signature, struct cs_arguments *arguments)
{
  const struct cs_signature *known = cs_profile_signature(profile, signature);
  const struct cs_layout *layout = cs_profile_layout(profile, known->layout);
  return cs_arguments_split(layout->index, layout->entry, cs_profile_words(profile, known), known->word_count,
                            arguments);
}

const char *cs_argument_state(const struct cs_argument *argument)
{
  if (argument->arg->kind == CS_ARG_IGNORED)
    return "ignored";
  switch (argument->state) {
  case CS_STATE_LOST:
    return "lost";
  case CS_STATE_UNREADABLE:
    return "unreadable";
  case CS_STATE_LOG2:
  case CS_STATE_TYPE:
    return "widened";
  default:
    return "read";
  }
}

bool cs_argument_is_number(const struct cs_index *index, const struct cs_argument *argument)
{
  return argument->arg->kind == CS_ARG_VALUE && index->types[argument->arg->type].kind != CS_TYPE_FUNCTION_POINTER;
}

bool cs_argument_is_function(const struct cs_index *index, const struct cs_argument *argument)
{
  return argument->state == CS_STATE_READ && argument->arg->kind == CS_ARG_VALUE &&
         index->types[argument->arg->type].kind == CS_TYPE_FUNCTION_POINTER && argument->words[0] != 0;
}

uint32_t cs_group_child(const struct cs_arguments *arguments, uint32_t group, uint32_t child)
{
  uint32_t end = cs_argument_after(arguments, group);
  uint32_t next = group + 1;
  if (child != group)
    next = cs_argument_after(arguments, child);
  else if (arguments->list[group].arg->flags & CS_ARG_GROUP_POINTER)
    next = group + 2;
  return next < end && next < arguments->count ? next : CS_NONE;
}

bool cs_group_is_null(const struct cs_arguments *arguments, uint32_t group)
{
  if (!(arguments->list[group].arg->flags & CS_ARG_GROUP_POINTER) || group + 1 >= arguments->count)
    return false;
  const struct cs_argument *pointer = &arguments->list[group + 1];
  return pointer->state == CS_STATE_READ && pointer->word_count == 1 && pointer->words[0] == 0;
}
