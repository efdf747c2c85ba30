/*
 * DWARF expressions run on a machine.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_RUN_H
#define CALLSIG_SYMBOLS_VERIFY_RUN_H

#include "symbols/verify/stack.h"

/* The register's contents, where the moment lets them be known. */
bool vf_read_register(struct vf_run *run, uint64_t reg, uint64_t *value);

/* Runs the operations. False: run->status says lost or unknown. */
bool vf_run(struct vf_run *run, const struct vf_op *ops, size_t count);

/* The canonical frame address at the hook's call, and what `reg` held on entry, both from call frame information. */
bool vf_frame_cfa(const struct vf_place *place, uint64_t *cfa);
bool vf_frame_entry(const struct vf_place *place, unsigned reg, uint64_t *value);

#endif
