/*
 * The texts of the reasons for which a parameter is lost.
 */
#include "symbols/capture/lost.h"

static const char *const lost_texts[SYM_LOST_COUNT] = {
    [SYM_LOST_NOT] = "read",
    [SYM_LOST_NO_PARAMETER] = "removed from this instance by the optimiser",
    [SYM_LOST_NO_LOCATION] = "without location and constant value",
    [SYM_LOST_NO_RANGE] = "nowhere at this point",
    [SYM_LOST_EMPTY] = "optimised out at this point",
    [SYM_LOST_ENTRY_VALUE] = "only its value on entry is known, and no caller tells it",
    [SYM_LOST_REGISTER] = "in a register that the hook does not see",
    [SYM_LOST_PIECE] = "a part of it is optimised out",
    [SYM_LOST_IMPLICIT_POINTER] = "points to an object that is no longer in memory",
    [SYM_LOST_NO_ADDRESS] = "not in memory, and its address is wanted",
    [SYM_LOST_OPERATION] = "an operation of its location is not supported",
    [SYM_LOST_TOO_LONG] = "its location is too long to evaluate in a hook",
    [SYM_LOST_FRAME_NUMBER] = "told as an address in the frame, which a number is not (a load is missing: clang 14)",
    [SYM_LOST_NOT_YET] = "told where it is kept later, and not where it is passed",
    [SYM_LOST_OMITTED] = "this clone does not have it, and what is told of its callers may be stale",
    [SYM_LOST_SET] = "told as a constant, which the function itself may set",
    [SYM_LOST_MADE] = "what is told may be what the function makes of it",
    [SYM_LOST_CORRUPT] = "its location cannot be read",
};

const char *sym_lost_text(enum sym_lost lost)
{
  return (unsigned)lost < SYM_LOST_COUNT ? lost_texts[lost] : "for an unknown reason";
}

bool sym_lost_is_removed(enum sym_lost lost)
{
  return lost == SYM_LOST_NO_PARAMETER || lost == SYM_LOST_NO_LOCATION || lost == SYM_LOST_OMITTED ||
         lost == SYM_LOST_SET;
}
