/*
 * A location: where a variable, or a part of it, is at a probe site, as capture ops.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_LOCATION_H
#define CALLSIG_SYMBOLS_LOCATION_LOCATION_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "symbols/capture/code.h"
#include "symbols/capture/lost.h"
#include "symbols/elf/frame.h"

struct sym_abi;
struct sym_clone_calls;
struct sym_flow;
struct sym_hook;
struct sym_kept_parameters;
struct sym_spills;

/* A probe site as locations see it. Everything is borrowed. */
struct sym_location_context {
  uint64_t pc;         /* of the site: the return address of the hook's call */
  uint64_t call;       /* of the call instruction */
  uint64_t entry;      /* of the out-of-line function's code, 0 unknown */
  uint64_t sled_end;   /* where the sled ends that the site is, 0 for a call of the hook: sled_location.h */
  struct sym_abi *abi; /* of a sled: where the caller puts arguments, or NULL */
  bool is_clone;       /* gcc may have made the out-of-line function with other parameters than its source's */
  bool is_specialised; /* of a clone: it may have constants in their place */
  const struct sym_clone_calls *clone_calls; /* of the module, or NULL */
  bool is_inlined;                           /* the function that is entered there is part of another one's code */
  bool is_lazy;                     /* what the lazy resolver may change may be lost on the module's first call */
  const struct sym_frame *frame;    /* at pc - 1 */
  const Dwarf_Die *physical;        /* the subprogram whose frame it is: its DW_AT_frame_base is meant by DW_OP_fbreg */
  const Dwarf_Die *entered;         /* the inlined_subroutine, or the subprogram, whose parameters are asked for */
  const Dwarf_Die *whole;           /* of one that is inlined: its out-of-line copy, or NULL */
  uint64_t whole_entry;             /* of that: its first instruction */
  struct sym_kept_parameters *kept; /* of the module's copies: parameter_kept.h */
  uint16_t told;                    /* a bit for each argument register whose value on entry some caller tells */
  const struct sym_hook *hook;      /* the module's code */
  bool writes_after_call;      /* made by a compiler that writes parameters into their slots after the hook's call */
  struct sym_spills *spills;   /* of the module */
  bool is_spilled;             /* what is described as an address in the frame is what lies there: see spill.h */
  const struct sym_flow *flow; /* of SYM_LATER (expression.h): what is known there; else NULL */
};

enum sym_location_kind {
  SYM_LOCATION_LOST,
  SYM_LOCATION_REGISTER, /* an integer register */
  SYM_LOCATION_VECTOR,   /* the low 8 bytes of a vector register */
  SYM_LOCATION_MEMORY,   /* `code` pushes its address */
  SYM_LOCATION_VALUE,    /* `code` pushes its value, up to 8 bytes, little-endian */
  SYM_LOCATION_BYTES,    /* its bytes are known */
  SYM_LOCATION_POINTER,  /* a pointer to something that is not in memory: to `die`, `target_offset` bytes into it */
};

struct sym_location {
  uint8_t kind; /* enum sym_location_kind */
  uint8_t lost; /* enum sym_lost, of SYM_LOCATION_LOST */
  uint8_t reg;  /* DWARF number; of SYM_LOCATION_VECTOR, of the vector register */
  uint8_t
      known; /* of SYM_LOCATION_REGISTER, VECTOR and VALUE: how many of its low bytes are told, 8 but for SYM_LATER */
  bool is_doubtful; /* of SYM_LOCATION_VALUE: an address in the frame with something added. That may be what it says, or
                       clang's way of telling a sum with a spilled register while leaving out the load. */
  bool is_moved;    /* of SYM_LOCATION_VALUE: a sum that was made since the call: a pointer to a member, or what the
                       function has made of its parameter. Only whether it is NULL is certain. */
  int64_t inner;    /* bytes from the beginning of what is described here to the object that was asked for */
  struct sym_code code; /* of SYM_LOCATION_LOST, anything */
  const uint8_t *bytes; /* of SYM_LOCATION_BYTES, owned by libdw; NULL: they are in `small` */
  size_t byte_count;
  uint8_t small[8];
  Dwarf_Die die;
  int64_t target_offset;
};

/* Makes `location` lost, for this reason. */
void sym_location_lose(struct sym_location *location, enum sym_lost lost);

/* Appends ops that push the `size` (1 to 8) bytes of a location as a value; the bits above them are undefined. */
enum sym_lost sym_location_load(const struct sym_location_context *context, const struct sym_location *location,
                                uint8_t size, struct sym_code *code);

/* Whether the location is nothing but a number, of those that are made: VALUE, BYTES and POINTER. */
bool sym_location_is_constant(const struct sym_location *location);

/* Whether a value is told by arithmetic rather than by the place where it is. */
bool sym_location_is_computed(const struct sym_location *location);

/* Whether the ops push an address in the frame, or something computed from it without loading from there. */
bool sym_location_is_frame_address(const struct sym_location_context *context, const struct sym_code *code);

/* What addresses in the frame follow from. */
struct sym_frame_bases sym_location_bases(const struct sym_location_context *context);

#endif
