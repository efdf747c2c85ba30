/*
 * Checksums of a whole recording: made when nobody writes to it any more, and compared before anything of it is shown.
 */
#ifndef CALLSIG_OUTPUT_RECORDING_SEAL_H
#define CALLSIG_OUTPUT_RECORDING_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/seal.h"

/* Reads `size` bytes of a recording at `offset`: what is no file is read the same way. 0 or a negative errno; what lies
 * behind the end reads as zeroes. */
typedef int out_seal_read_fn(void *source, void *bytes, size_t size, uint64_t offset);

/* What a recording's seal says of it. */
struct out_seal_check {
  bool is_sealed;
  unsigned char *bad; /* a bit a piece that is not as it was when it was sealed; NULL: none. Owned */
  uint64_t covered;   /* bytes that have such a bit */
  uint64_t first;     /* the first byte in doubt; UINT64_MAX: none */
  uint64_t records;   /* that lay in the pieces that are not as they were */
  uint64_t whole;     /* bytes that the file had, or was to have at least; 0: as many as it has */
};

/* Holds the bytes of a recording, whose header is valid, against its seal, or where it has none its size against what
 * the header says of it. 0, -ENOMEM or the error of reading. Free with out_seal_check_free(). */
int out_seal_check(out_seal_read_fn *read, void *source, const struct fmt_rec_header *header, uint64_t size,
                   struct out_seal_check *check);
void out_seal_check_free(struct out_seal_check *check);

/* Are the bytes as they were? What lies behind all that is sealed is not, once anything is not. */
bool out_seal_is_good(const struct out_seal_check *check, uint64_t offset, uint64_t size);

/* Makes the seal of the `covered` bytes of a recording, as which its header has `seal` for the reference to it already.
 * Owned by the caller. 0, -ENOMEM, -EFBIG or the error of reading. */
int out_seal_make(out_seal_read_fn *read, void *source, uint64_t seal, uint64_t covered, struct fmt_rec_seal **made);

/* Seals the recording in a file that is open for reading and writing, and that nobody else writes to: what lies behind
 * its records is cut off, and the seal put in its place. 0, also when it is sealed already; -EINVAL when it is no
 * recording of this version; or the error of reading or writing, and then it is as it was. */
int out_seal_file(int file);

#endif
