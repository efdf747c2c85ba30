/*
 * The formats that recordings leave in. One file a format, export_FORMAT.c; export.c finds it by its name.
 */
#ifndef CALLSIG_OUTPUT_EXPORT_EXPORT_H
#define CALLSIG_OUTPUT_EXPORT_EXPORT_H

#include "output/export/export_writer.h"

/* Writes all of a format. 0; -EIO when `out` could not be written; -ENOMEM; another negative errno after a message. */
typedef int out_export_fn(const struct out_export *export);

out_export_fn out_export_callgrind, out_export_chrome, out_export_dot, out_export_flamegraph, out_export_folded,
    out_export_perfetto, out_export_pprof, out_export_pstats, out_export_speedscope;

#endif
