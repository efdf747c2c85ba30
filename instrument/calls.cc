/*
 * Calls: puts the two calls of -finstrument-functions into each function, but after inlining.
 *
 * The pass runs on GIMPLE, behind everything that works across functions and before what works on one: what has been
 * inlined is not a function any more, and the calls are optimized with the rest. They keep a call in tail position
 * from becoming a jump, as -finstrument-functions does.
 */
#include "instrument/gcc_headers.h"

#include "instrument/plugin.h"

namespace callsig
{

static const pass_data calls_data = {GIMPLE_PASS, "callsig_calls", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0,
                                     0,           TODO_update_ssa};

namespace
{

/* Puts a statement that calls FUNCTION before the place and into the graph of calls. */
gcall *put_call(gimple_stmt_iterator *place, gcall *call, location_t location)
{
  gimple_set_location(call, location);
  /* A hook throws nothing: the function needs no more tables of exceptions than it has. */
  gimple_call_set_nothrow(call, true);
  gsi_insert_before(place, call, GSI_SAME_STMT);
  cgraph_node::get(current_function_decl)
      ->create_edge(cgraph_node::get_create(gimple_call_fndecl(call)), call, gimple_bb(call)->count);
  return call;
}

void put_hook(gimple_stmt_iterator *place, built_in_function hook, location_t location)
{
  gcall *caller = gimple_build_call(builtin_decl_implicit(BUILT_IN_RETURN_ADDRESS), 1, integer_zero_node);
  tree address = make_ssa_name(ptr_type_node);
  gimple_call_set_lhs(caller, address);
  put_call(place, caller, location);
  tree self = build_fold_addr_expr(current_function_decl);
  put_call(place, gimple_build_call(builtin_decl_implicit(hook), 2, self, address), location);
}

/* A resolver of an ifunc runs before the program's symbols are bound, and can call nobody. */
bool is_resolver(function *fun)
{
  cgraph_node *node = cgraph_node::get(fun->decl);
  ipa_ref *alias;
  if (!node)
    return false;
  FOR_EACH_ALIAS(node, alias)
  {
    cgraph_node *other = dyn_cast<cgraph_node *>(alias->referring);
    if (other && other->ifunc_resolver)
      return true;
  }
  return false;
}

/* About as many instructions as the function will have, by gcc's own guess. */
unsigned guess_instructions(function *fun)
{
  int instructions = 0;
  basic_block block;
  FOR_EACH_BB_FN(block, fun)
  for (gimple_stmt_iterator place = gsi_start_bb(block); !gsi_end_p(place); gsi_next(&place))
    if (!is_gimple_debug(gsi_stmt(place)))
      instructions += estimate_num_insns(gsi_stmt(place), &eni_size_weights);
  return static_cast<unsigned>(instructions);
}

class calls_pass : public gimple_opt_pass
{
public:
  calls_pass(gcc::context *context, const arguments *given) : gimple_opt_pass(calls_data, context), given_(given)
  {
  }

  unsigned execute(function *fun) override
  {
    if (!is_chosen(fun->decl) || is_resolver(fun) ||
        (given_->min_instructions > 0 && is_too_small(*given_, guess_instructions(fun), mark_dfs_back_edges())))
      return 0;
    /* The returns first: the block that is put before the first one could be one of them. */
    edge incoming;
    edge_iterator i;
    FOR_EACH_EDGE(incoming, i, EXIT_BLOCK_PTR_FOR_FN(fun)->preds)
    {
      gimple_stmt_iterator last = gsi_last_bb(incoming->src);
      if (!gsi_end_p(last) && gimple_code(gsi_stmt(last)) == GIMPLE_RETURN)
        put_hook(&last, BUILT_IN_PROFILE_FUNC_EXIT, fun->function_end_locus);
    }
    /* A block of its own: the first one may be the head of a loop. */
    basic_block first = split_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun)));
    gimple *placeholder = gimple_build_nop();
    gimple_stmt_iterator place = gsi_start_bb(first);
    gsi_insert_before(&place, placeholder, GSI_NEW_STMT);
    put_hook(&place, BUILT_IN_PROFILE_FUNC_ENTER, fun->function_start_locus);
    gsi_remove(&place, true);
    return 0;
  }

private:
  const arguments *given_;
};

} // namespace

opt_pass *make_calls_pass(gcc::context *context, const arguments *given)
{
  return new calls_pass(context, given);
}

} // namespace callsig
