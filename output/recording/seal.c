/* Seals recordings, and finds what was changed in a sealed one. */
#define _GNU_SOURCE
#include "output/recording/seal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "callsig/stats.h"
#include "output/recording/file_window.h"
#include "output/text/message.h"

/* Pieces that are read at once. */
enum { BATCH = 64 };

static uint64_t pieces_of(uint64_t size)
{
  return size / FMT_SEAL_PIECE + (size % FMT_SEAL_PIECE != 0);
}

/* The records that begin in a piece, `left` being the bytes from it to the end of what is sealed. */
static uint32_t count_records(const unsigned char *bytes, size_t size, uint64_t left)
{
  uint32_t records = 0;
  for (size_t at = 0; at + 8 <= size; at += 8) {
    uint64_t word;
    memcpy(&word, bytes + at, sizeof word);
    records += fmt_rec_is_tag(word, left - at);
  }
  return records;
}

/* Gets a piece's bytes, of which `left` follow from its beginning to the end of what is sealed. */
typedef void piece_fn(void *data, uint64_t number, const unsigned char *bytes, size_t size, uint64_t left);

/* Goes over what is sealed, piece by piece. `seal` stands for the header's own reference, unless it is NULL. */
static int each_piece(out_seal_read_fn *read, void *source, const uint64_t *seal, uint64_t covered, piece_fn *function,
                      void *data)
{
  unsigned char *bytes = malloc((size_t)BATCH * FMT_SEAL_PIECE);
  int error = bytes ? 0 : -ENOMEM;
  for (uint64_t at = 0; at < covered && error == 0; at += (uint64_t)BATCH * FMT_SEAL_PIECE) {
    uint64_t left = covered - at, size = left < (uint64_t)BATCH * FMT_SEAL_PIECE ? left : BATCH * FMT_SEAL_PIECE;
    error = read(source, bytes, (size_t)size, at);
    if (at == 0 && error == 0 && seal)
      memcpy(bytes + offsetof(struct fmt_rec_header, seal), seal, sizeof *seal);
    for (uint64_t done = 0; done < size && error == 0; done += FMT_SEAL_PIECE) {
      uint64_t part = size - done < FMT_SEAL_PIECE ? size - done : FMT_SEAL_PIECE,
               number = (at + done) / FMT_SEAL_PIECE;
      function(data, number, bytes + done, (size_t)part, left - done);
    }
  }
  free(bytes);
  return error;
}

static void keep_piece(void *data, uint64_t number, const unsigned char *bytes, size_t size, uint64_t left)
{
  struct fmt_rec_seal *seal = data;
  seal->pieces[number] =
      (struct fmt_rec_piece){.checksum = XXH64(bytes, size, number), .records = count_records(bytes, size, left)};
}

static uint64_t checksum_of(const struct fmt_rec_seal *seal)
{
  const size_t behind = offsetof(struct fmt_rec_seal, covered);
  return XXH64((const char *)seal + behind, seal->tag.size - behind, 0);
}

int out_seal_make(out_seal_read_fn *read, void *source, uint64_t seal, uint64_t covered, struct fmt_rec_seal **made)
{
  uint64_t size = fmt_rec_seal_size(covered);
  if (size > UINT32_MAX || covered < FMT_REC_HEADER_LEAST)
    return -EFBIG;
  *made = calloc(1, size);
  if (!*made)
    return -ENOMEM;
  **made = (struct fmt_rec_seal){
      .tag = {.tag = FMT_TAG_SEAL, .size = (uint32_t)size}, .covered = covered, .piece = FMT_SEAL_PIECE};
  memcpy((char *)*made + size - sizeof FMT_SEAL_END, FMT_SEAL_END, sizeof FMT_SEAL_END);
  int error = each_piece(read, source, &seal, covered, keep_piece, *made);
  (*made)->checksum = checksum_of(*made);
  if (error < 0)
    free(*made);
  return error;
}

struct comparison {
  const struct fmt_rec_seal *seal;
  struct out_seal_check *check;
};

static void compare_piece(void *data, uint64_t number, const unsigned char *bytes, size_t size, uint64_t left)
{
  (void)left;
  struct comparison *comparison = data;
  struct out_seal_check *check = comparison->check;
  const struct fmt_rec_piece *sealed = &comparison->seal->pieces[number];
  if (XXH64(bytes, size, number) == sealed->checksum)
    return;
  check->bad[number / 8] |= (unsigned char)(1u << number % 8);
  check->records += sealed->records;
  if (check->first == UINT64_MAX)
    check->first = number * FMT_SEAL_PIECE;
}

/* The seal at `offset`, as it was made, or NULL in *seal. */
static int read_seal(out_seal_read_fn *read, void *source, uint64_t offset, uint64_t size, struct fmt_rec_seal **seal)
{
  struct fmt_rec_seal head;
  *seal = NULL;
  if (offset % 8 != 0 || offset < FMT_REC_HEADER_LEAST || offset > size || size - offset < sizeof head)
    return 0;
  int error = read(source, &head, sizeof head, offset);
  if (error < 0 || head.tag.tag != FMT_TAG_SEAL || head.covered != offset || head.piece != FMT_SEAL_PIECE ||
      head.tag.size != fmt_rec_seal_size(offset) || head.tag.size > size - offset)
    return error;
  struct fmt_rec_seal *all = malloc(head.tag.size);
  if (!all)
    return -ENOMEM;
  error = read(source, all, head.tag.size, offset);
  char *end = (char *)all + head.tag.size - sizeof FMT_SEAL_END;
  static const char no_end[sizeof FMT_SEAL_END];
  if (error == 0 && memcmp(end, no_end, sizeof no_end) == 0)
    memcpy(end, FMT_SEAL_END, sizeof FMT_SEAL_END);
  /* It may have been changed since its head was read. */
  if (error == 0 && memcmp(all, &head, sizeof head) == 0 && checksum_of(all) == head.checksum)
    *seal = all;
  else
    free(all);
  return error;
}

/* The bytes that an unsealed file has to have; and where its end says that it was sealed, its header is what is wrong.
 */
static int check_unsealed(out_seal_read_fn *read, void *source, const struct fmt_rec_header *header, uint64_t size,
                          struct out_seal_check *check)
{
  char end[sizeof FMT_SEAL_END];
  if (header->next > size) {
    check->whole = header->next;
    check->first = size;
  }
  int error = read(source, end, sizeof end, size - sizeof end);
  if (error == 0 && memcmp(end, FMT_SEAL_END, sizeof end) == 0)
    check->first = 0;
  return error;
}

int out_seal_check(out_seal_read_fn *read, void *source, const struct fmt_rec_header *header, uint64_t size,
                   struct out_seal_check *check)
{
  struct fmt_rec_seal *seal = NULL;
  uint64_t offset = header->seal - header->base;
  *check = (struct out_seal_check){.is_sealed = header->seal != 0, .first = UINT64_MAX};
  if (!check->is_sealed)
    return check_unsealed(read, source, header, size, check);
  int error = read_seal(read, source, offset, size, &seal);
  if (error < 0)
    return error;
  if (!seal) {
    bool is_cut = offset <= UINT64_MAX / 2 && offset + fmt_rec_seal_size(offset) > size;
    check->whole = is_cut ? offset + fmt_rec_seal_size(offset) : 0;
    check->first = is_cut && size < offset ? size : offset < size ? offset : size;
    return 0;
  }
  struct comparison comparison = {.seal = seal, .check = check};
  check->bad = calloc(pieces_of(offset) / 8 + 1, 1);
  check->covered = offset;
  error = check->bad ? each_piece(read, source, NULL, offset, compare_piece, &comparison) : -ENOMEM;
  if (check->first == UINT64_MAX && size > offset + seal->tag.size)
    check->first = check->whole = offset + seal->tag.size;
  free(seal);
  /* Most recordings are whole: then nothing is looked up. */
  if (error < 0 || check->first >= offset)
    out_seal_check_free(check);
  return error;
}

void out_seal_check_free(struct out_seal_check *check)
{
  free(check->bad);
  check->bad = NULL;
}

bool out_seal_is_good(const struct out_seal_check *check, uint64_t offset, uint64_t size)
{
  if (!check->bad || size == 0)
    return true;
  if (size > check->covered || offset > check->covered - size)
    return false;
  for (uint64_t piece = offset / FMT_SEAL_PIECE; piece <= (offset + size - 1) / FMT_SEAL_PIECE; piece++) {
    if (check->bad[piece / 8] >> piece % 8 & 1)
      return false;
  }
  return true;
}

/* out_seal_read_fn, of an open file */
static int read_file(void *source, void *bytes, size_t size, uint64_t offset)
{
  return out_file_read(*(const int *)source, bytes, size, offset);
}

static int write_file(int file, const void *bytes, size_t size, uint64_t offset)
{
  for (size_t done = 0; done < size;) {
    ssize_t written = pwrite(file, (const char *)bytes + done, size - done, (off_t)(offset + done));
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return written < 0 ? -errno : -EIO;
    done += (size_t)written;
  }
  return 0;
}

/* Before the reference in the header the recording is one without a seal, so that the words by which a seal is told
 * from a header without its reference come last. Whoever seals may be killed in between. */
static int put_seal(int file, const struct fmt_rec_header *header, uint64_t covered)
{
  const char end[] = FMT_SEAL_END;
  struct fmt_rec_seal *seal;
  uint64_t address = header->base + covered;
  int error = out_seal_make(read_file, &file, address, covered, &seal);
  if (error < 0)
    return error;
  const uint64_t size = seal->tag.size - sizeof end;
  memset((char *)seal + size, 0, sizeof end);
  error = write_file(file, seal, seal->tag.size, covered);
  if (error == 0)
    error = write_file(file, &address, sizeof address, offsetof(struct fmt_rec_header, seal));
  if (error == 0)
    error = write_file(file, end, sizeof end, covered + size);
  free(seal);
  return error;
}

int out_seal_file(int file)
{
  struct fmt_rec_header header;
  struct stat status;
  if (fstat(file, &status) != 0)
    return -errno;
  if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size < sizeof header)
    return -EINVAL;
  int error = read_file(&file, &header, sizeof header, 0);
  if (error < 0)
    return error;
  uint64_t size = (uint64_t)status.st_size;
  if (memcmp(header.magic, FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC) != 0 ||
      header.version != FMT_RECORDING_VERSION || header.header_size < FMT_REC_HEADER_LEAST || header.next > size ||
      header.next < sizeof header)
    return -EINVAL;
  if (header.seal)
    return 0;
  /* Samples of an earlier version lie behind what the runtime had handed out. */
  const bool is_behind = header.samples && header.samples - header.base >= header.next;
  uint64_t covered = ((is_behind ? size : header.next) + 7) & ~UINT64_C(7);
  error = ftruncate(file, (off_t)covered) == 0 ? put_seal(file, &header, covered) : -errno;
  if (error < 0 && ftruncate(file, (off_t)covered) != 0)
    return -errno;
  return error;
}

int callsig_stats_seal(int file, const char *path)
{
  /* Where locks are not known, who calls this knows that nobody writes. */
  if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return -EBUSY;
  int error = out_seal_file(file);
  flock(file, LOCK_SH | LOCK_NB);
  if (error == -EINVAL)
    return out_stats_fail(error, "%s: not a callsig recording of this version, so it is not sealed", path);
  return error < 0 ? out_stats_fail(error, "%s: cannot be sealed: %s", path, strerror(-error)) : 0;
}
