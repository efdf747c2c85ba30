/* Looks on which sides there are signatures. */
#include "output/diff/without_signatures.h"

/* What there is of one side. Calls without arguments have the same signature with and without. */
struct side {
  bool has_unread, has_signatures; /* calls whose arguments are not told, and calls whose are */
};

static void look_at(struct side *side, double calls, const struct out_signature *signature)
{
  side->has_unread |= calls > 0 && signature->any;
  side->has_signatures |= calls > 0 && !signature->any && signature->word_count > 0;
}

static bool is_without(const struct side *side, const struct side *other)
{
  return side->has_unread && !side->has_signatures && other->has_signatures;
}

const char *out_diff_without_signatures(const struct out_diff *diff)
{
  struct side old = {0}, new = {0};
  if (!(diff->stats->by & CALLSIG_BY_SIGNATURE))
    return NULL;
  for (uint32_t i = 0; i < diff->rows.count; i++) {
    const struct out_diff_row *row = base_vector_at(&diff->rows, i);
    const struct out_signature *signature = out_profile_signature(&diff->stats->profile, row->key.what);
    look_at(&old, row->change.old.calls, signature);
    look_at(&new, row->change.new.calls, signature);
  }
  return is_without(&old, &new) ? "old" : is_without(&new, &old) ? "new" : NULL;
}
