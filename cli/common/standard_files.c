/* Holds the places of standard files that are closed. */
#include "cli/common/standard_files.h"

#include <fcntl.h>
#include <unistd.h>

void cli_standard_files_hold(void)
{
  /* What is opened gets the lowest number that is free. By O_PATH it can be neither read nor written. */
  int file;
  do
    file = open("/", O_PATH | O_CLOEXEC);
  while (file >= 0 && file <= STDERR_FILENO);
  if (file > STDERR_FILENO)
    close(file);
}
