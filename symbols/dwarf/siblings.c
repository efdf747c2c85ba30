/*
 * Passes over the DIEs inside of another one by what their abbreviations say of their size.
 */
#include "symbols/dwarf/siblings.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "symbols/base/bytes.h"

/* Producers number abbreviations from 1 on. */
enum { CODE_MAX = 1 << 16 };

/* Walks go from one unit to another and back; what is known of one is soon found again. */
enum { UNITS_KEPT = 32 };

/* What lies behind bytes that are always as many. */
enum part { NOTHING, NUMBER, BLOCK1, BLOCK2, BLOCK4, BLOCK, STRING };

struct step {
  uint32_t bytes;
  enum part part;
};

enum state { NOT_LOOKED_AT, KNOWN, NOT_KNOWN };

struct shape {
  enum state state;
  bool has_children, has_sibling;
  uint32_t bytes;        /* that it always has, without its code: */
  uint32_t first, count; /* and where these are not all, of unit.steps */
};

struct sym_sibling_unit {
  struct sym_sibling_unit *next; /* used before this one */
  Dwarf_CU *cu;
  const uint8_t *end;
  uint32_t address_size, offset_size, reference_size;
  struct base_vector shapes; /* struct shape, by code */
  struct base_vector steps;  /* struct step */
};

static void pass_part(struct sym_bytes *c, enum part part)
{
  switch (part) {
  case NOTHING:
    break;
  case NUMBER:
    (void)sym_bytes_number(c);
    break;
  case BLOCK1:
    sym_bytes_skip(c, sym_bytes_take(c, 1));
    break;
  case BLOCK2:
    sym_bytes_skip(c, sym_bytes_take(c, 2));
    break;
  case BLOCK4:
    sym_bytes_skip(c, sym_bytes_take(c, 4));
    break;
  case BLOCK:
    sym_bytes_skip(c, sym_bytes_number(c));
    break;
  case STRING: {
    const uint8_t *zero = memchr(c->at, 0, (size_t)(c->end - c->at));
    c->failed |= !zero;
    c->at = zero ? zero + 1 : c->end;
    break;
  }
  }
}

/* How many bytes a form takes that always takes as many; UINT32_MAX for others. */
static uint32_t fixed_size(const struct sym_sibling_unit *unit, unsigned form)
{
  switch (form) {
  case DW_FORM_flag_present:
  case DW_FORM_implicit_const:
    return 0;
  case DW_FORM_data1:
  case DW_FORM_ref1:
  case DW_FORM_flag:
  case DW_FORM_strx1:
  case DW_FORM_addrx1:
    return 1;
  case DW_FORM_data2:
  case DW_FORM_ref2:
  case DW_FORM_strx2:
  case DW_FORM_addrx2:
    return 2;
  case DW_FORM_strx3:
  case DW_FORM_addrx3:
    return 3;
  case DW_FORM_data4:
  case DW_FORM_ref4:
  case DW_FORM_ref_sup4:
  case DW_FORM_strx4:
  case DW_FORM_addrx4:
    return 4;
  case DW_FORM_data8:
  case DW_FORM_ref8:
  case DW_FORM_ref_sig8:
  case DW_FORM_ref_sup8:
    return 8;
  case DW_FORM_data16:
    return 16;
  case DW_FORM_addr:
    return unit->address_size;
  case DW_FORM_ref_addr:
    return unit->reference_size;
  case DW_FORM_strp:
  case DW_FORM_sec_offset:
  case DW_FORM_line_strp:
  case DW_FORM_strp_sup:
  case DW_FORM_GNU_ref_alt:
  case DW_FORM_GNU_strp_alt:
    return unit->offset_size;
  default:
    return UINT32_MAX;
  }
}

/* What a form is that does not always take as many bytes; NOTHING: nobody here knows. */
static enum part part_of(unsigned form)
{
  switch (form) {
  case DW_FORM_sdata:
  case DW_FORM_udata:
  case DW_FORM_ref_udata:
  case DW_FORM_strx:
  case DW_FORM_addrx:
  case DW_FORM_loclistx:
  case DW_FORM_rnglistx:
  case DW_FORM_GNU_addr_index:
  case DW_FORM_GNU_str_index:
    return NUMBER;
  case DW_FORM_block1:
    return BLOCK1;
  case DW_FORM_block2:
    return BLOCK2;
  case DW_FORM_block4:
    return BLOCK4;
  case DW_FORM_block:
  case DW_FORM_exprloc:
    return BLOCK;
  case DW_FORM_string:
    return STRING;
  default:
    return NOTHING;
  }
}

/* False: nobody here knows the form. */
static bool step_of(const struct sym_sibling_unit *unit, unsigned form, struct step *step)
{
  *step = (struct step){.bytes = fixed_size(unit, form), .part = NOTHING};
  if (step->bytes != UINT32_MAX)
    return true;
  *step = (struct step){.part = part_of(form)};
  return step->part != NOTHING;
}

/* Adds a form to the steps of a shape: to the last one's bytes where nothing lies between. */
static bool add_step(struct sym_sibling_unit *unit, struct shape *shape, const struct step *added)
{
  struct step *last = shape->count ? base_vector_at(&unit->steps, unit->steps.count - 1) : NULL;
  if (last && last->part == NOTHING) {
    last->bytes += added->bytes;
    last->part = added->part;
    return true;
  }
  struct step *step = base_vector_add(&unit->steps, 1);
  if (!step)
    return false;
  *step = *added;
  shape->count++;
  return true;
}

/* What the abbreviation of the DIE at `addr` says. */
static struct shape look_at(struct sym_sibling_unit *unit, const uint8_t *addr)
{
  struct shape shape = {.state = NOT_KNOWN, .first = unit->steps.count};
  Dwarf_Die die = {.addr = (void *)(uintptr_t)addr, .cu = unit->cu};
  const int children = dwarf_haschildren(&die);
  if (children < 0 || !die.abbrev)
    return shape;
  unsigned name, form;
  Dwarf_Sword constant;
  Dwarf_Off offset;
  for (size_t i = 0; dwarf_getabbrevattr_data(die.abbrev, i, &name, &form, &constant, &offset) == 0; i++) {
    struct step step;
    shape.has_sibling |= name == DW_AT_sibling;
    if (!step_of(unit, form, &step) || !add_step(unit, &shape, &step))
      return shape;
  }
  const struct step *only = shape.count == 1 ? base_vector_at(&unit->steps, shape.first) : NULL;
  if (only && only->part == NOTHING) {
    shape.bytes = only->bytes;
    shape.count = 0;
  }
  shape.state = KNOWN;
  shape.has_children = children > 0;
  return shape;
}

/* The shape of the DIE at `addr`, of this code. NULL: not known. */
static const struct shape *make_shape(struct sym_sibling_unit *unit, uint64_t code, const uint8_t *addr)
{
  if (code >= CODE_MAX)
    return NULL;
  while (unit->shapes.count <= code) {
    struct shape *added = base_vector_add(&unit->shapes, 1);
    if (!added)
      return NULL;
    *added = (struct shape){.state = NOT_LOOKED_AT};
  }
  struct shape *shape = base_vector_at(&unit->shapes, (uint32_t)code);
  if (shape->state == NOT_LOOKED_AT)
    *shape = look_at(unit, addr);
  return shape->state == KNOWN ? shape : NULL;
}

static inline const struct shape *shape_of(struct sym_sibling_unit *unit, uint64_t code, const uint8_t *addr)
{
  const struct shape *shape = code < unit->shapes.count ? base_vector_at(&unit->shapes, (uint32_t)code) : NULL;
  return shape && shape->state == KNOWN ? shape : make_shape(unit, code, addr);
}

/* Passes over the DIE at the cursor, but not over what is in it. NULL: it cannot. */
static const struct shape *pass_die(struct sym_sibling_unit *unit, struct sym_bytes *c)
{
  const uint8_t *addr = c->at;
  const uint64_t code = sym_bytes_number(c);
  const struct shape *shape = c->failed ? NULL : shape_of(unit, code, addr);
  if (!shape)
    return NULL;
  sym_bytes_skip(c, shape->bytes);
  for (uint32_t i = 0; i < shape->count; i++) {
    const struct step *step = base_vector_at(&unit->steps, shape->first + i);
    sym_bytes_skip(c, step->bytes);
    pass_part(c, step->part);
  }
  return c->failed ? NULL : shape;
}

/* Where the section ends that holds a unit. NULL: not found. */
static const uint8_t *end_of_section(Dwarf *dwarf, const uint8_t *at)
{
  Elf *elf = dwarf ? dwarf_getelf(dwarf) : NULL;
  size_t names;
  if (!elf || elf_getshdrstrndx(elf, &names) != 0)
    return NULL;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
    const bool has_units = name && (strstr(name, "debug_info") || strstr(name, "debug_types"));
    const Elf_Data *data = has_units && header.sh_type != SHT_NOBITS ? elf_getdata(section, NULL) : NULL;
    const uint8_t *begin = data ? data->d_buf : NULL;
    if (begin && at >= begin && at < begin + data->d_size)
      return begin + data->d_size;
  }
  return NULL;
}

/* Finds the end of a unit by its header. libdw takes one that says that it is longer than its section to end there. */
static bool find_end(struct sym_sibling_unit *unit, Dwarf_Die *die)
{
  const uint8_t *start = (const uint8_t *)die->addr - dwarf_cuoffset(die);
  struct sym_bytes c = {.at = start, .end = end_of_section(dwarf_cu_getdwarf(die->cu), start)};
  if (!c.end)
    return false;
  uint64_t length = sym_bytes_take(&c, 4);
  if (length == UINT32_MAX)
    length = sym_bytes_take(&c, 8);
  sym_bytes_skip(&c, length);
  unit->end = c.at;
  return unit->end > (const uint8_t *)die->addr;
}

static struct sym_sibling_unit *make_unit(Dwarf_Die *die)
{
  Dwarf_Die top;
  Dwarf_Half version;
  uint8_t address_size, offset_size;
  if (!dwarf_cu_die(die->cu, &top, &version, NULL, &address_size, &offset_size, NULL, NULL))
    return NULL;
  struct sym_sibling_unit *unit = malloc(sizeof *unit);
  if (!unit)
    return NULL;
  *unit = (struct sym_sibling_unit){.cu = die->cu,
                                    .address_size = address_size,
                                    .offset_size = offset_size,
                                    .reference_size = version == 2 ? address_size : offset_size,
                                    .shapes = BASE_VECTOR_OF(struct shape),
                                    .steps = BASE_VECTOR_OF(struct step)};
  if (find_end(unit, die))
    return unit;
  free(unit);
  return NULL;
}

static void free_units(struct sym_sibling_unit *unit)
{
  while (unit) {
    struct sym_sibling_unit *next = unit->next;
    base_vector_free(&unit->shapes);
    base_vector_free(&unit->steps);
    free(unit);
    unit = next;
  }
}

/* What is known of the DIE's unit, from now on the one that was used last. NULL: no memory. */
static struct sym_sibling_unit *unit_of(struct sym_siblings *siblings, Dwarf_Die *die)
{
  struct sym_sibling_unit **at = &siblings->units;
  unsigned passed = 0;
  while (*at && (*at)->cu != die->cu && ++passed < UNITS_KEPT)
    at = &(*at)->next;
  struct sym_sibling_unit *unit = *at;
  if (unit && unit->cu == die->cu) {
    *at = unit->next;
  } else {
    free_units(unit);
    *at = NULL;
    unit = make_unit(die);
  }
  if (unit) {
    unit->next = siblings->units;
    siblings->units = unit;
  }
  return unit;
}

int sym_siblings_next(struct sym_siblings *siblings, Dwarf_Die *die, Dwarf_Die *next)
{
  struct sym_sibling_unit *unit = unit_of(siblings, die);
  struct sym_bytes c = {.at = die->addr, .end = unit ? unit->end : NULL};
  const struct shape *shape = unit ? pass_die(unit, &c) : NULL;
  if (!shape || (shape->has_children && shape->has_sibling))
    return dwarf_siblingof(die, next);
  for (uint64_t depth = shape->has_children; depth > 0 && c.at < c.end;) {
    if (*c.at == 0) {
      c.at++;
      depth--;
    } else if ((shape = pass_die(unit, &c)) != NULL) {
      depth += shape->has_children;
    } else {
      return dwarf_siblingof(die, next);
    }
  }
  if (c.at >= c.end || *c.at == 0)
    return 1;
  *next = (Dwarf_Die){.addr = (void *)(uintptr_t)c.at, .cu = unit->cu};
  return 0;
}

void sym_siblings_free(struct sym_siblings *siblings)
{
  free_units(siblings->units);
  siblings->units = NULL;
}
