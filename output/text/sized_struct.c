/* Copies structures of the public API between programs and the library, whichever of the two is newer. */
#include "output/text/sized_struct.h"

#include <errno.h>
#include <string.h>

#include "output/text/message.h"

int out_sized_struct_read(const char *name, const void *given, void *known, size_t size)
{
  size_t given_size;
  memcpy(&given_size, given, sizeof given_size);
  if (given_size < sizeof given_size)
    return out_stats_fail(-EINVAL, "struct %s: its size is not set", name);
  const unsigned char *bytes = given;
  for (size_t i = size; i < given_size; i++) {
    if (bytes[i] != 0)
      return out_stats_fail(-EINVAL, "struct %s: a field that this version of callsig does not know is set", name);
  }
  memcpy(known, given, given_size < size ? given_size : size);
  return 0;
}

void out_sized_struct_fill(void *wanted, const void *full, size_t size)
{
  size_t wanted_size;
  memcpy(&wanted_size, wanted, sizeof wanted_size);
  size_t common = wanted_size < size ? wanted_size : size;
  if (common <= sizeof wanted_size)
    return;
  memcpy((char *)wanted + sizeof wanted_size, (const char *)full + sizeof wanted_size, common - sizeof wanted_size);
  memset((char *)wanted + common, 0, wanted_size - common);
}
