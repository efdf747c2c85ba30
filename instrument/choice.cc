/*
 * Which functions are instrumented: those that -finstrument-functions would, and no naked ones or interrupt handlers.
 */
#include "instrument/gcc_headers.h"

#include "instrument/plugin.h"

namespace callsig
{

static const char *const excluded = "no_instrument_function";

static bool has_attribute(tree decl, const char *name)
{
  return lookup_attribute(name, DECL_ATTRIBUTES(decl)) || lookup_attribute(name, TYPE_ATTRIBUTES(TREE_TYPE(decl)));
}

bool is_chosen(tree decl)
{
  /* The declaration's own bit for this says nothing: gcc sets it for all without -finstrument-functions. */
  return !has_attribute(decl, excluded) && !has_attribute(decl, "naked") && !has_attribute(decl, "interrupt");
}

bool is_too_small(const arguments &given, unsigned instructions, bool loop)
{
  return !loop && instructions < given.min_instructions;
}

/* True when TEXT has one of the texts of a list of the command line in it. gcc declares such a list as void *. */
static bool has_one_of(void *list, const char *text)
{
  if (!list || !text)
    return false;
  char *part;
  unsigned i;
  FOR_EACH_VEC_ELT(*static_cast<vec<char *> *>(list), i, part)
  if (strstr(text, part))
    return true;
  return false;
}

static const pass_data exclude_data = {GIMPLE_PASS, "callsig_exclude", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

namespace
{
class exclude_pass : public gimple_opt_pass
{
public:
  explicit exclude_pass(gcc::context *context) : gimple_opt_pass(exclude_data, context)
  {
  }

  unsigned execute(function *fun) override
  {
    /* The same comparisons as gcc's own. */
    if (has_one_of(flag_instrument_functions_exclude_functions, lang_hooks.decl_printable_name(fun->decl, 1)) ||
        has_one_of(flag_instrument_functions_exclude_files, DECL_SOURCE_FILE(fun->decl)))
      DECL_ATTRIBUTES(fun->decl) = tree_cons(get_identifier(excluded), NULL_TREE, DECL_ATTRIBUTES(fun->decl));
    return 0;
  }
};
} // namespace

opt_pass *make_exclude_pass(gcc::context *context)
{
  return new exclude_pass(context);
}

} // namespace callsig
