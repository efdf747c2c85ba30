/* Fills the lines of help texts. */
#include "cli/common/print_help.h"

#include <stdbool.h>
#include <string.h>

enum { WIDTH = 79 };

struct line {
  const char *text;
  size_t length; /* without its newline */
  size_t indent;
  size_t column; /* where what it says begins: behind the option that it describes, or at its indentation */
};

/* `before`: the column of the last option; one that leaves a single space before its text has it as well. */
static struct line read_line(const char *text, size_t before)
{
  struct line line = {.text = text, .length = strcspn(text, "\n")};
  line.indent = strspn(text, " ");
  line.column = line.indent;
  for (size_t i = line.indent; i + 2 < line.length; i++)
    if (text[i] == ' ' && text[i + 1] == ' ' && text[i + 2] != ' ')
      line.column = i + 2;
  if (line.column == line.indent && line.indent > 0 && before > line.indent && before < line.length &&
      text[before - 1] == ' ')
    line.column = before;
  return line;
}

static const char *next_of(const struct line *line)
{
  return line->text + line->length + (line->text[line->length] == '\n');
}

/* The line behind `line`, when it goes on with what that says. */
static bool read_more(const struct line *first, const struct line *line, struct line *more)
{
  *more = read_line(next_of(line), 0);
  return first->length > 0 && more->length > 0 && more->indent == first->column && more->column == more->indent;
}

/* Where a block's words are written. */
struct filling {
  FILE *out;
  size_t column, at; /* where its lines begin, and how far the last one has come */
};

static void put_word(struct filling *filling, const char *word, size_t length)
{
  if (filling->at > filling->column && filling->at + 1 + length > WIDTH) {
    fprintf(filling->out, "\n%*s", (int)filling->column, "");
    filling->at = filling->column;
  }
  const bool is_first = filling->at == filling->column;
  fprintf(filling->out, "%s%.*s", is_first ? "" : " ", (int)length, word);
  filling->at += length + !is_first;
}

static void put_words(struct filling *filling, const struct line *line)
{
  const char *end = line->text + line->length;
  for (const char *word = line->text + line->column; word < end;) {
    const size_t length = strcspn(word, " \n");
    put_word(filling, word, length);
    word += length;
    word += strspn(word, " ");
  }
}

/* Writes a line and those that go on with it; where the next one begins. */
static const char *put_block(FILE *out, const struct line *first)
{
  struct line line = *first, more;
  size_t widest = line.length;
  while (read_more(first, &line, &more)) {
    line = more;
    widest = line.length > widest ? line.length : widest;
  }
  const char *end = next_of(&line);
  if (widest <= WIDTH) {
    fwrite(first->text, 1, (size_t)(end - first->text), out);
    return end;
  }
  struct filling filling = {.out = out, .column = first->column, .at = first->column};
  fwrite(first->text, 1, first->column, out);
  line = *first;
  put_words(&filling, &line);
  while (read_more(first, &line, &more)) {
    line = more;
    put_words(&filling, &line);
  }
  fputc('\n', out);
  return end;
}

void cli_print_help(FILE *out, const char *help)
{
  const char *usage_end = strstr(help, "\n\n");
  size_t before = 0;
  if (usage_end != NULL) {
    fwrite(help, 1, (size_t)(usage_end - help) + 1, out);
    help = usage_end + 1;
  }
  while (*help != '\0') {
    const struct line line = read_line(help, before);
    before = line.column > line.indent ? line.column : before;
    help = put_block(out, &line);
  }
}
