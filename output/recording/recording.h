/*
 * A recording's file, and the only way to its records: every address is checked for range, alignment, tag and size.
 *
 * The file is read through windows (file_window.h), a piece at a time as it is needed. What another process changes
 * meanwhile is seen or not, but what was checked is what is used: a check is made on the reader's own copy, and what is
 * behind a size that was checked is looked at by that size. A recording that is still being written reads as of about
 * now: a record whose pointer was stored before the record itself had been read shows as missing. Not thread-safe.
 */
#ifndef CALLSIG_OUTPUT_RECORDING_RECORDING_H
#define CALLSIG_OUTPUT_RECORDING_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "format/recording.h"
#include "output/recording/file_window.h"
#include "output/recording/seal.h"

struct out_recording {
  const char *path; /* borrowed */
  size_t size;
  struct fmt_rec_header header; /* a copy, so that hostile overlaps cannot change it */
  uint64_t damaged;             /* references that led nowhere, counted by who follows them */
  uint64_t first_damage;        /* where the first one led to, as far as known; UINT64_MAX: none */
  uint64_t unread;              /* edges that are there, and that nothing leads to: out_recording_count_unread() */
  struct out_seal_check check;  /* what was changed since it was sealed: nothing of that is handed out */
  uint64_t budget;              /* bytes of variable length that may still be looked at; see out_recording_spend() */
  struct out_file_windows windows;
  int file;            /* to be closed; -1: borrowed, or none */
  const void *copy;    /* of memory that is no file: all of it, instead of windows; else NULL. Owned */
  uint32_t *numbers;   /* see out_recording_number(). Owned */
  size_t numbers_size; /* bytes */
  bool is_live;        /* it was being written when it was opened: what it leads to may not be there yet */
  bool is_told;        /* who opened it tells of its damage, and not who loads it */
};

/* Opens the file. After a message that names it: -EINVAL when it is no recording, -ENOTSUP when a newer version wrote
 * it, or the error of reading it. */
int out_recording_read(const char *path, struct out_recording *recording);

/* The same of an open file, which `path` names in messages, and which must stay open. */
int out_recording_read_file(int file, const char *path, struct out_recording *recording);

/* The same for a few records of what may be a large recording: nothing is read ahead, and no checksum compared. */
int out_recording_attach(int file, const char *path, struct out_recording *recording);

/* Compares the checksums of a recording that was attached. -EINVAL after a message when its header is not as it was, so
 * that nothing of it can be trusted; or the error of reading. */
int out_recording_check(struct out_recording *recording);

/* How many records of what was read so far are known to be missing. */
uint64_t out_recording_lost(const struct out_recording *recording);

/* Counts the edges that have no number, once all that lists lead to have one: in `unread`. Among them may be some that
 * the runtime had given up. */
void out_recording_count_unread(struct out_recording *recording);

/* When a recording that was read is damaged or cut off, one line that says where and how many records are missing. One
 * that is being written is not: references to what came later lead nowhere. Returns how many records were lost, at
 * least 1 where it is damaged; 0 when it is whole. */
uint64_t out_recording_tell_damage(const struct out_recording *recording);

/* Opens a recording's file for reading. A negative errno after a message. */
int out_recording_open(const char *path);

/* The same from memory, which is copied: what fuzzing calls. */
int out_recording_from_memory(const char *path, const void *data, size_t size, struct out_recording *recording);

void out_recording_close(struct out_recording *recording);

/* Looks whether the file has grown since it was opened; what was read of it is read anew then. False when it has not,
 * or cannot be told. */
bool out_recording_grow(struct out_recording *recording);

/* Are there `size` bytes at `address`, and is that 8-byte aligned? */
bool out_recording_has(const struct out_recording *recording, uint64_t address, uint64_t size);

/* `size` bytes at `address`, 8-byte aligned, or NULL; valid until the next call that looks at the recording. What has
 * no fixed size is to be paid for by out_recording_spend() before. */
const void *out_recording_bytes(struct out_recording *recording, uint64_t address, uint64_t size);

/* Copies the `size` bytes at `address` as the file has them at this moment. False when they are not inside, cannot be
 * read, or there is no file. */
bool out_recording_read_again(const struct out_recording *recording, uint64_t address, void *bytes, size_t size);

/* The first `size` bytes of the record with this tag at `address`, which is at least as large and lies inside the file
 * as a whole; NULL when there is none. Valid as those of out_recording_bytes(). */
const void *out_recording_record(struct out_recording *recording, uint64_t address, uint32_t tag, size_t size);

/* A message and its negative errno when any part of the file could not be read: the caller must not take what is
 * missing for damage. Else 0. */
int out_recording_failed(const struct out_recording *recording);

/* Records of a hostile file may overlap, so that following all of them takes time and memory without end. What has no
 * fixed size is therefore paid for, from a budget that no honest recording uses up. False when it is spent. */
bool out_recording_spend(struct out_recording *recording, uint64_t bytes);

/* The text of the fmt_rec_name at `address` and its length; NULL when there is none. Not NUL-terminated. */
const char *out_recording_name(struct out_recording *recording, uint64_t address, size_t *length);

/*
 * Numbering records: every record that is numbered takes at least 32 bytes, so each 32 bytes of the file have room for
 * the number of the one record that begins there. In a hostile file two may; the second one is bad. Which kind of
 * record it is the lists tell (uint64_t), which have the address of each number.
 */
enum out_record_found { OUT_RECORD_BAD, OUT_RECORD_NEW, OUT_RECORD_KNOWN };

/* A record's first bytes, those that were asked for, valid as those of out_recording_bytes(); and the size of all of
 * it, which lies inside the file. */
struct out_record {
  const void *data;
  uint32_t size;
};

/* The number of the record at `address`: OUT_RECORD_NEW when it was met for the first time (`record` then points to
 * it), OUT_RECORD_KNOWN, or OUT_RECORD_BAD, which is counted; or -ENOMEM. */
int out_recording_number(struct out_recording *recording, struct base_vector *list, uint64_t address, uint32_t tag,
                         size_t size, uint32_t *number, struct out_record *record);

/* As before anything was read: to read it again. */
void out_recording_renew(struct out_recording *recording);

/* The same, with the header as it is now: it was made to count from zero while it was read. Else as
 * out_recording_read(). */
int out_recording_begin_anew(struct out_recording *recording);

/* Forgets all numbers, so that the records may be numbered again. */
void out_recording_forget_numbers(struct out_recording *recording);

/* Forgets the numbers of the records in a list, which is empty then. */
void out_recording_unnumber(struct out_recording *recording, struct base_vector *list);

/* Follows a list to the record at `address`, which gets a number: 1 with its first `size` bytes in `record`, 0 at the
 * end (also when it was met before, or is bad), or -ENOMEM. */
int out_recording_next(struct out_recording *recording, struct base_vector *list, uint64_t address, uint32_t tag,
                       void *record, size_t size);

/* The number that the record at `address` was given in `list`, or FMT_NONE. */
uint32_t out_recording_known(const struct out_recording *recording, const struct base_vector *list, uint64_t address);

#endif
