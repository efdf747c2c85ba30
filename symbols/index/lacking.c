/*
 * Tells of units whose debug information is lacking, and looks whether it is still.
 */
#include "symbols/index/lacking.h"

#include <stdlib.h>

#include "format/index.h"
#include "symbols/dwarf/split_units.h"

uint32_t sym_lacking_flags(unsigned count)
{
  const uint32_t kept = count < FMT_INDEX_LACKING_MAX ? count : FMT_INDEX_LACKING_MAX;
  return count ? FMT_INDEX_LACKS_UNITS | kept << FMT_INDEX_LACKING_SHIFT : 0;
}

void sym_lacking_tell(const struct sym_debugfile *file, unsigned count, const char *first)
{
  sym_debugfile_say(
      file,
      "debug information of %u of its files is not found, or is of another build, and arguments there are "
      "unknown: %s; keep .dwo files where the compiler wrote them, or compile without -gsplit-dwarf",
      count, first ? first : "a file without a name");
}

bool sym_lacking_still(const char *path, uint32_t flags, const struct sym_index_options *options)
{
  struct sym_debugfile file;
  char *first = NULL;
  /* What goes wrong here is told by who makes the index again. */
  const bool is_open = sym_debugfile_open(&file, path, NULL, NULL) == 0;
  const unsigned count = is_open ? sym_split_units_missing(file.dwarf, &first) : 0;
  const uint32_t kept = flags >> FMT_INDEX_LACKING_SHIFT;
  const bool is_still = count > 0 && count >= kept;
  if (is_still && options && options->message) {
    file.message = options->message;
    file.data = options->data;
    sym_lacking_tell(&file, count, first);
  }
  free(first);
  sym_debugfile_close(&file);
  return is_still;
}
