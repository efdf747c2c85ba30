/*
 * The name of a module's index in the cache directory. The runtime, which depends on libc alone, and symbols/ must
 * agree on it to the byte, so both take it from here.
 *
 *   <directory>/<key>-<rules hash, 16 hex digits>-v<FMT_INDEX_VERSION>.csi
 *
 * The key is the build-id in hex, or for a module without one "file-" and 16 hex digits: XXH64 (seed 0) of the five
 * 64-bit words device, inode, size, mtime seconds, mtime nanoseconds of the module's file.
 *
 * The directory is $CALLSIG_CACHE_DIR, else $XDG_CACHE_HOME/callsig, else $HOME/.cache/callsig.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_CACHE_KEY_H
#define CALLSIG_FORMAT_CACHE_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/index.h"

/* May an index be taken from a file or a folder with this owner and mode, by a process of `user`? What others may write
 * can say anything. */
static inline bool fmt_cache_trusts(uint32_t owner, uint32_t mode, uint32_t user)
{
  return (owner == user || owner == 0) && (mode & 022u) == 0;
}

/* What the index of one module differs by from others of it: rules (the XXH64 of their text, 0 without), whether it
 * has the functions that the module imports, and which names have FMT_FUNCTION_TOP (the XXH64 of what `--below` looks
 * for, 0 without). 0: none of them. */
static inline uint64_t fmt_index_made_by(uint64_t rules_hash, bool library_calls, uint64_t below_hash)
{
  const uint64_t made_by = library_calls ? rules_hash ^ UINT64_C(0x6c6962726172790a) : rules_hash;
  return below_hash ? made_by * UINT64_C(0x9E3779B97F4A7C15) + below_hash : made_by;
}

#define FMT_CACHE_NAME_SIZE 128u /* enough for every name that fmt_cache_name() writes */

static inline char *fmt_put_hex(char *out, const uint8_t *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    *out++ = "0123456789abcdef"[bytes[i] >> 4];
    *out++ = "0123456789abcdef"[bytes[i] & 15];
  }
  return out;
}

static inline char *fmt_put_hex64(char *out, uint64_t value)
{
  for (int shift = 60; shift >= 0; shift -= 4)
    *out++ = "0123456789abcdef"[(value >> shift) & 15];
  return out;
}

/* Writes the file name, without the directory, into `name` (FMT_CACHE_NAME_SIZE bytes). With a build-id of zero bytes
 * (or over 32, which no index can hold) `file_key` is used. */
static inline void fmt_cache_name(char *name, const uint8_t *build_id, size_t build_id_size, uint64_t file_key,
                                  uint64_t rules_hash)
{
  char *out = name;
  if (build_id_size > 0 && build_id_size <= 32) {
    out = fmt_put_hex(out, build_id, build_id_size);
  } else {
    for (const char *prefix = "file-"; *prefix; prefix++)
      *out++ = *prefix;
    out = fmt_put_hex64(out, file_key);
  }
  *out++ = '-';
  out = fmt_put_hex64(out, rules_hash);
  *out++ = '-';
  *out++ = 'v';
  *out++ = (char)('0' + FMT_INDEX_VERSION);
  for (const char *suffix = ".csi"; *suffix; suffix++)
    *out++ = *suffix;
  *out = '\0';
}

#endif
