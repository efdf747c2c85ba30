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

static struct parents_module *note(const struct prof_module *module)
{
  const struct fmt_rec_module *record = module->record;
  const struct fmt_rec_name *path = (const struct fmt_rec_name *)record->path;
  struct parents_module *noted = prof_process_alloc(sizeof *noted + path->length + 1);
  if (!noted)
    return NULL;
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
  return noted;
}

/* Adds a range to those that are ascending, once. */
static size_t add(struct prof_kept *kept, size_t count, uintptr_t low, uintptr_t high)
{
  size_t at = count;
  for (; at > 0 && kept[at - 1].low >= low; at--)
    if (kept[at - 1].low == low)
      return count;
  for (size_t i = count; i > at; i--)
    kept[i] = kept[i - 1];
  kept[at] = (struct prof_kept){low, high};
  return count + 1;
}

/* Not of what begins in the header's page, of which nothing stays. */
static size_t keep(struct prof_kept kept[PROF_KEPT_MOST])
{
  const uintptr_t least = (uintptr_t)prof_process.header + prof_page_size();
  size_t count = 0;
  for (const struct prof_module *module = prof_process.modules; module && count < PROF_KEPT_MOST;
       module = module->next) {
    const struct fmt_rec_module *record = module->record;
    if (module->index.header && !module->unloaded && record->build_id_size && record->index >= least && note(module))
      count = add(kept, count, record->index, record->index + record->index_size);
  }
  return count;
}

void prof_parents_indexes_begin(void)
{
  prof_process.upcalls.keep_indexes = keep;
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
