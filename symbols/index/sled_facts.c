/*
 * Reads a function's code for calls, and its debug information for what its callers pass.
 */
#include "symbols/index/sled_facts.h"

#include <dwarf.h>
#include <string.h>

#include "format/sled.h"
#include "symbols/dwarf/die.h"
#include "symbols/elf/list_bounds.h"
#include "symbols/flow/self_contained.h"

enum { SPARE_MAX = 4 /* arguments in general registers, so that none is in r8 or r9 */ };

/* Whether the function lies in one piece, in which nothing calls. Of the jumps to other functions those that do not
 * name them have sleds. */
static bool is_leaf(const struct sym_hook *hook, const struct sym_sleds *sleds, Dwarf_Die *instance)
{
  Dwarf_Addr base, low, high, other_low, other_high;
  const ptrdiff_t next = sym_ranges_next(instance, 0, &base, &low, &high);
  return next > 0 && sym_ranges_next(instance, next, &base, &other_low, &other_high) == 0 &&
         !sym_sleds_have_tail(sleds, low, high) && sym_code_is_self_contained(hook, low, high);
}

static bool is_variadic(Dwarf_Die *function)
{
  Dwarf_Die child;
  for (int next = dwarf_child(function, &child); next == 0; next = dwarf_siblingof(&child, &child))
    if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
      return true;
  return false;
}

/* Whether nothing is passed, or kept for the caller, in r10, r11 and rax. */
static bool has_free_registers(Dwarf_Die *instance)
{
  Dwarf_Die root;
  sym_die_root(instance, &root);
  return sym_die_convention(instance) == DW_CC_normal && !is_variadic(instance) && !is_variadic(&root);
}

/* Whether nothing is passed in r8 and r9. The address of virtual bases' table, which constructors are passed, is not
 * among what the source declares. */
static bool has_spare_registers(Dwarf_Die *instance, const struct sym_symbol *symbol, const struct sym_abi *abi)
{
  const unsigned undeclared = sym_die_is_cxx(instance);
  return symbol && !symbol->is_local && !strchr(symbol->name, '.') && abi->is_whole &&
         abi->integers + undeclared <= SPARE_MAX;
}

uint8_t sym_sled_facts(const struct sym_hook *hook, const struct sym_sleds *sleds, Dwarf_Die *instance,
                       const struct sym_symbol *symbol, const struct sym_abi *abi)
{
  if (!sym_die_is_clang(instance))
    return 0;
  unsigned facts = is_leaf(hook, sleds, instance) ? FMT_SLED_LEAF : 0;
  if (has_free_registers(instance)) {
    facts |= FMT_SLED_FREE;
    if (has_spare_registers(instance, symbol, abi))
      facts |= FMT_SLED_SPARE;
  }
  return (uint8_t)facts;
}
