/* One line on standard error, whole: lines of many ranks meet there. */
#include "profiler/mpi/waits/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define LONGEST 8192

void mpi_message(const char *format, ...)
{
  static const char prefix[] = "callsig: ";
  const int saved = errno;
  char line[LONGEST];
  size_t length = sizeof prefix - 1;
  va_list arguments;
  for (size_t i = 0; i < length; i++)
    line[i] = prefix[i];
  va_start(arguments, format);
  int added = vsnprintf(line + length, sizeof line - length - 1, format, arguments);
  va_end(arguments);
  if (added > 0)
    length += (size_t)added < sizeof line - length - 1 ? (size_t)added : sizeof line - length - 2;
  line[length++] = '\n';
  while (write(STDERR_FILENO, line, length) < 0 && errno == EINTR)
    ;
  errno = saved;
}
