/*
 * A file looked at through windows: memory of our own into which pieces of the file are read when they are needed, and
 * which the next pieces use again.
 *
 * The file is read, not mapped: another process may cut it off at any moment, which would be a SIGBUS here. And it is
 * not read as a whole: what is used once needs no memory of its own, nor the page faults to get that. A piece that was
 * read stays as it was until another one takes its window. Not thread-safe.
 */
#ifndef CALLSIG_OUTPUT_RECORDING_FILE_WINDOW_H
#define CALLSIG_OUTPUT_RECORDING_FILE_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct out_file_windows {
  int file; /* borrowed */
  uint64_t size;
  unsigned char *memory; /* the windows. Owned */
  uint64_t *held;        /* by window: the number of its piece, UINT64_MAX: none. Owned */
  unsigned char *across; /* what lies in more than one piece. Owned */
  size_t across_size;
  int error; /* the first error of reading, a negative errno; 0: none */
};

/* Windows of the first `size` bytes of `file`, which must stay open. -ENOMEM; in any case out_file_windows_close()
 * comes last. */
int out_file_windows_open(struct out_file_windows *windows, int file, uint64_t size);

void out_file_windows_close(struct out_file_windows *windows);

/* What was read is read anew when it is asked for again: the file has changed. */
void out_file_windows_forget(struct out_file_windows *windows);

/* The `size` bytes at `offset`, which must be inside; valid until the next call. Zeros where the file became shorter.
 * NULL when they cannot be read, or memory is short: windows->error says which. */
const void *out_file_windows_at(struct out_file_windows *windows, uint64_t offset, uint64_t size);

/* Where the file has bytes next, from `offset` on: `size` at the latest, where there are none before. What lies in
 * between is 0, and takes no place on the disk: a file may be a terabyte of nothing. */
uint64_t out_file_next_data(int file, uint64_t offset, uint64_t size);

/* Where it has none next; `size` at the latest. */
uint64_t out_file_next_hole(int file, uint64_t offset, uint64_t size);

/* Copies bytes of an open file, past all windows; what lies behind its end is 0. 0 or a negative errno. */
int out_file_read(int file, void *bytes, size_t size, uint64_t offset);

#endif
