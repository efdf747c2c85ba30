/* Takes the words of a signature apart, argument by argument. */
#include "output/profile/signature.h"

#include <errno.h>
#include <stdlib.h>

void out_arguments_free(struct out_arguments *arguments)
{
  free(arguments->list);
  *arguments = (struct out_arguments){0};
}

/* How many words an argument has whose first word (when there is one) is at `words`, of which `left` remain. SIZE_MAX
 * when they cannot be its words. */
static size_t words_of(const struct fmt_index_arg *arg, uint32_t state, const uint64_t *words, size_t left)
{
  if (state == FMT_STATE_LOG2)
    return 1;
  if (state != FMT_STATE_READ)
    return 0;
  switch (arg->kind) {
  case FMT_ARG_TYPE:
  case FMT_ARG_GROUP:
  case FMT_ARG_IGNORED:
    return 0;
  case FMT_ARG_STRING:
    if (left == 0 || (words[0] != UINT64_MAX && (words[0] & ~OUT_CUT) > FMT_STRING_MAX))
      return SIZE_MAX;
    return words[0] == UINT64_MAX ? 1 : 1 + ((words[0] & ~OUT_CUT) + 7) / 8;
  case FMT_ARG_SPAN:
    if (left == 0 || (words[0] & ~OUT_CUT) > FMT_SPAN_MAX)
      return SIZE_MAX;
    return 1 + (words[0] & ~OUT_CUT);
  default:
    return 1;
  }
}

/* Log2 buckets are -64 to 64. */
static bool is_bucket_valid(const struct fmt_index_arg *arg, uint32_t state, const uint64_t *words)
{
  bool is_bucket = state == FMT_STATE_LOG2 || (state == FMT_STATE_READ && arg->kind == FMT_ARG_BUCKET_LOG2);
  return !is_bucket || words[0] + 64 <= 128;
}

static int reserve(struct out_arguments *arguments, uint32_t count)
{
  if (count <= arguments->capacity)
    return 0;
  struct out_argument *list = reallocarray(arguments->list, count + 16, sizeof *list);
  if (!list)
    return -ENOMEM;
  arguments->list = list;
  arguments->capacity = count + 16;
  return 0;
}

int out_arguments_split(const struct fmt_index *index, const struct fmt_index_function *entry, const uint64_t *words,
                        uint32_t word_count, struct out_arguments *arguments)
{
  int result = reserve(arguments, entry->arg_count);
  if (result < 0)
    return result;
  if (word_count < entry->state_words || entry->state_words < (entry->arg_count + 15u) / 16)
    return -EINVAL;
  const uint64_t *next = word_count ? words + entry->state_words : NULL;
  size_t left = word_count - entry->state_words;
  for (uint32_t i = 0; i < entry->arg_count; i++) {
    const struct fmt_index_arg *arg = &index->args[entry->first_arg + i];
    uint32_t state = words[i / 16] >> (i % 16 * 4) & 15;
    if (state > FMT_STATE_TYPE)
      return -EINVAL;
    size_t count = words_of(arg, state, next, left);
    if (count > left || !is_bucket_valid(arg, state, next))
      return -EINVAL;
    arguments->list[i] =
        (struct out_argument){.arg = arg, .words = next, .word_count = (uint32_t)count, .state = state};
    next += count;
    left -= count;
  }
  arguments->count = entry->arg_count;
  return left == 0 ? 0 : -EINVAL;
}

int out_arguments_of(const struct out_profile *profile, uint32_t signature, struct out_arguments *arguments)
{
  const struct out_signature *known = out_profile_signature(profile, signature);
  const struct out_layout *layout = out_profile_layout(profile, known->layout);
  return out_arguments_split(layout->index, layout->entry, out_profile_words(profile, known), known->word_count,
                             arguments);
}

const char *out_argument_state(const struct out_argument *argument)
{
  if (argument->arg->kind == FMT_ARG_IGNORED)
    return "ignored";
  switch (argument->state) {
  case FMT_STATE_LOST:
    return "lost";
  case FMT_STATE_UNREADABLE:
    return "unreadable";
  case FMT_STATE_LOG2:
  case FMT_STATE_TYPE:
    return "widened";
  default:
    return "read";
  }
}

bool out_argument_is_number(const struct fmt_index *index, const struct out_argument *argument)
{
  return argument->arg->kind == FMT_ARG_VALUE && index->types[argument->arg->type].kind != FMT_TYPE_FUNCTION_POINTER;
}

bool out_argument_is_function(const struct fmt_index *index, const struct out_argument *argument)
{
  return argument->state == FMT_STATE_READ && argument->arg->kind == FMT_ARG_VALUE &&
         index->types[argument->arg->type].kind == FMT_TYPE_FUNCTION_POINTER && argument->words[0] != 0;
}

uint32_t out_group_child(const struct out_arguments *arguments, uint32_t group, uint32_t child)
{
  uint32_t end = out_argument_after(arguments, group);
  uint32_t next = group + 1;
  if (child != group)
    next = out_argument_after(arguments, child);
  else if (arguments->list[group].arg->flags & FMT_ARG_GROUP_POINTER)
    next = group + 2;
  return next < end && next < arguments->count ? next : FMT_NONE;
}

bool out_group_is_null(const struct out_arguments *arguments, uint32_t group)
{
  if (!(arguments->list[group].arg->flags & FMT_ARG_GROUP_POINTER) || group + 1 >= arguments->count)
    return false;
  const struct out_argument *pointer = &arguments->list[group + 1];
  return pointer->state == FMT_STATE_READ && pointer->word_count == 1 && pointer->words[0] == 0;
}
