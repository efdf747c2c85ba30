/*
 * Follows all ways through a function's beginning, to instructions that read what its caller passed.
 */
#include "symbols/flow/entry_reads.h"

#include "symbols/flow/handed_on.h"
#include "symbols/flow/jump_table.h"
#include "symbols/flow/operands.h"
#include "symbols/flow/step.h"
#include "symbols/processor/x86_64.h"

enum {
  STEPS_MAX = 2048, /* instructions that are looked at */
  WAYS_MAX = 256,   /* places where ways part */
  WORD = 8,
  REGISTERS = 16, /* general ones */
  DEPTH_MAX = 3,  /* functions that hand on what they are passed, one after another */
  ENTRY_CFA = 8   /* of the canonical frame address from the stack pointer on entry */
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
  struct base stack, frame;    /* rsp and rbp */
  uint64_t pointers;           /* general registers that `lea` put an address in the frame into */
  uint64_t pointed[REGISTERS]; /* the words that lie there, of each */
  uint64_t fresh;              /* those of them that nothing has used yet, of this straight code's */
  struct sym_switch known;
};

struct walk {
  const struct sym_hook *hook;
  uint64_t low, high;
  struct sym_entry_places asked, found;
  struct way ways[WAYS_MAX]; /* all that were begun; those from `next` on are still to be followed */
  unsigned count, next, depth;
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

static bool is_lea(const struct sym_instruction *instruction)
{
  return !instruction->is_vex && instruction->map == SYM_MAP_ONE_BYTE && instruction->opcode == 0x8d;
}

/* The register that `mov` stores, as a bit. */
static uint64_t stored_register(const struct sym_instruction *instruction)
{
  const bool is_store = !instruction->is_vex && instruction->map == SYM_MAP_ONE_BYTE &&
                        (instruction->opcode == 0x88 || instruction->opcode == 0x89);
  return is_store ? sym_general_register(instruction->reg) : 0;
}

/* The words that the pointers in these registers lead to. */
static uint64_t pointed_by(const struct way *way, uint64_t registers)
{
  uint64_t words = 0;
  for (uint64_t left = registers & way->pointers; left; left &= left - 1)
    words |= way->pointed[__builtin_ctzll(left)];
  return words;
}

/* What an address that `lea` formed is used for: to store there does not read what lies there, and leaves something
 * else there. All other use, to pass it on too, may be for reading; and where there is none before the register gets
 * something else, it was formed for code that is written as text, in which there is nothing, and which may stand for
 * anything. */
static void look_at_pointers(struct walk *walk, struct way *way, const struct sym_step *step,
                             const struct sym_operands *operands)
{
  const uint64_t passed = UINT64_C(1) << SYM_RDI | UINT64_C(1) << SYM_RSI | UINT64_C(1) << SYM_RDX |
                          UINT64_C(1) << SYM_RCX | UINT64_C(1) << SYM_R8 | UINT64_C(1) << SYM_R9;
  const bool is_plain_store = operands->has_memory && operands->stores && step->instruction.index == SYM_NO_REGISTER;
  const uint64_t base = is_plain_store ? sym_general_register(step->instruction.base) : 0;
  const uint64_t used =
      (operands->reads & ~base) | (base ? stored_register(&step->instruction) : 0) | (step->is_call ? passed : 0);
  walk->found.words |= pointed_by(way, used | (way->fresh & operands->writes & ~base)) & way->intact.words;
  way->intact.words &= ~pointed_by(way, base);
  way->pointers &= ~operands->writes;
  way->fresh &= way->pointers & ~(used | base);
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
  if (is_lea(instruction) && instruction->index == SYM_NO_REGISTER) {
    const uint64_t general = operands->writes & ((UINT64_C(1) << REGISTERS) - 1);
    way->pointers |= general;
    way->fresh |= general;
    for (uint64_t left = general; left; left &= left - 1)
      way->pointed[__builtin_ctzll(left)] = words;
  } else if (!operands->stores)
    walk->found.words |= words & way->intact.words;
  else if (instruction->index == SYM_NO_REGISTER)
    way->intact.words &= ~words | UINT64_C(1) << (SYM_ENTRY_WORDS - 1);
}

/* What the instruction makes of the stack pointer and the frame pointer. */
static void move_bases(struct way *way, const struct sym_instruction *instruction, const struct sym_operands *operands)
{
  const uint8_t opcode = instruction->opcode, rsp = 4, rbp = 5;
  const bool is_wide =
      !instruction->is_vex && instruction->map == SYM_MAP_ONE_BYTE && instruction->operand_size == WORD;
  const bool is_copy = is_wide && !instruction->is_memory &&
                       ((opcode == 0x89 && instruction->reg == rsp && instruction->rm == rbp) ||
                        (opcode == 0x8b && instruction->reg == rbp && instruction->rm == rsp));
  int64_t by;
  if (sym_moves_stack(instruction, operands, &by)) {
    way->stack.is_known &= by != INT64_MIN;
    way->stack.offset += by != INT64_MIN ? by : 0;
  }
  if (is_copy)
    way->frame = way->stack;
  else if (operands->writes >> SYM_RBP & 1)
    way->frame.is_known = false;
}

/* Begins a way to where a jump leads, and one to what follows a conditional one. */
static void begin_both(struct walk *walk, const struct way *way, const struct sym_step *step)
{
  struct way next = *way;
  next.fresh = 0;
  next.known = sym_switch_behind(&way->known, step, true);
  begin(walk, &next, step->target);
  next.known = sym_switch_behind(&way->known, step, false);
  if (step->falls_through)
    begin(walk, &next, way->at + step->size);
}

/* Begins a way to each case of a switch. False: the jump is of none, or not all of its table is known. */
static bool begin_cases(struct walk *walk, const struct way *way, const struct sym_step *step)
{
  struct sym_jump_table table;
  if (!sym_switch_table(walk->hook, &way->known, step, walk->low, walk->high, &table))
    return false;
  struct way next = *way;
  next.fresh = 0;
  next.known = (struct sym_switch){0};
  for (uint32_t i = 0; i < table.count; i++)
    begin(walk, &next, sym_jump_table_target(&table, i));
  return true;
}

static struct sym_entry_places read_through(const struct sym_hook *hook, uint64_t low, uint64_t high,
                                            struct sym_entry_places asked, unsigned depth);

/* Whether what an instruction loads is only copied for a function that is called, whose own code reads nothing of it.
 */
static bool is_handed_on_unread(const struct walk *walk, uint64_t at)
{
  struct sym_handed_on handed;
  if (!walk->depth || !sym_is_handed_on(walk->hook, at, walk->high, &handed))
    return false;
  const struct sym_entry_places places = {handed.registers, sym_entry_words(handed.offset, handed.size)};
  const struct sym_entry_places read = read_through(walk->hook, handed.target, UINT64_MAX, places, walk->depth - 1);
  return !(read.registers & places.registers) && !(read.words & places.words);
}

/* What the instruction reads in memory, of what the caller put there, and stores. */
static void look_at_words(struct walk *walk, struct way *way, const struct sym_step *step,
                          const struct sym_operands *operands)
{
  const uint64_t before = walk->found.words;
  const bool is_load = !operands->stores && !(operands->writes & way->fresh);
  look_at_pointers(walk, way, step, operands);
  look_at_memory(walk, way, &step->instruction, operands);
  if (walk->found.words != before && is_load && is_handed_on_unread(walk, way->at))
    walk->found.words = before;
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
    look_at_words(walk, &way, &step, &operands);
    const uint8_t group = step.instruction.reg & 7;
    if (step.is_call && (step.instruction.opcode == 0xe8 || group == 2 || group == 3))
      way.intact.registers = 0;
    way.intact.registers &= ~operands.writes;
    move_bases(&way, &step.instruction, &operands);
    if (step.target) {
      begin_both(walk, &way, &step);
      return;
    }
    if (step.is_indirect && begin_cases(walk, &way, &step))
      return;
    sym_switch_step(&way.known, way.at, &step, &operands);
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

static struct sym_entry_places read_through(const struct sym_hook *hook, uint64_t low, uint64_t high,
                                            struct sym_entry_places asked, unsigned depth)
{
  struct walk walk = {.hook = hook, .low = low, .high = high, .asked = asked, .depth = depth};
  const struct way first = {.intact = asked, .stack = {true, -ENTRY_CFA}};
  unsigned steps = STEPS_MAX;
  if (hook->processor != &sym_x86_64)
    return walk.found;
  begin(&walk, &first, low);
  while (steps && walk.next < walk.count && !is_all_found(&walk))
    follow(&walk, walk.ways[walk.next++], &steps);
  return walk.found;
}

struct sym_entry_places sym_entry_reads(const struct sym_hook *hook, uint64_t low, uint64_t high,
                                        struct sym_entry_places asked)
{
  return read_through(hook, low, high, asked, DEPTH_MAX);
}

/* `push` of a register that a function gives back, or of rax, which makes room. */
static bool is_saving_push(const struct sym_instruction *one)
{
  const uint64_t saved =
      UINT64_C(1) << SYM_RAX | UINT64_C(1) << SYM_RBX | UINT64_C(1) << SYM_RBP | UINT64_C(15) << SYM_R12;
  return !one->is_vex && one->map == SYM_MAP_ONE_BYTE && one->opcode >= 0x50 && one->opcode <= 0x57 &&
         sym_general_register(one->rm) & saved;
}

/* `sub` of a constant from the stack pointer. */
static bool is_subtraction(const struct sym_instruction *one)
{
  return !one->is_vex && one->map == SYM_MAP_ONE_BYTE && (one->opcode == 0x81 || one->opcode == 0x83) &&
         !one->is_memory && one->rm == 4 && (one->reg & 7) == 5 && one->operand_size == WORD;
}

/* Whether straight code from `at` on moves the stack pointer further down. */
static bool makes_room(const struct sym_hook *hook, uint64_t at, uint64_t high)
{
  struct sym_step step;
  for (; sym_step_at(hook, at, high, &step) && step.falls_through && !step.target && !step.is_call; at += step.size)
    if (is_subtraction(&step.instruction) || is_saving_push(&step.instruction))
      return true;
  return false;
}

int64_t sym_entry_depth(const struct sym_hook *hook, uint64_t low, uint64_t high)
{
  struct sym_step step;
  int64_t depth = ENTRY_CFA;
  if (hook->processor != &sym_x86_64)
    return -1;
  for (uint64_t at = low; sym_step_at(hook, at, high, &step); at += step.size) {
    const struct sym_instruction *one = &step.instruction;
    if (is_subtraction(one))
      return one->immediate > 0 ? depth + one->immediate : -1;
    if (!is_saving_push(one))
      return depth > ENTRY_CFA && !makes_room(hook, at, high) ? depth : -1;
    depth += WORD;
    if (one->rm == 0)
      return depth;
  }
  return -1;
}
