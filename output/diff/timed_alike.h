/*
 * Whether all recordings of a comparison were timed in the same way: by clocks of one kind, and every call or a sample.
 *
 * Of calls that were all timed the times hold what the hooks took, of a sample they do not; a thread's CPU time holds
 * no waiting. What differs between two such recordings tells nothing of the program.
 */
#ifndef CALLSIG_OUTPUT_DIFF_TIMED_ALIKE_H
#define CALLSIG_OUTPUT_DIFF_TIMED_ALIKE_H

#include "output/diff/comparison.h"

/* Sets *words to NULL where they were. Else to how the files of either side were timed, which the caller frees: "old:
 * wall clock, calls timed at random; new: wall clock, every call timed". 0 or -ENOMEM. */
int out_diff_timed_alike(const struct out_profile *profile, const struct out_diff_file *files, uint32_t count,
                         char **words);

#endif
