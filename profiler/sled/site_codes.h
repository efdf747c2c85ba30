/*
 * The machine code of sites: made when what their calls are compared by is known.
 */
#ifndef CALLSIG_PROFILER_SLED_SITE_CODES_H
#define CALLSIG_PROFILER_SLED_SITE_CODES_H

#include <stdint.h>

#include "format/index.h"
#include "profiler/arch/x86_64/stub/stub.h"
#include "profiler/tree/fast_compare.h"

/* The link of an entry's stub whose calls no code is for. */
const struct prof_site_link *prof_site_link_none(void);

/* The flags of a sled (enum fmt_sled_flag) that the code it calls depends on. Of a leaf's calls only those that are not
 * timed have no frame, so that it is none where all are. */
unsigned prof_sled_code_flags(const struct fmt_index_sled *sled);

/* Has the next call of every function of the module take the slow way, as if no code was for it: what lies there may be
 * new. The code is led to again when the edge of a call is settled. Under modules_lock; takes codes_lock. */
void prof_site_codes_leave(const struct prof_module *module);

/* What prof_upcalls.function_activated is. Anywhere. */
void prof_site_codes_activate(const struct fmt_rec_function *function);

/* What prof_upcalls.make_code is. Takes codes_lock. In a slow section. */
uint16_t prof_site_code(const struct prof_fast_compare *compare);

#endif
