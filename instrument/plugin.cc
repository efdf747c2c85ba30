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
static findings seen;

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

/* How a gcc was told to check itself, which its structures depend on. */
static const char *checking_of(const plugin_gcc_version *version)
{
  const char *found = strstr(version->configuration_arguments, "--enable-checking");
  return found ? xstrndup(found, strcspn(found, " ")) : "checking as released";
}

/* True when the plug-in was compiled with the headers of this very gcc. gcc's own comparison refuses one that a
 * distribution has built again for a security update too: its options of configure have the package's version. */
static bool is_made_for(const plugin_gcc_version *version)
{
  return strcmp(version->basever, gcc_version.basever) == 0 && strcmp(version->devphase, gcc_version.devphase) == 0 &&
         strcmp(checking_of(version), checking_of(&gcc_version)) == 0;
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
  if (!callsig::is_made_for(version)) {
    error("%qs: made for gcc %s (%s), and this is gcc %s (%s): build callsig again with this gcc, or instrument by "
          "%<-finstrument-functions%>",
          info->full_name, gcc_version.basever, callsig::checking_of(&gcc_version), version->basever,
          callsig::checking_of(version));
    return 1;
  }
  if (!callsig::read_arguments(info))
    return 1;
  if (!TARGET_64BIT) {
    inform(UNKNOWN_LOCATION, "%qs: there are no sleds in code for 32 bits", info->base_name);
    return 0;
  }
  if (flag_instrument_function_entry_exit) {
    error("%qs: does not go together with %<-finstrument-functions%>", info->base_name);
    return 1;
  }
  callsig::add_pass(info, callsig::make_exclude_pass(g), "*warn_unused_result", PASS_POS_INSERT_BEFORE);
  if (callsig::given.calls) {
    callsig::add_pass(info, callsig::make_calls_pass(g, &callsig::given), "ehdisp", PASS_POS_INSERT_AFTER);
    return 0;
  }
  callsig::add_pass(info, callsig::make_loops_pass(g, &callsig::seen), "*free_cfg", PASS_POS_INSERT_BEFORE);
  callsig::add_pass(info, callsig::make_sleds_pass(g, &callsig::given, &callsig::seen), "mach", PASS_POS_INSERT_AFTER);
  return 0;
}
