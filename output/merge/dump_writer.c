/* What a recording that is written is made of: records one after the other, and names, each once. */
#include <errno.h>
#include <string.h>

#include "output/merge/dump.h"

uint64_t out_dump_put(struct out_dump *dump, const void *data, size_t size)
{
  static const char nothing[8];
  uint64_t address = dump->next;
  size_t padding = (8 - size % 8) % 8;
  errno = 0;
  if (dump->error == 0 &&
      (fwrite(data, 1, size, dump->out) != size || fwrite(nothing, 1, padding, dump->out) != padding))
    dump->error = errno ? -errno : -EIO;
  dump->next += size + padding;
  return address;
}

void out_dump_again(struct out_dump *dump, uint64_t address)
{
  if (dump->error == 0 && fseeko(dump->out, (off_t)(address - OUT_DUMP_BASE), SEEK_SET) != 0)
    dump->error = -errno;
  if (dump->end < dump->next)
    dump->end = dump->next;
  dump->next = address;
}

uint64_t out_dump_bytes(struct out_dump *dump, const void *bytes, size_t length)
{
  struct fmt_rec_name name = {.length = (uint32_t)length};
  name.tag = (struct fmt_rec_tag){.tag = FMT_TAG_NAME, .size = (uint32_t)((sizeof name + length + 8) & ~(size_t)7)};
  uint64_t address = out_dump_put(dump, &name, sizeof name);
  char end[16] = {0};
  size_t whole = length & ~(size_t)7;
  if (whole > 0)
    out_dump_put(dump, bytes, whole);
  memcpy(end, (const char *)bytes + whole, length - whole);
  out_dump_put(dump, end, 8);
  return address;
}

static bool equal_name(const void *owner, uint32_t number, const void *key)
{
  const struct out_dump *dump = owner;
  return ((struct out_dump_name *)base_vector_at(&dump->names, number))->string == *(const uint32_t *)key;
}

uint64_t out_dump_string(struct out_dump *dump, uint32_t string)
{
  const char *text = out_profile_string(dump->profile, string);
  uint64_t hash = out_hash_mix(0, string);
  uint32_t known = out_idset_find(&dump->name_set, hash, dump, &string, equal_name);
  if (known != UINT32_MAX)
    return ((struct out_dump_name *)base_vector_at(&dump->names, known))->address;
  uint64_t address = out_dump_bytes(dump, text, strlen(text));
  struct out_dump_name *added = base_vector_add(&dump->names, 1);
  if (added)
    *added = (struct out_dump_name){.string = string, .address = address};
  if ((!added || out_idset_add(&dump->name_set, hash, dump->names.count - 1) < 0) && dump->error == 0)
    dump->error = -ENOMEM;
  return address;
}
