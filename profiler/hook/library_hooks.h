/*
 * Calls of imported functions: entered in assembly, by the stubs that stand in a module's slots.
 */
#ifndef CALLSIG_PROFILER_HOOK_LIBRARY_HOOKS_H
#define CALLSIG_PROFILER_HOOK_LIBRARY_HOOKS_H

#include <stdint.h>

#include "format/asked.h"
#include "profiler/tree/capture.h"

struct prof_thread;

/* What a stub has in r11. It outlasts a fork, and does not change while the stub stands in the slot. */
struct prof_library_call {
  uintptr_t target; /* the function */
  uintptr_t slot;   /* the site (FMT_SITE_LIBRARY) */
  enum fmt_asking asking;
};

/* What is kept of a call that asks the allocator for something, in its frame, until it returns. */
struct prof_asking {
  const struct prof_library_call *call;
  struct fmt_rec_asked *asker; /* where what it asks for counts; NULL: nowhere */
  uintptr_t address;           /* of the block that it gives back, or where that of a new one will lie; else 0 */
  uint64_t size;               /* bytes that it asks for */
  uint64_t taken_size;         /* of the block that it gives back, and what the map had of it; 0: nothing */
  uint64_t taken_where;
  uint64_t epoch;             /* prof_process.epoch */
  struct prof_thread *thread; /* that made the call, and that its edge is of */
  struct fmt_rec_edge *edge;  /* NULL: it was not recorded */
};

/* Jumped to by stubs, and by nothing else: they keep every register but r11. */
void prof_library_counted(void);
void prof_library_timed(void);
void prof_library_asked(void);

/* A call begins, with the registers as they were at it: its frame is opened. */
void prof_library_entered(const struct prof_registers *registers);
/* A call whose end nobody will hear of begins: it is counted, without any time. */
void prof_library_passed(const struct prof_registers *registers);
/* A call ends, which began with the stack pointer `sp`: `general` is in the register of returned integers, and vector
 * registers are as the function left them. */
void prof_library_left(const struct prof_library_call *call, uintptr_t sp, uint64_t general);
/* The same of one that ended when the clock read `ticks`; 0: now. */
void prof_library_ended(const struct prof_library_call *call, uintptr_t sp, uint64_t general, uint64_t ticks);

/* A call of a function with call.asking begins: as prof_library_entered(). Its struct prof_asking lies directly below
 * what the stack pointer was. */
void prof_library_asking(const struct prof_registers *registers);
/* It ends, and returned `result`. */
void prof_library_answered(struct prof_asking *asking, uint64_t result);

#endif
