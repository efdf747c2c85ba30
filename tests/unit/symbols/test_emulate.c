/* What the second reader's emulator makes of instructions behind a hook's call, beside what the processor makes of
 * them. */
/* ctest: source symbols/verify/emulate.c symbols/verify/code.c symbols/verify/instruction.c symbols/verify/machine.c */
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "symbols/verify/emulate.h"

enum { SEQUENCES = 9, SEEDS = 200, RETURN = 0xc3 };

/* Numbers of DWARF's. */
enum { RAX, RDX, RCX, RBX, USED };

/* Each ends with the `ret` at which the emulator stops, or with a `pop` before it, which it does not know. */
#define SEQUENCE(name, text)                                                                                           \
  void name(void);                                                                                                     \
  __asm__(".text\n.globl " #name "\n" #name ":\n" text "\nret\n")

SEQUENCE(sum_shifted, "lea 0x20(%rax,%rdx,1), %ebx\nsar $0xa, %ebx\nadd $5, %ebx");
SEQUENCE(added_shifted, "add $0x20, %ebx\nsar $6, %ebx");
SEQUENCE(masked_shifted, "and $0xfffffff8, %ebx\nadd $0x40, %ebx\nsar %cl, %ebx");
SEQUENCE(wide, "add %rax, %rbx\nsub %rdx, %rbx\nsar %cl, %rbx\nshr $3, %rdx\nshl $5, %rax\nxor %rdx, %rax");
SEQUENCE(narrow, "add %ax, %bx\nshr $3, %bx\nsar %cl, %dx\nor $0x1234, %ax\nshl %ax");
SEQUENCE(of_register, "sub %edx, %eax\nor %eax, %ebx\nand %ecx, %edx\nshr %ebx");
SEQUENCE(loaded, "push %rax\nmov $7, %ebx\n.byte 0x03, 0xd8\nadd (%rsp), %rbx\npop %rax");
SEQUENCE(unsigned_shift, "shr $7, %ebx\nshr %cl, %edx\nsub $1, %rax");
SEQUENCE(immediate32, "add $0x12345678, %rax\nxor $0x7fffffff, %ebx\nand $-256, %rdx");

static void (*const sequences[SEQUENCES])(void) = {sum_shifted, added_shifted, masked_shifted, wide,       narrow,
                                                   of_register, loaded,        unsigned_shift, immediate32};

static int take_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
  (void)size;
  *(uint64_t *)bias = info->dlpi_addr;
  return 1; /* the first is the program */
}

static void run(void (*sequence)(void), uint64_t registers[USED])
{
  __asm__ volatile("sub $128, %%rsp\ncall *%4\nadd $128, %%rsp"
                   : "+a"(registers[RAX]), "+d"(registers[RDX]), "+c"(registers[RCX]), "+b"(registers[RBX])
                   : "r"(sequence)
                   : "memory", "cc");
}

static void test_processor_agrees(void **state)
{
  struct vf_code code;
  uint64_t bias = 0;
  (void)state;
  dl_iterate_phdr(take_bias, &bias);
  assert_int_equal(vf_code_open(&code, "/proc/self/exe"), 0);
  for (unsigned i = 0; i < SEQUENCES; i++)
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
      struct vf_stores stores = {.count = 0};
      struct vf_machine machine;
      uint64_t registers[USED], at = (uint64_t)(uintptr_t)sequences[i] - bias;
      vf_machine_init(&machine, seed);
      machine.stores = &stores;
      for (unsigned reg = 0; reg < USED; reg++)
        registers[reg] = machine.registers[reg];
      run(sequences[i], registers);
      while (vf_emulate(&code, &machine, &at)) {
      }
      assert_int_equal(*vf_code_bytes(&code, at, 1), RETURN);
      for (unsigned reg = 0; reg < USED; reg++) {
        assert_int_equal(machine.unknown >> reg & 1, 0);
        assert_int_equal(machine.registers[reg], registers[reg]);
      }
    }
  vf_code_close(&code);
}

/* What is computed of a register that is not known is not known either, and is again when it is written. */
static void test_unknown_stays_so(void **state)
{
  struct vf_code code;
  uint64_t bias = 0;
  struct vf_stores stores = {.count = 0};
  struct vf_machine machine;
  (void)state;
  dl_iterate_phdr(take_bias, &bias);
  assert_int_equal(vf_code_open(&code, "/proc/self/exe"), 0);
  vf_machine_init(&machine, 1);
  machine.stores = &stores;
  machine.unknown = 1u << RCX;
  uint64_t at = (uint64_t)(uintptr_t)masked_shifted - bias;
  while (vf_emulate(&code, &machine, &at)) {
  }
  assert_int_equal(machine.unknown, 1u << RCX | 1u << RBX);
  vf_code_close(&code);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_processor_agrees), cmocka_unit_test(test_unknown_stays_so)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
