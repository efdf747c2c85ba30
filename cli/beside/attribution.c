/* Attributes samples to the functions of the files that they were met in. */
#include "cli/beside/attribution.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/subcommand.h"
#include "format/index.h"
#include "symbols/base/addressmap.h"
#include "symbols/index/places.h"

/* The samples of one module. */
struct batch {
  const struct cli_samples *samples;
  const struct cli_point *points;
  uint32_t count;
  struct base_vector *places; /* struct cli_place */
  uint32_t module;            /* in `places` */
};

/* Places of what is called in other places: by caller and library. */
struct called_places {
  struct sym_address_map numbers;
  struct base_vector *places;
};

/* Makes link-time addresses of offsets in the file, in place. Offsets outside of all segments, and files that are no
 * ELF files, give -ENOEXEC. Segments are in the order of their addresses, in the file as in memory, so that the
 * addresses stay ascending: -EINVAL where they are not. */
static int link_addresses(const char *path, uint64_t *addresses, uint32_t count)
{
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return -errno;
  elf_version(EV_CURRENT);
  Elf *elf = elf_begin(file, ELF_C_READ, NULL);
  size_t segments = 0;
  int error = elf != NULL && elf_getphdrnum(elf, &segments) == 0 ? 0 : -ENOEXEC;
  for (uint32_t i = 0; error == 0 && i < count; i++) {
    error = -ENOEXEC;
    for (size_t k = 0; error != 0 && k < segments; k++) {
      GElf_Phdr segment;
      if (gelf_getphdr(elf, (int)k, &segment) == NULL || segment.p_type != PT_LOAD || addresses[i] < segment.p_offset ||
          addresses[i] - segment.p_offset >= segment.p_filesz)
        continue;
      addresses[i] += segment.p_vaddr - segment.p_offset;
      error = i == 0 || addresses[i - 1] < addresses[i] ? 0 : -EINVAL;
    }
  }
  elf_end(elf);
  close(file);
  return error;
}

static int add_place(struct base_vector *places, const struct cli_place *place)
{
  struct cli_place *added = base_vector_add(places, 1);
  if (added == NULL)
    return -ENOMEM;
  *added = *place;
  return 0;
}

/* The place of code without hooks of `library` that is called in place `caller`, made when new. */
static int called_place(struct called_places *called, uint32_t caller, uint32_t library, uint32_t *number)
{
  const uint64_t key = (uint64_t)caller << 32 | library;
  *number = sym_address_map_get(&called->numbers, key);
  if (*number != UINT32_MAX)
    return 0;
  *number = called->places->count;
  const int error = add_place(called->places, &(struct cli_place){.name = library, .parent = caller});
  return error == 0 ? sym_address_map_put(&called->numbers, key, *number) : error;
}

/* Gives the samples in code without hooks, which their callers have, places of their own in these. Both lists are in
 * the order of their offsets. */
static int take_called(const struct batch *batch, const uint32_t *place_at, const bool *at_hooks)
{
  struct called_places called = {.places = batch->places};
  const struct base_vector *all = &batch->samples->called.list;
  uint32_t at = 0, number;
  int error = 0;
  for (uint32_t i = 0; error == 0 && i < all->count; i++) {
    const struct cli_point *point = base_vector_at(all, i);
    if (point->module != batch->points->module)
      continue;
    while (at < batch->count && batch->points[at].offset < point->offset)
      at++;
    if (at == batch->count || batch->points[at].offset != point->offset || at_hooks[at])
      continue;
    error = called_place(&called, place_at[at], point->library, &number);
    if (error < 0)
      break;
    ((struct cli_place *)base_vector_at(batch->places, place_at[at]))->samples -= point->count;
    ((struct cli_place *)base_vector_at(batch->places, number))->samples += point->count;
  }
  sym_address_map_free(&called.numbers);
  return error;
}

/* The hooks' own place, after those of the module's functions. */
static int add_hooks(const struct batch *batch, const bool *at_hooks)
{
  struct cli_place hooks = {.parent = FMT_NONE};
  for (uint32_t i = 0; i < batch->count; i++)
    hooks.samples += at_hooks[i] ? batch->points[i].count : 0;
  if (hooks.samples == 0)
    return 0;
  int error = base_strings_add(batch->samples->strings, FMT_OWN_CODE, &hooks.name);
  return error == 0 ? add_place(batch->places, &hooks) : error;
}

/* Adds the functions that were found, and gives each its samples. `place_of` is by address, and in the end of all
 * places.
 */
static int take_places(const struct batch *batch, const struct base_vector *found, uint32_t *place_of,
                       const bool *at_hooks)
{
  uint32_t first = batch->places->count;
  int error = 0;
  for (uint32_t i = 0; error == 0 && i < found->count; i++) {
    const struct sym_place *place = base_vector_at(found, i);
    bool has_file = *base_strings_at(batch->samples->strings, place->file) != '\0';
    const struct cli_place added = {.name = place->name,
                                    .file = has_file ? place->file : 0,
                                    .line = place->line,
                                    .parent = place->parent == FMT_NONE ? batch->module : first + place->parent};
    error = add_place(batch->places, &added);
  }
  for (uint32_t i = 0; error == 0 && i < batch->count; i++) {
    place_of[i] = place_of[i] == FMT_NONE ? batch->module : first + place_of[i];
    if (!at_hooks[i])
      ((struct cli_place *)base_vector_at(batch->places, place_of[i]))->samples += batch->points[i].count;
  }
  if (error == 0)
    error = take_called(batch, place_of, at_hooks);
  return error == 0 ? add_hooks(batch, at_hooks) : error;
}

static int attribute_functions(const struct batch *batch)
{
  const char *path = base_strings_at(batch->samples->strings, batch->points->module);
  uint64_t *addresses = malloc(batch->count * sizeof *addresses);
  uint32_t *place_of = malloc(batch->count * sizeof *place_of);
  bool *at_hooks = calloc(batch->count, sizeof *at_hooks);
  struct base_vector found = BASE_VECTOR_OF(struct sym_place);
  const struct sym_places_options options = {
      .strings = batch->samples->strings, .at_hooks = at_hooks, .sleds_are_off = !batch->samples->sleds_are_on};
  char *name = strdup(path);
  int error = addresses != NULL && place_of != NULL && at_hooks != NULL && name != NULL ? 0 : -ENOMEM;
  for (uint32_t i = 0; error == 0 && i < batch->count; i++)
    addresses[i] = batch->points[i].offset;
  if (error == 0)
    error = link_addresses(name, addresses, batch->count);
  if (error == 0)
    error = sym_places_find(name, addresses, batch->count, &options, &found, place_of);
  if (error == 0)
    error = take_places(batch, &found, place_of, at_hooks);
  base_vector_free(&found);
  free(name);
  free(addresses);
  free(place_of);
  free(at_hooks);
  return error;
}

static int attribute_module(struct batch *batch, bool (*is_wanted)(const char *module, void *data), void *data)
{
  const char *path = base_strings_at(batch->samples->strings, batch->points->module);
  const struct cli_place module = {.name = batch->points->module, .parent = FMT_NONE};
  int error = add_place(batch->places, &module);
  batch->module = batch->places->count - 1;
  if (error < 0)
    return error;
  error = is_wanted(path, data) ? attribute_functions(batch) : -ENOENT;
  if (error == 0 || error == -ENOMEM)
    return error;
  if (error != -ENOENT)
    cli_error("run: %s: the functions of its code cannot be told: %s",
              base_strings_at(batch->samples->strings, batch->points->module), strerror(-error));
  struct cli_place *place = base_vector_at(batch->places, batch->module);
  for (uint32_t i = 0; i < batch->count; i++)
    place->samples += batch->points[i].count;
  return 0;
}

int cli_attribute(const struct cli_samples *samples, bool (*is_wanted)(const char *module, void *data), void *data,
                  struct base_vector *places)
{
  const struct cli_point *points = samples->points.list.data;
  int error = 0;
  for (uint32_t i = 0, end; error == 0 && i < samples->points.list.count; i = end) {
    for (end = i + 1; end < samples->points.list.count && points[end].module == points[i].module; end++) {
    }
    struct batch batch = {.samples = samples, .points = points + i, .count = end - i, .places = places};
    if (points[i].module != 0)
      error = attribute_module(&batch, is_wanted, data);
  }
  return error;
}
