/* _Unwind_Backtrace and backtrace() in every tenth frame, through frames with hooks. */
/* hazard: flags -fexceptions -rdynamic */
#include "tests/guest/hazard.h"

#include <execinfo.h>
#include <unwind.h>

static _Unwind_Reason_Code count(struct _Unwind_Context *context, void *number)
{
  CALLED(count);
  (void)context;
  ++*(int *)number;
  return _URC_NO_REASON;
}

OWN static int down(int n)
{
  CALLED(down);
  if (n == 0) {
    int frames = 0;
    void *addresses[64];
    _Unwind_Backtrace(count, &frames);
    return frames - backtrace(addresses, 64);
  }
  const volatile int below = down(n - 1);
  return below;
}

int main(void)
{
  CALLED(main);
  printf("%d\n", down(30));
  return 0;
}
