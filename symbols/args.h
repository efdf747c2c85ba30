/*
 * The args of one plan while they are made: how a value of a type is printed by default, and what a rule makes of it.
 */
#ifndef CALLSIG_SYMBOLS_ARGS_H
#define CALLSIG_SYMBOLS_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place.h"
#include "plan.h"

/* What became of a rule in this module. */
struct cs_rule_state {
  uint32_t uses; /* in functions with a probe site */
  bool known;    /* everything that it names was found in a function or type, with a probe site or without */
  struct cs_problem problem; /* the deepest one met */
};

/* Rules and their states; the module's own first, so that those of the rules file are looked at last and win. */
struct cs_rule_set {
  const struct cs_rules *rules; /* NULL for none */
  struct cs_rule_state *states;
};
enum { CS_RULE_SETS = 2 };

/* The bucket lists of CS_SECTION_RANGES. */
struct cs_ranges {
  int64_t *values;
  uint32_t count, capacity;
};

/* A parameter as rules see it. */
struct cs_args_parameter {
  const char *name;
  struct cs_place place;
};

struct cs_args {
  struct cs_arena *arena; /* the planner's */
  struct cs_strings *strings;
  struct cs_types *types;
  struct cs_catalog *catalog;
  struct cs_ranges *ranges;
  struct cs_rule_set *sets; /* CS_RULE_SETS of them */
  const struct cs_args_parameter *parameters;
  uint16_t parameter_count;
  struct cs_plan_arg *args; /* from malloc(): the result */
  uint16_t count, capacity;
  bool judging;   /* the function has no probe site: it is planned to see whether rules fit it */
  uint32_t words; /* of the signature, at most, without state words */
};

/* A value to be printed. */
struct cs_args_value {
  const char *name;
  struct cs_place place;
  const struct cs_place
      *base;       /* of a field: the struct that paths in its rule start at; NULL: they start at parameters */
  uint8_t flags;   /* enum cs_arg_flag */
  int group_depth; /* how many groups it is in */
  const struct cs_rule *inside[4]; /* the type rules of those groups */
};

/* Adds what prints `value`: one arg, or a group and its children. `why` explains the choice of the first. -EINVAL with
 * `problem` when `how` does not fit the value: nothing is added then. */
int cs_args_add(struct cs_args *args, const struct cs_args_value *value, const struct cs_rule_how *how, const char *why,
                struct cs_problem *problem);

/* The place that a path of a rule means: from parameters, or from `base` when that is not NULL. */
int cs_args_resolve(struct cs_args *args, const struct cs_place *base, const struct cs_rule_path *path,
                    struct cs_place *place, struct cs_problem *problem);

/* What joins need to know of a parameter's type. */
struct cs_join_parameter;
void cs_args_join_role(const struct cs_args *args, const struct cs_place *place, uint32_t type,
                       struct cs_join_parameter *join);

/* Between the files that make args. */

/* What a value is. `entry` is a copy of the type's. */
struct cs_args_kind {
  uint32_t type;
  struct cs_index_type entry;
  Dwarf_Die stripped; /* not set for void */
  bool is_reference;
};
int cs_args_kind(const struct cs_args *args, const struct cs_place *place, struct cs_args_kind *kind);

/* Whether the kind is an integer, bool, char or enum of at most 8 bytes. */
bool cs_args_is_integer(const struct cs_args_kind *kind);

/* Appends an arg that may take up to `words` signature words, path from `place`; beyond CS_SIGNATURE_MAX_WORDS it
 * becomes CS_ARG_TYPE. The appended arg is the last one. */
int cs_args_push(struct cs_args *args, const struct cs_plan_arg *arg, const char *name, const struct cs_place *place,
                 uint32_t size, uint32_t words);

/* What a value prints as without any rule. */
int cs_args_add_default(struct cs_args *args, const struct cs_args_value *value, const struct cs_args_kind *kind,
                        const char *why);

/* What a rule's words make of a value (actions.c). */
int cs_args_add_action(struct cs_args *args, const struct cs_args_value *value, const struct cs_args_kind *kind,
                       const struct cs_rule_how *how, const char *why, struct cs_problem *problem);

/* The group that a type rule makes of a value (groups.c): 1 when one was added, 0 when no rule applies. */
int cs_args_add_group(struct cs_args *args, const struct cs_args_value *value, const struct cs_args_kind *kind);

/* Carries out one type rule for `value`, whatever its type's name is. -EINVAL with `problem`: nothing is added. */
int cs_args_try_group(struct cs_args *args, const struct cs_args_value *value, const struct cs_rule *rule,
                      struct cs_problem *problem);

/* The elements [from..to] of an array. */
int cs_args_add_span(struct cs_args *args, const struct cs_args_value *value, const struct cs_rule_path *path,
                     const char *why, struct cs_problem *problem);

/* Counts a use. */
void cs_rule_applied(const struct cs_args *args, struct cs_rule_state *state);

/* Keeps the deepest problem that a rule has met. */
void cs_rule_failed(struct cs_rule_state *state, const struct cs_problem *problem);

#endif
