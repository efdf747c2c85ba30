/*
 * Leads the slots of a module's imports to stubs.
 *
 * A slot is a word of the module's global offset table which its code calls through, and which the dynamic linker has
 * filled by the time that code runs. The functions themselves are left alone: calls from anywhere else, and those of
 * the runtime, do not pass here. The stubs of a module and what they know lie in one mapping, which stays: a thread may
 * run through them at any time, and a forked child has them too.
 */
#include "profiler/library/library.h"

#include <errno.h>
#include <sys/mman.h>

#include "profiler/arch/x86_64/stub/stub.h"
#include "profiler/base/message.h"
#include "profiler/base/process.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"
#include "profiler/hook/library_hooks.h"
#include "profiler/library/instrumented.h"
#include "profiler/module/filter.h"
#include "profiler/module/module.h"
#include "profiler/sled/text_pages.h"

#define PAGE       4096u
#define NAMES_SIZE 480 /* of what one line of a message names beside a path */

/* The mapping of a module at its place: what stubs jump by and know, and behind that, from the next page on, the stubs.
 */
struct stubs {
  struct stubs *next; /* made before */
  uintptr_t module;   /* where the module lies */
  uint64_t size;      /* of the mapping, bytes */
  uint8_t *code;
  uint32_t count, used;
  uintptr_t timed, counted, asked; /* where stubs go on */
  struct prof_library_call calls[];
};

/* Of all modules. In a forked child they are what they were in its parent, as the slots are. Under modules_lock. */
static struct stubs *all_stubs;

/* Of one module, while its slots are led to stubs. */
struct leading {
  struct prof_module *module;
  struct stubs *stubs;
  struct prof_instrumented known; /* of the modules that its imports are in */
  uint32_t unbound;               /* slots that lead into the lazy resolver */
  uint32_t read;                  /* slots that code loads addresses from */
  struct prof_text read_names;    /* of these, as many as there is room for */
};

static const char *path_of(const struct prof_module *module)
{
  return ((const struct fmt_rec_name *)(uintptr_t)module->record->path)->text;
}

/* What the imported function of the site does, if the settings ask for what is asked the allocator for. */
static enum fmt_asking asking_of(const struct prof_module *module, const struct fmt_index_site *site)
{
  return prof_process.settings.asked
             ? fmt_asking_of(module->index.strings + module->index.functions[site->function].linkage_name)
             : FMT_ASKING_NOTHING;
}

static bool is_wanted(const struct prof_module *module, const struct fmt_index_site *site)
{
  const struct prof_filter_subject subject = {.function =
                                                  module->index.strings + module->index.functions[site->function].name};
  return site->flags & FMT_SITE_LIBRARY && (asking_of(module, site) != FMT_ASKING_NOTHING ||
                                            prof_filter_admits(prof_process.settings.library_calls, NULL, &subject));
}

static uint32_t count_wanted(const struct prof_module *module)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < module->index.count[FMT_SECTION_SITES]; i++)
    count += is_wanted(module, &module->index.sites[i]);
  return count;
}

static bool is_stub(uintptr_t address)
{
  for (const struct stubs *stubs = all_stubs; stubs; stubs = stubs->next)
    if (address >= (uintptr_t)stubs->code && address < (uintptr_t)stubs + stubs->size)
      return true;
  return false;
}

/* The mapping of a module that was there before and is again, as it was or with its slots as new; or a new one. A
 * negative errno in place of it. */
static long map_stubs(const struct prof_module *module, uint32_t count, struct stubs **stubs)
{
  for (*stubs = all_stubs; *stubs; *stubs = (*stubs)->next)
    if ((*stubs)->module == module->start && (*stubs)->count == count)
      return 0;
  size_t before = (sizeof **stubs + count * sizeof(struct prof_library_call) + PAGE - 1) & ~(size_t)(PAGE - 1);
  size_t size = before + ((count * (size_t)PROF_STUB_SIZE + PAGE - 1) & ~(size_t)(PAGE - 1));
  long mapped = prof_sys_mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (prof_sys_failed(mapped))
    return mapped;
  struct stubs *made = (struct stubs *)mapped;
  *made = (struct stubs){.next = all_stubs,
                         .module = module->start,
                         .size = size,
                         .code = (uint8_t *)mapped + before,
                         .count = count,
                         .timed = (uintptr_t)prof_library_timed,
                         .counted = (uintptr_t)prof_library_counted,
                         .asked = (uintptr_t)prof_library_asked};
  long error = prof_module_note_code((uintptr_t)made->code, size - before) ? 0 : -ENOMEM;
  if (error < 0) {
    prof_sys_munmap(made, size);
    return error;
  }
  *stubs = all_stubs = made;
  return 0;
}

static long protect_code(const struct stubs *stubs, int protection)
{
  return PROF_SYSCALL3(SYS_mprotect, stubs->code, stubs->size - (size_t)(stubs->code - (const uint8_t *)stubs),
                       protection);
}

static uintptr_t *slot_of(const struct prof_module *module, const struct fmt_index_site *site)
{
  return (uintptr_t *)(site->pc + module->bias);
}

/* Notes that the calls of a function cannot be counted, since its slot is read as well. Names that do not all fit end
 * in "...". */
static void note_read(struct leading *leading, const char *name)
{
  static const char more[] = ", ...";
  struct prof_text *names = &leading->read_names;
  const char *separator = leading->read++ ? ", " : "";
  const size_t room = (size_t)(names->end - names->next),
               wanted = prof_length(separator) + prof_length(name) + sizeof more;
  if (names->cut)
    return;
  names->cut = wanted > room;
  prof_text_add(names, names->cut ? more + (leading->read == 1 ? 2 : 0) : separator);
  if (!names->cut)
    prof_text_add(names, name);
}

/* Notes the call that a slot's stub is for, unless the slot leads to one or to nothing. What counts its calls itself
 * has rows of its own, whatever else its slot is for. */
static void note_call(struct leading *leading, const struct fmt_index_site *site)
{
  const struct prof_module *module = leading->module;
  struct stubs *stubs = leading->stubs;
  const uintptr_t slot = (uintptr_t)slot_of(module, site), target = *(const uintptr_t *)slot;
  const bool is_own = target >= module->start && target < module->end;
  const enum fmt_asking asking = asking_of(module, site);
  if (target && !is_own && !is_stub(target) && prof_instrumented_holds(&leading->known, target))
    return;
  if (asking != FMT_ASKING_NOTHING && !module->imports_told && (is_own || site->flags & FMT_SITE_LIBRARY_READ))
    prof_count_loss(FMT_LOSS_ASKING, 1);
  if (site->flags & FMT_SITE_LIBRARY_READ) {
    note_read(leading, module->index.strings + module->index.functions[site->function].name);
    return;
  }
  leading->unbound += is_own;
  if (!target || is_own || is_stub(target) || stubs->used == stubs->count)
    return;
  struct prof_library_call *call = &stubs->calls[stubs->used];
  *call = (struct prof_library_call){.target = target, .slot = slot, .asking = asking};
  const uintptr_t *next = site->flags & FMT_SITE_LIBRARY_TIMED ? &stubs->timed : &stubs->counted;
  prof_library_stub_write(stubs->code + stubs->used * (size_t)PROF_STUB_SIZE, call,
                          asking != FMT_ASKING_NOTHING ? &stubs->asked : next);
  stubs->used++;
}

/* Leads the slots to their stubs, which are ready. 0, or a negative errno when none was. */
static long write_slots(const struct stubs *stubs)
{
  uintptr_t low = UINTPTR_MAX, high = 0;
  for (uint32_t i = 0; i < stubs->used; i++) {
    low = stubs->calls[i].slot < low ? stubs->calls[i].slot : low;
    high = stubs->calls[i].slot > high ? stubs->calls[i].slot : high;
  }
  struct prof_text_pages pages;
  long error = stubs->used ? prof_text_open(&pages, low, high + sizeof(uintptr_t), true, 0) : 0;
  if (error < 0 || !stubs->used)
    return error;
  for (uint32_t i = 0; i < stubs->used; i++)
    __atomic_store_n((uintptr_t *)stubs->calls[i].slot, (uintptr_t)stubs->code + i * (size_t)PROF_STUB_SIZE,
                     __ATOMIC_RELEASE);
  prof_text_close(&pages);
  return 0;
}

/* Does a slot of the module lead to a stub? So it is in a forked child. */
static bool is_led(const struct prof_module *module)
{
  for (uint32_t i = 0; i < module->index.count[FMT_SECTION_SITES]; i++)
    if (module->index.sites[i].flags & FMT_SITE_LIBRARY && is_stub(*slot_of(module, &module->index.sites[i])))
      return true;
  return false;
}

static long lead(struct leading *leading, uint32_t count)
{
  const struct prof_module *module = leading->module;
  long error = map_stubs(module, count, &leading->stubs);
  if (error == 0)
    error = protect_code(leading->stubs, PROT_READ | PROT_WRITE);
  if (error < 0)
    return error;
  leading->stubs->used = 0;
  for (uint32_t i = 0; i < module->index.count[FMT_SECTION_SITES]; i++)
    if (is_wanted(module, &module->index.sites[i]))
      note_call(leading, &module->index.sites[i]);
  error = protect_code(leading->stubs, PROT_READ | PROT_EXEC);
  return error < 0 ? error : write_slots(leading->stubs);
}

void prof_library_count(struct prof_module *module)
{
  const uint32_t count = module->index.header ? count_wanted(module) : 0;
  if (!count || is_led(module))
    return;
  char names[NAMES_SIZE];
  struct leading leading = {.module = module, .read_names = prof_text_begin(names, sizeof names)};
  long error = lead(&leading, count);
  if (error < 0 && !module->imports_told)
    prof_message("%s: the slots of the functions that it imports cannot be written here (error %ld): its library calls "
                 "are not counted",
                 path_of(module), -error);
  if (error == 0 && leading.unbound && !module->imports_told)
    prof_message(
        "%s: %u of the functions that it imports are bound when they are first called, and their calls are not "
        "counted: start it by 'callsig run --library-calls'",
        path_of(module), leading.unbound);
  if (leading.read && !module->imports_told)
    prof_message("%s: the calls of %u of the functions that it imports (%s) are not counted, since its code also takes "
                 "their addresses",
                 path_of(module), leading.read, names);
  module->imports_told |= error < 0 || leading.read || leading.unbound;
}

static void ask_for_counts(void)
{
  prof_process.upcalls.count_imports = prof_library_count;
}

/* Before every constructor of the program that it is linked into, as the sleds. */
__attribute__((section(".init_array.00001"), used)) static void (*at_start)(void) = ask_for_counts;
