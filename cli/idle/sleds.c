/* Takes calls out of a process's sleds, and puts them back. */
#include "cli/idle/sleds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/mappings.h"
#include "format/open.h"
#include "format/recording.h"
#include "format/sled_idle.h"
#include "output/recording/recording.h"

/* Of the process's text, read at once. */
#define WINDOW 65536u

/* ------------------------------------------------------------------------------------------------------------------ */

/* `index` is aligned as a recording's bytes are, and was written by the process: it is looked through as any file's. */
static int add_sleds(const struct fmt_rec_module *module, const void *bytes, struct base_vector *sleds)
{
  struct fmt_index index;
  if (fmt_index_open(bytes, module->index_size, &index) < 0)
    return 0;
  const uint32_t count = index.count[FMT_SECTION_SLEDS];
  struct cli_sled *added = count > 0 ? base_vector_add(sleds, count) : NULL;
  if (count > 0 && added == NULL)
    return -ENOMEM;
  for (uint32_t i = 0; i < count; i++)
    added[i] = (struct cli_sled){.address = index.sleds[i].address + module->bias,
                                 .shape = index.sleds[i].shape,
                                 .is_entry = fmt_sled_is_entry(index.sleds[i].kind)};
  return 0;
}

int cli_sleds_read(int file, const char *path, struct base_vector *sleds)
{
  struct out_recording recording;
  int error = out_recording_attach(file, path, &recording);
  if (error < 0)
    return error;
  struct base_vector known = BASE_VECTOR_OF(uint64_t);
  struct fmt_rec_module module;
  uint64_t next = recording.header.first_module;
  int found;
  while ((found = out_recording_next(&recording, &known, next, FMT_TAG_MODULE, &module, sizeof module)) > 0 &&
         error == 0) {
    next = module.next;
    if (!module.stays || module.index == 0 || !out_recording_spend(&recording, module.index_size))
      continue;
    const void *bytes = out_recording_bytes(&recording, module.index, module.index_size);
    error = bytes != NULL ? add_sleds(&module, bytes, sleds) : 0;
  }
  if (error == 0)
    error = found < 0 ? found : out_recording_failed(&recording);
  base_vector_free(&known);
  out_recording_close(&recording);
  return error;
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* A process whose text is being written. */
struct text {
  int memory;
  const struct cli_mappings *mappings;
  uint64_t start; /* of what was read of it */
  size_t size;
  uint8_t bytes[WINDOW];
};

/* The bytes of a sled, NULL where they cannot be read. Sleds come in ascending order. */
static const uint8_t *read_sled(struct text *text, uint64_t address)
{
  if (address < text->start || address + FMT_SLED_CALL > text->start + text->size) {
    const ssize_t size = pread(text->memory, text->bytes, sizeof text->bytes, (off_t)address);
    text->start = address;
    text->size = size > 0 ? (size_t)size : 0;
  }
  return text->size >= FMT_SLED_CALL ? text->bytes + (address - text->start) : NULL;
}

/* The runtime's code lies in memory of its own. */
static bool is_of_runtime(const struct text *text, uint64_t address)
{
  const struct cli_memory_mapping *mapping = cli_mappings_at(text->mappings, address);
  return mapping != NULL && mapping->executable && mapping->path[0] == '\0';
}

static int switch_sled(struct text *text, const struct cli_sled *sled, bool out)
{
  const uint8_t *bytes = fmt_sled_is_aligned(sled->address, sled->shape) ? read_sled(text, sled->address) : NULL;
  bool is_out = out;
  const uint64_t target = bytes != NULL ? fmt_sled_target(sled->address, bytes, sled->shape, &is_out) : 0;
  if (target == 0 || is_out == out || !is_of_runtime(text, target))
    return 0;
  const uint8_t opcode = out ? fmt_sled_idle_opcode(sled->shape) : FMT_SLED_OPCODE_CALL;
  const ssize_t written = pwrite(text->memory, &opcode, 1, (off_t)sled->address);
  return written == 1 ? 0 : written < 0 ? -errno : -ESRCH;
}

static int switch_all(struct text *text, const struct base_vector *sleds, bool out)
{
  int error = 0;
  for (int turn = 0; turn < 2; turn++) {
    const bool entries = (turn == 0) == out;
    text->size = 0;
    for (uint32_t i = 0; error == 0 && i < sleds->count; i++) {
      const struct cli_sled *sled = base_vector_at(sleds, i);
      if (sled->is_entry == entries)
        error = switch_sled(text, sled, out);
    }
  }
  return error;
}

int cli_sleds_switch(pid_t pid, const struct base_vector *sleds, bool out)
{
  char path[64];
  struct cli_mappings mappings;
  snprintf(path, sizeof path, "/proc/%ld/mem", (long)pid);
  const int memory = open(path, O_RDWR | O_CLOEXEC);
  int error = memory < 0 ? -errno : 0;
  struct text *text = error == 0 ? malloc(sizeof *text) : NULL;
  if (error == 0 && text == NULL)
    error = -ENOMEM;
  if (error == 0) {
    error = cli_mappings_read(pid, &mappings);
    text->memory = memory;
    text->mappings = &mappings;
    text->start = text->size = 0;
    if (error == 0)
      error = switch_all(text, sleds, out);
    cli_mappings_free(&mappings);
  }
  free(text);
  if (memory >= 0)
    close(memory);
  return error;
}
