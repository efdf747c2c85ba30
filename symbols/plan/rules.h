/*
 * The rules language of docs/rules.md: what a user adds to what types and names already say.
 *
 * Parsing needs no module. Whether a rule's names exist is found while modules are planned (plan.h).
 */
#ifndef CALLSIG_SYMBOLS_PLAN_RULES_H
#define CALLSIG_SYMBOLS_PLAN_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/message.h"
#include "format/index.h"

enum sym_rule_path_part_kind {
  SYM_PART_NAME,  /* a parameter or field; through a pointer, to what it points to */
  SYM_PART_INDEX, /* [N] of an array or a pointer */
  SYM_PART_DEREF, /* a leading '*' of the path, applied last */
  SYM_PART_CAST,  /* "(struct header *)" before what the parts so far lead to: a pointer to `name`, of `index` stars */
};

struct sym_rule_path_part {
  uint8_t kind; /* enum sym_rule_path_part_kind */
  const char *name;
  uint64_t index;
};

/* req->hdr.kind, ne[0..ndim], *length. */
struct sym_rule_path {
  const char *text; /* as written, without a span */
  struct sym_rule_path_part *parts;
  size_t part_count;
  bool is_span; /* [from..to] at the end */
  uint64_t from;
  bool to_is_constant;
  uint64_t to_constant;
  struct sym_rule_path *to; /* relative to the same struct or function as the path itself */
};

enum sym_rule_action {
  SYM_ACTION_DEFAULT, /* of a field or a shown path: as a parameter of its type */
  SYM_ACTION_STRING,
  SYM_ACTION_LOG2,
  SYM_ACTION_RANGE,
  SYM_ACTION_IGNORE,
  SYM_ACTION_LENGTH,
  SYM_ACTION_VALUE,
  SYM_ACTION_TYPE,
};

/* What a rule does with one value. */
struct sym_rule_how {
  uint8_t action;               /* enum sym_rule_action */
  const char *as;               /* of DEFAULT: the enumeration that an integer is shown by; NULL: its own type */
  uint32_t limit;               /* of STRING: bytes */
  struct sym_rule_path *length; /* of STRING: NULL for up to the NUL; of LENGTH: NULL when it is a constant */
  uint64_t length_constant;
  int64_t *bounds; /* of RANGE, ascending */
  size_t bound_count;
};

struct sym_rule_field {
  const char *label;
  struct sym_rule_path *path;
  struct sym_rule_path *minus; /* how many elements `path` lies behind this; NULL: what it leads to */
  struct sym_rule_how how;
};

enum sym_rule_kind { SYM_RULE_TYPE, SYM_RULE_PARAMETER, SYM_RULE_SHOW, SYM_RULE_RETURN };

struct sym_rule {
  uint8_t kind; /* enum sym_rule_kind */
  unsigned line;
  const char *file;              /* glob of the source file, NULL for any */
  const char *name;              /* of the function or type, or a glob of names */
  bool is_glob;                  /* `name` has a wildcard */
  bool is_soft;                  /* where it does not fit, nothing is said */
  const char *parameter;         /* of SYM_RULE_PARAMETER */
  struct sym_rule_path *path;    /* of SYM_RULE_SHOW */
  struct sym_rule_how how;       /* of all but SYM_RULE_TYPE */
  struct sym_rule_field *fields; /* of SYM_RULE_TYPE */
  size_t field_count;
  const char *print; /* of SYM_RULE_TYPE: the template, NULL for the default */
};

/* What is known of a rule over all modules: kept beside the rules, which are constant once parsed. */
struct sym_rule_seen {
  bool known;     /* a module has everything that the rule names */
  bool effective; /* it applied to a function with a probe site */
  uint32_t depth; /* of `problem` */
  char *problem;  /* from malloc() */
};

struct sym_rules {
  struct base_arena arena; /* everything but `seen` */
  const char *origin;      /* path of the file, or of the module whose notes these are */
  const char *text;
  size_t size;
  struct sym_rule *rules;
  size_t count, capacity;
  struct sym_rule_seen *seen; /* `count` of them */
};

/* Limits of the language. */
#define SYM_RULE_STRING_DEFAULT 64u
#define SYM_RULE_FIELDS_MAX     16u
#define SYM_RULE_PARTS_MAX      16u
#define SYM_RULE_BOUNDS_MAX     64u

/* Parses `size` bytes of rules text (copied). Errors name `origin` and the line. -EINVAL, -ENOMEM. */
int sym_rules_parse(const char *text, size_t size, const char *origin, base_message_fn message, void *data,
                    struct sym_rules **rules);

/* Reads a rules file (docs/rules.md). Errors name the file and the line. */
int sym_rules_load(const char *path, base_message_fn message, void *data, struct sym_rules **rules);
void sym_rules_free(struct sym_rules *rules);
/* XXH64 (seed 0) of the rules' text; 0 for NULL. */
uint64_t sym_rules_hash(const struct sym_rules *rules);

#endif
