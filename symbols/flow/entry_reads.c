/*
 * Follows all ways through a function's beginning, to instructions that read what its caller passed.
 */
#include "symbols/flow/entry_reads.h"

#include "symbols/flow/operands.h"
#include "symbols/flow/step.h"
#include "symbols/processor/x86_64.h"

enum {
  STEPS_MAX = 2048, /* instructions that are looked at */
  WAYS_MAX = 256,   /* places where ways part */
  WORD = 8,
  ENTRY_CFA = 8 /* of the canonical frame address from the stack pointer on entry */
};

/* A base of addresses in the frame: the register holds the canonical frame address + `offset`. */
struct base {
  bool is_known;
  int64_t offset;
};

/* One way: what on it still is as the caller left it. */
struct way {
  uint64_t at;
  struct sym_entry_places intact;
  struct base stack, frame; /* rsp and rbp */
};

struct walk {
  const struct sym_hook *hook;
  uint64_t low, high;
  struct sym_entry_places asked, found;
  struct way ways[WAYS_MAX]; /* all that were begun; those from `next` on are still to be followed */
  unsigned count, next;
};

uint64_t sym_entry_words(int64_t offset, uint64_t size)
{
  uint64_t words = 0;
  if (offset < 0) {
    if (size <= 0 - (uint64_t)offset)
      return 0;
    size -= 0 - (uint64_t)offset;
    offset = 0;
  }
  for (uint64_t word = (uint64_t)offset / WORD; size && word < SYM_ENTRY_WORDS && word * WORD < (uint64_t)offset + size;
       word++)
    words |= UINT64_C(1) << word;
  if (size && (uint64_t)offset + size > (uint64_t)SYM_ENTRY_WORDS * WORD)
    words |= UINT64_C(1) << (SYM_ENTRY_WORDS - 1);
  return words;
}

static bool is_all_found(const struct walk *walk)
{
  return !(walk->asked.registers & ~walk->found.registers) && !(walk->asked.words & ~walk->found.words);
}

/* Begins another way, unless one to there was begun on which as much was intact, or there are too many. */
static void begin(struct walk *walk, const struct way *from, uint64_t at)
{
  if (at < walk->low || at >= walk->high || walk->count == WAYS_MAX)
    return;
  for (unsigned i = 0; i < walk->count; i++) {
    const struct sym_entry_places *known = &walk->ways[i].intact;
    if (walk->ways[i].at == at && !(from->intact.registers & ~known->registers) &&
        !(from->intact.words & ~known->words))
      return;
  }
  walk->ways[walk->count] = *from;
  walk->ways[walk->count++].at = at;
}

/* The memory operand, where it is an address in the frame. */
static void look_at_memory(struct walk *walk, struct way *way, const struct sym_instruction *instruction,
                           const struct sym_operands *operands)
{
  const struct base *base = instruction->base == 4 ? &way->stack : instruction->base == 5 ? &way->frame : NULL;
  if (!operands->has_memory || !base || !base->is_known || instruction->has_other_addresses)
    return;
  /* With an index it is somewhere in the object that begins there. */
  const uint64_t words = sym_entry_words(base->offset + instruction->displacement, operands->size);
  if (!operands->stores)
    walk->found.words |= words & way->intact.words;
  else if (instruction->index == SYM_NO_REGISTER)
    way->intact.words &= ~words | UINT64_C(1) << (SYM_ENTRY_WORDS - 1);
}

/* What the instruction makes of the stack pointer and the frame pointer. */
static void move_bases(struct way *way, const struct sym_instruction *instruction, const struct sym_operands *operands)
{
  const uint8_t opcode = instruction->opcode, rsp = 4, rbp = 5;
  const bool is_plain = !instruction->is_vex && instruction->map == SYM_MAP_ONE_BYTE;
  const bool is_wide = is_plain && instruction->operand_size == WORD;
  const bool is_sum = is_wide && (opcode == 0x81 || opcode == 0x83) && !instruction->is_memory &&
                      instruction->rm == rsp && ((instruction->reg & 7) == 0 || (instruction->reg & 7) == 5);
  const bool is_push = is_plain && ((opcode >= 0x50 && opcode <= 0x57) || opcode == 0x68 || opcode == 0x6a ||
                                    (opcode == 0xff && (instruction->reg & 7) == 6));
  const bool is_pop = is_plain && opcode >= 0x58 && opcode <= 0x5f;
  const bool is_copy = is_wide && !instruction->is_memory &&
                       ((opcode == 0x89 && instruction->reg == rsp && instruction->rm == rbp) ||
                        (opcode == 0x8b && instruction->reg == rbp && instruction->rm == rsp));
  if (is_sum)
    way->stack.offset += (instruction->reg & 7) == 0 ? instruction->immediate : -instruction->immediate;
  else if (operands->writes >> SYM_RSP & 1)
    way->stack.is_known = false;
  if (is_push || is_pop)
    way->stack.offset += is_push ? -WORD : WORD;
  if (is_copy)
    way->frame = way->stack;
  else if (operands->writes >> SYM_RBP & 1)
    way->frame.is_known = false;
}

/* Follows one way to where it parts or ends. `steps` are left for all ways. */
static void follow(struct walk *walk, struct way way, unsigned *steps)
{
  struct sym_step step;
  while (*steps && way.at >= walk->low && way.at < walk->high && (way.intact.registers || way.intact.words)) {
    (*steps)--;
    if (!sym_step_at(walk->hook, way.at, walk->high, &step))
      return;
    const struct sym_operands operands = sym_operands_of(&step.instruction);
    walk->found.registers |= operands.reads & way.intact.registers;
    look_at_memory(walk, &way, &step.instruction, &operands);
    const uint8_t group = step.instruction.reg & 7;
    if (step.is_call && (step.instruction.opcode == 0xe8 || group == 2 || group == 3))
      way.intact.registers = 0;
    way.intact.registers &= ~operands.writes;
    move_bases(&way, &step.instruction, &operands);
    if (step.target) {
      begin(walk, &way, step.target);
      if (step.falls_through)
        begin(walk, &way, way.at + step.size);
      return;
    }
    /* What follows a switch is one of its cases, or another part of the same function. Before a jump to another one
     * the frame would be gone. */
    const bool is_switch = step.is_indirect && way.stack.is_known && way.stack.offset < -ENTRY_CFA;
    if (is_switch)
      way.intact.registers = 0;
    if (!step.falls_through && !is_switch)
      return;
    way.at += step.size;
  }
}

struct sym_entry_places sym_entry_reads(const struct sym_hook *hook, uint64_t low, uint64_t high,
                                        struct sym_entry_places asked)
{
  struct walk walk = {.hook = hook, .low = low, .high = high, .asked = asked};
  const struct way first = {.intact = asked, .stack = {true, -ENTRY_CFA}};
  unsigned steps = STEPS_MAX;
  if (hook->processor != &sym_x86_64)
    return walk.found;
  begin(&walk, &first, low);
  while (steps && walk.next < walk.count && !is_all_found(&walk))
    follow(&walk, walk.ways[walk.next++], &steps);
  return walk.found;
}
