/* What stands for OTF2 where its library was not there when callsig was built. */
#include <errno.h>

#include "output/export/export.h"
#include "output/text/message.h"

int out_export_otf2(const struct out_export *export)
{
  (void)export;
  return out_stats_fail(-ENOTSUP,
                        "this callsig was built without OTF2: install libopen-trace-format2-dev and build it again, or "
                        "export the timeline to perfetto or chrome");
}
