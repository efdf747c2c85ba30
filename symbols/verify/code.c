/*
 * Reads the program's instructions as far as they tell which function a hook is called for.
 */
#include "symbols/verify/code.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/verify/instruction.h"

enum {
  REACH = 96, /* bytes of straight code that are looked at before a call or jump */
  RDI = 7,
  COPIES_MAX = 2, /* of a function's address from register to register */
};

int vf_code_open(struct vf_code *code, const char *path)
{
  struct stat status;
  int error = 0;
  *code = (struct vf_code){0};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return -errno;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < (off_t)sizeof(Elf64_Ehdr)) {
    error = -ENOEXEC;
    goto out;
  }
  void *data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) {
    error = -errno;
    goto out;
  }
  *code = (struct vf_code){.data = data, .size = (size_t)status.st_size};
out:
  close(fd);
  return error;
}

void vf_code_close(struct vf_code *code)
{
  if (code->data)
    munmap((void *)(uintptr_t)code->data, code->size);
  code->data = NULL;
}

const uint8_t *vf_code_bytes(const struct vf_code *code, uint64_t address, uint64_t size)
{
  Elf64_Ehdr header;
  if (!code->data)
    return NULL;
  memcpy(&header, code->data, sizeof header);
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > code->size ||
      (code->size - header.e_phoff) / sizeof(Elf64_Phdr) < header.e_phnum)
    return NULL;
  for (unsigned i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr segment;
    memcpy(&segment, code->data + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || address < segment.p_vaddr ||
        address - segment.p_vaddr > segment.p_filesz || segment.p_filesz - (address - segment.p_vaddr) < size)
      continue;
    uint64_t offset = segment.p_offset + (address - segment.p_vaddr);
    return offset <= code->size && code->size - offset >= size ? code->data + offset : NULL;
  }
  return NULL;
}

/* Whether straight code leads from `from` to `to`. */
static bool is_straight(const struct vf_code *code, uint64_t from, uint64_t to)
{
  while (from < to) {
    const uint8_t *at = vf_code_bytes(code, from, to - from);
    struct vf_instruction instruction = at ? vf_decode(at, to - from) : (struct vf_instruction){0};
    if (!instruction.length || vf_breaks_line(&instruction))
      return false;
    from += instruction.length;
  }
  return from == to;
}

/* What an instruction puts into a register. */
struct setting {
  bool is_address, is_register;
  bool is_other; /* something that is not looked into, such as a word of memory */
  uint64_t address;
  unsigned source, length;
};

static uint32_t word(const uint8_t *at)
{
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

/* lea reg,[rip + disp]; mov reg, imm32; mov reg, source: only these load a function's address for a hook. */
static struct setting read_setting(const struct vf_code *code, uint64_t at, unsigned reg)
{
  struct setting setting = {0};
  const uint8_t *bytes = vf_code_bytes(code, at, 7);
  if (!bytes)
    return setting;
  uint8_t extended = reg >= 8;
  unsigned low = reg & 7;
  if (bytes[0] == (extended ? 0x4c : 0x48) && bytes[1] == 0x8d && bytes[2] == (low << 3 | 5)) {
    setting = (struct setting){.is_address = true, .length = 7};
    setting.address = at + 7 + (uint64_t)(int64_t)(int32_t)word(bytes + 3);
  } else if (bytes[0] == (extended ? 0x49 : 0x48) && bytes[1] == 0xc7 && bytes[2] == (0xc0 | low)) {
    setting = (struct setting){.is_address = true, .length = 7, .address = (uint64_t)(int64_t)(int32_t)word(bytes + 3)};
  } else if (extended ? bytes[0] == 0x41 && bytes[1] == (0xb8 | low) : bytes[0] == (0xb8 | low)) {
    unsigned prefix = extended ? 1 : 0;
    setting = (struct setting){.is_address = true, .length = 5 + prefix, .address = word(bytes + 1 + prefix)};
  } else if ((bytes[0] == (extended ? 0x49 : 0x48) || bytes[0] == (extended ? 0x4d : 0x4c)) && bytes[1] == 0x89 &&
             (bytes[2] & 0xc7) == (0xc0 | low)) {
    setting = (struct setting){.is_register = true, .length = 3};
    setting.source = (unsigned)(bytes[2] >> 3 & 7) | (bytes[0] & 4 ? 8u : 0u);
  } else if ((bytes[0] & 0xfc) == (extended ? 0x4c : 0x48) && bytes[1] == 0x8b && (bytes[2] >> 3 & 7) == low) {
    setting = (struct setting){.is_other = true, .length = 3};
  }
  return setting;
}

/* Whether some instruction of the function loads `address` into `reg`, or into a register that another copies to it:
 * at most `copies` of them. */
static bool is_loaded(const struct vf_code *code, uint64_t low, uint64_t high, unsigned reg, uint64_t address,
                      unsigned copies)
{
  uint32_t sources = 0;
  for (uint64_t at = low; at < high; at++) {
    struct setting setting = read_setting(code, at, reg);
    if (setting.is_address && setting.address == address)
      return true;
    if (setting.is_register)
      sources |= 1u << setting.source;
  }
  for (unsigned source = 0; copies && source < 16; source++)
    if ((sources >> source & 1) && source != reg && is_loaded(code, low, high, source, address, copies - 1))
      return true;
  return false;
}

enum answer {
  SAYS_NOTHING,
  SAYS_YES,
  SAYS_NO,
  SAYS_MEMORY, /* a word of memory, which is not looked into */
};

/* The target of a direct jump at `at`, or 0. */
static uint64_t jump_target(const struct vf_code *code, uint64_t at)
{
  const uint8_t *bytes = vf_code_bytes(code, at, 6);
  if (!bytes)
    return 0;
  if ((bytes[0] >= 0x70 && bytes[0] <= 0x7f) || bytes[0] == 0xeb)
    return at + 2 + (uint64_t)(int64_t)(int8_t)bytes[1];
  if (bytes[0] == 0xe9)
    return at + 5 + (uint64_t)(int64_t)(int32_t)word(bytes + 1);
  if (bytes[0] == 0x0f && bytes[1] >= 0x80 && bytes[1] <= 0x8f)
    return at + 6 + (uint64_t)(int64_t)(int32_t)word(bytes + 2);
  return 0;
}

/* A call in the function [low, high), and what its first argument may be. */
struct question {
  const struct vf_code *code;
  uint64_t low, high, call, address;
};

/* Whether a direct jump of the function leads behind `after`, up to the call: what stands before then says nothing of
 * those that come that way. True when the function cannot be decoded up to its end. */
static bool is_entered_behind(const struct question *question, uint64_t after)
{
  for (uint64_t at = question->low; at < question->high;) {
    const uint8_t *bytes = vf_code_bytes(question->code, at, question->high - at);
    struct vf_instruction instruction = bytes ? vf_decode(bytes, question->high - at) : (struct vf_instruction){0};
    if (!instruction.length)
      return true;
    uint64_t target = jump_target(question->code, at);
    if (target > after && target <= question->call)
      return true;
    at += instruction.length;
  }
  return false;
}

/* What the straight code before `end` says of the address in `reg`. Where it copies another register, what the code
 * before says of that one counts when no other way leads here, and else any instruction of the function that loads it.
 */
static enum answer ask_line(const struct question *question, uint64_t end, unsigned reg, unsigned copies)
{
  const struct vf_code *code = question->code;
  uint64_t low = question->low, first = end - low > REACH ? end - REACH : low;
  for (uint64_t at = end; at-- > first;) {
    struct setting setting = read_setting(code, at, reg);
    if ((!setting.is_address && !setting.is_register && !setting.is_other) || at + setting.length > end ||
        !is_straight(code, at, end))
      continue;
    if (setting.is_address && copies < COPIES_MAX && is_entered_behind(question, at))
      return SAYS_NOTHING;
    if (setting.is_address)
      return setting.address == question->address ? SAYS_YES : SAYS_NO;
    if (setting.is_other)
      return SAYS_MEMORY;
    enum answer answer = copies ? ask_line(question, at, setting.source, copies - 1) : SAYS_NOTHING;
    if (answer == SAYS_YES || answer == SAYS_NO)
      return answer;
    return is_loaded(code, low, question->high, setting.source, question->address, copies) ? SAYS_YES : SAYS_NO;
  }
  return SAYS_NOTHING;
}

uint64_t vf_call_before(const struct vf_code *code, uint64_t pc)
{
  const uint8_t *bytes = vf_code_bytes(code, pc - 6, 6);
  return bytes && bytes[1] != 0xe8 && bytes[0] == 0xff && bytes[1] == 0x15 ? pc - 6 : pc - 5;
}

bool vf_argument_is(const struct vf_code *code, uint64_t low, uint64_t high, uint64_t call, uint64_t address)
{
  if (!address || call < low || call > high)
    return false;
  const struct question question = {code, low, high, call, address};
  enum answer answer = ask_line(&question, call, RDI, COPIES_MAX);
  for (uint64_t at = low; at < high && answer == SAYS_NOTHING; at++) {
    uint64_t target = jump_target(code, at);
    if (target && target <= call && call - target <= REACH && is_straight(code, target, call))
      answer = ask_line(&question, at, RDI, COPIES_MAX);
  }
  return answer == SAYS_YES;
}
