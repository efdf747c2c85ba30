/*
 * The modules of this process: which one an address lies in, and its signature index.
 */
#include "profiler/module/module.h"

#include "format/index.h"
#include "format/recording.h"
#include "profiler/base/arena.h"
#include "profiler/base/lock.h"
#include "profiler/base/message.h"
#include "profiler/base/own_code.h"
#include "profiler/base/own_memory.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/base/signature.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"
#include "profiler/module/filter.h"
#include "profiler/module/index.h"
#include "profiler/module/locate.h"
#include "profiler/module/parents_index.h"

/* What the table cannot show for want of debug information: told when the index is made, or it
 * was asked whether it lacks less by now. */
static void tell_what_is_missing(const struct prof_module *module, const char *path)
{
  uint32_t flags = module->index.header->flags;
  if (!module->index.count[FMT_SECTION_SITES])
    return;
  if (flags & FMT_INDEX_LACKS_UNITS)
    prof_message(
        "%s: debug information of some of its files (.dwo) is not found, or is of another build, and arguments "
        "there are unknown; 'callsig index' tells which",
        path);
  if (flags & FMT_INDEX_HAS_DWARF)
    return;
  if (flags & FMT_INDEX_HAS_SYMTAB)
    prof_message("%s: no debug information: no arguments are known; compile with -g", path);
  else
    prof_message("%s: stripped and without debug information: functions show as addresses; compile with -g", path);
}

/* The record of the module, not linked yet. NULL when there is no space. */
static struct fmt_rec_module *make_record(const struct prof_located *found)
{
  struct fmt_rec_module *record = prof_record_alloc_run(sizeof *record);
  struct fmt_rec_name *path = record ? prof_record_name(found->path, prof_length(found->path)) : NULL;
  if (!path)
    return NULL;
  record->tag = (struct fmt_rec_tag){FMT_TAG_MODULE, sizeof *record};
  record->start = found->start;
  record->end = found->end;
  record->bias = found->bias;
  record->path = (uintptr_t)path;
  for (uint32_t i = 0; i < found->build_id_size; i++)
    record->build_id[i] = found->build_id[i];
  record->build_id_size = found->build_id_size;
  record->id = prof_process.modules ? prof_process.modules->id + 1 : 0;
  return record;
}

/* Is it the file that was located? */
static bool is_file(const struct prof_module *module, const struct prof_located *found)
{
  const struct fmt_rec_module *record = module->record;
  const struct fmt_rec_name *path = (const struct fmt_rec_name *)(uintptr_t)record->path;
  return found->build_id_size == record->build_id_size &&
         prof_equal_bytes(found->build_id, record->build_id, record->build_id_size) &&
         prof_equal(found->path, path->text);
}

static bool is_place(const struct prof_module *module, const struct prof_located *found)
{
  return found->start == module->start && found->end == module->end && found->bias == module->bias;
}

/* May what the file has be what the module had, as far as its version is known? */
static bool is_version(const struct prof_module *module, const struct prof_located *found, uint64_t version)
{
  return found->build_id_size && is_file(module, found) && (!version || !module->version || version == module->version);
}

/* The module that was unloaded and is back where it was, or NULL. */
static struct prof_module *find_returned(const struct prof_located *found, uint64_t version)
{
  struct prof_module *module = prof_process.modules;
  while (module && !(module->unloaded && is_place(module, found) && is_version(module, found, version)))
    module = module->next;
  return module;
}

/* Takes over the index of a module of the same build, which was mapped elsewhere. */
static bool share_index(struct prof_module *module, const struct prof_located *found)
{
  const struct prof_module *other = prof_process.modules;
  while (other && !(other->index.header && is_version(other, found, module->version)))
    other = other->next;
  if (!other)
    return false;
  module->index = other->index;
  module->record->index = other->record->index;
  module->record->index_size = other->record->index_size;
  return true;
}

static void find_index(struct prof_thread *t, struct prof_module *module, const struct prof_located *found)
{
  struct fmt_rec_module *record = module->record;
  bool asked = false;
  if (share_index(module, found) ||
      (!prof_parents_index_take(found, module->version, &module->index, &record->index_size) &&
       prof_index_obtain(t, &prof_process.settings, found, &module->index, &record->index_size, &asked) != 0))
    return;
  record->index = (uintptr_t)module->index.header;
  prof_parents_indexes_begin();
  if (asked)
    tell_what_is_missing(module, found->path);
}

/* Was it there before the program began? A forked child, which finds its modules anew, has those of its parent. */
static bool is_staying(uintptr_t start)
{
  const uintptr_t *staying = prof_process.staying;
  while (staying && *staying && *staying != start)
    staying++;
  return staying && *staying;
}

void prof_modules_note_staying(void)
{
  size_t count = 0, next = 0;
  struct prof_module *first = __atomic_load_n(&prof_process.modules, __ATOMIC_ACQUIRE);
  for (const struct prof_module *module = first; module; module = module->next)
    count++;
  uintptr_t *staying = count ? prof_process_alloc((count + 1) * sizeof *staying) : NULL;
  for (const struct prof_module *module = staying ? first : NULL; module; module = module->next) {
    staying[next++] = module->start;
    module->record->stays = 1;
  }
  prof_process.staying = staying;
}

static struct prof_module *make_module(struct prof_thread *t, const struct prof_located *found, uint64_t version)
{
  struct prof_settings *settings = &prof_process.settings;
  struct prof_module *module = prof_process_alloc(sizeof *module);
  struct fmt_rec_module *record = module ? make_record(found) : NULL;
  if (!record)
    return NULL;
  module->record = record;
  record->stays = is_staying(found->start);
  module->bias = found->bias;
  module->start = found->start;
  module->end = found->end;
  module->id = record->id;
  module->main_program = found->main_program;
  module->tls_known = found->tls_known;
  module->tls_offset = found->tls_offset;
  module->linked = found->linked;
  module->version = version;
  module->excluded = prof_filter_excludes_module(settings->include, settings->exclude, found->path);
  if (!module->excluded)
    find_index(t, module, found);
  return module;
}

/* Records are linked by who holds modules_lock, and by who makes code. */
static void publish_record(struct fmt_rec_module *record)
{
  uint64_t *first = &prof_process.header->first_module;
  record->next = __atomic_load_n(first, __ATOMIC_RELAXED);
  while (
      !__atomic_compare_exchange_n(first, &record->next, (uintptr_t)record, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    ;
}

bool prof_module_note_code(uintptr_t start, size_t size)
{
  if (!prof_own_code_add(start, size))
    return false;
  struct fmt_rec_module *record = prof_record_alloc_run(sizeof *record);
  struct fmt_rec_name *name = record ? prof_record_name(FMT_OWN_CODE, sizeof FMT_OWN_CODE - 1) : NULL;
  if (!name)
    return true;
  record->tag = (struct fmt_rec_tag){FMT_TAG_MODULE, sizeof *record};
  record->start = start;
  record->end = start + size;
  record->path = (uintptr_t)name;
  record->id = FMT_NONE;
  publish_record(record);
  return true;
}

static void publish(struct prof_module *module)
{
  publish_record(module->record);
  module->next = prof_process.modules;
  __atomic_store_n(&prof_process.modules, module, __ATOMIC_RELEASE);
}

void prof_module_doubt_imports(struct prof_module *module)
{
  if (module->imports_counted)
    __atomic_store_n(&module->imports_due, true, __ATOMIC_RELAXED);
  module->imports_counted = false;
}

static void set_unloaded(struct prof_module *module, bool unloaded)
{
  module->unloaded = unloaded;
  /* What is mapped there next time is as the compiler left it. */
  module->sleds_on = module->sleds_failed = module->sleds_strange = false;
  prof_module_doubt_imports(module);
  __atomic_store_n(&module->record->unloaded, unloaded, __ATOMIC_RELEASE);
}

void prof_module_gone(struct prof_module *module)
{
  set_unloaded(module, true);
}

struct prof_module *prof_module_for_address(struct prof_thread *t, uintptr_t address)
{
  struct prof_module *module = prof_module_find(address);
  if (module)
    return module;
  struct prof_located *found = prof_scratch_take(sizeof *found);
  if (!found)
    return NULL;
  bool located = prof_locate(address, found) == 0;
  const uint64_t version = located ? prof_located_version(found) : 0;
  module = located ? find_returned(found, version) : NULL;
  if (module) {
    module->linked = found->linked;
    set_unloaded(module, false);
  } else if (located && (module = make_module(t, found, version)) != NULL) {
    publish(module);
  }
  prof_scratch_give(found, sizeof *found);
  return module;
}

bool prof_module_present(struct prof_module *module)
{
  if (prof_located_still(&module->linked, module->record->build_id, module->record->build_id_size))
    return true;
  struct prof_located *found = prof_scratch_take(sizeof *found);
  if (!found)
    return false;
  bool present = prof_locate(module->start, found) == 0 && is_place(module, found) && is_file(module, found);
  if (present) /* while it was being loaded, the linker did not tell of it */
    module->linked = found->linked;
  prof_scratch_give(found, sizeof *found);
  return present;
}

/* Registers the module that a function pointer points into, unless it is known. */
static void note_pointer(struct prof_thread *t, uintptr_t address)
{
  if (prof_module_find(address))
    return;
  prof_lock(&prof_process.modules_lock);
  prof_module_for_address(t, address);
  prof_unlock(&prof_process.modules_lock);
}

void prof_module_note_pointers(struct prof_thread *t, const struct prof_site *site, const uint64_t *words,
                               uint32_t word_count)
{
  const struct fmt_index *index = site->module ? &site->module->index : NULL;
  const struct fmt_index_function *function = site->index_function;
  if (!index || !index->header || !function)
    return;
  uint32_t next = function->state_words;
  for (uint32_t i = 0; i < function->arg_count && next < word_count; i++) {
    const struct fmt_index_arg *arg = &index->args[function->first_arg + i];
    unsigned state = prof_signature_state(words, i);
    if (state == FMT_STATE_READ && arg->kind == FMT_ARG_VALUE && words[next] &&
        index->types[arg->type].kind == FMT_TYPE_FUNCTION_POINTER)
      note_pointer(t, words[next]);
    next += prof_signature_arg_words(arg, state, words + next);
  }
}
