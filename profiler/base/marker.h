/*
 * Markers: places in the code that debuggers and tracers find by name, as statically defined tracing (USDT) has them.
 *
 * A marker is a no-op and a note (.note.stapsdt) with its address, its name and where each argument is: gdb, perf,
 * bpftrace and SystemTap put a breakpoint there when somebody asks for one. Nothing is called and nothing is tested
 * otherwise. The note's layout is that of SystemTap's <sys/sdt.h> ("User Space Probe Implementation" on its wiki),
 * which is written here by hand: that header is one of Debian's package for one processor, and the runtime is built for
 * others where it is not.
 *
 * An argument is read from where the compiler has it at the time, a register, memory or a constant: one that would have
 * to be computed costs what that takes.
 */
#ifndef CALLSIG_PROFILER_BASE_MARKER_H
#define CALLSIG_PROFILER_BASE_MARKER_H

#include <stdint.h>

/* Three words: the no-op's address; that of .stapsdt.base, by which a tool sees that a file was moved after it was
 * linked (prelink); a semaphore, of which there is none. The base is there once a library. */
#define PROF_MARKER_TEXT(name, arguments)                                                                              \
  "990: nop\n"                                                                                                         \
  ".pushsection .note.stapsdt, \"\", %%note\n"                                                                         \
  ".balign 4\n"                                                                                                        \
  ".4byte 992f - 991f, 994f - 993f, 3\n"                                                                               \
  "991: .asciz \"stapsdt\"\n"                                                                                          \
  "992: .balign 4\n"                                                                                                   \
  "993: .8byte 990b\n"                                                                                                 \
  ".8byte _.stapsdt.base\n"                                                                                            \
  ".8byte 0\n"                                                                                                         \
  ".asciz \"callsig\"\n"                                                                                               \
  ".asciz \"" name "\"\n"                                                                                              \
  ".asciz \"" arguments "\"\n"                                                                                         \
  "994: .balign 4\n"                                                                                                   \
  ".popsection\n"                                                                                                      \
  ".ifndef _.stapsdt.base\n"                                                                                           \
  ".pushsection .stapsdt.base, \"aG\", %%progbits, .stapsdt.base, comdat\n"                                            \
  ".weak _.stapsdt.base\n"                                                                                             \
  ".hidden _.stapsdt.base\n"                                                                                           \
  "_.stapsdt.base: .space 1\n"                                                                                         \
  ".size _.stapsdt.base, 1\n"                                                                                          \
  ".popsection\n"                                                                                                      \
  ".endif\n"

/* A truth value: a byte, of a register by the name of a wider one, since gdb does not know all names of bytes. */
#if defined(__x86_64__)
#define PROF_MARKER_TRUTH(operand)    "1@%k" operand
#define PROF_MARKER_TRUTH_PLACE(from) "nor"(from)
#else
#define PROF_MARKER_TRUTH(operand)    "1@%" operand
#define PROF_MARKER_TRUTH_PLACE(from) "nr"(from)
#endif

/* The marker callsig:NAME with its arguments: words (uint64_t or addresses), in the last form also two truth values. */
#define PROF_MARKER_1(name, a) __asm__ volatile(PROF_MARKER_TEXT(name, "8@%0") : : "nor"(a))
#define PROF_MARKER_3(name, a, b, c)                                                                                   \
  __asm__ volatile(PROF_MARKER_TEXT(name, "8@%0 8@%1 8@%2") : : "nor"(a), "nor"(b), "nor"(c))
#define PROF_MARKER_4(name, a, b, c, d)                                                                                \
  __asm__ volatile(PROF_MARKER_TEXT(name, "8@%0 8@%1 " PROF_MARKER_TRUTH("2") " " PROF_MARKER_TRUTH("3"))              \
                   :                                                                                                   \
                   : "nor"(a), "nor"(b), PROF_MARKER_TRUTH_PLACE(c), PROF_MARKER_TRUTH_PLACE(d))

#endif
