/*
 * The sleds of the process's modules: found, and turned into calls.
 *
 * A module's stubs lie in one mapping within reach of it, made and sealed before the first sled calls them. The text is
 * writable for as long as the sleds are written (text_pages.c); where that is refused, it is told once and the module
 * is left as it is.
 */
#include "profiler/sled/sleds.h"

#include <errno.h>
#include <sys/mman.h>

#include "format/sled.h"
#include "format/sled_idle.h"
#include "profiler/arch/x86_64/sled_text/sled_text.h"
#include "profiler/arch/x86_64/stub/stub.h"
#include "profiler/base/attached.h"
#include "profiler/base/lock.h"
#include "profiler/base/message.h"
#include "profiler/base/own_code.h"
#include "profiler/base/proc_maps.h"
#include "profiler/base/process.h"
#include "profiler/base/read_memory.h"
#include "profiler/base/syscall.h"
#include "profiler/hook/sled_hooks.h"
#include "profiler/module/filter.h"
#include "profiler/module/module.h"
#include "profiler/module/site.h"
#include "profiler/session/idle_sleds.h"
#include "profiler/session/startup.h"
#include "profiler/sled/elf_sleds.h"
#include "profiler/sled/loader.h"
#include "profiler/sled/near_memory.h"
#include "profiler/sled/site_codes.h"
#include "profiler/sled/text_pages.h"

#define PAGE          4096u
#define FOUND_AT_ONCE 32u

static size_t page_up(size_t size)
{
  return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static const char *path_of(const struct prof_module *module)
{
  return ((const struct fmt_rec_name *)(uintptr_t)module->record->path)->text;
}

/* Is the function of this sled recorded? */
static bool is_wanted(const struct prof_module *module, const struct fmt_index_sled *sled)
{
  const struct fmt_index *index = &module->index;
  if (!prof_process.settings.include && !prof_process.settings.exclude)
    return true;
  const struct fmt_index_sled *entry = fmt_index_sled_from(index, sled->function);
  if (entry->site == FMT_NONE)
    return true;
  return prof_filter_allows(&prof_process, module, &index->functions[index->sites[entry->site].function]);
}

/* Maps room for the words that stubs jump through, and behind them the stubs, near the module. The address of the first
 * word, or 0 after a message. */
static uintptr_t map_stubs(const struct prof_module *module, size_t words_size, size_t stubs_size)
{
  long mapped = prof_near_map(module->start, module->end, PROF_SLED_REACH, words_size + stubs_size);
  if (prof_sys_failed(mapped)) {
    prof_message("%s: no memory within reach of its code (error %ld): its sleds stay off and it is not profiled",
                 path_of(module), -mapped);
    return 0;
  }
  return (uintptr_t)mapped;
}

/* Exits have the room of the first stubs, and the first word: a piece of code for each combination of flags that it
 * depends on. */
#define EXIT_PIECES 4u
#define EXIT_STUBS  (EXIT_PIECES * PROF_EXIT_SIZE / PROF_STUB_SIZE)

/* Where the code for exits with these flags lies behind that for the first. */
static size_t exit_place(unsigned flags)
{
  return ((flags & FMT_SLED_FREE ? 1u : 0u) + (flags & FMT_SLED_LEAF ? 2u : 0u)) * PROF_EXIT_SIZE;
}

/* Writes the code for all exits; `hook`: the word with the hook's address. */
static void write_exits(uintptr_t first, const uintptr_t *hook)
{
  const unsigned flags[EXIT_PIECES] = {0, FMT_SLED_FREE, FMT_SLED_LEAF,
                                       (unsigned)FMT_SLED_FREE | (unsigned)FMT_SLED_LEAF};
  for (unsigned i = 0; i < EXIT_PIECES; i++)
    prof_exit_write((uint8_t *)first + exit_place(flags[i]), hook, flags[i]);
}

/* Makes a stub for each entry sled that is wanted and code for the exits, and notes what each sled is to call. False
 * after a message. */
static bool make_stubs(struct prof_module *module)
{
  const struct fmt_index *index = &module->index;
  uint32_t count = index->count[FMT_SECTION_SLEDS], stubs = EXIT_STUBS;
  for (uint32_t i = 0; i < count; i++)
    stubs += fmt_sled_is_entry(index->sleds[i].kind);
  size_t words_size = page_up(stubs * sizeof(uintptr_t)), stubs_size = page_up(stubs * (size_t)PROF_STUB_SIZE);
  uintptr_t *code = prof_process_alloc(count * sizeof *code);
  uintptr_t mapped = code ? map_stubs(module, words_size, stubs_size) : 0;
  if (!mapped)
    return false;
  const struct prof_site_link **links = (const struct prof_site_link **)mapped;
  uintptr_t *exits = (uintptr_t *)mapped; /* the first word is theirs */
  const uintptr_t first = mapped + words_size;
  uint32_t next = EXIT_STUBS;
  *exits = (uintptr_t)prof_sled_exit;
  write_exits(first, exits);
  for (uint32_t i = 0; i < count; i++) {
    if (!is_wanted(module, &index->sleds[i]))
      continue;
    const unsigned flags = prof_sled_code_flags(&index->sleds[i]);
    code[i] = first + exit_place(flags);
    if (fmt_sled_is_entry(index->sleds[i].kind)) {
      code[i] = first + next * PROF_STUB_SIZE;
      links[next] = prof_site_link_none();
      prof_stub_write((uint8_t *)code[i], &links[next], flags);
      next++;
    }
  }
  long error = PROF_SYSCALL3(SYS_mprotect, first, stubs_size, PROT_READ | PROT_EXEC);
  if (error < 0) {
    prof_message("%s: memory may not be made executable here (error %ld): its sleds stay off and it is not profiled",
                 path_of(module), -error);
    return false;
  }
  if (!prof_module_note_code(first, stubs_size))
    return false;
  module->sled_stubs = first;
  module->sled_links = links;
  module->sled_code = code;
  prof_process.upcalls.make_code = prof_site_code;
  prof_process.upcalls.function_activated = prof_site_codes_activate;
  return true;
}

/* Makes the pages that the module's sleds lie in writable. 0, or a negative errno. */
static long open_text(const struct prof_module *module, struct prof_text_pages *pages, bool settled)
{
  const struct fmt_index *index = &module->index;
  const struct fmt_index_sled *last = &index->sleds[index->count[FMT_SECTION_SLEDS] - 1];
  /* Whole words are stored. */
  uintptr_t low = index->sleds[0].address + module->bias;
  uintptr_t high = last->address + module->bias + fmt_sled_size(last->shape) + 8;
  /* Text is what linkers make it where nothing else is known. */
  return prof_text_open(pages, low, high < module->end ? high : module->end, settled, PROT_READ | PROT_EXEC);
}

/* Does the sled call what the runtime made for another process? So it is in a forked child, whose sleds call its
 * parent's stubs: they do there what its own do. */
static bool is_inherited(uintptr_t address, unsigned shape, uintptr_t code)
{
  const uintptr_t called = prof_sled_called(address, shape);
  return called && called != code && prof_own_code_holds(called);
}

/* Switches the sleds of entries, or the others; returns how many stay as they are, since something else lies there.
 * One that calls what was inherited goes on to call that while it is on: no thread may run through a call whose target
 * changes. Calls that were taken out from outside are put back only where nobody does that any more. */
static uint32_t switch_some(const struct prof_module *module, bool entries, bool on)
{
  const struct fmt_index *index = &module->index;
  uint32_t strange = 0;
  for (uint32_t i = 0; i < index->count[FMT_SECTION_SLEDS]; i++) {
    const struct fmt_index_sled *sled = &index->sleds[i];
    uintptr_t address = sled->address + module->bias;
    if (fmt_sled_is_entry(sled->kind) != entries || !module->sled_code[i])
      continue;
    const bool inherited = is_inherited(address, sled->shape, module->sled_code[i]);
    if (inherited && on) {
      if (!prof_sleds_are_out() && prof_sled_is_idle(address, sled->shape))
        prof_sled_switch(address, sled->shape, prof_sled_called(address, sled->shape));
      continue;
    }
    if (inherited || prof_sled_is(address, sled->shape, module->sled_code[i]))
      prof_sled_switch(address, sled->shape, on ? module->sled_code[i] : 0);
    else
      strange++;
  }
  return strange;
}

/* Switches every sled of the module that has code, on or off. Threads run through them meanwhile: exits are on for
 * longer than entries, so that no call begins whose end is not heard. */
static void switch_sleds(struct prof_module *module, bool on)
{
  uint32_t strange = switch_some(module, !on, on);
  strange += switch_some(module, on, on);
  if (!on || strange == 0 || module->sleds_strange)
    return;
  module->sleds_strange = true;
  prof_message(
      "%s: %u of its sleds are not as the compiler left them (a debugger's breakpoints?): what they would tell "
      "of calls is missing",
      path_of(module), strange);
}

/* May the module be unloaded while its sleds are written? Then they wait: who unloads counts as such, passes
 * modules_lock, and has them switched when it is done. `loading`: under the loader's lock, where nobody unloads. Under
 * modules_lock. */
static bool may_vanish(const struct prof_module *module, bool loading)
{
  if (module->main_program || loading || !__atomic_load_n(&prof_process.unloading, __ATOMIC_SEQ_CST))
    return false;
  __atomic_store_n(&prof_process.sleds_waiting, 1, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&prof_process.unloading, __ATOMIC_SEQ_CST) != 0;
}

/* Switches the module's sleds. `loading`: under the loader's lock; without it what another thread is loading stays as
 * it is, and is switched when it is loaded: false. Under modules_lock. */
static bool switch_module(struct prof_module *module, bool on, bool loading)
{
  if (module->sleds_on == on || (!module->sled_code && (!on || module->sleds_failed)))
    return true;
  module->sleds_failed = !module->sled_code && !make_stubs(module);
  if (module->sleds_failed)
    return true;
  struct prof_text_pages pages;
  long error = open_text(module, &pages, module->main_program || loading);
  if (error == -EAGAIN)
    return false;
  if (error < 0) {
    module->sleds_failed = true;
    prof_message("%s: its code may not be written here (error %ld): its sleds stay off and it is not profiled",
                 path_of(module), -error);
    return true;
  }
  switch_sleds(module, on);
  prof_text_close(&pages);
  module->sleds_on = on;
  return true;
}

/* Executable mappings of files with sleds whose modules are not known yet. */
struct candidates {
  uintptr_t behind; /* mappings above this address are asked for */
  uintptr_t addresses[FOUND_AT_ONCE];
  uint32_t count;
  bool unread; /* what some file has is not known */
};

/* Does the module's text hold calls? What the loader unmapped and mapped again since, maybe for another thread that is
 * not done with unloading, is as the compiler left it. */
static bool is_still_on(const struct prof_module *module)
{
  uint32_t first = 0;
  while (first < module->index.count[FMT_SECTION_SLEDS] && !module->sled_code[first])
    first++;
  if (first == module->index.count[FMT_SECTION_SLEDS])
    return true;
  const struct fmt_index_sled *sled = &module->index.sleds[first];
  uint8_t text[FMT_SLED_CALL];
  return prof_read_memory(text, sled->address + module->bias, sizeof text) == 0 && prof_sled_is_call(text, sled->shape);
}

/* What cannot be read may have sleds, which stay off: told once, since the next library that is loaded asks again. */
static void tell_unread(const char *path, int error)
{
  if (!__atomic_exchange_n(&prof_process.sleds_unread, 1, __ATOMIC_RELAXED))
    prof_message("%s: cannot be read (error %d): modules that have sleds and are not found so are not profiled", path,
                 -error);
}

static bool collect(const struct prof_mapping *mapping, void *data)
{
  struct candidates *candidates = data;
  if (mapping->low < candidates->behind || !mapping->executable || mapping->path[0] != '/')
    return true;
  candidates->behind = mapping->high;
  const struct prof_module *known = prof_module_find(mapping->low);
  bool done = known && (known->sleds_failed || (known->sleds_on && is_still_on(known)));
  int found = done ? 0 : prof_elf_mapped_has_sleds(mapping);
  if (found < 0 && (found != -ENOENT || prof_process.has_sleds))
    tell_unread(mapping->path, found);
  if (found < 0 && found != -ENOENT)
    candidates->unread = true;
  if (found <= 0)
    return true;
  candidates->addresses[candidates->count++] = mapping->low;
  return candidates->count < FOUND_AT_ONCE;
}

/* Does the index know any of the sleds that the file lists? Told when not. */
static bool has_usable(const struct prof_module *module)
{
  if (module->index.count[FMT_SECTION_SLEDS])
    return true;
  if (!module->sleds_failed)
    prof_message("%s: none of the sleds that it lists can be used, and it is not profiled by them: 'callsig index' on "
                 "this file says why",
                 path_of(module));
  return false;
}

/* False: it is to be asked for again. */
static bool switch_on_at(struct prof_thread *t, uintptr_t address, bool loading)
{
  bool settled = true;
  prof_pause(t);
  prof_lock(&prof_process.modules_lock);
  /* What is known of the place may have been unloaded by a thread that has not told of it yet. */
  prof_sites_check_at(address);
  struct prof_module *module = prof_module_for_address(t, address);
  /* Without the loader's lock another thread may just have unloaded it. */
  if (!module && loading)
    prof_message(
        "what is mapped at 0x%lx has sleds, and no memory can be had or read to tell what it is: they stay off "
        "and it is not profiled",
        (unsigned long)address);
  if (module && module->sleds_on && !is_still_on(module))
    module->sleds_on = false;
  if (module && module->imports_due)
    prof_site_codes_leave(module);
  if (module && !module->excluded && module->index.header && !has_usable(module))
    module->sleds_failed = true;
  else if (module && !module->excluded && module->index.header)
    settled = !may_vanish(module, loading) && switch_module(module, true, loading);
  prof_unlock(&prof_process.modules_lock);
  prof_resume(t);
  return module && settled;
}

/* The thread has no state: recording is off, its hooks are busy, the recording failed, which was told, or memory did.
 */
static void tell_no_thread(void)
{
  if (__atomic_load_n(&prof_process.state, __ATOMIC_RELAXED) == PROF_PROCESS_RECORDING && prof_self == &prof_idle &&
      __atomic_load_n(&prof_idle.state, __ATOMIC_RELAXED) != PROF_HOOKS_OFF)
    prof_message("no memory for the thread that switches sleds on: they stay off and are not profiled");
}

/* Finds the modules with sleds that are not on, and switches them on. `loading`: under the loader's lock. False: some
 * may be left. */
static bool find(bool loading)
{
  struct candidates candidates = {0};
  bool settled = true;
  do {
    candidates.count = 0;
    uint64_t mask = prof_block_signals();
    int error = prof_proc_maps_walk(collect, &candidates);
    if (error < 0)
      tell_unread("/proc/self/maps", error);
    prof_restore_signals(mask);
    settled = settled && error >= 0 && !candidates.unread;
    prof_process.has_sleds |= candidates.count != 0;
    if (!candidates.count)
      return settled;
    struct prof_thread *t = prof_thread_enter();
    if (!t) {
      tell_no_thread();
      return false;
    }
    for (uint32_t i = 0; i < candidates.count; i++)
      settled = switch_on_at(t, candidates.addresses[i], loading) && settled;
    prof_slow_leave(t);
  } while (candidates.count == FOUND_AT_ONCE);
  return settled;
}

/* The same, and notes it where none are left. */
static void search(bool loading)
{
  const uint32_t changed = __atomic_load_n(&prof_process.modules_changed, __ATOMIC_SEQ_CST);
  if (find(loading))
    __atomic_store_n(&prof_process.sleds_searched, changed + 1, __ATOMIC_SEQ_CST);
}

void prof_sleds_find(void)
{
  __atomic_fetch_add(&prof_process.modules_changed, 1, __ATOMIC_SEQ_CST);
  search(true);
}

/* Switches the sleds of the modules whose sleds were found, unless another thread has switched recording since. False:
 * some may be left. */
static bool switch_found(bool on)
{
  bool settled = true;
  uint64_t mask = prof_block_signals();
  prof_lock(&prof_process.modules_lock);
  const bool as_asked = !__atomic_load_n(&prof_process.disabled, __ATOMIC_SEQ_CST) == on;
  for (struct prof_module *module = prof_process.modules; module && as_asked; module = module->next)
    if (module->sled_code && module->sleds_on != on && !(on && module->sleds_failed) && !module->unloaded)
      settled = !may_vanish(module, false) && switch_module(module, on, false) && settled;
  prof_unlock(&prof_process.modules_lock);
  prof_restore_signals(mask);
  return settled;
}

/* Are the sleds of all modules found that are there now? A module that the loader adds from here on is looked at then,
 * and its sleds are switched on if recording is. */
static bool all_found(void)
{
  return prof_process.loader_watched && __atomic_load_n(&prof_process.sleds_searched, __ATOMIC_SEQ_CST) ==
                                            __atomic_load_n(&prof_process.modules_changed, __ATOMIC_SEQ_CST) + 1;
}

/* Whoever took calls out from outside has not put them back: each is to be switched on again. He may still be about to,
 * with calls alone: so the program makes none of them anything else any more (session/control.c). */
static void take_over(void)
{
  uint64_t mask = prof_block_signals();
  prof_lock(&prof_process.modules_lock);
  __atomic_store_n(&prof_process.header->sleds, FMT_SLEDS_CALL, __ATOMIC_SEQ_CST);
  for (struct prof_module *module = prof_process.modules; module; module = module->next)
    module->sleds_on = false;
  prof_unlock(&prof_process.modules_lock);
  prof_restore_signals(mask);
}

/* A program may switch often, and its mappings and their files take long to look at. */
static void switch_all(bool on)
{
  if (on && prof_sleds_are_out())
    take_over();
  if (on && !all_found())
    search(false);
  else if (prof_process.has_sleds && !switch_found(on) && on)
    search(false);
}

/* Where the loader cannot be watched, libraries that come later are not told of: of interest to programs whose sleds
 * are on. */
static void tell_unwatched(long error)
{
  bool on = false;
  for (const struct prof_module *module = __atomic_load_n(&prof_process.modules, __ATOMIC_ACQUIRE); module;
       module = module->next)
    on = on || module->sleds_on;
  if (on && error < 0 && error != -ENOENT)
    prof_message(
        "the dynamic loader cannot be watched (error %ld): libraries that are loaded while the program runs are "
        "not profiled by their sleds",
        -error);
}

static void find_at_start(void)
{
  uint64_t mask = prof_block_signals();
  prof_process.upcalls.switch_sleds = switch_all;
  long error = prof_loader_watch(prof_sleds_find);
  prof_process.loader_watched = error == 0;
  prof_restore_signals(mask);
  prof_sleds_find();
  /* A program that was attached to has begun, and may have loaded any of them. */
  mask = prof_block_signals();
  if (!prof_attached_settings())
    prof_modules_note_staying();
  prof_restore_signals(mask);
  tell_unwatched(error);
}

/* Before every constructor of the program that it is linked into, whatever their priorities; a shared library is
 * initialised before all others. */
__attribute__((section(".init_array.00001"), used)) static void (*at_start)(void) = find_at_start;
