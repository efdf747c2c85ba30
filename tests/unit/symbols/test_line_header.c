/* Names of files out of the header of a line table: those that libdw gives, and none of a header that is cut or lies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dwarf.h>
#include <elf.h>

#include "symbols/dwarf/line_header.h"

enum { NAMES, INFO, ABBREVIATIONS, LINES, LINE_STRINGS, SECTIONS };

struct block {
  uint8_t bytes[4096];
  size_t size;
};

static const char section_names[] = "\0.shstrtab\0.debug_info\0.debug_abbrev\0.debug_line\0.debug_line_str";
static const uint32_t name_at[SECTIONS] = {1, 11, 23, 37, 49};

/* Of a line table of version 5: at 0, 9 and 15. */
static const char strings[] = "/project\0/other\0first.c\0second.c";

static void put(struct block *block, const void *bytes, size_t size)
{
  assert_true(block->size + size <= sizeof block->bytes);
  memcpy(block->bytes + block->size, bytes, size);
  block->size += size;
}

static void put_number(struct block *block, uint64_t number, size_t size)
{
  put(block, &number, size);
}

static void put_byte(struct block *block, unsigned byte)
{
  put_number(block, byte, 1);
}

static void put_string(struct block *block, const char *string)
{
  put(block, string, strlen(string) + 1);
}

/* A table: its header's lists are `lists`, and what follows says that the header is so long. */
static void put_table(struct block *lines, unsigned version, const struct block *lists, uint64_t header_length)
{
  const size_t fixed = version >= 4 ? 6 : 5, opcodes = 12;
  struct block rest = {0};
  put_number(&rest, version, 2);
  if (version >= 5)
    put(&rest, (const uint8_t[]){8, 0}, 2);
  put_number(&rest, header_length ? header_length : fixed + opcodes + lists->size, 4);
  put(&rest, (const uint8_t[]){1, 1, 1, 0xFB, 14}, version >= 4 ? 5 : 0);
  if (version < 4)
    put(&rest, (const uint8_t[]){1, 1, 0xFB, 14}, 4);
  put_byte(&rest, (unsigned)opcodes + 1);
  put(&rest, (const uint8_t[]){0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}, opcodes);
  put(&rest, lists->bytes, lists->size);
  put(&rest, (const uint8_t[]){0, 1, DW_LNE_end_sequence}, 3);
  put_number(lines, rest.size, 4);
  put(lines, rest.bytes, rest.size);
}

static struct block lists_of_4(void)
{
  struct block lists = {0};
  put_string(&lists, "/other");
  put_string(&lists, "inner");
  put_string(&lists, "");
  for (unsigned directory = 0; directory < 3; directory++) {
    put_string(&lists, directory ? "second.c" : "first.c");
    put(&lists, (const uint8_t[]){(uint8_t)directory, 0, 0}, 3);
  }
  put_string(&lists, "");
  return lists;
}

static struct block lists_of_5(unsigned directory_of_second)
{
  struct block lists = {0};
  put(&lists, (const uint8_t[]){1, DW_LNCT_path, DW_FORM_line_strp, 2}, 4);
  put_number(&lists, 0, 4);
  put_number(&lists, 9, 4);
  put(&lists,
      (const uint8_t[]){3, DW_LNCT_path, DW_FORM_line_strp, DW_LNCT_directory_index, DW_FORM_udata, DW_LNCT_MD5,
                        DW_FORM_data16, 2},
      8);
  for (unsigned file = 0; file < 2; file++) {
    put_number(&lists, file ? 24 : 16, 4);
    put_byte(&lists, file ? directory_of_second : 0);
    put(&lists, (const uint8_t[16]){0}, 16);
  }
  return lists;
}

/* The sections of a file with one unit, whose line table is `lines`. */
static void make_sections(struct block sections[SECTIONS], const struct block *lines, bool with_strings)
{
  memset(sections, 0, SECTIONS * sizeof *sections);
  put(&sections[NAMES], section_names, sizeof section_names);
  put(&sections[ABBREVIATIONS],
      (const uint8_t[]){1, DW_TAG_compile_unit, 0, DW_AT_stmt_list, DW_FORM_sec_offset, DW_AT_comp_dir, DW_FORM_string,
                        0, 0, 0},
      10);
  put_number(&sections[INFO], 2 + 4 + 1 + 1 + 4 + sizeof "/project", 4);
  put_number(&sections[INFO], 4, 2);
  put_number(&sections[INFO], 0, 4);
  put_byte(&sections[INFO], 8);
  put_byte(&sections[INFO], 1);
  put_number(&sections[INFO], 0, 4);
  put_string(&sections[INFO], "/project");
  sections[LINES] = *lines;
  if (with_strings)
    put(&sections[LINE_STRINGS], strings, sizeof strings);
}

/* The file in memory. To be freed. */
static char *make_file(const struct block sections[SECTIONS], size_t *size)
{
  Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_type = ET_DYN,
                       .e_machine = EM_X86_64,
                       .e_version = EV_CURRENT,
                       .e_ehsize = sizeof header,
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = SECTIONS + 1,
                       .e_shstrndx = NAMES + 1};
  Elf64_Shdr headers[SECTIONS + 1] = {0};
  size_t at = sizeof header;
  for (unsigned i = 0; i < SECTIONS; i++) {
    /* A section that is not there is an empty one without a name. */
    headers[i + 1] = (Elf64_Shdr){.sh_name = sections[i].size ? name_at[i] : 0,
                                  .sh_offset = at,
                                  .sh_type = i == NAMES ? SHT_STRTAB : SHT_PROGBITS,
                                  .sh_size = sections[i].size,
                                  .sh_addralign = 1};
    at += sections[i].size;
  }
  header.e_shoff = (at + 7) & ~(size_t)7;
  *size = header.e_shoff + sizeof headers;
  char *file = calloc(1, *size);
  assert_non_null(file);
  memcpy(file, &header, sizeof header);
  for (unsigned i = 0; i < SECTIONS; i++)
    memcpy(file + headers[i + 1].sh_offset, sections[i].bytes, sections[i].size);
  memcpy(file + header.e_shoff, headers, sizeof headers);
  return file;
}

/* Asks for file `number` of such a file; with `expected`, which is libdw's name for it where `is_libdws`. */
static void ask(const struct block *lines, bool with_strings, uint64_t number, const char *expected, bool is_libdws)
{
  struct block sections[SECTIONS];
  Dwarf_Die unit;
  Dwarf_Off next;
  size_t size, header_size;
  char path[64] = "";
  make_sections(sections, lines, with_strings);
  char *file = make_file(sections, &size);
  Elf *elf = elf_memory(file, size);
  Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
  assert_non_null(dwarf);
  assert_int_equal(dwarf_nextcu(dwarf, 0, &next, &header_size, NULL, NULL, NULL), 0);
  assert_non_null(dwarf_offdie(dwarf, header_size, &unit));
  const bool found = sym_line_header_file(&unit, number, path, sizeof path);
  assert_true(found == (expected != NULL));
  if (expected)
    assert_string_equal(path, expected);
  Dwarf_Files *files;
  if (is_libdws) {
    assert_int_equal(dwarf_getsrcfiles(&unit, &files, NULL), 0);
    assert_string_equal(dwarf_filesrc(files, number, NULL, NULL), path);
  }
  dwarf_end(dwarf);
  elf_end(elf);
  free(file);
}

static const char *const files_of_4[] = {NULL, "/project/first.c", "/other/second.c", "inner/second.c", NULL};

static void versions_before_5(void **state)
{
  (void)state;
  for (unsigned version = 2; version <= 4; version++) {
    const struct block lists = lists_of_4();
    struct block lines = {0};
    put_table(&lines, version, &lists, 0);
    for (unsigned file = 0; file < 5; file++)
      /* libdw has a directory that is not absolute below the unit's. */
      ask(&lines, false, file, files_of_4[file], files_of_4[file] && *files_of_4[file] == '/');
  }
}

static void version_5(void **state)
{
  (void)state;
  const struct block lists = lists_of_5(1);
  struct block lines = {0};
  put_table(&lines, 5, &lists, 0);
  ask(&lines, true, 0, "/project/first.c", true);
  ask(&lines, true, 1, "/other/second.c", true);
  ask(&lines, true, 2, NULL, false);
  ask(&lines, true, UINT64_MAX, NULL, false);
}

/* The strings are in a section that is not there, or not as long. */
static void strings_that_are_missing(void **state)
{
  (void)state;
  const struct block lists = lists_of_5(1);
  struct block lines = {0}, far = {0};
  put_table(&lines, 5, &lists, 0);
  ask(&lines, false, 0, NULL, false);
  struct block beyond = lists_of_5(1);
  memset(beyond.bytes + 4, 0xFF, 4);
  put_table(&far, 5, &beyond, 0);
  ask(&far, true, 0, NULL, false);
}

/* Wherever the section ends, and whatever the table says of its own length then, nothing is made up. */
static void cut_anywhere(void **state)
{
  (void)state;
  for (unsigned version = 2; version <= 5; version++) {
    const struct block lists = version == 5 ? lists_of_5(1) : lists_of_4();
    struct block whole = {0};
    put_table(&whole, version, &lists, 0);
    for (size_t size = 4; size < whole.size; size++) {
      struct block cut = whole;
      cut.size = size;
      ask(&cut, version == 5, 1, NULL, false);
    }
    /* The header alone ends early: before the lists' own ends nothing is told. */
    const size_t fixed = version >= 4 ? 18 : 17, needed = fixed + lists.size - (version == 5 ? 0 : 24);
    for (size_t length = 1; length < needed; length++) {
      struct block lines = {0};
      put_table(&lines, version, &lists, length);
      ask(&lines, version == 5, 1, NULL, false);
    }
  }
}

/* Versions and forms that are unknown, a number of fields or entries that there is no room for, and lengths near 2^64.
 */
static void headers_that_lie(void **state)
{
  (void)state;
  const struct block lists = lists_of_5(1);
  for (unsigned version = 0; version < 8; version++) {
    struct block lines = {0};
    put_table(&lines, 5, &lists, 0);
    lines.bytes[4] = (uint8_t)version;
    if (version < 2 || version > 5)
      ask(&lines, true, 0, NULL, false);
  }
  struct block form = lists, fields = lists, entries = lists, lines = {0}, more = {0}, most = {0};
  form.bytes[2] = 0x7F;
  fields.bytes[0] = 0xFF;
  entries.bytes[3] = 0x7F;
  put_table(&lines, 5, &form, 0);
  ask(&lines, true, 0, NULL, false);
  put_table(&more, 5, &fields, 0);
  ask(&more, true, 0, NULL, false);
  put_table(&most, 5, &entries, 0);
  ask(&most, true, 0, NULL, false);
  struct block endless = {0};
  put_number(&endless, UINT32_MAX, 4);
  put_number(&endless, UINT64_MAX, 8);
  put_number(&endless, 5, 2);
  ask(&endless, true, 0, NULL, false);
}

/* A file in a directory that is not listed has its name alone. */
static void directory_that_is_not_there(void **state)
{
  (void)state;
  const struct block lists = lists_of_5(7);
  struct block lines = {0};
  put_table(&lines, 5, &lists, 0);
  ask(&lines, true, 1, "second.c", false);
}

/* Only the string that is asked for is looked at: those of a hostile table may all go on to the end of a section. */
static void string_of_another_file(void **state)
{
  (void)state;
  const size_t first_file = 20;
  const uint32_t outside = 1000;
  struct block lists = lists_of_5(1), lines = {0};
  memcpy(lists.bytes + first_file, &outside, sizeof outside);
  put_table(&lines, 5, &lists, 0);
  ask(&lines, true, 0, NULL, false);
  ask(&lines, true, 1, "/other/second.c", false);
}

int main(void)
{
  elf_version(EV_CURRENT);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(versions_before_5),        cmocka_unit_test(version_5),
      cmocka_unit_test(strings_that_are_missing), cmocka_unit_test(cut_anywhere),
      cmocka_unit_test(headers_that_lie),         cmocka_unit_test(directory_that_is_not_there),
      cmocka_unit_test(string_of_another_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
