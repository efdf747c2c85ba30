/*
 * The args of one plan while they are made: the list, the parameters that rules name, and the default of each type.
 */
#ifndef CALLSIG_SYMBOLS_PLAN_ARGS_H
#define CALLSIG_SYMBOLS_PLAN_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"
#include "symbols/dwarf/types.h"
#include "symbols/plan/access_path.h"
#include "symbols/plan/plan.h"
#include "symbols/plan/rules.h"

/* What became of a rule in this module. */
struct sym_rule_state {
  uint32_t uses; /* in functions with a probe site */
  bool known;    /* everything that it names was found in a function or type, with a probe site or without */
  struct sym_problem problem; /* the deepest one met */
};

/* Rules and their states; the module's own first, so that those of the rules file are looked at last and win. */
struct sym_rule_set {
  const struct sym_rules *rules; /* NULL for none */
  struct sym_rule_state *states;
};
enum { SYM_RULE_SETS = 2 };

/* The bucket lists of FMT_SECTION_RANGES. */
struct sym_ranges {
  int64_t *values;
  uint32_t count, capacity;
};

/* A parameter as rules see it. */
struct sym_args_parameter {
  const char *name;
  struct sym_access_path access_path;
};

struct sym_args {
  struct base_arena *arena; /* the planner's */
  struct base_strings *strings;
  struct sym_types *types;
  struct sym_catalog *catalog;
  struct sym_ranges *ranges;
  struct sym_rule_set *sets; /* SYM_RULE_SETS of them */
  const struct sym_args_parameter *parameters;
  uint16_t parameter_count;
  struct sym_plan_arg *args; /* from malloc(): the result */
  uint16_t count, capacity;
  bool is_diagnosing; /* the function has no probe site: it is planned to see whether rules fit it */
  uint32_t words;     /* of the signature, at most, without state words */
};

/* A value to be printed. */
struct sym_args_value {
  const char *name;
  struct sym_access_path access_path;
  const struct sym_access_path
      *base;       /* of a field: the struct that paths in its rule start at; NULL: they start at parameters */
  uint8_t flags;   /* enum fmt_arg_flag */
  bool is_unmade;  /* what it points to is only made by the function: nothing of it is there yet */
  int group_depth; /* how many groups it is in */
  const struct sym_rule *inside[4]; /* the type rules of those groups */
};

/* Follows a path of a rule: from parameters, or from `base` when that is not NULL. */
int sym_args_resolve(struct sym_args *args, const struct sym_access_path *base, const struct sym_rule_path *path,
                     struct sym_access_path *access_path, struct sym_problem *problem);

struct sym_pairing_parameter;

/* Fills in what length_pairing.h needs to know of a parameter's type (an index of the table): role and element_size. */
void sym_args_pairing_role(const struct sym_args *args, const struct sym_access_path *access_path, uint32_t type,
                           struct sym_pairing_parameter *pairing);

/* What a value is. `entry` is a copy of the type's. */
struct sym_args_kind {
  uint32_t type;
  struct fmt_index_type entry;
  Dwarf_Die stripped; /* not set for void */
  bool is_reference;
};
int sym_args_kind(const struct sym_args *args, const struct sym_access_path *access_path, struct sym_args_kind *kind);

/* Whether the kind is an integer, bool, char or enum of at most 8 bytes. */
bool sym_args_is_integer(const struct sym_args_kind *kind);

/* Appends an arg that may take up to `words` signature words; `access_path` leads to it. Beyond FMT_SIGNATURE_MAX_WORDS
 * it becomes FMT_ARG_TYPE. The appended arg is the last one. */
int sym_args_push(struct sym_args *args, const struct sym_plan_arg *arg, const char *name,
                  const struct sym_access_path *access_path, uint32_t size, uint32_t words);

/* What a value prints as without any rule. */
int sym_args_add_default(struct sym_args *args, const struct sym_args_value *value, const struct sym_args_kind *kind,
                         const char *why);

/* Counts a use. */
void sym_rule_applied(const struct sym_args *args, struct sym_rule_state *state);

/* Keeps the deepest problem that a rule has met. */
void sym_rule_failed(struct sym_rule_state *state, const struct sym_problem *problem);

#endif
