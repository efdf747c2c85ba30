/* Lists the functions of all indexes in a profile by the names that a filter has for them. */
#include "output/score/names.h"

#include <errno.h>
#include <stdlib.h>

/* What the list is made with. */
struct listing {
  const struct out_score *score;
  out_score_see_fn see;
  struct out_score_names *names;
  uint32_t *scored; /* by function of the profile: of score.functions, FMT_NONE: not called. Owned */
  struct out_text text;
};

void out_score_names_free(struct out_score_names *names)
{
  base_strings_free(names->strings);
  base_vector_free(&names->list);
}

/* The text that was made, as a string of the names. */
static int keep_text(struct listing *listing, uint32_t *string)
{
  int result = listing->text.failed
                   ? -ENOMEM
                   : base_strings_add(listing->names->strings, out_text_string(&listing->text), string);
  out_text_clear(&listing->text);
  return result;
}

static void put_place(const struct fmt_index *index, const struct fmt_index_function *entry, struct out_text *text)
{
  const char *file = index->strings + entry->file, *name = index->strings + entry->name;
  out_text_printable(text, file, strlen(file));
  out_text_printf(text, ":%u(", entry->line);
  out_text_printable(text, name, strlen(name));
  out_text_putc(text, ')');
}

static int add(struct listing *listing, uint32_t module_number, uint32_t number)
{
  const struct callsig_stats *stats = listing->score->stats;
  const struct out_known_module *module = out_profile_module(&stats->profile, module_number);
  const struct fmt_index_function *entry = &module->index.functions[number];
  struct out_score_name name = {.function = FMT_NONE};
  uint32_t callable = out_profile_find_callable(&stats->profile, module_number, number);
  if (callable != FMT_NONE)
    name.function = listing->scored[stats->shown_function[out_profile_callable(&stats->profile, callable)->function]];
  listing->see(&module->index, entry, &listing->text);
  int result = keep_text(listing, &name.seen);
  put_place(&module->index, entry, &listing->text);
  if (result == 0)
    result = keep_text(listing, &name.place);
  struct out_score_name *added = result == 0 ? base_vector_add(&listing->names->list, 1) : NULL;
  if (added)
    *added = name;
  return result == 0 && !added ? -ENOMEM : result;
}

static int by_seen(const void *left, const void *right)
{
  const struct out_score_name *a = left, *b = right;
  if (a->seen != b->seen)
    return a->seen < b->seen ? -1 : 1;
  if (a->place != b->place)
    return a->place < b->place ? -1 : 1;
  return a->function < b->function ? -1 : a->function > b->function;
}

/* The same function of several modules, or of one that was loaded twice, is there once, as a function that was called
 * if it was in any. */
static void sort(struct base_vector *list)
{
  uint32_t kept = 0;
  if (list->count > 1)
    qsort(list->data, list->count, list->entry_size, by_seen);
  for (uint32_t i = 0; i < list->count; i++) {
    const struct out_score_name *name = base_vector_at(list, i),
                                *before = kept > 0 ? base_vector_at(list, kept - 1) : NULL;
    if (before && before->seen == name->seen && before->place == name->place)
      continue;
    *(struct out_score_name *)base_vector_at(list, kept++) = *name;
  }
  list->count = kept;
}

int out_score_names_make(const struct out_score *score, out_score_see_fn see, struct out_score_names *names)
{
  const struct out_profile *profile = &score->stats->profile;
  *names = (struct out_score_names){.strings = base_strings_new(), .list = BASE_VECTOR_OF(struct out_score_name)};
  struct listing listing = {.score = score, .see = see, .names = names, .scored = out_score_by_function(score)};
  int result = names->strings && listing.scored ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < profile->modules.count && result == 0; i++) {
    const struct out_known_module *module = out_profile_module(profile, i);
    uint32_t count = module->index.header ? module->index.count[FMT_SECTION_FUNCTIONS] : 0;
    for (uint32_t k = 0; k < count && result == 0; k++)
      result = add(&listing, i, k);
  }
  sort(&names->list);
  free(listing.scored);
  out_text_free(&listing.text);
  return result;
}
