/*
 * The hooks of sleds beyond the fast path: which function a sled belongs to, and then the generic path of all hooks.
 */
#include "format/sled.h"
#include "profiler/hook/generic_path.h"
#include "profiler/hook/sled_hooks.h"
#include "profiler/module/module_find.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "profiler/tree/fast_compare.h"

/* The this_fn of the sled that a call returned to `pc` from; 0 when no module that is known has one there. */
static uintptr_t function_of(uintptr_t pc)
{
  const struct prof_module *module = prof_module_find(pc);
  if (!module || !module->index.header)
    return 0;
  uint64_t address = pc - FMT_SLED_CALL - module->bias;
  const struct fmt_index_sled *sled = fmt_index_sled_from(&module->index, address);
  return sled && sled->address == address ? sled->function + module->bias : 0;
}

void prof_sled_entered(const struct prof_registers *registers)
{
  const struct prof_thread *t = prof_self;
  const struct prof_fast_compare *known = prof_thread_running(t) ? prof_fast_compare_at(&t->tree, registers->pc) : NULL;
  uintptr_t function = known ? known->site->function_address : function_of(registers->pc);
  if (function)
    prof_hook_enter(function, *(const uintptr_t *)registers->general[7], registers);
}

void prof_sled_left(uintptr_t pc, uintptr_t sp, uint64_t ticks)
{
  const struct prof_thread *t = prof_self;
  const struct fmt_rec_edge *edge = prof_thread_running(t) ? prof_frame_edge(t->top) : NULL;
  /* The frame that begins where this one does is its own. */
  uintptr_t function = edge && t->top->cfa == sp + sizeof(uintptr_t) ? edge->function_address : function_of(pc);
  /* No call site: a sled is never jumped to, so the frame's own address tells whose end it is. */
  if (function)
    prof_hook_exit(function, 0, sp, ticks);
}
