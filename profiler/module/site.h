/*
 * Probe sites: what is known of each place that calls the hooks.
 */
#ifndef CALLSIG_PROFILER_MODULE_SITE_H
#define CALLSIG_PROFILER_MODULE_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/index.h"
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
  bool inlined;
  bool sled;                      /* its hooks are those of a sled */
  struct prof_site_code *code;    /* of a sled: the newest code that compares its calls; under codes_lock */
  bool uses_xmm;                  /* some op reads xmm */
  bool uses_entry;                /* some op reads what the caller passed: it is compared for each return address */
  uint8_t cfa_kind, cfa_register; /* FMT_CFA_UNKNOWN: register 7 and an offset that was found on the stack */
  int32_t cfa_offset;
  uint16_t op_count, state_words;
  uint32_t max_words; /* of a signature captured here */
  const struct fmt_op *ops;
  const uint64_t *states;
};

/* The site with this return address, resolved through module.c and filter.c when it is new. `stack` is rsp before the
 * hook's call and `call_site` what the hook was given. NULL when there is no memory. May pause the clock and block for
 * long. */
const struct prof_site *prof_site_resolve(struct prof_thread *t, uintptr_t pc, uintptr_t function_address,
                                          uintptr_t stack, uintptr_t call_site);
/* The same outside of its hook, when `cfa_offset` is known to be that of a site without call frame information. */
const struct prof_site *prof_site_at(struct prof_thread *t, uintptr_t pc, uintptr_t function_address,
                                     int32_t cfa_offset);

/* Makes every edge of every thread whose site lies in [low, high) unreachable, and forgets those sites: the module that
 * held them is gone. Takes threads_lock and modules_lock. */
void prof_sites_retire(uintptr_t low, uintptr_t high);

#endif
