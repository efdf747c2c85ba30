/*
 * The net under loads of memory that may not be there: the runtime's own handler of SIGSEGV and SIGBUS, below that of
 * the program. docs/guest-manners.md says what it does and does not do to the program.
 */
#ifndef CALLSIG_PROFILER_BASE_FAULT_NET_H
#define CALLSIG_PROFILER_BASE_FAULT_NET_H

#include <stdbool.h>
#include <stdint.h>

/* A signal's action as the kernel has it. */
struct prof_signal_action {
  uintptr_t handler;
  uint64_t flags;
  uintptr_t restorer;
  uint64_t mask;
};

/* The bit of each signal that the net catches. */
#define PROF_NET_SIGNALS ((uint64_t)1 << (11 - 1) | (uint64_t)1 << (7 - 1)) /* SIGSEGV, SIGBUS */

/* What a thread's armed has to be while the net holds; changes when it stops doing so for every thread. Never 0. */
extern uint32_t prof_net_generation __attribute__((visibility("hidden")));
/* The generation in which the net was seen to be there for the calling thread, with its signals open; 0: not. */
extern __thread uint32_t prof_net_armed __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* How often prof_block_signals() is under way in the calling thread. */
extern __thread uint32_t prof_signals_blocked __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Is a fault of prof_guarded_copy() caught if it comes now? Anywhere. */
static inline bool prof_net_holds(void)
{
  return prof_net_armed == __atomic_load_n(&prof_net_generation, __ATOMIC_RELAXED) && !prof_signals_blocked;
}

/* Spreads the net for the calling thread, unless it would not hold or the program forbids it. Some system calls.
 * Anywhere. */
void prof_net_arm(void);

/* Code that is guarded as prof_guarded_copy() is: what faults in [begin, end) goes on at `failed`. */
struct prof_guarded_code {
  const char *begin, *end, *failed;
};
/* Has this code, the only one besides, guarded, which lives for ever. Before it runs. Anywhere. */
void prof_net_guard(const struct prof_guarded_code *code);

/* Is the action of this signal the program's to set through prof_net_action() alone? Anywhere. */
bool prof_net_has(int number);
/* Sets (unless NULL) and tells (unless NULL) the action that the program has for a signal of which prof_net_has() is
 * true. Anywhere. */
void prof_net_action(int number, const struct prof_signal_action *set, struct prof_signal_action *old);

/* The program is about to have these signals blocked in the calling thread. Anywhere. */
static inline void prof_net_blocking(uint64_t mask)
{
  if (mask & PROF_NET_SIGNALS)
    prof_net_armed = 0;
}
/* The program is about to have a handler during which these signals are blocked. Anywhere. */
void prof_net_handler_blocks(uint64_t mask);

#endif
