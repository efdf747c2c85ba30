/*
 * Types as the second reader sees them.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_TYPES_H
#define CALLSIG_SYMBOLS_VERIFY_TYPES_H

#include "symbols/verify/reader.h"

struct vf_enumerator {
  int64_t value;
  const char *name;
};

/* Named after struct fmt_index_type. In the module's arena. */
struct vf_type {
  struct vf_object *object;
  uint64_t offset; /* vf_parent_key() of its DIE, the key of the table; 0 for void */
  const char *name;
  uint8_t kind; /* enum fmt_type_kind */
  bool is_signed;
  bool is_reference;
  uint32_t size;
  struct vf_type *target;
  struct vf_enumerator *enumerators;
  uint32_t enumerator_count;
};

/* The type that `die` has by its DW_AT_type; void without one. NULL when memory is short. */
struct vf_type *vf_type_of(struct vf_module *module, struct vf_object *object, Dwarf_Die die);

/* Whether two types print and are read alike: the difference as a text in the module's arena, or NULL. */
const char *vf_type_difference(struct vf_module *module, const struct vf_type *type, const struct fmt_index *index,
                               uint32_t indexed);

#endif
