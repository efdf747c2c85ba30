/* What a borrowed thread goes back by, and what calls a function in it.
 *
 * The thread goes back as it would from the handler of a signal: on its stack lie all of its registers and its mask, as
 * the kernel lays them out for a handler (Linux, arch/x86/include/asm/sigframe.h), below the address of the code that a
 * handler returns to. Whatever the thread is made to do begins with that address as the place to return to. So it goes
 * on where it was, whoever had it do so, and whether or not anybody still waits for it.
 */
#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "cli/attach/arch/processor.h"
#include "cli/attach/arch/x86_64.h"

/* Below the stack pointer, the function's that runs. */
#define RED_ZONE 128u

/* What a system call returns, for the kernel alone to see, that is begun again. */
#define RESTART_SYS        (-512L)
#define RESTART_NO_INTR    (-513L)
#define RESTART_NO_HANDLER (-514L)
#define RESTART_BLOCK      (-516L)

/* The state of vector registers: where the set of those that are in use lies, and what the kernel tells its own by. */
#define STATE_LEAST  576u
#define STATE_ALIGN  64u
#define SOFTWARE     464u
#define IN_USE       512u
#define MAGIC_BEGIN  0x46505853u
#define MAGIC_END    0x46505845u
#define CPUID_STATE  0xdu
#define FIRST_LARGER 2u /* components before this one are in the least */

/* Of uc_flags: there is such a state, and the stack's segment is told. */
#define FLAGS 7u

/* A set of sigaltstack() that changes nothing: the kernel refuses it, and goes on. */
#define NO_FLAGS 0x55

struct software {
  uint32_t magic, whole_size;
  uint64_t components;
  uint32_t size, unused[7];
};

/* As the thread has it on its stack. */
struct frame {
  uint64_t resume; /* where what the thread is made to do returns to */
  ucontext_t context;
};

/* rbx leads to the struct cli_call. */
__asm__(".pushsection .rodata\n"
        ".globl cli_arch_code, cli_arch_code_end\n"
        ".hidden cli_arch_code, cli_arch_code_end\n"
        "cli_arch_code:\n"
        "  call *8(%rbx)\n"
        "  mov %rax, %r12\n"
        "  mov (%rax), %r13d\n"
        "  mov 16(%rbx), %rdi\n"
        "  mov 24(%rbx), %rsi\n"
        "  xor %eax, %eax\n"
        "  call *(%rbx)\n"
        "  mov %rax, 32(%rbx)\n"
        "  mov %r13d, (%r12)\n"
        "  mov 40(%rbx), %rsp\n"
        "  ret\n"
        "cli_arch_code_end:\n"
        ".popsection\n");

_Static_assert(offsetof(struct cli_call, errno_location) == 8 && offsetof(struct cli_call, arguments) == 16 &&
                   offsetof(struct cli_call, result) == 32 && offsetof(struct cli_call, frame) == 40,
               "as the code has them");

static const unsigned char system_call[] = {0x0f, 0x05, 0xc3};
/* Debuggers know a handler's frame by these bytes, so that they are the same everywhere. */
static const unsigned char resume[] = {0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05};

static uint64_t find(const unsigned char *code, size_t size, uint64_t address, const unsigned char *wanted,
                     size_t length)
{
  const unsigned char *found = memmem(code, size, wanted, length);
  return found != NULL ? address + (uint64_t)(found - code) : 0;
}

void cli_arch_find(const unsigned char *code, size_t size, uint64_t address, struct cli_places *places)
{
  if (places->system_call == 0)
    places->system_call = find(code, size, address, system_call, sizeof system_call);
  if (places->resume == 0)
    places->resume = find(code, size, address, resume, sizeof resume);
}

bool cli_arch_is_back(const struct cli_place *place, const struct cli_places *places, uint64_t frame)
{
  return place->pc == places->resume + sizeof resume && place->sp == frame + offsetof(struct frame, context);
}

/* How much of the state the thread uses: the rest is as it is at first. The kernel takes no more than the thread may
 * use, of what the processor has. */
static size_t state_size(const struct cli_registers *registers)
{
  uint64_t in_use;
  size_t size = STATE_LEAST;
  memcpy(&in_use, registers->vector + IN_USE, sizeof in_use);
  for (unsigned component = FIRST_LARGER; component < 63; component++) {
    unsigned length = 0, offset = 0, c, d;
    if (!(in_use >> component & 1))
      continue;
    __cpuid_count(CPUID_STATE, component, length, offset, c, d);
    (void)c, (void)d;
    if (offset + length > size && offset + length <= registers->vector_size)
      size = offset + length;
  }
  return size;
}

/* What the thread does when it goes on: of a system call that was interrupted, what the kernel would do. */
static struct user_regs_struct going_on(const struct cli_registers *registers, bool again)
{
  struct user_regs_struct general = x86_general_of(registers);
  const long result = (long)general.rax;
  /* By another number the kernel would begin it where it was, but not when a handler has run; it is taken for one. */
  const bool is_cut =
      result == RESTART_SYS || result == RESTART_NO_INTR || result == RESTART_NO_HANDLER || result == RESTART_BLOCK;
  if ((long)general.orig_rax >= 0 && (is_cut || again))
    x86_call_again(&general, (long)general.orig_rax);
  return general;
}

static void fill_general(const struct user_regs_struct *general, greg_t *registers)
{
  registers[REG_R8] = (greg_t)general->r8;
  registers[REG_R9] = (greg_t)general->r9;
  registers[REG_R10] = (greg_t)general->r10;
  registers[REG_R11] = (greg_t)general->r11;
  registers[REG_R12] = (greg_t)general->r12;
  registers[REG_R13] = (greg_t)general->r13;
  registers[REG_R14] = (greg_t)general->r14;
  registers[REG_R15] = (greg_t)general->r15;
  registers[REG_RDI] = (greg_t)general->rdi;
  registers[REG_RSI] = (greg_t)general->rsi;
  registers[REG_RBP] = (greg_t)general->rbp;
  registers[REG_RBX] = (greg_t)general->rbx;
  registers[REG_RDX] = (greg_t)general->rdx;
  registers[REG_RAX] = (greg_t)general->rax;
  registers[REG_RCX] = (greg_t)general->rcx;
  registers[REG_RSP] = (greg_t)general->rsp;
  registers[REG_RIP] = (greg_t)general->rip;
  registers[REG_EFL] = (greg_t)general->eflags;
  registers[REG_CSGSFS] = (greg_t)((general->cs & 0xffff) | (general->gs & 0xffff) << 16 |
                                   (general->fs & 0xffff) << 32 | (general->ss & 0xffff) << 48);
}

static void fill_state(const struct cli_registers *registers, size_t size, unsigned char *state)
{
  uint64_t components;
  const uint32_t end = MAGIC_END;
  memcpy(&components, registers->vector + SOFTWARE, sizeof components);
  const struct software software = {
      .magic = MAGIC_BEGIN, .whole_size = (uint32_t)(size + sizeof end), components, .size = (uint32_t)size};
  memcpy(state, registers->vector, size);
  memcpy(state + SOFTWARE, &software, sizeof software);
  memcpy(state + size, &end, sizeof end);
}

int cli_arch_make_frame(const struct cli_registers *registers, uint64_t mask, bool again,
                        const struct cli_places *places, uint64_t sp, struct cli_frame *made)
{
  const size_t size = state_size(registers);
  const uint64_t top = sp - RED_ZONE;
  const uint64_t state = (top - size - sizeof(uint32_t)) & ~(uint64_t)(STATE_ALIGN - 1);
  *made = (struct cli_frame){.address = (state - sizeof(struct frame)) & ~UINT64_C(15)};
  made->size = top - made->address;
  made->bytes = calloc(1, made->size);
  if (made->bytes == NULL)
    return -ENOMEM;
  const struct user_regs_struct general = going_on(registers, again);
  struct frame frame = {.resume = places->resume, .context = {.uc_flags = FLAGS, .uc_stack = {.ss_flags = NO_FLAGS}}};
  fill_general(&general, frame.context.uc_mcontext.gregs);
  frame.context.uc_mcontext.fpregs = (fpregset_t)(uintptr_t)state;
  memcpy(&frame.context.uc_sigmask, &mask, sizeof mask);
  memcpy(made->bytes, &frame, sizeof frame);
  fill_state(registers, size, made->bytes + (state - made->address));
  return 0;
}
