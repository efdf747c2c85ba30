/*
 * A signature's words, read argument by argument. format/index.h says what they are.
 */
#ifndef CALLSIG_OUTPUT_SIGNATURE_H
#define CALLSIG_OUTPUT_SIGNATURE_H

#include "profile.h"

/* One argument: its description, its state, and its words (none unless the state is READ or LOG2). */
struct cs_argument {
  const struct cs_index_arg *arg;
  const uint64_t *words;
  uint32_t word_count;
  uint32_t state; /* enum cs_arg_state */
};

/* Arguments of one signature; reused from one to the next. Zero-initialise, free with cs_arguments_free(). */
struct cs_arguments {
  struct cs_argument *list;
  uint32_t count, capacity;
};

void cs_arguments_free(struct cs_arguments *arguments);

/* Splits words into arguments. -EINVAL when they do not fit the layout, -ENOMEM. */
int cs_arguments_split(const struct cs_index *index, const struct cs_index_function *entry, const uint64_t *words,
                       uint32_t word_count, struct cs_arguments *arguments);

/* The same of an interned signature whose arguments were recorded; it fits by construction. -ENOMEM. */
int cs_arguments_of(const struct cs_profile *profile, uint32_t signature, struct cs_arguments *arguments);

/* The state that is printed for an argument, in the words of the JSON contract: "read", "lost", "unreadable", "widened"
 * or "ignored". */
const char *cs_argument_state(const struct cs_argument *argument);

/* True when the argument's one word is the value of an integer, char, bool or enum (not of a function pointer). */
bool cs_argument_is_number(const struct cs_index *index, const struct cs_argument *argument);

/* True when the argument's one word is a function pointer that was read and is not NULL: in a profile, its name's
 * string.
 */
bool cs_argument_is_function(const struct cs_index *index, const struct cs_argument *argument);

/* Bit 63 of a STRING's or SPAN's first word: it was cut off. */
#define CS_CUT (UINT64_C(1) << 63)

/* One direct child of group `group`, after `child` (the group itself for the first); CS_NONE after the last. A group's
 * own NULLNESS child (CS_ARG_GROUP_POINTER) is not among them. */
uint32_t cs_group_child(const struct cs_arguments *arguments, uint32_t group, uint32_t child);

/* The argument after `argument` and everything inside it. */
static inline uint32_t cs_argument_after(const struct cs_arguments *arguments, uint32_t argument)
{
  return argument + 1 + arguments->list[argument].arg->children;
}

/* True when the group's parameter was a NULL pointer. */
bool cs_group_is_null(const struct cs_arguments *arguments, uint32_t group);

#endif
