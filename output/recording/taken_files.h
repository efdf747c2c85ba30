/*
 * Which recordings were read, by what their headers say, so that none counts twice: once by itself, and once in the
 * recording of its whole run that was made of it.
 */
#ifndef CALLSIG_OUTPUT_RECORDING_TAKEN_FILES_H
#define CALLSIG_OUTPUT_RECORDING_TAKEN_FILES_H

#include "base/vector.h"
#include "format/taken.h"
#include "output/recording/recording.h"

struct out_taken_files {
  struct base_vector read;  /* struct fmt_rec_taken: of recordings of runs that were read */
  struct base_vector taken; /* struct fmt_rec_taken: what recordings of whole runs among them were made of */
};

void out_taken_files_init(struct out_taken_files *files);
void out_taken_files_free(struct out_taken_files *files);

/* Keeps what the recording is known by, and where it is a whole run's, of which it was made. 0 or -ENOMEM. */
int out_taken_files_add(struct out_taken_files *files, struct out_recording *recording);

/* Is it in the recording of a whole run that was read? */
bool out_taken_files_has(const struct out_taken_files *files, const struct fmt_rec_header *header);

#endif
