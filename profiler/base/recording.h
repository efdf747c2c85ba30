/*
 * The recording's file: made, and handed out in blocks to trees and in runs to what belongs to no tree.
 */
#ifndef CALLSIG_PROFILER_BASE_RECORDING_H
#define CALLSIG_PROFILER_BASE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/recording.h"
#include "profiler/base/process.h"
#include "profiler/base/tree_store.h"

/* Trees take the recording in blocks, powers of two from the one size to the other: each is at most half as large as
 * all before it together, so that a thread with few calls takes little, and one with many takes blocks seldom. */
#define PROF_BLOCK_LEAST ((uint64_t)2 << 10)
#define PROF_BLOCK_MOST  (PROF_BLOCK_LEAST << (PROF_BLOCK_SIZES - 1))

/* Makes the recording of this process by process.settings: 0 or a negative errno after a message. */
int prof_recording_open(struct prof_process *process, bool child);
/* `size` zeroed bytes of the recording for this tree, 64-byte aligned when size >= 64, else 8; NULL when there is no
 * space. */
void *prof_record_alloc(struct prof_tree *tree, size_t size);
/* A contiguous run of the recording that belongs to no tree (a module's index): zeroed; NULL when there is no space. */
void *prof_record_alloc_run(size_t size);
/* `size` zeroed bytes of the recording that belong to no tree, 16-byte aligned, up to a page; NULL when there is no
 * space. */
void *prof_record_small(size_t size);
/* A fmt_rec_name with this text, of no tree. NULL when there is no space. */
struct fmt_rec_name *prof_record_name(const char *text, size_t length);
/* Makes the file longer than it is used, so that the recording can grow where it may not be opened any more. Outside of
 * slow sections, with signals blocked. */
void prof_recording_keep_room(void);
/* Gives the blocks of an ended tree back for later threads, and frees its arena. Nothing may refer to its records. */
void prof_tree_release(struct prof_tree *tree);
/* Raises tree->pressure by how full the recording is. */
void prof_tree_check_pressure(struct prof_tree *tree);

#endif
