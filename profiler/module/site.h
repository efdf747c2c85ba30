/*
 * Probe sites: what is known of each place that calls the hooks.
 */
#ifndef CALLSIG_PROFILER_MODULE_SITE_H
#define CALLSIG_PROFILER_MODULE_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/index.h"
#include "profiler/base/process.h"
#include "profiler/module/module_find.h"
#include "profiler/stack/thread.h"

/* A probe site as the process knows it. Immutable once published in the site table; arena memory. */
struct prof_site {
  uintptr_t pc;                            /* return address of the enter hook's call */
  uintptr_t function_address;              /* this_fn that the site's hooks pass */
  struct prof_module *module;              /* NULL when the address belongs to none */
  const struct fmt_index_site *index_site; /* NULL without an index or when it does not know the site */
  const struct fmt_index_function *index_function;
  uint32_t function; /* index in FMT_SECTION_FUNCTIONS, or FMT_NONE: known by its address only */
  bool excluded;     /* by a filter: no frame is made */
  bool top;          /* FMT_FUNCTION_TOP: what it calls is recorded, and itself */
  bool inlined;
  bool sled;                      /* its hooks are those of a sled */
  struct prof_site_code *code;    /* of a sled: the newest code that compares its calls; under codes_lock */
  bool returns;                   /* FMT_SITE_RETURNS */
  bool uses_xmm;                  /* some op reads xmm */
  bool uses_entry;                /* some op reads what the caller passed: it is compared for each return address */
  uint8_t cfa_kind, cfa_register; /* FMT_CFA_UNKNOWN: PROF_SP and an offset that was found on the stack */
  int32_t cfa_offset;
  /* What the frame of the first call had between the stack pointer and the CFA, which its return address proved to be
   * one; 0: that is not proven, and nothing of the frame is read without precautions. */
  uint32_t frame_size;
  int32_t cfa_distance; /* the CFA less cfa_register then */
  uint16_t op_count, state_words;
  uint32_t max_words; /* of a signature captured here */
  const struct fmt_op *ops;
  const uint64_t *states;
};

/* While a dlclose() is under way, what lies at the addresses of any module but the program may be another module's from
 * one moment to the next. Then an edge of such a module has in its `site` not the return address, so that hooks do not
 * find it by that, but this bit and the address of the struct prof_site that it was made for. Whatever a hook needs it
 * looks up by that, after the module was looked at. Edges of a module that is gone stay so until it comes back to its
 * place and they are called. */
#define PROF_SITE_SUSPENDED (UINT64_C(1) << 63)

static inline bool prof_site_may_go(const struct prof_site *site)
{
  return site->module && !site->module->main_program;
}

/* Has it to be looked up anew what lies at the site? What a dlclose() finds out of the module is looked at after
 * whether one is under way: who finds none finds all that the last one has left. Anywhere. */
static inline bool prof_site_in_doubt(const struct prof_site *site)
{
  return prof_site_may_go(site) &&
         (__atomic_load_n(&prof_process.unloading, __ATOMIC_SEQ_CST) != 0 || site->module->unloaded ||
          __atomic_load_n(&site->module->imports_due, __ATOMIC_RELAXED));
}

/* What edges of the site have in `site` now. Anywhere. */
static inline uint64_t prof_site_word(const struct prof_site *site)
{
  bool suspended = prof_site_may_go(site) && __atomic_load_n(&prof_process.unloading, __ATOMIC_SEQ_CST) != 0;
  return suspended ? (uintptr_t)site | PROF_SITE_SUSPENDED : site->pc;
}

/* What edges of the site are looked for by, whatever they have in `site` meanwhile. Anywhere. */
static inline uint64_t prof_site_key(const struct prof_site *site)
{
  return prof_site_may_go(site) ? (uintptr_t)site | PROF_SITE_SUSPENDED : site->pc;
}

/* The site that an edge's `site` is suspended to, or NULL. Anywhere. */
static inline const struct prof_site *prof_site_suspended(uint64_t word)
{
  return word & PROF_SITE_SUSPENDED ? (const struct prof_site *)(uintptr_t)(word & ~PROF_SITE_SUSPENDED) : NULL;
}

/* What tells the site's function from others of the process, beside its number. */
static inline uint64_t prof_site_module(const struct prof_site *site)
{
  return site->module ? (uintptr_t)site->module->record : 0;
}

static inline uint64_t prof_site_entry(const struct prof_site *site)
{
  return !site->module || site->function == FMT_NONE || !site->index_function->address
             ? site->function_address
             : site->index_function->address + site->module->bias;
}

/* The site with this return address, resolved through module.c and filter.c when it is new. `general` are the registers
 * before the hook's call, by DWARF number, and `call_site` what the hook was given. NULL when there is no memory. May
 * pause the clock and block for long. */
const struct prof_site *prof_site_resolve(struct prof_thread *t, uintptr_t pc, uintptr_t function_address,
                                          const uint64_t *general, uintptr_t call_site);
/* The same outside of its hook, when `cfa_offset` is known to be that of a site without call frame information. */
const struct prof_site *prof_site_at(struct prof_thread *t, uintptr_t pc, uintptr_t function_address,
                                     int32_t cfa_offset);

/* Marks the module as unloaded, if another lies at its addresses by now, or nothing: its sites are not found then,
 * until it comes back to its place. Takes modules_lock. */
void prof_sites_check(struct prof_module *module);
/* The same of every module that is known to lie at the address: while some are being unloaded those may be several,
 * which came there one after the other, and overlap in part. Under modules_lock. */
void prof_sites_check_at(uintptr_t address);

#endif
