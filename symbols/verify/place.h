/*
 * A probe site or call while the second reader looks at it: what is evaluated, where, and when.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_PLACE_H
#define CALLSIG_SYMBOLS_VERIFY_PLACE_H

#include "symbols/verify/machine.h"
#include "symbols/verify/reader.h"

/* When registers are read; named after enum sym_moment of the first reader, which it must not include. */
enum vf_moment {
  VF_AT_ENTRY,   /* of a sled: what a description tells that ends at the function's first instruction */
  VF_AT_CALL,    /* at the call instruction, with the registers of the hook's first instruction */
  VF_IN_CALL,    /* at its last byte, PC = site - 1, with the same registers */
  VF_AFTER_CALL, /* right after the hook's return, PC = site: only what a call leaves alone */
  VF_LATER,      /* where the next description begins, with what a call leaves alone */
  VF_RUNNING,    /* at place->running, with what instructions since the call have left (emulate.h) */
  VF_MOMENTS = VF_RUNNING
};

/* A probe site or call while it is looked at. */
struct vf_place {
  struct vf_module *module;
  struct vf_object *object; /* that the DIEs are of */
  const struct vf_machine *machine;
  Dwarf_Die physical; /* the out-of-line function: its frame base is meant; may be NULL */
  Dwarf_Die entered;  /* the function or instance whose parameters are looked at; may be NULL */
  uint64_t entry;     /* where the out-of-line function is entered; 0: not known */
  uint64_t pc;        /* of the site */
  uint64_t call;      /* in the call instruction, as near to its first byte as is known without decoding it */
  uint64_t sled_end;  /* of a sled, which `call` then is: the first byte after it; else 0 */
  uint64_t running;   /* of VF_RUNNING */
  bool is_caller;     /* a call instruction of a caller: any register that a function may rely on is known there */
};

enum vf_status {
  VF_LOST,
  VF_READ,
  VF_UNKNOWN, /* an operation that this reader does not evaluate */
};

#endif
