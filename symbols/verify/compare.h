/*
 * What the index reads of a parameter beside what its description says.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_COMPARE_H
#define CALLSIG_SYMBOLS_VERIFY_COMPARE_H

#include "symbols/verify/code.h"
#include "symbols/verify/evaluate.h"
#include "symbols/verify/functions.h"

/* The first two are agreement. */
enum vf_outcome {
  VF_AGREE,
  VF_AGREE_LOADED, /* with the load put in that clang leaves out */
  VF_DIFFER,       /* the two readers find different values */
  VF_ONLY_INDEX,   /* only the index reads it */
  VF_ONLY_SECOND,  /* only libdwarf reads it */
  VF_NO_VALUE,     /* the capture program does not end in a value */
  VF_NOT_COMPARED, /* an operation that the second reader does not evaluate */
  VF_BEYOND,       /* lost, and computed by operations that capture programs do not have */
  VF_BY_CODE,      /* the index follows instructions that the second reader does not */
  VF_MAY_BE_SET,   /* lost, as the function may set it, which its code tells and the second reader does not follow */
};

/* One parameter at one site. */
struct vf_subject {
  const struct fmt_index *index;
  const struct vf_code *code;
  const struct fmt_index_site *site;
  const struct vf_parameter *parameter;
  Dwarf_Die die;    /* of the parameter in the instance, NULL for none */
  uint16_t arg;     /* its place in the function's args */
  bool is_nullness; /* only whether it is NULL is read */
};

/* The arg's initial state at the site. */
unsigned vf_state_of(const struct vf_subject *subject);

/* Whether what a program emits is what a description says, on one machine. */
bool vf_same_value(const struct vf_type *type, const struct vf_emitted *emitted, const struct vf_value *value,
                   bool is_nullness);

/* The general register that passes arguments and holds what the index reads in a machine at a function's entry; -1:
 * none does. */
int vf_register_passed(const struct vf_subject *subject, const struct vf_machine *machine,
                       const struct vf_emitted *emitted, unsigned size);

/* Whether what the index reads is what an argument register holds in a machine at a function's entry, or a word of the
 * stack where arguments are passed. */
bool vf_is_passed(const struct vf_subject *subject, const struct vf_machine *machine, const struct vf_emitted *emitted,
                  unsigned size);

/* Compares at a sled, at a function's first instruction. What DWARF tells there of the function's own frame is held
 * against what the function's code writes to it. */
enum vf_outcome vf_compare_sled(const struct vf_subject *subject, const struct vf_place *place);

/* Compares on the machine of `place`. A value on entry is readable only where a caller tells it, which is checked at
 * the calls; elsewhere the index is right to call it lost, and so it is where clang tells an address of the frame for a
 * value. */
enum vf_outcome vf_compare(const struct vf_subject *subject, const struct vf_place *place);

#endif
