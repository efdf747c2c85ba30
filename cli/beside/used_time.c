/* Asks the kernel how much CPU time processes have used. */
#include "cli/beside/used_time.h"

#include <sys/resource.h>

struct cli_used cli_used_by_children(void)
{
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  return (struct cli_used){
      .user = (uint64_t)usage.ru_utime.tv_sec * 1000000000u + (uint64_t)usage.ru_utime.tv_usec * 1000u,
      .system = (uint64_t)usage.ru_stime.tv_sec * 1000000000u + (uint64_t)usage.ru_stime.tv_usec * 1000u,
  };
}
