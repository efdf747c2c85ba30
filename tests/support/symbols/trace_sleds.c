/* Stops a program at its entry sleds: each is given a trap, whose signal's handler sees all registers and steps over
 * it. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "format/sled.h"
#include "tests/support/symbols/trace.h"

enum { TRAP = 0xcc };

static const struct fmt_index *sled_index;
static uint64_t sled_bias;

/* By DWARF number. */
static const int general[16] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

static void stop(int signal, siginfo_t *info, void *data)
{
  ucontext_t *context = data;
  uint64_t registers[32], at = (uint64_t)context->uc_mcontext.gregs[REG_RIP] - 1;
  (void)signal;
  (void)info;
  const struct fmt_index_sled *sled = fmt_index_sled_from(sled_index, at - sled_bias);
  if (!sled || sled->address != at - sled_bias)
    abort();
  for (int i = 0; i < 16; i++) {
    registers[i] = (uint64_t)context->uc_mcontext.gregs[general[i]];
    memcpy(&registers[16 + i], &context->uc_mcontext.fpregs->_xmm[i], sizeof registers[0]);
  }
  test_trace_enter(registers, at + FMT_SLED_CALL);
  context->uc_mcontext.gregs[REG_RIP] = (greg_t)at + (greg_t)fmt_sled_size(sled->shape);
}

static void set_trap(uint64_t address)
{
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start = address / page * page;
  if (mprotect((void *)start, page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    abort();
  *(volatile unsigned char *)address = TRAP;
  if (mprotect((void *)start, page, PROT_READ | PROT_EXEC) != 0)
    abort();
}

void test_trace_sleds(const struct fmt_index *index, uint64_t bias)
{
  const struct sigaction action = {.sa_sigaction = stop, .sa_flags = SA_SIGINFO | SA_NODEFER};
  sled_index = index;
  sled_bias = bias;
  if (index->count[FMT_SECTION_SLEDS] && sigaction(SIGTRAP, &action, NULL) != 0)
    abort();
  for (uint32_t i = 0; i < index->count[FMT_SECTION_SLEDS]; i++)
    if (index->sleds[i].site != FMT_NONE)
      set_trap(bias + index->sleds[i].address);
}
