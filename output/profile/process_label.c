/* Names processes by their command lines. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "output/profile/process.h"
#include "output/text/text.h"

/* What a name shows of a command line: bytes of it. */
enum { LONGEST_COMMAND = 80 };

/* Where the next word begins, behind this one and its NUL; `size` behind the last. */
static size_t word_end(const char *command, size_t size, size_t at)
{
  const char *end = memchr(command + at, '\0', size - at);
  return end ? (size_t)(end - command) : size;
}

/* Cuts the text to so many bytes, between two characters. */
static void cut(struct out_text *text, size_t length)
{
  static const char more[] = "...";
  if (text->failed || text->length <= length)
    return;
  text->length = length - strlen(more);
  while (text->length > 0 && ((unsigned char)text->data[text->length] & 0xC0) == 0x80)
    text->length--;
  text->data[text->length] = '\0';
  out_text_puts(text, more);
}

/* Where the program's own name begins in the first word of a command line, behind its folders. In what a program wrote
 * there for ps, like "nginx: master process ./nginx", folders are of the text, not of a program. */
static size_t without_folders(const char *command, size_t end)
{
  static const char begins_text[] = ": ";
  const char *text = memmem(command, end, begins_text, strlen(begins_text));
  const char *slash = memrchr(command, '/', text ? (size_t)(text - command) : end);
  return slash && slash + 1 < command + end ? (size_t)(slash + 1 - command) : 0;
}

/* The size without the NULs behind a title that was written over a longer command line: a program's own name has no
 * space in it, and is followed by arguments. */
static size_t without_padding(const char *command, size_t size)
{
  if (size == 0) /* then there is no command line */
    return 0;
  const size_t first = word_end(command, size, 0);
  size_t left = size;
  while (left > 0 && command[left - 1] == '\0')
    left--;
  return left == first && memchr(command, ' ', first) ? first : size;
}

/* The words with spaces between them, the first without its folders. */
static void put_command(const struct out_recording_info *info, struct out_text *text)
{
  const char *command = info->command;
  const size_t size = without_padding(command, info->command_size);
  for (size_t at = 0; at < size && text->length <= LONGEST_COMMAND;) {
    size_t end = word_end(command, size, at), next = end + 1;
    if (at == 0)
      at = without_folders(command, end);
    if (text->length > 0)
      out_text_putc(text, ' ');
    if (end == at || memchr(command + at, ' ', end - at))
      out_text_quoted(text, command + at, end - at, '\'');
    else
      out_text_printable(text, command + at, end - at);
    at = next;
  }
  cut(text, LONGEST_COMMAND);
}

/* How many processes before it have its plain label. */
static uint32_t count_namesakes(const struct out_profile *profile, const struct out_recording_info *info)
{
  const struct out_recording_info *all = out_profile_recording(profile, 0);
  for (const struct out_recording_info *other = info; other-- > all;)
    if (other->plain_label == info->plain_label)
      return other->namesakes + 1;
  return 0;
}

int out_process_label(struct out_profile *profile, struct out_recording_info *info)
{
  struct out_text text = {0};
  put_command(info, &text);
  if (text.length == 0) {
    const char *program = out_profile_string(profile, info->program), *slash = strrchr(program, '/');
    out_text_puts(&text, *program ? (slash ? slash + 1 : program) : "?");
  }
  if (out_process_count(info) > 1)
    out_text_printf(&text, " (%u processes)", out_process_count(info));
  else
    out_text_printf(&text, " (%u)", info->pid);
  int result = text.failed ? -ENOMEM : base_strings_add(profile->strings, out_text_string(&text), &info->plain_label);
  info->namesakes = result == 0 ? count_namesakes(profile, info) : 0;
  if (info->namesakes > 0)
    out_text_printf(&text, " #%u", info->namesakes + 1);
  if (result == 0)
    result = text.failed ? -ENOMEM : base_strings_add(profile->strings, out_text_string(&text), &info->label);
  out_text_free(&text);
  return result;
}
