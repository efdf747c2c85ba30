/*
 * The hooks of sleds beyond the fast path: which function a sled belongs to, and then the generic path of all hooks.
 */
#include "format/sled.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/hook/generic_path.h"
#include "profiler/hook/left_out.h"
#include "profiler/hook/lost_call.h"
#include "profiler/hook/returned_value.h"
#include "profiler/hook/sled_hooks.h"
#include "profiler/hook/wake.h"
#include "profiler/module/module.h"
#include "profiler/module/module_find.h"
#include "profiler/session/requests.h"
#include "profiler/session/startup.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "profiler/tree/fast_compare.h"

/* The module that lies there. A forked child has none at first, while its sleds call as they did in the parent. */
static const struct prof_module *module_of(uintptr_t pc)
{
  const struct prof_module *module = prof_module_find(pc);
  struct prof_thread *t = module || (prof_thread_running(prof_self) && prof_self->full) ? NULL : prof_thread_enter();
  if (!t)
    return module;
  prof_pause(t);
  prof_lock(&prof_process.modules_lock);
  module = prof_module_for_address(t, pc);
  prof_unlock(&prof_process.modules_lock);
  prof_resume(t);
  t->full = t->full || (!module && prof_process.full);
  prof_slow_leave(t);
  return module;
}

/* The this_fn of the sled that a call returned to `pc` from, or of the import whose slot is there; 0 when no module's
 * index has one there. */
static uintptr_t function_of(uintptr_t pc)
{
  const struct prof_module *module = module_of(pc);
  if (!module || !module->index.header)
    return 0;
  const struct fmt_index_site *site = prof_module_site(module, pc);
  if (site && site->flags & FMT_SITE_LIBRARY)
    return module->index.functions[site->function].address + module->bias;
  uint64_t address = pc - FMT_SLED_CALL - module->bias;
  const struct fmt_index_sled *sled = fmt_index_sled_from(&module->index, address);
  return sled && sled->address == address ? sled->function + module->bias : 0;
}

/* The call of a sled of no function that is known: recording is switched there, too. */
static void lose(uintptr_t pc)
{
  if (prof_self)
    prof_thread_look(prof_self);
  if (!prof_thread_running(prof_self) && !prof_hook_wake(true))
    return;
  const struct prof_module *module = prof_module_find(pc);
  if (module && !module->index.header && !prof_process.full)
    prof_count_loss(FMT_LOSS_NO_SLED, 1);
  else
    prof_hook_lose();
}

/* Learns of the module of the sled, of a process that has a recording and does not record: a forked child, which has
 * given up its parent's modules. A server's worker that becomes another user may not read the index any more when it is
 * switched on. No thread has a control block then. */
static void learn_while_off(uintptr_t pc)
{
  if (prof_self != &prof_idle || __atomic_load_n(&prof_idle.state, __ATOMIC_RELAXED) != PROF_HOOKS_OFF ||
      __atomic_load_n(&prof_process.state, __ATOMIC_ACQUIRE) != PROF_PROCESS_RECORDING || prof_module_find(pc))
    return;
  uint64_t mask = prof_block_signals();
  prof_self = &prof_starting;
  prof_lock(&prof_process.modules_lock);
  prof_module_for_address(NULL, pc);
  prof_unlock(&prof_process.modules_lock);
  prof_self = &prof_idle;
  prof_restore_signals(mask);
}

void prof_sled_entered(const struct prof_registers *registers)
{
  const struct prof_thread *t = prof_self;
  /* What is asked of the process comes first: a forked child that does not record knows no module, and learns of none
   * while that is so. */
  if (t && __atomic_load_n(&t->state, __ATOMIC_RELAXED) == PROF_HOOKS_OFF) {
    if (!prof_requests_take())
      return;
    t = prof_self;
  }
  const struct prof_fast_compare *known = prof_thread_running(t) ? prof_fast_compare_at(&t->tree, registers->pc) : NULL;
  uintptr_t function = known ? known->site->function_address : function_of(registers->pc);
  if (function)
    prof_hook_enter(function, *(const uintptr_t *)registers->general[PROF_SP], registers);
  else
    lose(registers->pc);
  learn_while_off(registers->pc);
}

void prof_sled_entered_known(const struct prof_registers *registers, struct fmt_rec_edge *edge)
{
  prof_hook_enter_known(edge->function_address, *(const uintptr_t *)registers->general[PROF_SP], registers, edge);
}

/* Is the exit a jump to another function, which will return in this one's place? */
static bool jumps_on(uintptr_t pc)
{
  const struct prof_module *module = prof_module_find(pc);
  const uint64_t address = module ? pc - FMT_SLED_CALL - module->bias : 0;
  const struct fmt_index_sled *sled =
      module && module->index.header ? fmt_index_sled_from(&module->index, address) : NULL;
  return !sled || sled->address != address || sled->kind != FMT_SLED_EXIT;
}

void prof_sled_left(uintptr_t pc, uintptr_t sp, uint64_t ticks, const uint64_t *registers)
{
  if (PROF_LIKELY(!prof_returned_is_told(sp + sizeof sp) || jumps_on(pc))) {
    prof_sled_ended(pc, sp, ticks, NULL);
    return;
  }
  const struct prof_returned returned = prof_returned_now(registers[PROF_RETURNED]);
  prof_sled_ended(pc, sp, ticks, &returned);
}

void prof_sled_ended(uintptr_t pc, uintptr_t sp, uint64_t ticks, const struct prof_returned *returned)
{
  struct prof_thread *t = prof_self;
  struct prof_place place;
  const uintptr_t cfa = sp + sizeof cfa;
  const bool settled = prof_thread_running(t) && prof_place_now(t, &place);
  const struct fmt_rec_edge *edge = settled ? prof_frame_edge(place.top) : NULL;
  /* The frame that begins where this one does is its own, or of what it began by name and left open. */
  const bool is_own = settled && place.top->cfa == cfa, is_top = edge && is_own && prof_edge_fast_compare(edge);
  if ((is_own && prof_lost_end(t, place, 0, sp)) || (settled && prof_lost_without_frame(t, place, cfa)))
    return;
  if (is_top && !prof_frame_is_first(place.stack, place.top)) {
    prof_hook_exit_top(t, place, ticks, returned);
    return;
  }
  if (settled && prof_left_out_sled(t, place, cfa))
    return;
  if (settled && prof_hook_exit_left(t, (struct prof_leaving){.last = sp, .now = ticks}, returned))
    return;
  uintptr_t function = is_top ? edge->function_address : function_of(pc);
  /* No call site: a sled is never jumped to, so the frame's own address tells whose end it is. */
  if (function)
    prof_hook_exit_returned(function, 0, sp, ticks, returned);
}
