/*
 * The modules of this process that are known, and what their indexes say of an address.
 */
#ifndef CALLSIG_PROFILER_MODULE_MODULE_FIND_H
#define CALLSIG_PROFILER_MODULE_MODULE_FIND_H

#include <stdbool.h>
#include <stdint.h>

#include "format/open.h"
#include "format/recording.h"
#include "profiler/module/locate.h"

/* A module of this process. module.c makes it, in arena memory, and it stays for the process's life. */
struct prof_module {
  struct prof_module *next; /* older */
  struct fmt_rec_module *record;
  struct fmt_index index; /* its arrays in the copy inside the recording; all zero: none */
  uint64_t bias;
  uint64_t start, end;
  uint32_t id;       /* record->id */
  bool unloaded;     /* its addresses may belong to another module by now */
  bool main_program; /* the executable itself, which is never unloaded */
  bool tls_known;
  bool excluded;        /* by a module filter: none of its functions is recorded */
  bool imports_counted; /* what the settings ask for of them is done */
  bool imports_due;     /* it was, of what lay there before: it is to be looked at anew when the code runs; atomic */
  bool imports_told;    /* it was told which of them are not counted */
  bool sleds_on;        /* its sleds call the hooks */
  bool sleds_failed;    /* they cannot: it was told */
  bool sleds_strange;   /* some are not as they were compiled: it was told */
  uintptr_t sled_stubs; /* the first stub; NULL and 0 in these three: not made */
  const struct prof_site_link *
      *sled_links;      /* of the stubs of entries, by their number; the first is that of the exits */
  uintptr_t *sled_code; /* of each FMT_SECTION_SLEDS entry, what it calls while on: a stub, or 0 when it stays off */
  struct prof_linked linked;
  uint64_t version;   /* prof_located_version() */
  int64_t tls_offset; /* its thread-local block minus the thread pointer, when tls_known */
};

/* The module in process.modules that `address` lies in, or NULL. Anywhere. */
struct prof_module *prof_module_find(uintptr_t address);
/* The site of `module` with run-time return address `pc`, or NULL. Anywhere. */
const struct fmt_index_site *prof_module_site(const struct prof_module *module, uintptr_t pc);
/* What the caller that returns to run-time `pc` passed, or NULL. Anywhere. */
const struct fmt_index_call_site *prof_module_call_site(const struct prof_module *module, uintptr_t pc);

#endif
