/*
 * gcc's own headers in the order in which they can be included: each needs some of those before it.
 */
#ifndef CALLSIG_INSTRUMENT_GCC_HEADERS_H
#define CALLSIG_INSTRUMENT_GCC_HEADERS_H

/* clang-format off */
#include "gcc-plugin.h"
#include "plugin-version.h"
#include "tree.h"
#include "options.h"
#include "stringpool.h"
#include "attribs.h"
#include "rtl.h"
#include "backend.h"
#include "memmodel.h"
#include "regs.h"
#include "function-abi.h"
#include "emit-rtl.h"
#include "function.h"
#include "cfganal.h"
#include "context.h"
#include "diagnostic-core.h"
#include "langhooks.h"
#include "tree-pass.h"
#include "basic-block.h"
#include "cfg.h"
#include "cfghooks.h"
#include "cgraph.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "ssa.h"
#include "tree-ssa.h"
#include "tree-cfg.h"
#include "tree-inline.h"
#include "fold-const.h"
/* clang-format on */

#endif
