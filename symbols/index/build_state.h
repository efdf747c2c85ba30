/*
 * A build of an index: what build.c, add_site.c and add_imports.c share.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_BUILD_STATE_H
#define CALLSIG_SYMBOLS_INDEX_BUILD_STATE_H

#include "base/strings.h"
#include "base/vector.h"
#include "symbols/elf/debugfile.h"
#include "symbols/elf/hook.h"
#include "symbols/elf/symboltable.h"
#include "symbols/flow/spill.h"
#include "symbols/index/build.h"
#include "symbols/index/functions.h"
#include "symbols/index/report.h"
#include "symbols/location/parameter_kept.h"
#include "symbols/plan/planner.h"
#include "symbols/sites/callsites.h"
#include "symbols/sites/instances.h"
#include "symbols/sites/sites.h"
#include "symbols/sites/sleds.h"

/* Everything that one build owns. */
struct sym_build {
  const struct sym_index_options *options;
  struct sym_debugfile file;
  struct sym_symbol_table symbol_table;
  struct sym_hook hook;
  struct sym_sleds sleds;
  struct base_vector found; /* struct sym_found_site */
  struct sym_instances instances;
  struct base_strings *strings;
  struct sym_rules *module_rules;
  struct sym_planner *planner;
  struct sym_functions functions;
  struct sym_report *report; /* NULL when nobody asked for it */
  struct sym_call_sites calls;
  struct sym_spills spills;
  struct sym_kept_parameters kept;
  unsigned missing_units; /* whose .dwo files are not there; the first one's is `missing_path`, or NULL */
  char *missing_path;
  uint16_t *asked; /* by range: registers whose entry values sites ask for; see callsites.h */
  struct base_vector sites, physicals, function_section, args, ops, states, symbols, saved;
};

/* Finds the functions of those sites of which debug information describes no code. -ENOMEM. */
int sym_build_find_bare(struct sym_build *build);

/* Compiles the site number `index` of those found and appends it. -ENOMEM, -E2BIG. */
int sym_build_add_site(struct sym_build *build, uint32_t index);

/* Gives a site what its ops, which were appended last, and the initial states of its args make of it. -ENOMEM. */
int sym_build_settle_site(struct sym_build *build, struct fmt_index_site *site, const struct sym_plan *plan,
                          const uint8_t *states);

/* Appends a site for each imported function, and puts all sites in their order. -ENOMEM, -E2BIG. */
int sym_build_add_imports(struct sym_build *build);

#endif
