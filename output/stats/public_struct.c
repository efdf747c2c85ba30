/* Copies structures of the public API whose size tells which of their fields the caller knows. */
#include "output/stats/public_struct.h"

#include <errno.h>
#include <string.h>

#include "output/text/message.h"

/* No structure is as large. A size above it was never set, and what lies that far is not the caller's to read. */
enum { SIZE_LIMIT = 4096 };

static size_t size_of(const void *structure)
{
  size_t size;
  memcpy(&size, structure, sizeof size);
  return size;
}

int out_struct_read(const char *name, void *known, size_t known_size, const void *given)
{
  const unsigned char *bytes = given;
  size_t size = size_of(given);
  if (size < sizeof size)
    return out_stats_fail(-EINVAL, "struct %s: its size is not set", name);
  if (size > SIZE_LIMIT)
    return out_stats_fail(-EINVAL, "struct %s: its size of %zu bytes makes no sense", name, size);
  for (size_t i = known_size; i < size; i++) {
    if (bytes[i] != 0)
      return out_stats_fail(-EINVAL,
                            "struct %s: byte %zu is set, and this version of the library knows %zu: it is older "
                            "than the program",
                            name, i, known_size);
  }
  memset(known, 0, known_size);
  memcpy(known, given, size < known_size ? size : known_size);
  memcpy(known, &known_size, sizeof known_size);
  return 0;
}

void out_struct_hand_out(void *to, const void *full, size_t full_size)
{
  size_t size = size_of(to);
  memcpy(to, full, size < full_size ? size : full_size);
  memcpy(to, &size, size < sizeof size ? size : sizeof size);
}
