/*
 * Reads the rules that a program carries in its own ELF file.
 */
#include "symbols/plan/notes.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"

static const char section_name[] = ".note.callsig";
static const char owner[] = "callsig";
enum { NOTE_TYPE_RULE = 1 };

/* The rules text while it is collected. */
struct text {
  char *data; /* from malloc(), with a NUL behind it */
  size_t size;
  struct base_strings *seen; /* its lines */
};

/* Appends one rule as a line. The macros may leave a NUL between the pieces that an assembler joined. */
static int append(struct text *text, const char *rule, size_t size)
{
  char *data = realloc(text->data, text->size + size + 2);
  if (!data)
    return -ENOMEM;
  text->data = data;
  for (size_t i = 0; i < size; i++)
    if (rule[i] != '\0')
      data[text->size++] = rule[i] == '\n' ? ' ' : rule[i];
  data[text->size++] = '\n';
  data[text->size] = '\0';
  return 0;
}

/* Takes back the line that was appended from `start` on, where it was there before: the same rule is in the notes once
 * for each unit that includes the header it stands in. */
static int drop_repeated(struct text *text, size_t start)
{
  size_t known;
  uint32_t line = 0;
  base_strings_data(text->seen, &known);
  int result = base_strings_add(text->seen, text->data + start, &line);
  if (result == 0 && line < known)
    text->size = start;
  return result;
}

static int read_section(Elf_Data *data, struct text *text)
{
  size_t offset = 0, name_offset, rule_offset;
  GElf_Nhdr header;
  while ((offset = gelf_getnote(data, offset, &header, &name_offset, &rule_offset)) != 0) {
    const char *base = data->d_buf;
    if (header.n_type != NOTE_TYPE_RULE || header.n_namesz != sizeof owner ||
        memcmp(base + name_offset, owner, sizeof owner) != 0)
      continue;
    size_t start = text->size;
    int result = append(text, base + rule_offset, header.n_descsz);
    if (result == 0)
      result = drop_repeated(text, start);
    if (result < 0)
      return result;
  }
  return 0;
}

static int read_notes(Elf *elf, struct text *text)
{
  size_t names;
  if (elf_getshdrstrndx(elf, &names) != 0)
    return 0;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
    GElf_Shdr header;
    const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
    if (!name || strcmp(name, section_name) != 0 || header.sh_type == SHT_NOBITS)
      continue;
    Elf_Data *data = elf_getdata(section, NULL);
    int result = data ? read_section(data, text) : 0;
    if (result < 0)
      return result;
  }
  return 0;
}

int sym_notes_rules(Elf *elf, const char *path, base_message_fn message, void *data, struct sym_rules **rules)
{
  struct text text = {.seen = base_strings_new()};
  *rules = NULL;
  int result = text.seen ? read_notes(elf, &text) : -ENOMEM;
  if (result < 0 || text.size == 0)
    goto out;
  result = sym_rules_parse(text.data, text.size, path, message, data, rules);
out:
  free(text.data);
  base_strings_free(text.seen);
  return result;
}
