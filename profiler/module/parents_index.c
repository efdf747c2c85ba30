/* Keeps the parts of a parent's recording that hold indexes, until the child has copied them. */
#include "profiler/module/parents_index.h"

#include "format/recording.h"
#include "profiler/base/arena.h"
#include "profiler/base/own_memory.h"
#include "profiler/base/process.h"
#include "profiler/base/read_memory.h"
#include "profiler/base/recording.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"
#include "profiler/module/module_find.h"

/* A module of the parent's that has an index. It outlasts further forks, until its index is taken. */
struct parents_module {
  struct parents_module *next;
  uint64_t start, end, bias, version;
  uint8_t build_id[sizeof(((struct fmt_rec_module *)NULL)->build_id)];
  uint32_t build_id_size;
  uintptr_t index;
  uint64_t index_size;
  char path[];
};

static struct parents_module *first; /* under modules_lock, or, at a fork, of the one thread that looks */

static void note(const struct prof_module *module)
{
  const struct fmt_rec_module *record = module->record;
  const struct fmt_rec_name *path = (const struct fmt_rec_name *)record->path;
  struct parents_module *noted = prof_process_alloc(sizeof *noted + path->length + 1);
  if (!noted)
    return;
  *noted = (struct parents_module){.next = first,
                                   .start = module->start,
                                   .end = module->end,
                                   .bias = module->bias,
                                   .version = module->version,
                                   .build_id_size = record->build_id_size,
                                   .index = record->index,
                                   .index_size = record->index_size};
  for (uint32_t i = 0; i < record->build_id_size; i++)
    noted->build_id[i] = record->build_id[i];
  for (uint32_t i = 0; i < path->length; i++)
    noted->path[i] = path->text[i];
  first = noted;
}

/* The parent's file may have been cut, and what lay behind that may not be looked at. */
static bool is_readable(const struct fmt_rec_module *record)
{
  const uintptr_t path = prof_is_mapped((uintptr_t)record, sizeof *record) ? (uintptr_t)record->path : 0;
  return path && prof_is_mapped(path, sizeof(struct fmt_rec_name)) &&
         prof_is_mapped(path, sizeof(struct fmt_rec_name) + ((const struct fmt_rec_name *)path)->length);
}

/* Not of what begins in the header's page, of which nothing stays. */
static void note_all(void)
{
  const uintptr_t least = (uintptr_t)prof_process.header + prof_page_size();
  for (const struct prof_module *module = prof_process.modules; module; module = module->next) {
    const struct fmt_rec_module *record = module->record;
    if (module->index.header && !module->unloaded && is_readable(record) && record->build_id_size &&
        record->index >= least)
      note(module);
  }
}

static struct prof_kept next_noted(uintptr_t from)
{
  struct prof_kept next = {UINTPTR_MAX, UINTPTR_MAX};
  for (const struct parents_module *noted = first; noted; noted = noted->next)
    if (noted->index >= from && noted->index < next.low)
      next = (struct prof_kept){noted->index, noted->index + noted->index_size};
  return next;
}

void prof_parents_indexes_begin(void)
{
  prof_process.upcalls.note_indexes = note_all;
  prof_process.upcalls.next_index = next_noted;
}

static bool is_same(const struct parents_module *noted, const struct prof_located *module, uint64_t version)
{
  return noted->start == module->start && noted->end == module->end && noted->bias == module->bias &&
         noted->build_id_size == module->build_id_size &&
         prof_equal_bytes(noted->build_id, module->build_id, module->build_id_size) &&
         prof_equal(noted->path, module->path) && (!version || !noted->version || version == noted->version);
}

/* Gives the pages back that hold nothing else, where no other module has the index. */
static void give_back(const struct parents_module *taken)
{
  for (const struct parents_module *noted = first; noted; noted = noted->next)
    if (noted->index == taken->index)
      return;
  const uintptr_t page = prof_page_size(), low = (taken->index + page - 1) & -page,
                  high = (taken->index + taken->index_size) & -page;
  if (low < high)
    prof_sys_munmap((void *)low, high - low);
}

bool prof_parents_index_take(const struct prof_located *module, uint64_t version, struct fmt_index *index,
                             uint64_t *size)
{
  struct parents_module **at = &first;
  while (*at && !is_same(*at, module, version))
    at = &(*at)->next;
  const struct parents_module *noted = *at;
  void *copy = noted ? prof_record_alloc_run(noted->index_size) : NULL;
  /* The parent's file may have been cut meanwhile. */
  if (!copy || prof_read_memory(copy, noted->index, noted->index_size) < 0)
    return false;
  fmt_index_set(index, copy);
  *size = noted->index_size;
  *at = noted->next;
  give_back(noted);
  return true;
}
