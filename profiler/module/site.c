/*
 * Probe sites: the process's table of what is known of each, read without a lock.
 */
#include "profiler/module/site.h"

#include "profiler/arch/registers.h"
#include "profiler/base/arena.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/base/read_memory.h"
#include "profiler/base/table.h"
#include "profiler/module/filter.h"
#include "profiler/module/module.h"
#include "profiler/module/module_find.h"

#define FIRST_SITES 1024u
#define SCAN_WORDS  512u /* of the stack, for the return address of a function without call frame information */

struct prof_site_table {
  uint64_t mask, used;
  const struct prof_site *slots[];
};

/* Takes the place of a site that no module was known for, once one is gone that had its address: its pc is nobody's. */
static const struct prof_site retired = {.pc = 1};

static bool is_gone(const struct prof_site *site)
{
  return site->module && site->module->unloaded;
}

/* Sites of a module that is gone stay, and are passed over until it is back: another one's may lie at the same address.
 */
static const struct prof_site *find(const struct prof_site_table *table, uintptr_t pc, uintptr_t function_address)
{
  if (!table)
    return NULL;
  for (uint64_t i = prof_hash_mix(0, pc);; i++) {
    const struct prof_site *site = __atomic_load_n(&table->slots[i & table->mask], __ATOMIC_ACQUIRE);
    if (!site || (site->pc == pc && site->function_address == function_address && !is_gone(site)))
      return site;
  }
}

static void insert(struct prof_site_table *table, const struct prof_site *site)
{
  uint64_t i = prof_hash_mix(0, site->pc);
  while (table->slots[i & table->mask])
    i++;
  __atomic_store_n(&table->slots[i & table->mask], site, __ATOMIC_RELEASE);
  table->used++;
}

/* The table, with room for one more. Readers may still be in the old one, which stays. NULL: no memory. */
static struct prof_site_table *roomy(struct prof_process *process)
{
  struct prof_site_table *old = process->sites;
  if (old && old->used * 2 <= old->mask)
    return old;
  uint64_t slots = old ? (old->mask + 1) * 2 : FIRST_SITES;
  struct prof_site_table *table = prof_process_alloc(sizeof *table + slots * sizeof table->slots[0]);
  if (!table)
    return NULL;
  table->mask = slots - 1;
  for (uint64_t i = 0; old && i <= old->mask; i++)
    if (old->slots[i] && old->slots[i] != &retired)
      insert(table, old->slots[i]);
  __atomic_store_n(&process->sites, table, __ATOMIC_RELEASE);
  return table;
}

/* Without call frame information, the canonical frame address is found by the return address below it, which the hook
 * was given; 8 above the stack pointer when it is not there, which orders frames well enough. */
static int32_t scan_for_cfa(uintptr_t stack, uintptr_t call_site)
{
  for (uint32_t i = 0; i < SCAN_WORDS; i++) {
    uintptr_t word = 0;
    if (prof_read_memory(&word, stack + i * sizeof word, sizeof word) < 0)
      break;
    if (word == call_site)
      return (int32_t)((i + 1) * sizeof word);
  }
  return 8;
}

/* The function that the index has for the site, unless the hook was given the address of another: then that one was
 * inlined there by a compiler that does not describe it (clang's intrinsics), or two functions end in one call of the
 * hook, and nothing is known of its arguments. */
static uint32_t function_of_site(struct prof_site *site)
{
  const struct fmt_index *index = &site->module->index;
  uint32_t expected = site->index_site->function;
  uint64_t address = site->function_address - site->module->bias;
  if (index->functions[expected].address == address)
    return expected;
  for (uint32_t i = 0; i < index->count[FMT_SECTION_FUNCTIONS]; i++)
    if (index->functions[i].address == address)
      return i;
  return expected;
}

/* Makes every argument of the site's function a lost one. False: no memory. */
static bool lose_arguments(struct prof_site *site)
{
  uint64_t *states = prof_process_alloc(site->state_words * sizeof *states + 1);
  if (!states)
    return false;
  for (unsigned i = 0; i < site->index_function->arg_count; i++)
    states[i / 16] |= (uint64_t)FMT_STATE_LOST << i % 16 * 4;
  site->states = states;
  site->op_count = 0;
  return true;
}

static bool describe_indexed(struct prof_site *site)
{
  const struct fmt_index *index = &site->module->index;
  const struct fmt_index_site *known = site->index_site;
  site->function = function_of_site(site);
  site->index_function = &index->functions[site->function];
  site->top = site->index_function->flags & FMT_FUNCTION_TOP;
  site->inlined = known->flags & FMT_SITE_INLINED;
  site->sled = known->flags & FMT_SITE_SLED;
  site->returns = known->flags & FMT_SITE_RETURNS;
  site->cfa_kind = known->cfa_kind;
  site->cfa_register = known->cfa_register;
  site->cfa_offset = known->cfa_offset;
  site->ops = index->ops + known->first_op;
  site->op_count = known->op_count;
  site->states = index->states + known->first_state;
  site->state_words = site->index_function->state_words;
  if (site->function != known->function) {
    site->inlined = true;
    site->returns = false;
    return lose_arguments(site);
  }
  for (uint32_t i = 0; i < site->op_count; i++) {
    site->uses_xmm |= site->ops[i].code == FMT_OP_XMM;
    site->uses_entry |= site->ops[i].code == FMT_OP_ENTRY;
  }
  return true;
}

/* Where the offset of a site's CFA comes from when the index does not know it, and what proves what the index says. */
struct frame_hint {
  const uint64_t *general; /* registers before the hook's call; NULL: see offset */
  uintptr_t call_site;     /* what the hook was given: the address that lies below the CFA */
  int32_t offset;
};

#define FRAME_MOST ((uintptr_t)16 << 20) /* bytes of a frame */

/* Looks whether the CFA is where the index says, in a frame whose registers are known. Of what is in this frame the
 * fast path reads without looking. */
static void prove_frame(struct prof_site *site, const struct frame_hint *hint)
{
  uintptr_t stack = hint->general[PROF_SP], base = hint->general[site->cfa_register & (PROF_REGISTERS - 1)];
  uintptr_t cfa = base + (uintptr_t)(intptr_t)site->cfa_offset, word = 0;
  if (site->cfa_kind == FMT_CFA_MEMORY && prof_read_memory(&cfa, cfa, sizeof cfa) < 0)
    return;
  intptr_t distance = (intptr_t)(cfa - base);
  if (cfa <= stack || cfa - stack > FRAME_MOST || distance != (int32_t)distance ||
      prof_read_memory(&word, cfa - sizeof word, sizeof word) < 0 || word != hint->call_site)
    return;
  site->frame_size = (uint32_t)(cfa - stack);
  site->cfa_distance = (int32_t)distance;
}

static struct prof_site *describe(struct prof_module *module, uintptr_t pc, uintptr_t function_address,
                                  const struct frame_hint *hint)
{
  struct prof_site *site = prof_process_alloc(sizeof *site);
  if (!site)
    return NULL;
  site->pc = pc;
  site->function_address = function_address;
  site->function = FMT_NONE;
  site->module = module;
  if (site->module && site->module->index.header) {
    site->index_site = prof_module_site(site->module, pc);
    if (site->index_site && !describe_indexed(site))
      return NULL;
  }
  if (site->cfa_kind == FMT_CFA_UNKNOWN) {
    site->cfa_register = PROF_SP;
    site->inlined = true; /* for all that is known */
    site->cfa_offset = hint->general ? scan_for_cfa(hint->general[PROF_SP], hint->call_site) : hint->offset;
  } else if (hint->general) {
    prove_frame(site, hint);
  }
  /* What filters leave out calls all the same: of imports the settings say themselves which are wanted. */
  if (site->module && !(site->index_site && site->index_site->flags & FMT_SITE_LIBRARY))
    site->excluded = site->module->excluded || !prof_filter_allows(&prof_process, site->module, site->index_function);
  return site;
}

/* Sites that no module was known for may be another's than that of the module that is gone. */
static void forget_unknown(const struct prof_module *module)
{
  struct prof_site_table *table = prof_process.sites;
  for (uint64_t i = 0; table && i <= table->mask; i++) {
    const struct prof_site *site = table->slots[i];
    if (site && !site->module && site->pc >= module->start && site->pc < module->end)
      __atomic_store_n(&table->slots[i], &retired, __ATOMIC_RELEASE);
  }
}

/* Is the module still where it was? Under modules_lock. */
static void check_module(struct prof_module *module)
{
  if (!module || module->unloaded || module->main_program)
    return;
  if (prof_module_present(module)) {
    prof_module_doubt_imports(module); /* it may be there again, as new */
    return;
  }
  prof_module_gone(module);
  forget_unknown(module);
}

void prof_sites_check_at(uintptr_t address)
{
  struct prof_module *module;
  do {
    module = prof_module_find(address);
    check_module(module);
  } while (module && module->unloaded);
}

/* The module's code runs, so that the dynamic linker is done with it; but for what that calls itself while it starts
 * the program, before there is an upcall. */
static void count_imports(struct prof_module *module)
{
  if (!module || module->imports_counted || module->excluded || !prof_process.settings.library_calls ||
      !prof_process.upcalls.count_imports)
    return;
  module->imports_counted = true;
  prof_process.upcalls.count_imports(module);
  __atomic_store_n(&module->imports_due, false, __ATOMIC_RELAXED);
}

static const struct prof_site *resolve(struct prof_thread *t, uintptr_t pc, uintptr_t function_address,
                                       const struct frame_hint *hint)
{
  struct prof_process *process = &prof_process;
  const struct prof_site *known = find(__atomic_load_n(&process->sites, __ATOMIC_ACQUIRE), pc, function_address);
  if (known && !prof_site_in_doubt(known))
    return known;
  prof_pause(t); /* also for waiting: another thread may be having an index made */
  prof_lock(&process->modules_lock);
  if (__atomic_load_n(&process->unloading, __ATOMIC_SEQ_CST))
    prof_sites_check_at(pc);
  /* With the module its sites may be back. */
  struct prof_module *module = prof_module_for_address(t, pc);
  count_imports(module);
  known = find(process->sites, pc, function_address);
  if (!known) {
    struct prof_site *site = describe(module, pc, function_address, hint);
    struct prof_site_table *table = site ? roomy(process) : NULL;
    if (table) {
      insert(table, site);
      known = site;
    }
  }
  prof_unlock(&process->modules_lock);
  prof_resume(t);
  return known;
}

const struct prof_site *prof_site_resolve(struct prof_thread *t, uintptr_t pc, uintptr_t function_address,
                                          const uint64_t *general, uintptr_t call_site)
{
  const struct frame_hint hint = {.general = general, .call_site = call_site};
  return resolve(t, pc, function_address, &hint);
}

const struct prof_site *prof_site_at(struct prof_thread *t, uintptr_t pc, uintptr_t function_address,
                                     int32_t cfa_offset)
{
  const struct frame_hint hint = {.offset = cfa_offset};
  return resolve(t, pc, function_address, &hint);
}

void prof_sites_check(struct prof_module *module)
{
  prof_lock(&prof_process.modules_lock);
  check_module(module);
  prof_unlock(&prof_process.modules_lock);
}
