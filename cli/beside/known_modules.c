/* Attributes samples to the functions of the files that a recording has rows of. */
#include "cli/beside/known_modules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/beside/attribution.h"
#include "cli/beside/recording_end.h"
#include "cli/common/subcommand.h"
#include "symbols/base/addressmap.h"

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static int add_name(struct cli_known_modules *known, const char *path)
{
  char **added = base_vector_add(&known->names, 1);
  return added != NULL && (*added = strdup(base_name(path))) != NULL ? 0 : -ENOMEM;
}

/* What reading the files of a recording's functions works on. */
struct reading {
  struct cli_known_modules *known;
  int file;
  struct fmt_rec_header header;
  uint64_t left;               /* records that there is room for in the file, less those that were read */
  struct sym_address_map seen; /* addresses of modules */
};

/* Reads a record of a list, whose tag comes first. A list that leads nowhere ends there, and those that lead round, by
 * however many ways, where the file has no room for more. */
static bool read_record(struct reading *reading, uint64_t address, uint32_t tag, void *record, size_t size)
{
  if (address == 0 || reading->left == 0)
    return false;
  reading->left--;
  return cli_recording_read_at(reading->file, &reading->header, address, record, size) &&
         ((const struct fmt_rec_tag *)record)->tag == tag;
}

static int take_module(struct reading *reading, uint64_t address)
{
  struct fmt_rec_module module;
  char path[PATH_MAX];
  if (address == 0 || sym_address_map_get(&reading->seen, address) != UINT32_MAX)
    return 0;
  int error = sym_address_map_put(&reading->seen, address, 0);
  if (error == 0 && cli_recording_read_at(reading->file, &reading->header, address, &module, sizeof module) &&
      module.tag.tag == FMT_TAG_MODULE &&
      cli_recording_read_name(reading->file, &reading->header, module.path, path, sizeof path))
    error = add_name(reading->known, path);
  return error;
}

static int take_functions(struct reading *reading, uint64_t address)
{
  struct fmt_rec_function function;
  int error = 0;
  while (error == 0 && read_record(reading, address, FMT_TAG_FUNCTION, &function, sizeof function)) {
    error = take_module(reading, function.module);
    address = function.next;
  }
  return error;
}

static int take_threads(struct reading *reading)
{
  struct fmt_rec_thread thread;
  uint64_t address = reading->header.first_thread;
  int error = 0;
  while (error == 0 && read_record(reading, address, FMT_TAG_THREAD, &thread, sizeof thread)) {
    error = take_functions(reading, thread.first_function);
    address = thread.next;
  }
  return error;
}

/* The records are gone through as they lie: what else is in the recording would take longer to load. */
int cli_known_modules_read(struct cli_known_modules *known, const char *program, const char *output, pid_t pid)
{
  struct reading reading = {.known = known};
  uint64_t end;
  *known = (struct cli_known_modules){.names = BASE_VECTOR_OF(char *)};
  if (realpath(program, known->program) == NULL)
    known->program[0] = '\0';
  reading.file = cli_recording_end(output, pid, &reading.header, &end);
  if (reading.file >= 0)
    reading.left = end / sizeof(struct fmt_rec_function);
  int error = reading.file < 0 ? reading.file : take_threads(&reading);
  if (error < 0)
    cli_error("run: %s: cannot be read: %s", output, strerror(-error));
  if (reading.file >= 0)
    close(reading.file);
  sym_address_map_free(&reading.seen);
  return error;
}

void cli_known_modules_free(struct cli_known_modules *known)
{
  for (uint32_t i = 0; i < known->names.count; i++)
    free(*(char **)base_vector_at(&known->names, i));
  base_vector_free(&known->names);
}

/* Files that have no rows are not read: debug information of libc may be large, or far away. */
bool cli_is_known_module(const char *path, void *data)
{
  const struct cli_known_modules *known = data;
  if (strcmp(path, known->program) == 0)
    return true;
  for (uint32_t i = 0; i < known->names.count; i++)
    if (strcmp(*(char *const *)base_vector_at(&known->names, i), base_name(path)) == 0)
      return true;
  return false;
}

int cli_attribute_known(const struct cli_samples *samples, struct cli_known_modules *known, struct base_vector *places)
{
  return cli_attribute(samples, cli_is_known_module, known, places);
}
