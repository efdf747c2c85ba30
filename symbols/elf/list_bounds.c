/*
 * Reads where lists of locations and ranges lie, as libdw does, but never beyond their section.
 */
#include "symbols/elf/list_bounds.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdatomic.h>
#include <string.h>

#include "symbols/base/bytes.h"

static bool begins(const char *name, const char *with)
{
  return strncmp(name, with, strlen(with)) == 0;
}

/* The bytes of one section of those that hold debug information. */
static struct sym_bytes contents(Elf_Scn *section, const GElf_Shdr *header)
{
  /* libdw has decompressed those that it reads. */
  Elf_Data *data = header->sh_type != SHT_NOBITS && !(header->sh_flags & (SHF_COMPRESSED | SHF_GROUP))
                       ? elf_getdata(section, NULL)
                       : NULL;
  return data && data->d_buf ? (struct sym_bytes){data->d_buf, (const uint8_t *)data->d_buf + data->d_size, false}
                             : (struct sym_bytes){0};
}

/* The section that libdw takes for `.debug_NAME`: the first one; of split units' files, where there is no other debug
 * information, that of `.debug_NAME.dwo`. Nothing: it has none. */
static struct sym_bytes find_section(Dwarf *dwarf, const char *wanted)
{
  struct sym_bytes found[2] = {{0}}; /* the second: in a .dwo file */
  bool is_split = true;
  size_t names;
  Elf *elf = dwarf_getelf(dwarf);
  if (!elf || elf_getshdrstrndx(elf, &names) != 0)
    return found[0];
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
    name = !name ? "" : begins(name, ".debug_") ? name + 7 : begins(name, ".zdebug_") ? name + 8 : "";
    if (!*name)
      continue;
    const size_t length = strlen(name), wanted_length = strlen(wanted);
    const bool is_dwo = length >= 4 && strcmp(name + length - 4, ".dwo") == 0;
    is_split &= is_dwo;
    if (begins(name, wanted) && length == wanted_length + (is_dwo ? 4 : 0) && found[is_dwo].at == found[is_dwo].end)
      found[is_dwo] = contents(section, &header);
  }
  return found[is_split];
}

/* How often debug information was closed, by any thread. */
static _Atomic uint64_t closed;

void sym_list_bounds_forget(void)
{
  atomic_fetch_add(&closed, 1);
}

/* The section of location lists. It is asked for with each of them, and most are of the same file as the last one: that
 * one is remembered until any is closed, since another may lie at its address then. */
static struct sym_bytes find_locations(Dwarf *dwarf)
{
  static _Thread_local struct {
    Dwarf *dwarf;
    uint64_t closed;
    struct sym_bytes section;
  } last;
  const uint64_t now = atomic_load(&closed);
  if (last.dwarf != dwarf || last.closed != now) {
    last.section = find_section(dwarf, "loclists");
    last.dwarf = dwarf;
    last.closed = now;
  }
  return last.section;
}

/* Where the table of lists lies that the units of a section have which do not say where theirs is. */
static uint64_t first_table(struct sym_bytes bytes)
{
  const uint8_t *begin = bytes.at;
  uint64_t length = sym_bytes_take(&bytes, 4);
  const unsigned offset_size = length == UINT32_MAX ? 8 : 4;
  if (offset_size == 8)
    length = sym_bytes_take(&bytes, 8);
  if (bytes.failed || length < 8 || length > (uint64_t)(bytes.end - bytes.at))
    return 0;
  const unsigned version = (unsigned)sym_bytes_take(&bytes, 2), address_size = (unsigned)sym_bytes_take(&bytes, 1);
  const unsigned segment_size = (unsigned)sym_bytes_take(&bytes, 1);
  const uint64_t count = sym_bytes_take(&bytes, 4);
  const bool is_table = version == 5 && (address_size == 4 || address_size == 8) && segment_size == 0 && count > 0 &&
                        (uint32_t)(count * offset_size) <= length - 8; /* as libdw has it */
  return is_table ? (uint64_t)(bytes.at - begin) : 0;
}

/* What the header of an attribute's unit says. */
struct unit {
  Dwarf_Half version;
  uint8_t type, address_size, offset_size;
  Dwarf_Die top;
};

static bool find_unit(const Dwarf_Attribute *attribute, struct unit *unit)
{
  return dwarf_cu_info(attribute->cu, &unit->version, &unit->type, &unit->top, NULL, NULL, &unit->address_size,
                       &unit->offset_size) == 0;
}

/* Where the list begins in the section whose number in its unit's table the attribute tells. False: outside of it. */
static bool find_numbered(Dwarf_Attribute *attribute, const struct sym_bytes *section, struct unit *unit,
                          unsigned base_name, Dwarf_Word *offset)
{
  const uint64_t size = (uint64_t)(section->end - section->at);
  Dwarf_Attribute base_attribute;
  Dwarf_Word number, base = 0;
  if (dwarf_formudata(attribute, &number) != 0 || size < unit->offset_size)
    return false;
  const uint64_t last = size - unit->offset_size;
  if (dwarf_attr(&unit->top, base_name, &base_attribute) && dwarf_formudata(&base_attribute, &base) != 0)
    base = 0;
  if (base == 0)
    base = first_table(*section);
  if (base > last || number > (last - base) / unit->offset_size)
    return false;
  struct sym_bytes entry = *section;
  sym_bytes_skip(&entry, base + number * unit->offset_size);
  const uint64_t begin = sym_bytes_take(&entry, unit->offset_size);
  *offset = base + begin;
  return begin < size && *offset < size;
}

static bool is_description(unsigned form)
{
  return form == DW_FORM_exprloc || form == DW_FORM_block || form == DW_FORM_block1 || form == DW_FORM_block2 ||
         form == DW_FORM_block4;
}

/* Of units before version 5, in which descriptions have lengths of 2 bytes: whether the offset of a list has a form in
 * which libdw holds it against the size of the section. */
static bool is_checked_offset(const struct unit *unit, unsigned form)
{
  return form == DW_FORM_sec_offset || (unit->version < 4 && (form == DW_FORM_data4 || form == DW_FORM_data8));
}

bool sym_list_bounds_find(Dwarf_Attribute *attribute, struct sym_list_bounds *bounds)
{
  const unsigned form = dwarf_whatform(attribute);
  struct unit unit;
  Dwarf_Word offset = 0;
  *bounds = (struct sym_list_bounds){.section = NULL};
  if (is_description(form))
    return true;
  if (!find_unit(attribute, &unit))
    return false;
  if (unit.version < 5)
    return is_checked_offset(&unit, form);
  const struct sym_bytes section = find_locations(dwarf_cu_getdwarf(attribute->cu));
  /* libdw tells by the name of the attribute what an offset leads into. */
  Dwarf_Attribute location = *attribute;
  location.code = DW_AT_location;
  if (section.at == section.end ||
      !(form == DW_FORM_loclistx ? find_numbered(attribute, &section, &unit, DW_AT_loclists_base, &offset)
                                 : form == DW_FORM_sec_offset && dwarf_formudata(&location, &offset) == 0))
    return false;
  *bounds = (struct sym_list_bounds){section.at, section.end, offset, unit.address_size};
  return true;
}

bool sym_list_views(Dwarf_Attribute *attribute, struct sym_bytes *views)
{
  struct unit unit;
  Dwarf_Word offset;
  Dwarf *dwarf = dwarf_cu_getdwarf(attribute->cu);
  /* libdw tells by the name of the attribute what an offset leads into. */
  Dwarf_Attribute location = *attribute;
  location.code = DW_AT_location;
  if (dwarf_whatform(attribute) != DW_FORM_sec_offset || !find_unit(attribute, &unit) ||
      dwarf_formudata(&location, &offset) != 0)
    return false;
  *views = unit.version < 5 ? find_section(dwarf, "loc") : find_locations(dwarf);
  sym_bytes_skip(views, offset);
  return views->at < views->end;
}

/* Passes over an entry's operands. False: it has no description. */
static bool pass_entry(struct sym_bytes *bytes, uint64_t kind, uint8_t address_size)
{
  switch (kind) {
  case DW_LLE_base_addressx:
    (void)sym_bytes_number(bytes);
    return false;
  case DW_LLE_base_address:
    sym_bytes_skip(bytes, address_size);
    return false;
  case DW_LLE_GNU_view_pair:
    (void)sym_bytes_number(bytes);
    (void)sym_bytes_number(bytes);
    return false;
  case DW_LLE_startx_endx:
  case DW_LLE_startx_length:
  case DW_LLE_offset_pair:
    (void)sym_bytes_number(bytes);
    (void)sym_bytes_number(bytes);
    return true;
  case DW_LLE_start_end:
    sym_bytes_skip(bytes, 2u * address_size);
    return true;
  case DW_LLE_start_length:
    sym_bytes_skip(bytes, address_size);
    (void)sym_bytes_number(bytes);
    return true;
  case DW_LLE_default_location:
    return true;
  default:
    bytes->failed = true;
    return false;
  }
}

bool sym_list_bounds_hold(const struct sym_list_bounds *bounds, ptrdiff_t offset, unsigned most)
{
  struct sym_bytes bytes = {bounds->section, bounds->end, false};
  if (!bounds->section || offset == 1)
    return true;
  sym_bytes_skip(&bytes, offset ? (uint64_t)offset : bounds->offset);
  while (most > 0 && !bytes.failed) {
    const uint64_t kind = sym_bytes_take(&bytes, 1);
    if (bytes.failed || kind == DW_LLE_end_of_list)
      break;
    if (pass_entry(&bytes, kind, bounds->address_size) && !bytes.failed) {
      sym_bytes_skip(&bytes, sym_bytes_number(&bytes));
      most--;
    }
  }
  return !bytes.failed;
}

/* Whether libdw may be asked for the list of ranges of a DIE. Only where it begins has to be looked at, and that only
 * where offsets have 64 bits: libdw notices those of 32 that lead out of the section. */
static bool may_ask_ranges(Dwarf_Die *die)
{
  Dwarf_Attribute attribute;
  struct unit unit;
  Dwarf_Word offset;
  /* libdw has the ranges of a split unit from its skeleton. */
  if (!dwarf_attr(die, DW_AT_ranges, &attribute) &&
      !(dwarf_tag(die) == DW_TAG_compile_unit && dwarf_attr_integrate(die, DW_AT_ranges, &attribute)))
    return true;
  const unsigned form = dwarf_whatform(&attribute);
  if (!find_unit(&attribute, &unit))
    return false;
  if (unit.version < 5)
    return is_checked_offset(&unit, form);
  const bool is_split = unit.type == DW_UT_split_compile || unit.type == DW_UT_split_type;
  if (form != DW_FORM_rnglistx || (unit.offset_size == 4 && !is_split))
    return true;
  /* Of a split unit without lists libdw takes those of its skeleton. */
  const struct sym_bytes section = find_section(dwarf_cu_getdwarf(attribute.cu), "rnglists");
  return section.at != section.end && find_numbered(&attribute, &section, &unit, DW_AT_rnglists_base, &offset);
}

ptrdiff_t sym_ranges_next(Dwarf_Die *die, ptrdiff_t offset, Dwarf_Addr *base, Dwarf_Addr *low, Dwarf_Addr *high)
{
  return offset == 0 && !may_ask_ranges(die) ? -1 : dwarf_ranges(die, offset, base, low, high);
}
