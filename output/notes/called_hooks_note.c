/* Looks for sites that are calls of hooks, and says what such a program's times have in them. */
#include "output/notes/called_hooks_note.h"

#include <string.h>

static bool calls_hooks(const struct fmt_index *index)
{
  const unsigned others = (unsigned)FMT_SITE_SLED | (unsigned)FMT_SITE_LIBRARY;
  for (uint32_t i = 0; i < index->count[FMT_SECTION_SITES]; i++)
    if (!(index->sites[i].flags & others))
      return true;
  return false;
}

/* libcallsig-mpi for some MPI, whose rows are made by calls of hooks, whatever the program is. */
static bool is_own(const char *path)
{
  static const char name[] = "libcallsig-mpi-";
  const char *slash = strrchr(path, '/');
  return strncmp(slash ? slash + 1 : path, name, sizeof name - 1) == 0;
}

int out_called_hooks_note(const struct callsig_stats *stats, out_note_fn note, void *data)
{
  const struct out_profile *profile = &stats->profile;
  for (uint32_t i = 0; i < profile->modules.count; i++) {
    const struct out_known_module *module = out_profile_module(profile, i);
    if (module->index.header && !is_own(out_profile_string(profile, module->label)) && calls_hooks(&module->index))
      return note(
          "hooks are calls in the program's code (-finstrument-functions): these, and what is not inlined for them, "
          "take time that is in the rows; sleds (callsig-cc) leave a program as it is",
          data);
  }
  return 0;
}
