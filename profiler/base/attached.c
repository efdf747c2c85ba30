/*
 * What `callsig attach` left for the runtime, found once by the name of its mapping.
 */
#include "profiler/base/attached.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/attach.h"
#include "profiler/base/proc_maps.h"
#include "profiler/base/text.h"

static const char nothing[1];

/* NULL: nobody has looked yet; `nothing`: there are none. Atomic. */
static const char *settings;

static bool visit(const struct prof_mapping *mapping, void *data)
{
  if (!mapping->readable || !prof_equal(mapping->path, FMT_ATTACH_MAPPING))
    return true;
  *(const char **)data = (const char *)mapping->low;
  return false;
}

const char *prof_attached_settings(void)
{
  const char *found = __atomic_load_n(&settings, __ATOMIC_ACQUIRE);
  if (!found) {
    found = nothing;
    (void)prof_proc_maps_walk(visit, &found);
    __atomic_store_n(&settings, found, __ATOMIC_RELEASE);
  }
  return found == nothing ? NULL : found;
}
