/* Holds the places of standard files that are closed. */
#include "cli/common/standard_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that can be neither read nor written, of the lowest number that is free. */
static int open_nothing(void)
{
  return open("/", O_PATH | O_CLOEXEC);
}

void cli_standard_files_hold(void)
{
  int file;
  do
    file = open_nothing();
  while (file >= 0 && file <= STDERR_FILENO);
  if (file > STDERR_FILENO)
    close(file);
}

void cli_standard_files_let_go(void)
{
  const int nothing = open_nothing();
  struct stat status;
  for (int file = STDIN_FILENO; nothing >= 0 && file <= STDOUT_FILENO; file++)
    if (fstat(file, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)))
      dup3(nothing, file, O_CLOEXEC);
  if (nothing >= 0)
    close(nothing);
}
