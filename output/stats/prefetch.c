/* Asks the processor for the memory of the rows that come next. */
#include "output/stats/prefetch.h"

#include "callsig/stats.h"

/* How many rows ahead each kind of memory is fetched: what is found through other memory comes so much later that the
 * other has arrived. */
enum { ROW = 32, SIGNATURE = 24, WORDS = 16, ENTRY = 8, ARGUMENTS = 4 };

static const struct out_signature *signature_of(const struct out_names *names, const struct out_row *row)
{
  return out_profile_signature(names->profile, row->key.what);
}

static const struct out_layout *layout_of(const struct out_names *names, const struct out_row *row)
{
  return out_profile_layout(names->profile, signature_of(names, row)->layout);
}

/* The lines of the cache that an object begins and ends in. */
#define FETCH(object, count)                                                                                           \
  do {                                                                                                                 \
    __builtin_prefetch(object);                                                                                        \
    __builtin_prefetch((const char *)((object) + (count)) - 1);                                                        \
  } while (0)

/* Everything is fetched here: a function that does nothing else is a function without effects to the compiler, which
 * leaves out calls of it. */
void out_prefetch_rows(const struct out_names *names, const struct out_rows *rows, const uint32_t *order, uint32_t left)
{
  const struct out_profile *profile = names->profile;
  if (left > ROW)
    FETCH(out_rows_at(rows, order[ROW]), 1);
  if (left <= SIGNATURE || out_rows_at(rows, order[SIGNATURE])->function == FMT_NONE)
    return;
  FETCH(out_profile_function(profile, out_rows_at(rows, order[SIGNATURE])->function), 1);
  const struct out_known_function *function = out_profile_function(profile, out_rows_at(rows, order[WORDS])->function);
  __builtin_prefetch(out_profile_string(profile, function->file));
  __builtin_prefetch(out_profile_string(profile, function->name));
  if (!(names->by & CALLSIG_BY_SIGNATURE))
    return;
  __builtin_prefetch(signature_of(names, out_rows_at(rows, order[SIGNATURE])));
  const struct out_signature *signature = signature_of(names, out_rows_at(rows, order[WORDS]));
  if (signature->word_count > 0)
    FETCH(out_profile_words(profile, signature), signature->word_count);
  FETCH(out_profile_layout(profile, signature->layout), 1);
  const struct out_layout *layout = layout_of(names, out_rows_at(rows, order[ENTRY]));
  __builtin_prefetch(&names->shown_function[layout->function]);
  if (layout->entry)
    FETCH(layout->entry, 1);
  layout = layout_of(names, out_rows_at(rows, order[ARGUMENTS]));
  const struct fmt_index_function *entry = layout->entry;
  if (entry && entry->arg_count > 0)
    FETCH(&layout->index->args[entry->first_arg], entry->arg_count);
}
