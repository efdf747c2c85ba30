/*
 * The processes whose recordings a profile holds: their order, and the ranks that they have in a parallel job.
 */
#ifndef CALLSIG_OUTPUT_PROFILE_PROCESS_H
#define CALLSIG_OUTPUT_PROFILE_PROCESS_H

#include "output/profile/profile.h"

/* Orders two processes, by their numbers in profile.recordings: as they began, then by pid and by what they were read
 * from; the same whatever order they were added in. Negative, 0 or positive. */
int out_process_compare(const struct out_profile *profile, uint32_t left, uint32_t right);

/* All processes in that order, allocated with malloc(); NULL when memory is short. */
uint32_t *out_process_order(const struct out_profile *profile);

/* By process: the first process (in the order of their numbers) with the same rank, or without any as this one.
 * Allocated with malloc(); NULL when memory is short. */
uint32_t *out_process_ranks(const struct out_profile *profile);

static inline bool out_process_has_rank(const struct out_profile *profile, uint32_t process)
{
  return out_profile_recording(profile, process)->process.rank_source != 0;
}

/* By process: what its program is known by, the same for processes of one build of a program: its build-id, or its path
 * where that is not known. Allocated with malloc(); NULL when memory is short. */
uint64_t *out_process_programs(const struct out_profile *profile);

/* Makes info->label of the command line, the pid and how many processes there are: "git repack -d -l (1234)", "sh -c
 * make (12 processes)". Where a process before it in the profile is called the same, it has a number behind: those of
 * other machines and containers may have its pid. `info` is one of the profile's. 0 or -ENOMEM. */
int out_process_label(struct out_profile *profile, struct out_recording_info *info);

/* Makes the string by which rows show a process's rank: "3"; "-" without one; "0 and 7 more" of several. 0 or -ENOMEM.
 */
int out_process_label_rank(struct out_profile *profile, const struct fmt_rec_process *process, uint32_t *label);

/* How many ranks a process stands for: 0 without one. */
static inline uint32_t out_process_rank_count(const struct fmt_rec_process *process)
{
  return process->rank_source == 0 ? 0 : process->ranks > 0 ? process->ranks : 1;
}

/* How many processes a recording stands for. */
static inline uint32_t out_process_count(const struct out_recording_info *info)
{
  return info->process.processes > 0 ? info->process.processes : 1;
}

/* Notes that the process has a module there; of another process 0, or the lowest of its modules. */
static inline void out_process_add_module(struct fmt_rec_process *process, uint64_t start)
{
  if (start >= FMT_REC_HIGH_MODULES && (process->lowest_module == 0 || start < process->lowest_module))
    process->lowest_module = start;
}

/* What tells of it: a recording, or the name of processes that have none of their own any more. */
static inline const char *out_process_source(const struct out_profile *profile, const struct out_recording_info *info)
{
  return out_profile_string(profile, out_process_count(info) > 1 ? info->label : info->path);
}

/* Orders by rank; processes without one come first. */
int out_process_compare_ranks(const struct out_profile *profile, uint32_t left, uint32_t right);

#endif
