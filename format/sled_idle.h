/*
 * Sleds whose call was taken out from outside while a program does not record (docs/steering.md), x86-64.
 *
 * One byte of a call is changed, and the same byte changes it back, so that threads may run through it whoever writes,
 * and whenever: a call is `e8` and four bytes that say what is called; with `a9` in front the five bytes are a `test`
 * of eax with a constant, which changes nothing but flags, that nobody needs at a function's entry or before it is
 * left; with `c3` in front of those four bytes they are a return, as that sled is when it is off.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_SLED_IDLE_H
#define CALLSIG_FORMAT_SLED_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/sled.h"

/* Of a recording's header: who switches sleds, and whether they call now. */
enum fmt_rec_sleds {
  FMT_SLEDS_PROGRAM, /* the program alone */
  FMT_SLEDS_CALL,    /* also `callsig run`: it has put back all calls that it had taken out */
  FMT_SLEDS_IDLE,    /* and has taken calls out, or is about to: the program does not record */
  FMT_SLEDS_WANTED,  /* the same, and it is asked to put them back */
};

static inline bool fmt_sleds_are_out(uint32_t sleds)
{
  return sleds >= FMT_SLEDS_IDLE;
}

#define FMT_SLED_OPCODE_CALL 0xe8u

/* The first byte of a sled of this shape (enum fmt_sled_shape) whose call was taken out. */
static inline uint8_t fmt_sled_idle_opcode(uint8_t shape)
{
  return fmt_sled_is_return(shape) ? 0xc3 : 0xa9;
}

/* May the four bytes behind a return be what the compiler has left there? Then it cannot be told from one that is off,
 * and its call stays. */
static inline bool fmt_sled_is_compilers(const uint8_t text[FMT_SLED_CALL], uint8_t shape)
{
  if (shape == FMT_SLED_SHAPE_RETURN11)
    return text[1] == 0x2e;
  return shape == FMT_SLED_SHAPE_RETURN6 && text[1] == 0x0f && text[2] == 0x1f && text[3] == 0x40 && text[4] == 0;
}

/* What the five bytes at `address` call, or called before it was taken out, which *idle tells; 0: neither. */
static inline uint64_t fmt_sled_target(uint64_t address, const uint8_t text[FMT_SLED_CALL], uint8_t shape, bool *idle)
{
  *idle = text[0] == fmt_sled_idle_opcode(shape);
  if ((text[0] != FMT_SLED_OPCODE_CALL && !*idle) || fmt_sled_is_compilers(text, shape))
    return 0;
  const uint32_t distance =
      (uint32_t)text[1] | (uint32_t)text[2] << 8 | (uint32_t)text[3] << 16 | (uint32_t)text[4] << 24;
  return address + FMT_SLED_CALL + (uint64_t)(int64_t)(int32_t)distance;
}

#endif
