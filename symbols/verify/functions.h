/*
 * Functions and their parameters as the second reader sees them.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_FUNCTIONS_H
#define CALLSIG_SYMBOLS_VERIFY_FUNCTIONS_H

#include "symbols/verify/reader.h"
#include "symbols/verify/types.h"

struct vf_parameter {
  Dwarf_Die die;
  const char *name;
  struct vf_type *type;
  bool is_hidden; /* made by the compiler: not in the signature */
};

/* A function's declaring DIE and what it declares. In the module's arena. */
struct vf_function {
  struct vf_object *object;
  Dwarf_Die root;
  uint64_t offset; /* of root */
  const char *name;
  const char *linkage_name; /* NULL for a function of C */
  bool is_variadic;
  struct vf_parameter *parameters;
  uint16_t parameter_count;
  uint32_t checked_as; /* index of the function that it was compared with, FMT_NONE before */
  struct vf_function *next;
};

/* Functions by object and offset. Zero-initialise; free() the buckets in the end. */
struct vf_functions {
  struct vf_function **buckets;
  size_t bucket_count;
};

/* The function that a scope is an instance of. NULL when memory is short. */
struct vf_function *vf_function_of(struct vf_module *module, struct vf_functions *functions,
                                   const struct vf_scope *scope);

/* Whether two functions of one qualified name are the same one, which several units may describe, and not overloads. */
bool vf_is_same_overload(const struct vf_function *a, const struct vf_function *b);

/* Finds the scope's own DIEs of the function's parameters: `dies` has function->parameter_count entries, NULL for those
 * that the scope does not have. */
void vf_instance_parameters(const struct vf_scope *scope, const struct vf_function *function, Dwarf_Die *dies);

#endif
