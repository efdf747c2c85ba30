/*
 * Reads the directories and files that the header of a line table lists: DWARF 2 to 5.
 */
#include "symbols/dwarf/line_header.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "symbols/base/bytes.h"

struct sections {
  struct sym_bytes line, line_strings, strings;
};

/* A directory or a file as the table has it. */
struct entry {
  const char *path;         /* NULL: none, or not looked up yet */
  struct sym_bytes strings; /* the section that has it, and where: strings of a hostile one may all go on to its end, */
  uint64_t offset;          /* so that the one that is wanted is looked up alone */
  uint64_t directory;
};

struct header {
  const struct sections *sections;
  struct sym_bytes bytes; /* first what follows the lengths of opcodes */
  unsigned offset_size;
};

static const char *take_string(struct sym_bytes *bytes)
{
  const char *string = (const char *)bytes->at;
  const uint8_t *end = bytes->failed ? NULL : memchr(bytes->at, 0, (size_t)(bytes->end - bytes->at));
  bytes->failed |= !end;
  if (!end)
    return "";
  bytes->at = end + 1;
  return string;
}

/* Looks up the path of an entry that is wanted. */
static void look_up_path(struct entry *entry, bool *failed)
{
  if (!entry->strings.at)
    return;
  sym_bytes_skip(&entry->strings, entry->offset);
  entry->path = take_string(&entry->strings);
  *failed |= entry->strings.failed;
}

/* Takes one field of an entry: a string, a number, or what is of no interest. */
static void take_field(struct header *header, uint64_t content, uint64_t form, struct entry *entry)
{
  struct sym_bytes *bytes = &header->bytes, strings = {0};
  const char *string = NULL;
  uint64_t number = 0;
  switch (form) {
  case DW_FORM_string:
    string = take_string(bytes);
    break;
  case DW_FORM_line_strp:
  case DW_FORM_strp:
    strings = form == DW_FORM_strp ? header->sections->strings : header->sections->line_strings;
    number = sym_bytes_take(bytes, header->offset_size);
    bytes->failed |= !strings.at; /* there may be no such section */
    break;
  case DW_FORM_udata:
    number = sym_bytes_number(bytes);
    break;
  case DW_FORM_data1:
    number = sym_bytes_take(bytes, 1);
    break;
  case DW_FORM_data2:
    number = sym_bytes_take(bytes, 2);
    break;
  case DW_FORM_data4:
    number = sym_bytes_take(bytes, 4);
    break;
  case DW_FORM_data8:
    number = sym_bytes_take(bytes, 8);
    break;
  case DW_FORM_data16:
    sym_bytes_skip(bytes, 16);
    break;
  case DW_FORM_block:
    sym_bytes_skip(bytes, sym_bytes_number(bytes));
    break;
  default:
    bytes->failed = true;
  }
  if (content == DW_LNCT_path)
    *entry = (struct entry){string, strings, number, entry->directory};
  else if (content == DW_LNCT_directory_index)
    entry->directory = number;
}

/* Takes a list of DWARF 5 up to its entry `number` (with UINT64_MAX: over it). */
static struct entry take_entries(struct header *header, uint64_t number)
{
  static const struct entry none;
  uint64_t contents[UINT8_MAX] = {0}, forms[UINT8_MAX] = {0};
  const uint64_t fields = sym_bytes_take(&header->bytes, 1);
  for (uint64_t i = 0; i < fields && !header->bytes.failed; i++) {
    contents[i] = sym_bytes_number(&header->bytes);
    forms[i] = sym_bytes_number(&header->bytes);
  }
  const uint64_t count = sym_bytes_number(&header->bytes);
  for (uint64_t i = 0; i < count && fields > 0 && !header->bytes.failed; i++) {
    struct entry entry = {0};
    for (uint64_t j = 0; j < fields; j++)
      take_field(header, contents[j], forms[j], &entry);
    if (i == number) {
      look_up_path(&entry, &header->bytes.failed);
      return header->bytes.failed ? none : entry;
    }
  }
  return none;
}

static struct entry file_of_5(struct header header, uint64_t number, const char **directory)
{
  struct header again = header;
  take_entries(&header, UINT64_MAX);
  const struct entry file = take_entries(&header, number);
  if (!header.bytes.failed)
    *directory = take_entries(&again, file.directory).path;
  return !again.bytes.failed ? file : (struct entry){0};
}

/* The so-manieth of the strings up to an empty one, the first being 1; NULL: there are less. All are read over. */
static const char *take_directories(struct sym_bytes *bytes, uint64_t number)
{
  const char *found = NULL;
  uint64_t at = 0;
  for (const char *string = take_string(bytes); *string; string = take_string(bytes))
    if (++at == number)
      found = string;
  return found;
}

/* Before DWARF 5, both lists begin with 1, and directory 0 is the unit's. */
static struct entry file_of_4(struct header header, Dwarf_Die *unit, uint64_t number, const char **directory)
{
  struct header again = header;
  struct entry file = {0};
  Dwarf_Attribute attribute;
  uint64_t at = 0;
  take_directories(&header.bytes, 0);
  for (const char *string = take_string(&header.bytes); *string && at < number; string = take_string(&header.bytes)) {
    file = (struct entry){.path = string, .directory = sym_bytes_number(&header.bytes)};
    sym_bytes_number(&header.bytes);
    sym_bytes_number(&header.bytes);
    at++;
  }
  if (header.bytes.failed)
    return (struct entry){0};
  *directory = file.directory ? take_directories(&again.bytes, file.directory)
                              : dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  return number > 0 && at == number ? file : (struct entry){0};
}

static bool find_sections(Dwarf *dwarf, struct sections *sections)
{
  Elf *elf = dwarf_getelf(dwarf);
  size_t names;
  if (!elf || elf_getshdrstrndx(elf, &names) != 0)
    return false;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
    struct sym_bytes *found = !name                                  ? NULL
                              : strcmp(name, ".debug_line") == 0     ? &sections->line
                              : strcmp(name, ".debug_line_str") == 0 ? &sections->line_strings
                              : strcmp(name, ".debug_str") == 0      ? &sections->strings
                                                                     : NULL;
    /* libdw has decompressed those that it reads. */
    Elf_Data *data = found && !(header.sh_flags & SHF_COMPRESSED) ? elf_getdata(section, NULL) : NULL;
    if (data && data->d_buf)
      *found = (struct sym_bytes){data->d_buf, (const uint8_t *)data->d_buf + data->d_size, false};
  }
  return sections->line.at;
}

/* Reads the header up to the lists. The version; 0: it cannot be read. */
static unsigned open_header(struct header *header, uint64_t offset)
{
  struct sym_bytes *bytes = &header->bytes;
  *bytes = header->sections->line;
  sym_bytes_skip(bytes, offset);
  uint64_t length = sym_bytes_take(bytes, 4);
  header->offset_size = length == UINT32_MAX ? 8 : 4;
  if (header->offset_size == 8)
    length = sym_bytes_take(bytes, 8);
  if (bytes->failed || length > (uint64_t)(bytes->end - bytes->at))
    return 0;
  bytes->end = bytes->at + length;
  const unsigned version = (unsigned)sym_bytes_take(bytes, 2);
  /* Sizes of addresses and segments, in version 5. */
  sym_bytes_skip(bytes, version >= 5 ? 2 : 0);
  length = sym_bytes_take(bytes, header->offset_size);
  if (bytes->failed || version < 2 || version > 5 || length > (uint64_t)(bytes->end - bytes->at))
    return 0;
  bytes->end = bytes->at + length;
  /* How instructions advance the line: of what is to come, only the number of opcodes matters. */
  sym_bytes_skip(bytes, version >= 4 ? 5 : 4);
  const uint64_t opcodes = sym_bytes_take(bytes, 1);
  sym_bytes_skip(bytes, opcodes > 0 ? opcodes - 1 : 0);
  return bytes->failed ? 0 : version;
}

bool sym_line_header_file(Dwarf_Die *unit, uint64_t number, char *path, size_t size)
{
  Dwarf_Attribute attribute;
  Dwarf_Word offset;
  struct sections sections = {0};
  struct header header = {.sections = &sections};
  const char *directory = NULL;
  if (!dwarf_attr(unit, DW_AT_stmt_list, &attribute) || dwarf_formudata(&attribute, &offset) != 0 ||
      !find_sections(dwarf_cu_getdwarf(unit->cu), &sections))
    return false;
  const unsigned version = open_header(&header, offset);
  if (version == 0)
    return false;
  const struct entry file =
      version >= 5 ? file_of_5(header, number, &directory) : file_of_4(header, unit, number, &directory);
  if (!file.path)
    return false;
  const bool is_whole = *file.path == '/' || !directory;
  const int length = snprintf(path, size, "%s%s%s", is_whole ? "" : directory, is_whole ? "" : "/", file.path);
  return length >= 0 && (size_t)length < size;
}
