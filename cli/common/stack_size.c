/* Sees to it that a command has enough stack, and that its threads do, whose stacks the C library makes as large as the
 * limit says. */
#include "cli/common/stack_size.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>

#include "cli/common/subcommand.h"

enum {
  COMMAND = 256 << 10, /* what reads a function's code has 97 KiB in one frame, and paths of 4 KiB lie around it */
  THREAD = 1 << 20
};

static int refuse(rlim_t limit)
{
  const unsigned long kib = (unsigned long)(limit >> 10);
  cli_error(
      "the limit on the size of stacks (ulimit -s) is %lu KiB, and callsig needs %d; a profiled program can have it "
      "all the same: callsig run sh -c 'ulimit -s %lu; exec PROGRAM'",
      kib, COMMAND >> 10, kib);
  return -1;
}

int cli_stack_size_prepare(void)
{
  pthread_attr_t attributes;
  struct rlimit limit;
  size_t size;
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < COMMAND)
    return refuse(limit.rlim_cur);
  if (pthread_getattr_default_np(&attributes) != 0)
    return 0;
  if (pthread_attr_getstacksize(&attributes, &size) == 0 && size < THREAD &&
      pthread_attr_setstacksize(&attributes, THREAD) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  return 0;
}
