/*
 * A signature's words, read argument by argument. format/index.h says what they are.
 */
#ifndef CALLSIG_OUTPUT_PROFILE_SIGNATURE_H
#define CALLSIG_OUTPUT_PROFILE_SIGNATURE_H

#include "output/profile/profile.h"

/* One argument: its description, its state, and its words (none unless the state is READ or LOG2). */
struct out_argument {
  const struct fmt_index_arg *arg;
  const uint64_t *words;
  uint32_t word_count;
  uint32_t state; /* enum fmt_arg_state */
};

/* Arguments of one signature; reused from one to the next. Zero-initialise, free with out_arguments_free(). */
struct out_arguments {
  struct out_argument *list;
  uint32_t count, capacity;
};

void out_arguments_free(struct out_arguments *arguments);

/* Splits words into arguments. -EINVAL when they do not fit the layout, -ENOMEM. */
int out_arguments_split(const struct fmt_index *index, const struct fmt_index_function *entry, const uint64_t *words,
                        uint32_t word_count, struct out_arguments *arguments);

/* The same of an interned signature whose arguments were recorded; it fits by construction. -ENOMEM. */
int out_arguments_of(const struct out_profile *profile, uint32_t signature, struct out_arguments *arguments);

/* The state that is printed for an argument, in the words of the JSON contract: "read", "lost", "unreadable", "widened"
 * or "ignored". */
const char *out_argument_state(const struct out_argument *argument);

/* True when the argument's one word is the value of an integer, char, bool or enum (not of a function pointer). */
bool out_argument_is_number(const struct fmt_index *index, const struct out_argument *argument);

/* True when the argument's one word is a function pointer that was read and is not NULL: in a profile, its name's
 * string.
 */
bool out_argument_is_function(const struct fmt_index *index, const struct out_argument *argument);

/* Bit 63 of a STRING's or SPAN's first word: it was cut off. */
#define OUT_CUT (UINT64_C(1) << 63)

/* One direct child of group `group`, after `child` (the group itself for the first); FMT_NONE after the last. A group's
 * own NULLNESS child (FMT_ARG_GROUP_POINTER) is not among them. */
uint32_t out_group_child(const struct out_arguments *arguments, uint32_t group, uint32_t child);

/* The argument after `argument` and everything inside it. */
static inline uint32_t out_argument_after(const struct out_arguments *arguments, uint32_t argument)
{
  return argument + 1 + arguments->list[argument].arg->children;
}

/* True when the group's parameter was a NULL pointer. */
bool out_group_is_null(const struct out_arguments *arguments, uint32_t group);

#endif
