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

#define WINDOW     65536u /* of the process's text, read at once */
#define BREAKPOINT 0xccu  /* what a debugger writes over an instruction's first byte */

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
  const struct cli_memory_mapping *code; /* the runtime's that was met last; all stubs of a module lie in one */
  bool (*goes_on)(const void *data);
  const void *data;
  bool has_breakpoints;
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
static bool is_of_runtime(struct text *text, uint64_t address)
{
  if (text->code != NULL && text->code->start <= address && address < text->code->end)
    return true;
  const struct cli_memory_mapping *mapping = cli_mappings_at(text->mappings, address);
  if (mapping == NULL || !mapping->executable || mapping->path[0] != '\0')
    return false;
  text->code = mapping;
  return true;
}

/* Is it a call of the runtime's that is to be switched? */
static bool is_to_switch(struct text *text, const struct cli_sled *sled, const uint8_t bytes[FMT_SLED_CALL], bool out)
{
  bool is_out;
  const uint64_t target = fmt_sled_target(sled->address, bytes, sled->shape, &is_out);
  return target != 0 && is_out != out && is_of_runtime(text, target);
}

/* Does a breakpoint lie over what would be put back? The debugger writes back what it found when it goes. */
static bool is_breakpoint(struct text *text, const struct cli_sled *sled, const uint8_t bytes[FMT_SLED_CALL])
{
  uint8_t below[FMT_SLED_CALL];
  memcpy(below, bytes, sizeof below);
  below[0] = fmt_sled_idle_opcode(sled->shape);
  return bytes[0] == BREAKPOINT && is_to_switch(text, sled, below, false);
}

static int switch_sled(struct text *text, const struct cli_sled *sled, bool out)
{
  uint8_t now[FMT_SLED_CALL];
  const uint8_t *bytes = fmt_sled_is_aligned(sled->address, sled->shape) ? read_sled(text, sled->address) : NULL;
  if (bytes == NULL)
    return 0;
  if (!is_to_switch(text, sled, bytes, out)) {
    text->has_breakpoints |= !out && is_breakpoint(text, sled, bytes);
    return 0;
  }
  if (text->goes_on != NULL && !text->goes_on(text->data))
    return -ECANCELED;
  /* What was read with others may have been written since. */
  if (pread(text->memory, now, sizeof now, (off_t)sled->address) != (ssize_t)sizeof now ||
      !is_to_switch(text, sled, now, out))
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
  return error == 0 && text->has_breakpoints ? -EBUSY : error;
}

int cli_sleds_switch(pid_t pid, const struct base_vector *sleds, bool out, bool (*goes_on)(const void *data),
                     const void *data)
{
  char path[64];
  struct cli_mappings mappings;
  snprintf(path, sizeof path, "/proc/%ld/mem", (long)pid);
  const int memory = open(path, O_RDWR | O_CLOEXEC);
  int error = memory < 0 ? -errno : 0;
  struct text *text = error == 0 ? calloc(1, sizeof *text) : NULL;
  if (error == 0 && text == NULL)
    error = -ENOMEM;
  if (error == 0) {
    error = cli_mappings_read(pid, &mappings);
    text->memory = memory;
    text->mappings = &mappings;
    text->goes_on = goes_on;
    text->data = data;
    if (error == 0)
      error = switch_all(text, sleds, out);
    cli_mappings_free(&mappings);
  }
  free(text);
  if (memory >= 0)
    close(memory);
  return error;
}
