/*
 * The plug-in's entry: reads its arguments and registers the passes.
 */
#include "instrument/gcc_headers.h"

#include "instrument/plugin.h"

/* gcc finds both by name; nothing else is visible. */
#pragma GCC visibility push(default)
int plugin_is_GPL_compatible;
int plugin_init(plugin_name_args *info, plugin_gcc_version *version);
#pragma GCC visibility pop

namespace callsig
{

static arguments given;
static findings found;

static bool read_number(const char *text, unsigned *number)
{
  if (!text || text[0] < '0' || text[0] > '9')
    return false;
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  if (errno != 0 || *end != '\0' || value > 1000000000)
    return false;
  *number = static_cast<unsigned>(value);
  return true;
}

static bool read_arguments(const plugin_name_args *info)
{
  for (int i = 0; i < info->argc; i++) {
    const char *key = info->argv[i].key, *value = info->argv[i].value;
    if (strcmp(key, "min-instructions") == 0) {
      if (!read_number(value, &given.min_instructions)) {
        error("%qs: %<min-instructions%> takes a whole number, not %qs", info->base_name, value ? value : "");
        return false;
      }
    } else if (strcmp(key, "calls") == 0 && !value) {
      given.calls = true;
    } else {
      error("%qs: no argument %qs: there are %<calls%> and %<min-instructions=N%>", info->base_name, key);
      return false;
    }
  }
  return true;
}

static void add_pass(const plugin_name_args *info, opt_pass *pass, const char *where, pass_positioning_ops position)
{
  register_pass_info pass_info = {pass, where, 1, position};
  register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, NULL, &pass_info);
}

} // namespace callsig

int plugin_init(plugin_name_args *info, plugin_gcc_version *version)
{
  if (!plugin_default_version_check(version, &gcc_version)) {
    error("%qs: made for gcc %s, and this is gcc %s", info->full_name, gcc_version.basever, version->basever);
    return 1;
  }
  if (!callsig::read_arguments(info))
    return 1;
  if (flag_instrument_function_entry_exit) {
    error("%qs: does not go together with %<-finstrument-functions%>", info->base_name);
    return 1;
  }
  callsig::add_pass(info, callsig::make_exclude_pass(g), "*warn_unused_result", PASS_POS_INSERT_BEFORE);
  if (callsig::given.calls) {
    callsig::add_pass(info, callsig::make_calls_pass(g, &callsig::given), "ehdisp", PASS_POS_INSERT_AFTER);
    return 0;
  }
  callsig::add_pass(info, callsig::make_loops_pass(g, &callsig::found), "*free_cfg", PASS_POS_INSERT_BEFORE);
  callsig::add_pass(info, callsig::make_sleds_pass(g, &callsig::given, &callsig::found), "mach", PASS_POS_INSERT_AFTER);
  return 0;
}
