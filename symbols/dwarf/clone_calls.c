/* Keeps the calls of clones by the clone, and compares what they tell. */
#include "symbols/dwarf/clone_calls.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/die.h"

enum { DEPTH_MAX = 512 };

struct sym_clone_call {
  const void *clone; /* its DIE */
  Dwarf_Die caller, call;
};

bool sym_call_origin(Dwarf_Die *call, Dwarf_Die *origin)
{
  Dwarf_Attribute attribute;
  return (dwarf_attr(call, DW_AT_call_origin, &attribute) || dwarf_attr(call, DW_AT_abstract_origin, &attribute)) &&
         dwarf_formref_die(&attribute, origin);
}

void sym_clone_calls_begin(struct sym_clone_calls *calls)
{
  *calls = (struct sym_clone_calls){.calls = BASE_VECTOR_OF(struct sym_clone_call)};
}

int sym_clone_calls_add(struct sym_clone_calls *calls, Dwarf_Die *call, const Dwarf_Die *caller)
{
  Dwarf_Die origin;
  /* A clone is an instance of its source's function. */
  if (!sym_call_origin(call, &origin) || !dwarf_hasattr(&origin, DW_AT_abstract_origin))
    return 0;
  struct sym_clone_call *added = base_vector_add(&calls->calls, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct sym_clone_call){.clone = origin.addr, .caller = *caller, .call = *call};
  return 0;
}

static int compare(const void *a, const void *b)
{
  const struct sym_clone_call *left = a, *right = b;
  const uintptr_t of_left = (uintptr_t)left->clone, of_right = (uintptr_t)right->clone;
  return (of_left > of_right) - (of_left < of_right);
}

void sym_clone_calls_settle(struct sym_clone_calls *calls)
{
  if (calls->calls.count)
    qsort(calls->calls.data, calls->calls.count, sizeof(struct sym_clone_call), compare);
}

/* The calls of a clone; NULL: there is none. */
static const struct sym_clone_call *calls_of(const struct sym_clone_calls *calls, const void *clone, uint32_t *count)
{
  uint32_t low = 0, high = calls->calls.count;
  const struct sym_clone_call *all = calls->calls.data;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if ((uintptr_t)all[middle].clone < (uintptr_t)clone)
      low = middle + 1;
    else
      high = middle;
  }
  for (high = low; high < calls->calls.count && all[high].clone == clone;)
    high++;
  *count = high - low;
  return high > low ? &all[low] : NULL;
}

/* How many calls and inlined copies of the function `root` there are in `die`: none, one, or more. */
static unsigned traces_in(Dwarf_Die *die, const void *root, unsigned depth)
{
  Dwarf_Die child, of;
  unsigned traces = 0;
  for (int next = depth < DEPTH_MAX ? dwarf_child(die, &child) : 1; next == 0 && traces < 2;
       next = dwarf_siblingof(&child, &child)) {
    const int tag = dwarf_tag(&child);
    const bool is_call = tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
    const bool is_copy = tag == DW_TAG_inlined_subroutine;
    if ((is_call || is_copy) && sym_call_origin(&child, &of)) {
      sym_die_root(&of, &of);
      traces += of.addr == root;
    }
    if (is_copy || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block)
      traces += traces_in(&child, root, depth + 1);
  }
  return traces;
}

/* Whether the caller has no other call of the function, nor is it one of its copies itself. */
static bool is_alone(const struct sym_clone_call *call)
{
  Dwarf_Die site = call->call, caller = call->caller, function, root;
  if (!sym_call_origin(&site, &function))
    return false;
  sym_die_root(&function, &function);
  sym_die_root(&caller, &root);
  return root.addr != function.addr && traces_in(&caller, function.addr, 0) == 1;
}

/* What a call tells of the parameter that `root` declares. False: nothing; `is_named`: that it is not passed. */
static bool told_by(const struct sym_clone_call *call, const Dwarf_Die *root, bool *is_named, Dwarf_Attribute *value)
{
  Dwarf_Die site = call->call, child, parameter, declared;
  Dwarf_Attribute attribute;
  for (int next = dwarf_child(&site, &child); next == 0; next = dwarf_siblingof(&child, &child)) {
    if ((!dwarf_attr(&child, DW_AT_call_parameter, &attribute) &&
         !dwarf_attr(&child, DW_AT_abstract_origin, &attribute)) ||
        !dwarf_formref_die(&attribute, &parameter))
      continue;
    sym_die_root(&parameter, &declared);
    if (declared.addr != root->addr)
      continue;
    *is_named = true;
    Dwarf_Block block;
    return (dwarf_attr(&child, DW_AT_call_value, value) || dwarf_attr(&child, DW_AT_GNU_call_site_value, value)) &&
           dwarf_formblock(value, &block) == 0 && block.length > 0;
  }
  return false;
}

static bool is_same(Dwarf_Attribute *one, Dwarf_Attribute *other)
{
  Dwarf_Block left, right;
  return dwarf_formblock(one, &left) == 0 && dwarf_formblock(other, &right) == 0 && left.length == right.length &&
         memcmp(left.data, right.data, left.length) == 0;
}

struct sym_callers_say sym_clone_calls_tell(const struct sym_clone_calls *calls, const Dwarf_Die *clone,
                                            Dwarf_Die *parameter)
{
  struct sym_callers_say say = {.is_same = true, .is_complete = true, .is_apart = true};
  bool has_value = false;
  uint32_t count;
  const struct sym_clone_call *call = calls_of(calls, clone->addr, &count);
  Dwarf_Die root;
  sym_die_root(parameter, &root);
  for (uint32_t i = 0; i < count; i++) {
    Dwarf_Attribute value;
    if (!told_by(&call[i], &root, &say.is_told, &value)) {
      say.is_complete = false;
    } else if (has_value) {
      say.is_same &= is_same(&say.value, &value);
    } else {
      say.value = value;
      has_value = true;
    }
  }
  say.is_same &= has_value;
  for (uint32_t i = 0; i < count && say.is_same && say.is_apart; i++)
    say.is_apart = is_alone(&call[i]);
  return say;
}

void sym_clone_calls_free(struct sym_clone_calls *calls)
{
  base_vector_free(&calls->calls);
}
