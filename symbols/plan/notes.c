/*
 * Reads the rules that a program carries in its own ELF file.
 */
#include "symbols/plan/notes.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char section_name[] = ".note.callsig";
static const char owner[] = "callsig";
enum { NOTE_TYPE_RULE = 1 };

/* The rules text while it is collected, from malloc(). */
struct text {
  char *data;
  size_t size;
};

/* Appends one rule as a line. The macros may leave a NUL between the pieces that an assembler joined. */
static int append(struct text *text, const char *rule, size_t size)
{
  char *data = realloc(text->data, text->size + size + 1);
  if (!data)
    return -ENOMEM;
  text->data = data;
  for (size_t i = 0; i < size; i++)
    if (rule[i] != '\0')
      data[text->size++] = rule[i] == '\n' ? ' ' : rule[i];
  data[text->size++] = '\n';
  return 0;
}

/* The same rule is in the notes once for each unit that includes the header it stands in. */
static int is_repeated(const struct text *text, size_t start)
{
  const char *line = text->data + start;
  size_t length = text->size - start;
  for (size_t at = 0; at < start;) {
    const char *newline = memchr(text->data + at, '\n', start - at);
    size_t other = (size_t)(newline - (text->data + at)) + 1;
    if (other == length && memcmp(text->data + at, line, length) == 0)
      return 1;
    at += other;
  }
  return 0;
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
    if (result < 0)
      return result;
    if (is_repeated(text, start))
      text->size = start;
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
  struct text text = {0};
  *rules = NULL;
  int result = read_notes(elf, &text);
  if (result < 0 || text.size == 0)
    goto out;
  result = sym_rules_parse(text.data, text.size, path, message, data, rules);
out:
  free(text.data);
  return result;
}
