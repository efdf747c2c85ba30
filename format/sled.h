/*
 * Sleds: places in a program's text that hold a no-op until the runtime turns them into a call of a hook.
 *
 * A compiler lists them in a section of the program. gcc's plug-in (instrument/) writes `callsig_sleds`, clang's
 * -fxray-instrument writes `xray_instr_map`; an entry has the same layout in both. symbols/ reads the section, and the
 * index's FMT_SECTION_SLEDS has what the runtime goes by. docs/sleds.md describes both byte by byte.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_SLED_H
#define CALLSIG_FORMAT_SLED_H

#include <stdbool.h>
#include <stdint.h>

#define FMT_SLED_SECTION      "callsig_sleds"  /* of gcc's plug-in */
#define FMT_SLED_SECTION_XRAY "xray_instr_map" /* of clang */

/* What a sled stands before. The numbers are XRay's; its others (4 and up) are events that nobody is called for. */
enum fmt_sled_kind {
  FMT_SLED_ENTER = 0,      /* the first instruction of a function, but for endbr64 and padding */
  FMT_SLED_EXIT = 1,       /* before a return */
  FMT_SLED_TAIL = 2,       /* before a jump to another function, which returns for this one */
  FMT_SLED_ENTER_ARGS = 3, /* XRay's entry with its first argument: an entry */
};

/* The bytes of a sled that is off, x86-64. The runtime writes a 5-byte call in their place; each shape says how one
 * aligned store switches it while threads run through it. */
enum fmt_sled_shape {
  /* 0f 1f 44 00 00, all five in one aligned 8-byte word: gcc's plug-in. */
  FMT_SLED_SHAPE_NOP5 = 0,
  /* eb 09 and nine bytes of no-op, 2-aligned: clang's entries and tail calls. On: e8 rel32 and 66 0f 1f 44 00 00. */
  FMT_SLED_SHAPE_JUMP11 = 1,
  /* c3 and ten bytes of no-op, 2-aligned: clang's returns. On: e8 rel32 and c3. */
  FMT_SLED_SHAPE_RETURN11 = 2,
  /* c3 0f 1f 40 00 c3, the first five in one aligned 8-byte word: returns of gcc's plug-in. On: e8 rel32 and c3. */
  FMT_SLED_SHAPE_RETURN6 = 3,
};

#define FMT_SLED_CALL 5u /* bytes of the call that is written over a sled */

/* The bytes of a sled of this shape (enum fmt_sled_shape). */
static inline uint32_t fmt_sled_size(uint8_t shape)
{
  return shape == FMT_SLED_SHAPE_NOP5 ? 5 : shape == FMT_SLED_SHAPE_RETURN6 ? 6 : 11;
}

/* Whether a sled of this shape at this address can be switched by one aligned store. */
static inline bool fmt_sled_is_aligned(uint64_t address, uint8_t shape)
{
  return shape == FMT_SLED_SHAPE_NOP5 || shape == FMT_SLED_SHAPE_RETURN6 ? address % 8 <= 3 : address % 2 == 0;
}

/* Whether a sled of this shape (enum fmt_sled_shape) is the return that it stands for. */
static inline bool fmt_sled_is_return(uint8_t shape)
{
  return shape == FMT_SLED_SHAPE_RETURN11 || shape == FMT_SLED_SHAPE_RETURN6;
}

/* Whether a sled of this kind (enum fmt_sled_kind) is an entry. */
static inline bool fmt_sled_is_entry(uint8_t kind)
{
  return kind == FMT_SLED_ENTER || kind == FMT_SLED_ENTER_ARGS;
}

enum fmt_sled_flag {
  FMT_SLED_LEAF = 1u << 0, /* the function calls nothing: no frame is ever above its own */
  FMT_SLED_LOOP = 1u << 1, /* the function has a loop */
  /* At the entry and before returns nothing that anybody needs is in r10 and r11, nor, at the entry, in rax: a hook may
   * leave anything there. Not before tail calls. */
  FMT_SLED_FREE = 1u << 2,
  FMT_SLED_SPARE = 1u << 3, /* nor, at the entry, in r8 and r9; only together with FMT_SLED_FREE */
};

/* An entry of either section. Addresses are relative to the field that holds them. */
struct fmt_sled {
  int64_t address;       /* of the sled */
  int64_t function;      /* XRay: of the function; the plug-in: of the function's entry sled */
  uint8_t kind;          /* enum fmt_sled_kind */
  uint8_t always;        /* XRay's own */
  uint8_t version;       /* 2. XRay's 0 and 1 hold addresses that are not relative, and are refused */
  uint8_t flags;         /* enum fmt_sled_flag; XRay: 0: the index finds out (symbols/index/sled_facts.h) */
  uint32_t instructions; /* of the whole function, as the compiler counts; 0: not known */
  uint8_t reserved[8];
};

#endif
