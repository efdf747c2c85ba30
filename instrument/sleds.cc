/*
 * Sleds: puts a no-op as the first instruction of each function and before each tail call, makes room behind each
 * return, and lists them.
 *
 * The pass comes after machine reorganization: no pass after it moves, copies or deletes instructions, and where
 * variables are has been settled. At the three places nothing of the function lies below the stack pointer, and every
 * argument and the return value are where the ABI has them. docs/sleds.md describes what is written.
 */
#include "instrument/gcc_headers.h"

#include "format/sled.h"
#include "instrument/plugin.h"

namespace callsig
{

static const pass_data loops_data = {RTL_PASS, "callsig_loops", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0};
static const pass_data sleds_data = {RTL_PASS, "callsig_sleds", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

namespace
{

class loops_pass : public rtl_opt_pass
{
public:
  loops_pass(gcc::context *context, findings *found) : rtl_opt_pass(loops_data, context), found_(found)
  {
  }

  unsigned execute(function *) override
  {
    found_->loop = mark_dfs_back_edges();
    return 0;
  }

private:
  findings *found_;
};

/* What the entries of a function's sleds have in common. */
struct function_facts {
  unsigned instructions;
  unsigned flags;
};

/* An asm of the program may call, and then the function is no leaf. One without text does not. */
static bool may_call(rtx_insn *insn)
{
  if (CALL_P(insn))
    return true;
  rtx body = PATTERN(insn);
  if (GET_CODE(body) == ASM_INPUT)
    return XSTR(body, 0)[0] != '\0';
  if (asm_noperands(body) < 0)
    return false;
  const char *text = decode_asm_operands(body, NULL, NULL, NULL, NULL, NULL);
  return !text || text[0] != '\0';
}

/* Does the function read all registers that pass arguments, whatever it declares: __builtin_apply_args()? */
static bool passes_all_on()
{
  return crtl->expr.x_apply_args_value != NULL_RTX;
}

/* Are r10 and r11 nobody's where the function begins and where it returns, and rax where it begins? Then a hook may
 * change them: r10 holds the frame of the function around it alone, rax how many vectors a call with `...` passes. */
static bool has_free_registers(function *fun)
{
  const unsigned registers[] = {R10_REG, R11_REG, AX_REG};
  for (unsigned i = 0; i < ARRAY_SIZE(registers); i++)
    if (fixed_regs[registers[i]] || !crtl->abi->clobbers_full_reg_p(registers[i]))
      return false;
  return !fun->stdarg && !fun->static_chain_decl && !flag_split_stack && !passes_all_on() &&
         !lookup_attribute("no_caller_saved_registers", TYPE_ATTRIBUTES(TREE_TYPE(fun->decl)));
}

/* Are r8 and r9 nobody's where the function begins? Where it has no more than four arguments in registers. */
static bool has_spare_registers()
{
  const unsigned passed = 4;
  for (unsigned regno = R8_REG; regno <= R9_REG; regno++)
    if (fixed_regs[regno] || !crtl->abi->clobbers_full_reg_p(regno))
      return false;
  return cfun->machine->call_abi == SYSV_ABI && static_cast<unsigned>(crtl->args.info.regno) <= passed;
}

static function_facts look_at(function *fun, rtx_insn *first, bool loop)
{
  function_facts facts = {0, FMT_SLED_LEAF};
  for (rtx_insn *insn = first; insn; insn = NEXT_INSN(insn)) {
    if (!active_insn_p(insn))
      continue;
    facts.instructions++;
    if (may_call(insn))
      facts.flags &= ~static_cast<unsigned>(FMT_SLED_LEAF);
  }
  if (loop)
    facts.flags |= FMT_SLED_LOOP;
  if (has_free_registers(fun))
    facts.flags |= has_spare_registers() ? FMT_SLED_FREE | FMT_SLED_SPARE : FMT_SLED_FREE;
  return facts;
}

/* Whether the return is written as one byte, c3, which can itself be a sled; others are `rep ret`, a jump to a thunk,
 * or have something behind them. */
static bool is_bare_return(rtx_insn *insn)
{
#ifdef ix86_harden_sls
  if ((ix86_harden_sls & harden_sls_return) != 0)
    return false;
#endif
  return GET_CODE(PATTERN(insn)) == SIMPLE_RETURN && cfun->machine->function_return_type == indirect_branch_keep;
}

/* Writes sleds and their entries. Labels are numbered through the whole of an assembler file. */
class sled_writer
{
public:
  sled_writer(unsigned *next_label, function_facts facts) : next_label_(next_label), facts_(facts)
  {
  }

  void put_before(rtx_insn *insn, fmt_sled_kind kind)
  {
    unsigned label = (*next_label_)++;
    if (kind == FMT_SLED_ENTER)
      function_ = label;
    if (!anchored_)
      anchor_ = label;
    anchored_ = true;
    bool returns = kind == FMT_SLED_EXIT && is_bare_return(insn);
    /* Data are no instructions: the assembler has the function's line begin behind them, unless there is a label that
     * is marked. */
    char line[96] = "";
    if (kind == FMT_SLED_ENTER)
      snprintf(line, sizeof(line), ".loc_mark_labels 1\n.Lcallsig_line%u:\n\t.loc_mark_labels 0\n\t", label);
    char text[736];
    /* At most four bytes are skipped: exactly where the five would cross a boundary of eight. What they are filled with
     * is a prefix that does nothing, so that they are a part of the instruction behind them and cost none. The section
     * is one for each label that it names, follows the fate of the code where that label is, and joins that code's
     * group. */
    snprintf(text, sizeof(text),
             "%s.p2align 3,0x2e,4\n"
             ".Lcallsig_sled%u:\n"
             "%s"
             "\t.pushsection " FMT_SLED_SECTION ",\"ao?\",@progbits,.Lcallsig_sled%u\n"
             "\t.p2align 3\n"
             "\t.quad .Lcallsig_sled%u-.\n"
             "\t.quad .Lcallsig_sled%u-.\n"
             "\t.byte %u, 0, 2, %u\n"
             "\t.long %u\n"
             "\t.quad 0\n"
             "\t.popsection",
             line, label, returns ? "" : "\t.byte 0x0f, 0x1f, 0x44, 0, 0\n", anchor_, label, function_,
             static_cast<unsigned>(kind), facts_.flags, facts_.instructions);
    /* Clones have no location of their own, and gcc prints that of an asm without asking whether there is one. */
    emit_insn_before(gen_rtx_ASM_INPUT_loc(VOIDmode, ggc_strdup(text), BUILTINS_LOCATION), insn);
    tell_changed(insn, kind);
    if (returns)
      emit_insn_after(gen_rtx_ASM_INPUT_loc(VOIDmode, "\t.byte 0x0f, 0x1f, 0x40, 0, 0xc3", BUILTINS_LOCATION), insn);
  }

  /* Callers that go by which registers a function changes (-fipa-ra) are to know that its hooks change these. */
  void tell_changed(rtx_insn *insn, fmt_sled_kind kind)
  {
    if (!(facts_.flags & FMT_SLED_FREE) || kind == FMT_SLED_TAIL)
      return;
    emit_insn_before(gen_hard_reg_clobber(DImode, R10_REG), insn);
    emit_insn_before(gen_hard_reg_clobber(DImode, R11_REG), insn);
    if (kind != FMT_SLED_ENTER)
      return;
    emit_insn_before(gen_hard_reg_clobber(DImode, AX_REG), insn);
    if (facts_.flags & FMT_SLED_SPARE) {
      emit_insn_before(gen_hard_reg_clobber(DImode, R8_REG), insn);
      emit_insn_before(gen_hard_reg_clobber(DImode, R9_REG), insn);
    }
  }

  /* What follows is in another section. */
  void leave_section()
  {
    anchored_ = false;
  }

private:
  unsigned *next_label_;
  function_facts facts_;
  unsigned function_ = 0; /* label of the entry's sled */
  unsigned anchor_ = 0;   /* label of the first sled in the section */
  bool anchored_ = false;
};

class sleds_pass : public rtl_opt_pass
{
public:
  sleds_pass(gcc::context *context, const arguments *given, const findings *found)
      : rtl_opt_pass(sleds_data, context), given_(given), found_(found)
  {
  }

  unsigned execute(function *fun) override
  {
    function_facts facts = look_at(fun, get_insns(), found_->loop);
    if (!is_chosen(fun->decl) || facts.instructions == 0 || is_too_small(*given_, facts.instructions, found_->loop))
      return 0;
    sled_writer writer(&next_label_, facts);
    /* What calls __builtin_eh_return unwinds: its stack pointer is another's when it gets to a return. */
    bool entered = false;
    rtx_insn *following;
    for (rtx_insn *insn = get_insns(); insn; insn = following) {
      following = NEXT_INSN(insn);
      /* A label may be the head of a loop: the entry comes before it. */
      if (!entered && (LABEL_P(insn) || NONDEBUG_INSN_P(insn))) {
        writer.put_before(insn, FMT_SLED_ENTER);
        entered = true;
      }
      if (NOTE_P(insn) && NOTE_KIND(insn) == NOTE_INSN_SWITCH_TEXT_SECTIONS)
        writer.leave_section();
      else if (CALL_P(insn) && SIBLING_CALL_P(insn))
        writer.put_before(insn, FMT_SLED_TAIL);
      else if (JUMP_P(insn) && returnjump_p(insn) && !crtl->calls_eh_return)
        writer.put_before(insn, FMT_SLED_EXIT);
    }
    return 0;
  }

private:
  const arguments *given_;
  const findings *found_;
  unsigned next_label_ = 0;
};

} // namespace

opt_pass *make_loops_pass(gcc::context *context, findings *found)
{
  return new loops_pass(context, found);
}

opt_pass *make_sleds_pass(gcc::context *context, const arguments *given, const findings *found)
{
  return new sleds_pass(context, given, found);
}

} // namespace callsig
