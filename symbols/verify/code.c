#include "code.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  REACH = 96,      /* bytes of straight code that are looked at before a call or jump */
  LENGTH_MAX = 15, /* of an instruction */
  RDI = 7,
};

int vf_code_open(struct vf_code *code, const char *path)
{
  struct stat status;
  int error = 0;
  *code = (struct vf_code){0};
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return -errno;
  if (fstat(fd, &status) != 0 || status.st_size < (off_t)sizeof(Elf64_Ehdr)) {
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

/* The `size` bytes at a link-time address, or NULL. */
static const uint8_t *bytes_at(const struct vf_code *code, uint64_t address, uint64_t size)
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

/* One-byte opcodes: whether a ModRM byte follows, and how many immediate bytes; 'z' is 4, or 2 with an operand prefix.
 */
static unsigned immediate_of(uint8_t opcode, unsigned modrm_reg, bool is_short, bool is_wide)
{
  unsigned z = is_short ? 2 : 4;
  if (opcode < 0x40 && (opcode & 7) == 4)
    return 1;
  if (opcode < 0x40 && (opcode & 7) == 5)
    return z;
  switch (opcode) {
  case 0x6a:
  case 0x6b:
  case 0x80:
  case 0x83:
  case 0xa8:
  case 0xc0:
  case 0xc1:
  case 0xc6:
  case 0xeb:
    return 1;
  case 0x68:
  case 0x69:
  case 0x81:
  case 0xa9:
  case 0xc7:
    return z;
  case 0xe8:
  case 0xe9:
    return 4;
  case 0xf6:
    return modrm_reg < 2 ? 1 : 0;
  case 0xf7:
    return modrm_reg < 2 ? z : 0;
  default:
    if (opcode >= 0x70 && opcode <= 0x7f)
      return 1;
    if (opcode >= 0xb0 && opcode <= 0xb7)
      return 1;
    if (opcode >= 0xb8 && opcode <= 0xbf)
      return is_wide ? 8 : z;
    return 0;
  }
}

static bool has_modrm(uint8_t opcode)
{
  if (opcode < 0x40)
    return (opcode & 7) < 4;
  switch (opcode) {
  case 0x63:
  case 0x69:
  case 0x6b:
  case 0xc0:
  case 0xc1:
  case 0xc6:
  case 0xc7:
  case 0xd0:
  case 0xd1:
  case 0xd2:
  case 0xd3:
  case 0xf6:
  case 0xf7:
  case 0xfe:
  case 0xff:
    return true;
  default:
    return (opcode >= 0x80 && opcode <= 0x8f) || (opcode >= 0xd8 && opcode <= 0xdf);
  }
}

/* Two-byte opcodes (0f xx). */
static bool has_modrm2(uint8_t opcode)
{
  return !((opcode >= 0x80 && opcode <= 0x8f) || opcode == 0x05 || opcode == 0x0b || opcode == 0x31 || opcode == 0xa2 ||
           (opcode >= 0xc8 && opcode <= 0xcf) || opcode == 0x77);
}

static unsigned immediate2_of(uint8_t opcode)
{
  if (opcode >= 0x80 && opcode <= 0x8f)
    return 4;
  return opcode == 0xa4 || opcode == 0xac || opcode == 0xba || opcode == 0xc2 || opcode == 0xc4 || opcode == 0xc5 ||
                 opcode == 0xc6 || (opcode >= 0x70 && opcode <= 0x73)
             ? 1
             : 0;
}

struct instruction {
  unsigned length; /* 0: not known */
  uint8_t opcode;
  bool is_two_byte;
  uint8_t modrm;
};

static struct instruction decode(const uint8_t *at, size_t available)
{
  struct instruction out = {0};
  size_t i = 0;
  bool is_short = false, is_wide = false;
  for (; i < available && (at[i] == 0x66 || at[i] == 0xf2 || at[i] == 0xf3 || at[i] == 0x2e || at[i] == 0x3e ||
                           at[i] == 0x64 || at[i] == 0x65);
       i++)
    is_short |= at[i] == 0x66;
  if (i < available && (at[i] & 0xf0) == 0x40)
    is_wide = at[i++] & 8;
  if (i + 2 > available)
    return out;
  out.opcode = at[i++];
  if (out.opcode == 0x0f) {
    out.is_two_byte = true;
    out.opcode = at[i++];
    if (out.opcode == 0x38 || out.opcode == 0x3a)
      return out;
  } else if (out.opcode == 0xc4 || out.opcode == 0xc5 || out.opcode == 0x62) {
    return out;
  }
  bool modrm = out.is_two_byte ? has_modrm2(out.opcode) : has_modrm(out.opcode);
  if (modrm) {
    if (i >= available)
      return out;
    out.modrm = at[i++];
    unsigned mod = out.modrm >> 6, rm = out.modrm & 7;
    if (mod != 3 && rm == 4) {
      if (i >= available)
        return out;
      if (mod == 0 && (at[i] & 7) == 5)
        i += 4;
      i++;
    } else if (mod == 0 && rm == 5) {
      i += 4;
    }
    i += mod == 1 ? 1 : mod == 2 ? 4 : 0;
  }
  i += out.is_two_byte ? immediate2_of(out.opcode) : immediate_of(out.opcode, out.modrm >> 3 & 7, is_short, is_wide);
  out.length = i <= available && i <= LENGTH_MAX ? (unsigned)i : 0;
  return out;
}

/* Whether control may leave the straight line here for good, or a call may change the registers. */
static bool breaks_line(const struct instruction *instruction)
{
  if (instruction->is_two_byte)
    return instruction->opcode == 0x0b;
  uint8_t opcode = instruction->opcode;
  unsigned group = instruction->modrm >> 3 & 7;
  return opcode == 0xc3 || opcode == 0xc2 || opcode == 0xe8 || opcode == 0xe9 || opcode == 0xeb || opcode == 0xcc ||
         (opcode == 0xff && group >= 2 && group <= 5);
}

/* Whether straight code leads from `from` to `to`. */
static bool is_straight(const struct vf_code *code, uint64_t from, uint64_t to)
{
  while (from < to) {
    const uint8_t *at = bytes_at(code, from, to - from);
    struct instruction instruction = at ? decode(at, to - from) : (struct instruction){0};
    if (!instruction.length || breaks_line(&instruction))
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
  const uint8_t *bytes = bytes_at(code, at, 7);
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

/* Whether some instruction of the function loads `address` into `reg`. */
static bool is_loaded(const struct vf_code *code, uint64_t low, uint64_t high, unsigned reg, uint64_t address)
{
  for (uint64_t at = low; at < high; at++) {
    struct setting setting = read_setting(code, at, reg);
    if (setting.is_address && setting.address == address)
      return true;
  }
  return false;
}

enum answer { SAYS_NOTHING, SAYS_YES, SAYS_NO };

/* What the straight code before `end` says of the first argument. */
static enum answer ask_line(const struct vf_code *code, uint64_t low, uint64_t high, uint64_t end, uint64_t address)
{
  uint64_t first = end - low > REACH ? end - REACH : low;
  for (uint64_t at = end; at-- > first;) {
    struct setting setting = read_setting(code, at, RDI);
    if ((!setting.is_address && !setting.is_register && !setting.is_other) || at + setting.length > end ||
        !is_straight(code, at, end))
      continue;
    if (setting.is_address)
      return setting.address == address ? SAYS_YES : SAYS_NO;
    if (setting.is_other)
      return SAYS_NO;
    return is_loaded(code, low, high, setting.source, address) ? SAYS_YES : SAYS_NO;
  }
  return SAYS_NOTHING;
}

/* The target of a direct jump at `at`, or 0. */
static uint64_t jump_target(const struct vf_code *code, uint64_t at)
{
  const uint8_t *bytes = bytes_at(code, at, 6);
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

uint64_t vf_call_before(const struct vf_code *code, uint64_t pc)
{
  const uint8_t *bytes = bytes_at(code, pc - 6, 6);
  return bytes && bytes[1] != 0xe8 && bytes[0] == 0xff && bytes[1] == 0x15 ? pc - 6 : pc - 5;
}

bool vf_argument_is(const struct vf_code *code, uint64_t low, uint64_t high, uint64_t call, uint64_t address)
{
  if (!address || call < low || call > high)
    return false;
  enum answer answer = ask_line(code, low, high, call, address);
  for (uint64_t at = low; at < high && answer == SAYS_NOTHING; at++) {
    uint64_t target = jump_target(code, at);
    if (target && target <= call && call - target <= REACH && is_straight(code, target, call))
      answer = ask_line(code, low, high, at, address);
  }
  return answer == SAYS_YES;
}
