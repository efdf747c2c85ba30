/*
 * Counts the functions of an index whose parameters are unknown although the module has debug information.
 */
#include "symbols/index/unknown_parameters.h"

#include <stdbool.h>
#include <stdio.h>

#include "symbols/base/mangled_name.h"

/* 0 where some merely have no debug information at all, as those of a library that was linked in. gcc's -g1 tells where
 * each function begins, clang's nothing of any that is not inlined. Of a thunk there is nothing to tell at any level.
 */
static uint32_t count_unknown(const struct fmt_index *index)
{
  uint32_t all = 0, unknown = 0, placed = 0;
  for (uint32_t i = 0; i < index->count[FMT_SECTION_FUNCTIONS]; i++) {
    const struct fmt_index_function *function = &index->functions[i];
    if (function->flags & FMT_FUNCTION_LIBRARY || sym_name_is_thunk(fmt_index_string(index, function->linkage_name)))
      continue;
    const bool is_unknown = (function->flags & FMT_FUNCTION_NO_DWARF) != 0;
    all++;
    unknown += is_unknown ? 1 : 0;
    placed += is_unknown && function->line > 0 ? 1 : 0;
  }
  return placed > 0 ? placed : unknown == all ? all : 0;
}

void sym_index_tell_unknown_parameters(const struct fmt_index *index, const char *path, base_message_fn message,
                                       void *data)
{
  const uint32_t flags = index->header->flags;
  const uint32_t count = flags & FMT_INDEX_HAS_DWARF && !(flags & FMT_INDEX_LACKS_UNITS) ? count_unknown(index) : 0;
  char line[1024];
  if (count == 0 || !message)
    return;
  snprintf(
      line, sizeof line,
      "%s: its debug information has no parameters of %u function%s (-g1, -gline-tables-only): arguments there are "
      "unknown; compile it with -g",
      path, count, count == 1 ? "" : "s");
  message(line, data);
}
