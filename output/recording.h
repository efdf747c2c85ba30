/*
 * A recording's file in memory, and the only way to its records: every address is checked for range, alignment, tag and
 * size.
 *
 * The file is read, not mapped: another process may cut it off at any moment, which would be a SIGBUS here, or change
 * what was checked already. A recording that is still being written reads as of about now: a record whose pointer was
 * stored before the record itself had been read shows as missing. Not thread-safe.
 */
#ifndef CALLSIG_OUTPUT_RECORDING_H
#define CALLSIG_OUTPUT_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "callsig/format/recording.h"
#include "vector.h"

struct cs_recording {
  const char *path; /* borrowed */
  unsigned char *data;
  size_t size;
  struct cs_rec_header header; /* a copy, so that hostile overlaps cannot change it */
  uint64_t damaged;            /* references that led nowhere, counted by who follows them */
  uint64_t budget;             /* bytes of variable length that may still be looked at; see cs_recording_spend() */
  unsigned char *present;      /* one byte a piece of the file: not 0 when it was read; NULL: all of it was */
  int file;                    /* where the other pieces are; borrowed */
};

/* Reads the file. After a message that names it: -EINVAL when it is no recording, -ENOTSUP when a newer version wrote
 * it, or the error of reading it. */
int cs_recording_read(const char *path, struct cs_recording *recording);

/* The same from an open file, which `path` names in messages. */
int cs_recording_read_file(int file, const char *path, struct cs_recording *recording);

/* The same, but only what is looked at is read, a piece at a time: for a few records of a large recording. The file
 * must stay open. A piece that cannot be read has no records. */
int cs_recording_attach(int file, const char *path, struct cs_recording *recording);

/* Opens a recording's file for reading. A negative errno after a message. */
int cs_recording_open(const char *path);

/* The same from memory, which is copied: what fuzzing calls. */
int cs_recording_from_memory(const char *path, const void *data, size_t size, struct cs_recording *recording);

void cs_recording_close(struct cs_recording *recording);

/* `size` bytes at `address`, 8-byte aligned, or NULL. */
void *cs_recording_bytes(struct cs_recording *recording, uint64_t address, uint64_t size);

/* The record with this tag at `address`, of at least `size` bytes, which all lie inside the file; NULL when there is
 * none. */
void *cs_recording_record(struct cs_recording *recording, uint64_t address, uint32_t tag, size_t size);

/* Records of a hostile file may overlap, so that following all of them takes time and memory without end. What has no
 * fixed size is therefore paid for, from a budget that no honest recording uses up. False when it is spent. */
bool cs_recording_spend(struct cs_recording *recording, uint64_t bytes);

/* The text of the cs_rec_name at `address` and its length; NULL when there is none. Not NUL-terminated. */
const char *cs_recording_name(struct cs_recording *recording, uint64_t address, size_t *length);

/*
 * Numbering records: the memory is the reader's own, so a record that was met is marked there with its number, in place
 * of its tag. A file that comes with such marks is seen through, because the list (uint64_t) has the address of each
 * number.
 */
enum cs_record_found { CS_RECORD_BAD, CS_RECORD_NEW, CS_RECORD_KNOWN };

/* A record's bytes, all inside the file, and how many there are: at least those that were asked for. */
struct cs_record {
  const void *data;
  uint32_t size;
};

/* The number of the record at `address`: CS_RECORD_NEW when it was met for the first time (`record` then points to it),
 * CS_RECORD_KNOWN, or CS_RECORD_BAD, which is counted; or -ENOMEM. */
int cs_recording_number(struct cs_recording *recording, struct cs_vector *list, uint64_t address, uint32_t tag,
                        size_t size, uint32_t *number, struct cs_record *record);

/* Follows a list to the record at `address`, which gets a number: 1 with its first `size` bytes in `record`, 0 at the
 * end (also when it was met before, or is bad), or -ENOMEM. */
int cs_recording_next(struct cs_recording *recording, struct cs_vector *list, uint64_t address, uint32_t tag,
                      void *record, size_t size);

/* The number that the record at `address` was given, or CS_NONE. */
uint32_t cs_recording_known(struct cs_recording *recording, const struct cs_vector *list, uint64_t address,
                            uint32_t tag);

#endif
