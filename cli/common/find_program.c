/* Searches $PATH for a program. */
#include "cli/common/find_program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What execvp() takes when PATH is not set. */
#define DEFAULT_PATH "/bin:/usr/bin"

static int check_executable(const char *path)
{
  struct stat status;
  if (stat(path, &status) != 0)
    return -errno;
  if (S_ISDIR(status.st_mode))
    return -EISDIR;
  if (!S_ISREG(status.st_mode) || access(path, X_OK) != 0)
    return -EACCES;
  return 0;
}

int cli_find_program(const char *name, char path[PATH_MAX])
{
  if (strchr(name, '/') != NULL) {
    int length = snprintf(path, PATH_MAX, "%s", name);
    return length >= PATH_MAX ? -ENAMETOOLONG : check_executable(path);
  }
  const char *list = getenv("PATH");
  if (list == NULL)
    list = DEFAULT_PATH;
  int best = -ENOENT;
  for (const char *folder = list, *end; name[0] != '\0'; folder = end + 1) {
    end = strchrnul(folder, ':');
    /* An empty entry of PATH is the current folder. */
    int length = end == folder ? snprintf(path, PATH_MAX, "./%s", name)
                               : snprintf(path, PATH_MAX, "%.*s/%s", (int)(end - folder), folder, name);
    int error = length >= PATH_MAX ? -ENAMETOOLONG : check_executable(path);
    if (error == 0)
      return 0;
    if (error == -EACCES)
      best = error;
    if (*end == '\0')
      break;
  }
  return best;
}
