/* Collects globs into the list that the runtime reads from its environment. */
#include "cli/run/glob_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/subcommand.h"
#include "symbols/base/text_file.h"

/* Linux takes no longer text in an environment than 32 pages, the variable's name with it. */
enum { LONGEST = 32 * 4096 - 64 };

int cli_glob_add(char **list, const char *glob)
{
  char *longer = NULL;
  if (asprintf(&longer, "%s%s%s", *list != NULL ? *list : "", *list != NULL ? "\n" : "", glob) < 0) {
    cli_error("out of memory");
    return -ENOMEM;
  }
  free(*list);
  *list = longer;
  return 0;
}

/* One line of the file, with its newline. */
static int add_line(const char *path, char *line, size_t length, char **list)
{
  if (strlen(line) != length) {
    cli_error("%s: it holds a zero byte: it is no list of globs", path);
    return -EINVAL;
  }
  line[strcspn(line, "\r\n")] = '\0';
  if (line[0] == '\0' || line[0] == '#')
    return 0;
  if ((*list != NULL ? strlen(*list) : 0) + strlen(line) + 1 > LONGEST) {
    cli_error("%s: the list of globs is longer than the %d bytes that the environment has room for", path, LONGEST);
    return -E2BIG;
  }
  return cli_glob_add(list, line);
}

int cli_glob_file_read(const char *path, char **list)
{
  FILE *file = NULL;
  int error = sym_text_file_open(path, &file);
  if (error < 0) {
    cli_error("%s: it cannot be read: %s", path, sym_text_file_problem(error));
    return error;
  }
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  bool is_told = false;
  while (error == 0 && (length = getline(&line, &room, file)) >= 0) {
    error = add_line(path, line, (size_t)length, list);
    is_told = error < 0;
  }
  if (error == 0 && !feof(file))
    error = errno != 0 ? -errno : -EIO;
  if (error < 0 && !is_told)
    cli_error("%s: it cannot be read: %s", path, strerror(-error));
  free(line);
  fclose(file);
  return error;
}
