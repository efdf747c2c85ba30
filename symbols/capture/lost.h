/*
 * The reasons for which no capture program can read a parameter at a site.
 */
#ifndef CALLSIG_SYMBOLS_CAPTURE_LOST_H
#define CALLSIG_SYMBOLS_CAPTURE_LOST_H

#include <stdbool.h>

/* Why an arg is lost at a site. The lowering names the first that holds. */
enum sym_lost {
  SYM_LOST_NOT,          /* it is read */
  SYM_LOST_NO_PARAMETER, /* this instance of the function does not have the parameter (removed by the optimiser) */
  SYM_LOST_NO_LOCATION,  /* the parameter has neither location nor constant value */
  SYM_LOST_NO_RANGE,     /* its location list has nothing at this PC */
  SYM_LOST_EMPTY,        /* its location at this PC is empty: optimised out */
  SYM_LOST_ENTRY_VALUE,  /* only the value on entry is known, and no call site tells it */
  SYM_LOST_REGISTER, /* in a register that the hook does not see (vector beyond xmm7, segment, clobbered by the call) */
  SYM_LOST_PIECE,    /* a part of the value is optimised out */
  SYM_LOST_IMPLICIT_POINTER, /* it points to an object that no longer exists in memory */
  SYM_LOST_NO_ADDRESS,       /* the address of an object is wanted that is not in memory */
  SYM_LOST_OPERATION,        /* an operation of its DWARF expression is not supported */
  SYM_LOST_TOO_LONG,         /* its program would exceed FMT_STACK_MAX or the length limit */
  SYM_LOST_FRAME_NUMBER, /* a number that is told as an address in the frame: clang 14 leaves out the load of a spilled
                           register, so what is told is not the value */
  SYM_LOST_NOT_YET,      /* kept in the function's frame, which does not exist at a sled */
  SYM_LOST_OMITTED,      /* this clone is not passed it (DW_OP_GNU_parameter_ref): docs/index-format.md */
  SYM_LOST_SET, /* at a sled: a constant is told, which the function may have set or all callers may pass, and in either
                   case the compiler need not pass it */
  SYM_LOST_MADE,    /* of an inlined function: what is told may be what the function sets it to, which the optimiser has
                       folded into nothing */
  SYM_LOST_CORRUPT, /* libdw cannot read its location */
  SYM_LOST_COUNT
};

/* What a reason means: static text, a phrase such as "optimised out at this point". Thread-safe. */
const char *sym_lost_text(enum sym_lost lost);

/* Whether it means that the compiler does not pass the parameter, or need not: this function does not use what its
 * callers would pass. Thread-safe. */
bool sym_lost_is_removed(enum sym_lost lost);

#endif
