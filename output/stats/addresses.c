/* Finds integers whose values are addresses, and widens them to their types. */
#include "output/stats/addresses.h"

#include <errno.h>
#include <stdlib.h>

#include "output/profile/signature.h"

/* The kernel maps downwards from what it mapped first: so far below the lowest module there may be more. */
#define BELOW (UINT64_C(1) << 36)
/* Above is none of a program's. */
#define HIGH_END (UINT64_C(1) << 48)

/* What the values of an argument are so far. */
enum seen { SEEN_NO_CANDIDATE, SEEN_NOTHING, SEEN_ADDRESSES, SEEN_OTHERS };

struct search {
  struct out_profile *profile;
  uint64_t lowest; /* addresses begin here */
  uint8_t **seen;  /* by layout: enum seen for each argument; NULL: no argument is a candidate. Owned */
  struct out_arguments scratch;
};

static uint64_t find_lowest(const struct out_profile *profile)
{
  uint64_t lowest = HIGH_END;
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const uint64_t start = out_profile_recording(profile, i)->process.lowest_module;
    if (start >= FMT_REC_HIGH_MODULES && start < lowest)
      lowest = start;
  }
  return lowest == HIGH_END ? HIGH_END : lowest - BELOW;
}

static bool is_candidate(const struct out_layout *layout, uint32_t number)
{
  const struct fmt_index_arg *arg = &layout->index->args[layout->entry->first_arg + number];
  const struct fmt_index_type *type = &layout->index->types[arg->type];
  bool is_integer = type->kind == FMT_TYPE_SIGNED || type->kind == FMT_TYPE_UNSIGNED;
  return arg->kind == FMT_ARG_VALUE && is_integer && type->size == 8;
}

static int find_candidates(struct search *search, uint32_t number)
{
  const struct out_layout *layout = out_profile_layout(search->profile, number);
  for (uint32_t i = 0; layout->entry && !layout->is_settled && i < layout->entry->arg_count; i++) {
    if (!is_candidate(layout, i))
      continue;
    if (!search->seen[number])
      search->seen[number] = calloc(layout->entry->arg_count, 1);
    if (!search->seen[number])
      return -ENOMEM;
    search->seen[number][i] = SEEN_NOTHING;
  }
  return 0;
}

static void look_at(const struct search *search, const struct out_argument *argument, uint8_t *seen)
{
  if (*seen == SEEN_NO_CANDIDATE || argument->state != FMT_STATE_READ || argument->words[0] == 0)
    return;
  if (argument->words[0] < search->lowest || argument->words[0] >= HIGH_END)
    *seen = SEEN_OTHERS;
  else if (*seen == SEEN_NOTHING)
    *seen = SEEN_ADDRESSES;
}

static int look_at_all(struct search *search)
{
  for (uint32_t i = 0; i < search->profile->signatures.count; i++) {
    const struct out_signature *signature = out_profile_signature(search->profile, i);
    uint8_t *seen = search->seen[signature->layout];
    if (!seen || signature->any)
      continue;
    int result = out_arguments_of(search->profile, i, &search->scratch);
    if (result < 0)
      return result;
    for (uint32_t k = 0; k < search->scratch.count; k++)
      look_at(search, &search->scratch.list[k], &seen[k]);
  }
  return 0;
}

static int widen_layout(const struct search *search, uint32_t number)
{
  struct out_layout *layout = out_profile_layout(search->profile, number);
  for (uint32_t i = 0; search->seen[number] && i < layout->entry->arg_count; i++) {
    if (search->seen[number][i] != SEEN_ADDRESSES)
      continue;
    if (!layout->levels)
      layout->levels = calloc(layout->entry->arg_count, 1);
    if (!layout->levels)
      return -ENOMEM;
    layout->levels[i] = FMT_WIDEN_TYPE;
  }
  return 0;
}

int out_addresses_widen(struct out_profile *profile)
{
  const uint32_t count = profile->layouts.count;
  struct search search = {.profile = profile, .lowest = find_lowest(profile)};
  search.seen = calloc(count + 1u, sizeof *search.seen);
  int result = search.seen ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < count && result == 0; i++)
    result = find_candidates(&search, i);
  if (result == 0)
    result = look_at_all(&search);
  for (uint32_t i = 0; i < count && result == 0; i++)
    result = widen_layout(&search, i);
  for (uint32_t i = 0; search.seen && i < count; i++)
    free(search.seen[i]);
  free(search.seen);
  out_arguments_free(&search.scratch);
  return result;
}
