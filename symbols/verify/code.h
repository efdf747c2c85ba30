/*
 * The program's instructions, as far as they tell which function a hook is called for.
 *
 * A compiler may put the hook's call of an inlined function outside the range that DWARF gives the inlined instance.
 * What is true then is the hook's first argument. The first reader finds it with its own decoder; this is the second
 * opinion.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_CODE_H
#define CALLSIG_SYMBOLS_VERIFY_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file of the module, mapped. */
struct vf_code {
  const uint8_t *data;
  size_t size;
};

/* -errno. */
int vf_code_open(struct vf_code *code, const char *path);
void vf_code_close(struct vf_code *code);

/* The `size` bytes at a link-time address of executable memory, or NULL. */
const uint8_t *vf_code_bytes(const struct vf_code *code, uint64_t address, uint64_t size);

/* The address of the call instruction that returns to `pc`; `pc` - 5 when it is of no known form. */
uint64_t vf_call_before(const struct vf_code *code, uint64_t pc);

/* Whether the instructions that lead to the call at `call`, in the function [low, high), put `address` into its first
 * argument: in a straight line before it, or before a jump to where that line begins. */
bool vf_argument_is(const struct vf_code *code, uint64_t low, uint64_t high, uint64_t call, uint64_t address);

#endif
