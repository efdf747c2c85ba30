/*
 * The formats that recordings leave in. One file a format, export_FORMAT.c; export.c finds it by its name.
 */
#ifndef CALLSIG_OUTPUT_EXPORT_EXPORT_H
#define CALLSIG_OUTPUT_EXPORT_EXPORT_H

#include "output/export/export_writer.h"

/*
 * Writes all of a format. 0; -EIO when `out` could not be written and -ENOMEM, both without a message; another negative
 * errno after a message, as -EINVAL for groups that the format has no place for.
 *
 * The object is grouped. Its rows are there, and out_notes() may be called, only when the table of formats in export.c
 * says that the format needs rows: to make them takes the memory of a report. Notes are part of a format that has a
 * place for them (pprof's comments, JSON's member "notes"); of CSV they go to the message callback, as its report has
 * it. No other format tells notes.
 */
typedef int out_export_fn(const struct out_export *export);

out_export_fn out_export_callgrind, out_export_chrome, out_export_dot, out_export_flamegraph, out_export_folded,
    out_export_html, out_export_otf2, out_export_otlp, out_export_perfetto, out_export_pprof, out_export_pstats,
    out_export_speedscope;

#endif
