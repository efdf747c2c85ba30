/*
 * Gives each parameter its register or stack slot.
 */
#include "symbols/location/abi.h"

#include <dwarf.h>
#include <string.h>

#include "symbols/dwarf/abi_class.h"
#include "symbols/dwarf/die.h"
#include "symbols/location/abi_used.h"
#include "symbols/location/hook_registers.h"
#include "symbols/processor/x86_64.h"

enum { WORD = 8, INTEGERS = 6, VECTORS = 8, STACK_ALIGN_MAX = 16, DEPTH_MAX = 8 };

static const uint8_t integers[INTEGERS] = {5, 4, 1, 2, 8, 9}; /* rdi, rsi, rdx, rcx, r8, r9 */

/* What of the argument registers and the stack is given away. */
struct assignment {
  struct sym_abi *abi;
  unsigned integers, vectors;
  int64_t stack; /* from the canonical frame address */
  bool is_gnu;
  bool has_prototype;
  bool is_over; /* what follows is not known */
};

static void on_stack(struct assignment *assignment, uint32_t size, uint32_t align, struct sym_abi_place *place)
{
  if (align > STACK_ALIGN_MAX) {
    assignment->is_over = true;
    return;
  }
  int64_t unit = align > WORD ? align : WORD;
  assignment->stack = (assignment->stack + unit - 1) / unit * unit;
  place->kind = SYM_ABI_ON_STACK;
  place->offset = assignment->stack;
  assignment->stack += ((int64_t)size + WORD - 1) / WORD * WORD;
}

static void in_words(struct assignment *assignment, const struct sym_abi_type *type, struct sym_abi_place *place)
{
  unsigned integer_count = 0, vector_count = 0;
  for (unsigned i = 0; i < 2; i++) {
    integer_count += type->words[i] == SYM_ABI_INTEGER;
    vector_count += type->words[i] == SYM_ABI_SSE;
  }
  if (assignment->integers + integer_count > INTEGERS || assignment->vectors + vector_count > VECTORS) {
    /* clang before 18 may split an __int128 between the last register and the stack. */
    if (!assignment->is_gnu && type->align == 2 * WORD)
      assignment->is_over = true;
    else
      on_stack(assignment, type->size, type->align, place);
    return;
  }
  for (unsigned i = 0; i < 2; i++)
    if (type->words[i] == SYM_ABI_INTEGER)
      place->registers[place->word_count++] = integers[assignment->integers++];
    else if (type->words[i] == SYM_ABI_SSE)
      place->registers[place->word_count++] = (uint8_t)(SYM_XMM0 + assignment->vectors++);
  place->kind = place->word_count ? SYM_ABI_IN_REGISTERS : SYM_ABI_NOWHERE;
}

static bool is_object(Dwarf_Die *type)
{
  Dwarf_Die stripped = *type;
  if (!sym_type_strip(&stripped))
    return false;
  const int tag = dwarf_tag(&stripped);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
         tag == DW_TAG_array_type;
}

/* Whether the function keeps the parameter's address, not its value: Fortran passes by reference whatever has not the
 * attribute VALUE, of which its types say nothing. What a contained procedure uses as well is kept in a structure of
 * such addresses. */
static bool is_address_kept(Dwarf_Die *parameter)
{
  Dwarf_Attribute attribute;
  Dwarf_Op *ops;
  size_t count;
  return dwarf_attr(parameter, DW_AT_location, &attribute) && dwarf_whatform(&attribute) == DW_FORM_exprloc &&
         dwarf_getlocation(&attribute, &ops, &count) == 0 &&
         (count == 2 || (count == 3 && ops[1].atom == DW_OP_plus_uconst)) && ops[0].atom == DW_OP_fbreg &&
         ops[count - 1].atom == DW_OP_deref;
}

/* Whether it is an array of Fortran's, of which the address, or that of its description, is passed: a function that
 * returns one has it as its first parameter. */
static bool is_fortran_array(Dwarf_Die *parameter, const Dwarf_Die *type)
{
  Dwarf_Die stripped = *type;
  return sym_die_is_fortran(parameter) && sym_type_strip(&stripped) && dwarf_tag(&stripped) == DW_TAG_array_type;
}

/* `parameter` of the declaring function, of which `own` is the instance's. */
static void assign(struct assignment *assignment, Dwarf_Die *parameter, Dwarf_Die *own)
{
  static const struct sym_abi_type pointer = {
      .way = SYM_ABI_WORDS, .words = {SYM_ABI_INTEGER}, .size = WORD, .align = WORD};
  struct sym_abi *abi = assignment->abi;
  struct sym_abi_type way;
  Dwarf_Die type;
  if (abi->count == SYM_ABI_PARAMETERS_MAX)
    assignment->is_over = true;
  if (assignment->is_over)
    return;
  struct sym_abi_place *place = &abi->places[abi->count++];
  *place = (struct sym_abi_place){.parameter = *parameter};
  if (!sym_type_of(parameter, &type)) {
    assignment->is_over = true;
    return;
  }
  sym_abi_classify(&type, assignment->is_gnu, &way);
  place->size = way.size;
  place->is_object = is_object(&type);
  if (is_address_kept(own) || is_fortran_array(parameter, &type))
    way.way = SYM_ABI_REFERENCE;
  switch (way.way) {
  case SYM_ABI_WORDS:
    place->is_converted = !assignment->has_prototype && way.words[0] == SYM_ABI_SSE && way.size < WORD;
    in_words(assignment, &way, place);
    return;
  case SYM_ABI_MEMORY:
  case SYM_ABI_X87_STACK:
    on_stack(assignment, way.size, way.align, place);
    return;
  case SYM_ABI_REFERENCE:
    place->is_reference = true;
    in_words(assignment, &pointer, place);
    return;
  case SYM_ABI_UNKNOWN:
    assignment->is_over = true;
  }
}

/* Finds the parameter of `parent` that `root` declares. */
static bool find_in(Dwarf_Die *parent, const Dwarf_Die *root, unsigned depth, Dwarf_Die *found)
{
  Dwarf_Die child, of;
  if (depth > DEPTH_MAX || dwarf_child(parent, &child) != 0)
    return false;
  do {
    if (dwarf_tag(&child) == DW_TAG_GNU_formal_parameter_pack && find_in(&child, root, depth + 1, found))
      return true;
    if (dwarf_tag(&child) != DW_TAG_formal_parameter)
      continue;
    sym_die_root(&child, &of);
    if (of.addr == root->addr) {
      *found = child;
      return true;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

/* Assigns the parameters of the declaring function in their order. A constructor is declared once and has several
 * versions, of which not all are passed what the compiler adds (__in_chrg, __vtt_parm). */
static void assign_all(struct assignment *assignment, Dwarf_Die *parent, Dwarf_Die *instance, unsigned depth)
{
  Dwarf_Die child, own;
  Dwarf_Attribute attribute;
  if (depth > DEPTH_MAX || dwarf_child(parent, &child) != 0)
    return;
  do {
    int tag = dwarf_tag(&child);
    if (tag == DW_TAG_GNU_formal_parameter_pack)
      assign_all(assignment, &child, instance, depth + 1);
    if (tag != DW_TAG_formal_parameter)
      continue;
    if (find_in(instance, &child, 0, &own))
      assign(assignment, &child, &own);
    else if (!dwarf_attr_integrate(&child, DW_AT_artificial, &attribute))
      assignment->is_over = true;
  } while (dwarf_siblingof(&child, &child) == 0);
}

/* A result that is written to memory has its address passed first. */
static void assign_result(struct assignment *assignment, Dwarf_Die *instance)
{
  Dwarf_Die type;
  struct sym_abi_type way;
  if (!sym_type_of(instance, &type))
    return;
  sym_abi_classify(&type, assignment->is_gnu, &way);
  assignment->integers += way.way == SYM_ABI_MEMORY || way.way == SYM_ABI_REFERENCE;
  assignment->is_over = way.way == SYM_ABI_UNKNOWN;
}

static bool is_flagged(Dwarf_Die *die, unsigned name)
{
  Dwarf_Attribute attribute;
  bool flag;
  return dwarf_attr_integrate(die, name, &attribute) && dwarf_formflag(&attribute, &flag) == 0 && flag;
}

void sym_abi_assign(Dwarf_Die *instance, bool is_gnu, struct sym_abi *abi)
{
  Dwarf_Die root;
  *abi = (struct sym_abi){0};
  sym_die_root(instance, &root);
  struct assignment assignment = {.abi = abi,
                                  .is_gnu = is_gnu,
                                  .has_prototype = sym_die_is_cxx(instance) || is_flagged(instance, DW_AT_prototyped)};
  assign_result(&assignment, instance);
  assign_all(&assignment, &root, instance, 0);
  abi->integers = assignment.integers;
  abi->is_whole = !assignment.is_over;
}

struct sym_abi_place *sym_abi_place_of(struct sym_abi *abi, Dwarf_Die *parameter)
{
  Dwarf_Die root;
  sym_die_root(parameter, &root);
  for (unsigned i = 0; i < abi->count; i++)
    if (abi->places[i].parameter.addr == root.addr)
      return &abi->places[i];
  return NULL;
}

/* The part of the value that begins at `offset`, where the caller puts it. */
static void locate_place(const struct sym_location_context *context, const struct sym_abi_place *place, int64_t offset,
                         uint64_t size, struct sym_location *location)
{
  *location = (struct sym_location){.kind = SYM_LOCATION_MEMORY, .known = 8, .inner = offset};
  enum sym_lost lost = SYM_LOST_NOT;
  if (place->kind == SYM_ABI_ON_STACK) {
    lost = sym_push_cfa(context, &location->code);
    sym_code_add_constant(&location->code, place->offset);
    if (place->is_reference)
      sym_code_load(&location->code, WORD, 0, sym_location_bases(context));
  } else if (place->is_reference) {
    lost = sym_push_register(context, SYM_AT_CALL, place->registers[0], &location->code);
  } else {
    uint64_t word = offset < 0 ? 2 : (uint64_t)offset / WORD;
    if (word >= place->word_count || (uint64_t)offset % WORD + size > WORD) {
      sym_location_lose(location, SYM_LOST_PIECE);
      return;
    }
    location->reg = place->registers[word];
    location->inner = offset % WORD;
    location->kind = location->reg >= SYM_XMM0 ? SYM_LOCATION_VECTOR : SYM_LOCATION_REGISTER;
    if (location->kind == SYM_LOCATION_REGISTER)
      lost = sym_push_register(context, SYM_AT_CALL, location->reg, &location->code);
  }
  if (lost)
    sym_location_lose(location, lost);
}

/* Reasons that leave it open that the caller's value is there. */
static bool may_be_told(uint8_t lost)
{
  return lost == SYM_LOST_NO_RANGE || lost == SYM_LOST_NO_LOCATION || lost == SYM_LOST_EMPTY ||
         lost == SYM_LOST_NOT_YET;
}

bool sym_abi_is_made_of(const struct sym_abi_place *place, const struct sym_location *location)
{
  unsigned others = 0, its = 0;
  if (location->kind != SYM_LOCATION_VALUE || place->kind != SYM_ABI_IN_REGISTERS || place->is_reference)
    return false;
  for (unsigned i = 0; i < location->code.count; i++) {
    const struct fmt_op *op = &location->code.ops[i];
    bool is_vector = op->code == FMT_OP_XMM;
    if (op->code != FMT_OP_REG && !is_vector)
      others += op->code == FMT_OP_CFA || op->code == FMT_OP_ENTRY;
    else if ((is_vector ? SYM_XMM0 + op->reg : op->reg) == place->registers[0])
      its++;
    else
      others++;
  }
  return its && !others;
}

/* Whether the function's code does not read what is asked for: the place, or the register of it that this is in. */
static bool is_unread(const struct sym_abi_place *place, int64_t offset)
{
  const bool is_whole = place->kind != SYM_ABI_IN_REGISTERS || place->is_reference || offset < 0;
  return place->is_unread || (!is_whole && offset / WORD < place->word_count && place->unread >> (offset / WORD) & 1);
}

/* What DWARF tells by a computation or a constant is what the function makes of the parameter, which may be another
 * value than the one it was passed. Where the caller's stands in its place, that is read; else it is lost. That all
 * callers pass the same constant to a local function and that the function sets its parameter at once look alike.
 * clang's callers pass what the function's code reads there, of global functions too. `place` is NULL where it is not
 * known. */
static void settle_made(const struct sym_location_context *context, const struct sym_abi_place *place, int64_t offset,
                        uint64_t size, struct sym_location *location)
{
  const struct sym_abi *abi = context->abi;
  const bool is_number = sym_location_is_constant(location),
             is_certain = abi->tells_made && place && !is_unread(place, offset);
  if (is_certain || (place && abi->tells_own && sym_abi_is_made_of(place, location)))
    locate_place(context, place, offset, size, location);
  else if (abi->may_be_unpassed)
    sym_location_lose(location, is_number ? SYM_LOST_SET : SYM_LOST_NOT_YET);
}

uint64_t sym_abi_register_of(const struct sym_location *location)
{
  const bool is_general = location->kind == SYM_LOCATION_REGISTER || location->kind == SYM_LOCATION_VALUE;
  unsigned reg = 64;
  if (location->kind == SYM_LOCATION_VECTOR)
    reg = location->reg;
  else if (is_general && location->code.count == 1 && location->code.ops[0].code == FMT_OP_REG)
    reg = location->code.ops[0].reg;
  return reg < 64 ? UINT64_C(1) << reg : 0;
}

void sym_abi_settle(const struct sym_location_context *context, Dwarf_Die *parameter, int64_t offset, uint64_t size,
                    struct sym_location *location)
{
  struct sym_abi *abi = context->abi;
  const struct sym_abi_place *place = abi ? sym_abi_place_of(abi, parameter) : NULL;
  bool is_made = location->kind == SYM_LOCATION_VALUE || location->kind == SYM_LOCATION_BYTES ||
                 location->kind == SYM_LOCATION_POINTER;
  /* A double lies where DWARF tells a float. */
  if (place && place->is_converted && location->kind == SYM_LOCATION_VECTOR)
    sym_location_lose(location, SYM_LOST_OPERATION);
  if (place && (place->kind == SYM_ABI_NOWHERE || place->is_converted))
    place = NULL;
  if (abi && is_made)
    settle_made(context, place, offset, size, location);
  if (abi && abi->shared & sym_abi_register_of(location))
    sym_location_lose(location, SYM_LOST_OMITTED);
  if (abi && abi->is_untold && location->kind != SYM_LOCATION_LOST)
    sym_location_lose(location, SYM_LOST_NOT_YET);
  if (!place || is_made)
    return;
  if (location->kind != SYM_LOCATION_LOST &&
      ((place->is_doubtful && abi->is_certain) || place->is_out_of_order ||
       (place->kind == SYM_ABI_ON_STACK && place->is_object && place->is_unread)))
    sym_location_lose(location, SYM_LOST_NOT_YET);
  /* Of what is passed in several registers those need not be passed that the function does not use. */
  const uint64_t first = (uint64_t)offset / WORD * WORD, end = ((uint64_t)offset + size + WORD - 1) / WORD * WORD;
  const bool is_passed = !abi->may_be_unpassed || !place->is_kept || sym_abi_is_used(parameter, first, end, false);
  if (location->kind == SYM_LOCATION_LOST && may_be_told(location->lost) && is_passed &&
      (place->is_home   ? !place->is_unread
       : place->is_kept ? abi->tells_kept && !is_unread(place, offset)
                        : abi->tells_missing))
    locate_place(context, place, offset, size, location);
}
