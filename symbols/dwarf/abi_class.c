/*
 * Classifies types as the x86-64 System V ABI does.
 */
#include "symbols/dwarf/abi_class.h"

#include <dwarf.h>
#include <string.h>

#include "symbols/dwarf/die.h"
#include "symbols/dwarf/triviality.h"

enum {
  WORD = 8,           /* bytes */
  IN_REGISTERS = 16,  /* the largest values that are passed there, but for vectors */
  DEPTH_MAX = 32,     /* types inside of types; deeper is a corrupt file */
  ELEMENTS_MAX = 1024 /* of arrays that fit into registers, those of no size included */
};

/* A type while its parts are gone through. */
struct classification {
  struct sym_abi_type *way;
  bool is_gnu;
  bool is_large;     /* passed in memory: only its alignment is asked for, and whether all of it is known */
  bool is_realigned; /* a typedef on the way has an alignment of its own */
  bool is_memory, is_unknown;
};

static Dwarf_Word number(Dwarf_Die *die, unsigned name, Dwarf_Word otherwise)
{
  Dwarf_Attribute attribute;
  Dwarf_Word value;
  return dwarf_attr_integrate(die, name, &attribute) && dwarf_formudata(&attribute, &value) == 0 ? value : otherwise;
}

static bool has(Dwarf_Die *die, unsigned flag)
{
  return dwarf_hasattr_integrate(die, flag) != 0;
}

/* Puts a part into an eightbyte, beside what is there. */
static void merge(struct classification *all, uint64_t word, enum sym_abi_class class)
{
  if (all->is_large)
    return;
  if (word >= sizeof all->way->words / sizeof *all->way->words) {
    all->is_unknown = true;
    return;
  }
  enum sym_abi_class *there = &all->way->words[word];
  if (*there == class || class == SYM_ABI_NONE)
    return;
  if (*there == SYM_ABI_NONE)
    *there = class;
  else if (*there == SYM_ABI_INTEGER || class == SYM_ABI_INTEGER)
    *there = SYM_ABI_INTEGER;
  else if (*there == SYM_ABI_X87 || class == SYM_ABI_X87)
    all->is_memory = true;
  else
    *there = SYM_ABI_SSE;
}

/* A scalar of `size` bytes, of which the first eightbyte is `first` and the others `rest`. One that does not lie at a
 * multiple of its alignment (in a packed structure) is passed in memory; clang asks the type's own alignment, which a
 * typedef may have changed, gcc that of the processor. */
static void add_scalar(struct classification *all, uint64_t offset, uint32_t size, uint32_t align,
                       enum sym_abi_class first, enum sym_abi_class rest)
{
  if (align > all->way->align)
    all->way->align = align;
  if (all->is_large)
    return;
  if (size == 0 || align == 0 || offset % align) {
    all->is_memory = true;
    all->is_unknown |= (all->is_realigned && !all->is_gnu) || !size || !align;
    return;
  }
  for (uint64_t at = offset / WORD; at <= (offset + size - 1) / WORD; at++)
    merge(all, at, at == offset / WORD ? first : rest);
}

static void add_float(struct classification *all, Dwarf_Die *type, uint64_t offset, uint32_t size)
{
  const char *name = dwarf_diename(type);
  bool is_extended = name && (strcmp(name, "long double") == 0 || strcmp(name, "_Float64x") == 0);
  bool is_quad = name && (strcmp(name, "__float128") == 0 || strcmp(name, "_Float128") == 0);
  if (size <= WORD)
    add_scalar(all, offset, size, size, SYM_ABI_SSE, SYM_ABI_SSE);
  else if (size == 2 * WORD && is_extended)
    add_scalar(all, offset, size, size, SYM_ABI_X87, SYM_ABI_X87);
  else if (size == 2 * WORD && is_quad)
    add_scalar(all, offset, size, size, SYM_ABI_SSE, SYM_ABI_SSEUP);
  else
    all->is_unknown = true;
}

static void add_base(struct classification *all, Dwarf_Die *type, uint64_t offset, uint32_t size)
{
  switch (number(type, DW_AT_encoding, 0)) {
  case DW_ATE_signed:
  case DW_ATE_signed_char:
  case DW_ATE_unsigned:
  case DW_ATE_unsigned_char:
  case DW_ATE_boolean:
  case DW_ATE_address:
  case DW_ATE_UTF:
    /* A _BitInt may have any size. */
    if (size & (size - 1))
      all->is_unknown = true;
    else
      add_scalar(all, offset, size, size, SYM_ABI_INTEGER, SYM_ABI_INTEGER);
    return;
  case DW_ATE_float:
    add_float(all, type, offset, size);
    return;
  case DW_ATE_complex_float:
    if (size <= 2 * WORD)
      add_scalar(all, offset, size, size / 2, SYM_ABI_SSE, SYM_ABI_SSE);
    else
      all->is_unknown = true;
    return;
  default:
    all->is_unknown = true;
  }
}

/* Whether a typedef of the type has an alignment. */
static bool is_realigned(Dwarf_Die *die)
{
  Dwarf_Die type = *die;
  for (unsigned i = 0; i < DEPTH_MAX && (dwarf_tag(&type) == DW_TAG_typedef || sym_type_is_qualifier(dwarf_tag(&type)));
       i++) {
    Dwarf_Die next;
    if (has(&type, DW_AT_alignment))
      return true;
    if (!sym_type_of(&type, &next))
      return false;
    type = next;
  }
  return false;
}

static void add_type(struct classification *all, Dwarf_Die *die, uint64_t offset, unsigned depth);

/* Whether an array tells no number of elements, not even 0. */
static bool is_flexible(Dwarf_Die *array)
{
  Dwarf_Die child;
  return dwarf_child(array, &child) == 0 && !has(&child, DW_AT_count) && !has(&child, DW_AT_upper_bound);
}

static bool is_floating(Dwarf_Die *die)
{
  Dwarf_Die type = *die;
  return sym_type_strip(&type) && dwarf_tag(&type) == DW_TAG_base_type &&
         number(&type, DW_AT_encoding, 0) == DW_ATE_float;
}

static void add_array(struct classification *all, Dwarf_Die *type, uint64_t offset, uint32_t size, unsigned depth)
{
  Dwarf_Die element;
  if (!sym_type_of(type, &element)) {
    all->is_unknown = true;
    return;
  }
  uint32_t step = sym_type_size(&element);
  if (has(type, DW_AT_GNU_vector)) {
    /* A vector of one double has no class that compilers agree on. */
    if (size == 2 * WORD || (size == WORD && (step < WORD || !is_floating(&element))))
      add_scalar(all, offset, size, size, SYM_ABI_SSE, SYM_ABI_SSEUP);
    else
      all->is_unknown = true;
    return;
  }
  /* clang passes a structure that ends in a flexible array in memory, gcc as if the array were not there. */
  if (!size && !all->is_gnu && is_flexible(type))
    all->is_memory = true;
  if (size && (!step || (!all->is_large && size / step > ELEMENTS_MAX))) {
    all->is_unknown = true;
    return;
  }
  uint32_t end = all->is_large && size ? step : size;
  for (uint32_t at = 0; step && at + step <= end; at += step)
    add_type(all, &element, offset + at, depth);
}

/* A bit-field's eightbytes are integers. Before DWARF 5 its place is told from the high end of its storage. */
static void add_bits(struct classification *all, Dwarf_Die *member, uint64_t offset, Dwarf_Word bits)
{
  Dwarf_Die type;
  uint64_t begin = offset * 8;
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(member, DW_AT_data_bit_offset, &attribute)) {
    begin += number(member, DW_AT_data_bit_offset, 0);
  } else {
    Dwarf_Word storage = number(member, DW_AT_byte_size, sym_type_of(member, &type) ? sym_type_size(&type) : 0);
    Dwarf_Word high = number(member, DW_AT_bit_offset, 0);
    begin += number(member, DW_AT_data_member_location, 0) * 8;
    if (storage > IN_REGISTERS || high + bits > storage * 8) {
      all->is_unknown = true;
      return;
    }
    begin += storage * 8 - high - bits;
  }
  uint32_t align = sym_type_of(member, &type) ? sym_type_size(&type) : 0;
  if (align > all->way->align && align <= IN_REGISTERS)
    all->way->align = align;
  for (uint64_t at = begin / 64; bits && at <= (begin + bits - 1) / 64 && !all->is_unknown; at++)
    merge(all, at, SYM_ABI_INTEGER);
}

static void add_members(struct classification *all, Dwarf_Die *type, uint64_t offset, unsigned depth)
{
  Dwarf_Die child, member;
  if (dwarf_child(type, &child) != 0)
    return;
  do {
    int tag = dwarf_tag(&child);
    if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || has(&child, DW_AT_external))
      continue;
    Dwarf_Word bits = number(&child, DW_AT_bit_size, 0);
    if (bits)
      add_bits(all, &child, offset, bits);
    else if (number(&child, DW_AT_virtuality, 0) || !sym_type_of(&child, &member))
      all->is_unknown = true;
    else
      add_type(all, &member, offset + number(&child, DW_AT_data_member_location, 0), depth);
  } while (!all->is_unknown && dwarf_siblingof(&child, &child) == 0);
}

static void add_type(struct classification *all, Dwarf_Die *die, uint64_t offset, unsigned depth)
{
  Dwarf_Die type = *die, target;
  all->is_realigned |= is_realigned(die);
  if (depth > DEPTH_MAX || !sym_type_strip(&type)) {
    all->is_unknown = true;
    return;
  }
  uint32_t size = sym_type_size(&type), align = (uint32_t)number(&type, DW_AT_alignment, 0);
  if (align > all->way->align)
    all->way->align = align;
  switch (dwarf_tag(&type)) {
  case DW_TAG_base_type:
    add_base(all, &type, offset, size);
    return;
  case DW_TAG_pointer_type:
  case DW_TAG_reference_type:
  case DW_TAG_rvalue_reference_type:
    add_scalar(all, offset, WORD, WORD, SYM_ABI_INTEGER, SYM_ABI_INTEGER);
    return;
  case DW_TAG_enumeration_type:
    add_scalar(all, offset, size, size, SYM_ABI_INTEGER, SYM_ABI_INTEGER);
    return;
  case DW_TAG_ptr_to_member_type:
    /* A pointer to a member function is two words. */
    if (sym_type_of(&type, &target) && sym_type_strip(&target) && dwarf_tag(&target) == DW_TAG_subroutine_type)
      add_scalar(all, offset + WORD, WORD, WORD, SYM_ABI_INTEGER, SYM_ABI_INTEGER);
    add_scalar(all, offset, WORD, WORD, SYM_ABI_INTEGER, SYM_ABI_INTEGER);
    return;
  case DW_TAG_array_type:
    add_array(all, &type, offset, size, depth + 1);
    return;
  case DW_TAG_structure_type:
  case DW_TAG_class_type:
  case DW_TAG_union_type:
    if (has(&type, DW_AT_declaration))
      all->is_unknown = true;
    else
      add_members(all, &type, offset, depth + 1);
    return;
  default:
    all->is_unknown = true;
  }
}

static bool is_class(Dwarf_Die *type)
{
  int tag = dwarf_tag(type);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Whether a class is passed by its value: clang says so of those of C++, and of gcc's it follows from what they have.
 * Those of C always are. */
static bool settle_class(Dwarf_Die *type, bool is_gnu, struct sym_abi_type *way)
{
  if (!is_class(type))
    return true;
  Dwarf_Word convention = number(type, DW_AT_calling_convention, 0);
  if (convention == DW_CC_pass_by_reference)
    way->way = SYM_ABI_REFERENCE;
  if (convention == 0 && sym_die_is_cxx(type)) {
    enum sym_triviality copy = is_gnu ? sym_copy_of(type) : SYM_COPY_UNKNOWN;
    if (copy == SYM_COPY_BY_CODE)
      way->way = SYM_ABI_REFERENCE;
    return copy == SYM_COPY_TRIVIAL;
  }
  return convention == DW_CC_pass_by_value || convention == 0;
}

void sym_abi_classify(Dwarf_Die *type, bool is_gnu, struct sym_abi_type *way)
{
  *way = (struct sym_abi_type){.way = SYM_ABI_UNKNOWN, .align = 1};
  Dwarf_Die stripped = *type;
  if (!sym_type_strip(&stripped))
    return;
  way->size = dwarf_tag(&stripped) == DW_TAG_unspecified_type ? 0 : sym_type_size(&stripped);
  if (!settle_class(&stripped, is_gnu, way))
    return;
  struct classification all = {.way = way, .is_gnu = is_gnu, .is_large = way->size > IN_REGISTERS};
  bool is_complex = dwarf_tag(&stripped) == DW_TAG_base_type &&
                    number(&stripped, DW_AT_encoding, 0) == DW_ATE_complex_float && way->size == 2 * IN_REGISTERS;
  if (is_complex) {
    way->way = SYM_ABI_X87_STACK;
    way->align = IN_REGISTERS;
    return;
  }
  add_type(&all, type, 0, 0);
  if (all.is_unknown || (all.is_large && !is_class(&stripped)))
    return;
  if (all.is_memory || all.is_large)
    way->way = SYM_ABI_MEMORY;
  else if (way->words[0] == SYM_ABI_X87 || way->words[1] == SYM_ABI_X87)
    way->way = way->words[0] == way->words[1] ? SYM_ABI_X87_STACK : SYM_ABI_MEMORY;
  else if (way->words[0] != SYM_ABI_NONE || way->words[1] == SYM_ABI_NONE)
    way->way = SYM_ABI_WORDS;
}
