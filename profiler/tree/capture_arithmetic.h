/*
 * What ops of capture programs compute from values alone, and how they load from the program's own frame. Anywhere.
 */
#ifndef CALLSIG_PROFILER_TREE_CAPTURE_ARITHMETIC_H
#define CALLSIG_PROFILER_TREE_CAPTURE_ARITHMETIC_H

#include <stdint.h>

#include "format/index.h"
#include "profiler/base/read_memory.h"

/* The low `size` bytes of a value, with its sign when FMT_OPF_SIGNED is in `flags`. */
static inline uint64_t prof_extend(uint64_t value, uint8_t size, uint8_t flags)
{
  unsigned shift = size >= 8 ? 0 : 64 - 8u * size;
  value <<= shift;
  return flags & FMT_OPF_SIGNED ? (uint64_t)((int64_t)value >> shift) : value >> shift;
}

/* A load from the program's own frame, in pieces that it may have stored. */
static inline uint64_t prof_frame_load(uintptr_t address, uint8_t size)
{
  const uint8_t *bytes = (const uint8_t *)address;
  uint64_t value = 0;
  switch (size) {
  case 8:
    __builtin_memcpy(&value, bytes, 8);
    return value;
  case 4:
    __builtin_memcpy(&value, bytes, 4);
    return value;
  case 2:
    __builtin_memcpy(&value, bytes, 2);
    return value;
  case 1:
    return *bytes;
  default:
    for (unsigned i = 0; i < size && i < 8; i++)
      value |= (uint64_t)bytes[i] << 8 * i;
    return value;
  }
}

/* The same where an index says that the frame is: directly in the page that the stack pointer `stack` leads to, which
 * is there, and elsewhere as memory that need not be. 0 or -EFAULT. */
static inline int prof_read_frame(uint64_t *value, uintptr_t stack, uintptr_t address, uint8_t size)
{
  const uintptr_t page = 4096;
  if (((address ^ stack) | ((address + size - 1) ^ stack)) >= page)
    return prof_read_memory(value, address, size);
  *value = prof_frame_load(address, size);
  return 0;
}

/* A shift by any count, arithmetic for FMT_OP_SHRA. */
static inline uint64_t prof_shift(uint8_t code, uint64_t value, uint64_t count)
{
  if (code == FMT_OP_SHRA)
    return (uint64_t)((int64_t)value >> (count > 63 ? 63 : count));
  if (count > 63)
    return 0;
  return code == FMT_OP_SHL ? value << count : value >> count;
}

/* An op that takes two values, but for the divisions. */
static inline uint64_t prof_binary(uint8_t code, uint64_t a, uint64_t b)
{
  switch (code) {
  case FMT_OP_AND:
    return a & b;
  case FMT_OP_OR:
    return a | b;
  case FMT_OP_XOR:
    return a ^ b;
  case FMT_OP_PLUS:
    return a + b;
  case FMT_OP_MINUS:
    return a - b;
  case FMT_OP_MUL:
    return a * b;
  case FMT_OP_EQ:
    return a == b;
  case FMT_OP_NE:
    return a != b;
  case FMT_OP_GE:
    return (int64_t)a >= (int64_t)b;
  case FMT_OP_GT:
    return (int64_t)a > (int64_t)b;
  case FMT_OP_LE:
    return (int64_t)a <= (int64_t)b;
  case FMT_OP_LT:
    return (int64_t)a < (int64_t)b;
  default:
    return prof_shift(code, a, b);
  }
}

#endif
