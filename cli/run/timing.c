/* Checks what a command line says of how calls are timed. */
#include "cli/run/timing.h"

#include <stdlib.h>
#include <string.h>

#include "format/duration.h"
#include "format/factor.h"

/* Of --interval, seconds. */
#define SHORTEST_INTERVAL 0.01
#define LONGEST_INTERVAL  1e6

int cli_timing_check(const struct cli_command *command, const struct cli_timing *timing)
{
  uint32_t parts;
  uint64_t ns;
  if (timing->clock != NULL && strcmp(timing->clock, "wall") != 0 && strcmp(timing->clock, "cpu") != 0)
    return cli_usage_error(command, "--clock: '%s' is neither wall nor cpu", timing->clock);
  if (timing->timeline != NULL && !fmt_duration_parse(timing->timeline, &ns))
    return cli_usage_error(command, "--timeline=%s: give the least duration as in 10us, 1ms or 0", timing->timeline);
  if (timing->timeline != NULL && timing->clock != NULL && strcmp(timing->clock, "cpu") == 0)
    return cli_usage_error(command,
                           "--timeline and --trigger need --clock wall: CPU time has no beginning common to threads");
  bool is_auto = timing->times != NULL && strcmp(timing->times, "auto") == 0;
  if (timing->times != NULL && !is_auto && strcmp(timing->times, "exact") != 0)
    return cli_usage_error(command, "--times: '%s' is neither auto nor exact", timing->times);
  if (timing->overhead == NULL)
    return CLI_EXIT_OK;
  if (!fmt_factor_parse(timing->overhead, &parts))
    return cli_usage_error(command, "--overhead: '%s' is not a number above 1, as in 1.5", timing->overhead);
  if (timing->times != NULL && !is_auto)
    return cli_usage_error(command, "--overhead says how many calls are timed, and --times exact times all: give one");
  if (!is_auto && timing->clock != NULL && strcmp(timing->clock, "cpu") == 0)
    return cli_usage_error(command, "--overhead needs --times auto: with --clock cpu every call is timed else");
  if (!is_auto && timing->timeline != NULL)
    return cli_usage_error(command,
                           "--overhead needs --times auto: with --timeline and --trigger every call is timed else");
  return CLI_EXIT_OK;
}

/* A value, or what the environment says where none was given. */
static const char *or_environment(const char *value, const char *variable)
{
  return value != NULL ? value : cli_environment(variable);
}

bool cli_timing_leaves_out(const struct cli_timing *timing)
{
  const char *times = or_environment(timing->times, "CALLSIG_TIMES");
  const char *clock = or_environment(timing->clock, "CALLSIG_CLOCK");
  return or_environment(timing->timeline, "CALLSIG_TIMELINE") == NULL &&
         (times == NULL || strcmp(times, "auto") == 0) && (clock == NULL || strcmp(clock, "wall") == 0);
}

double cli_interval_read(const struct cli_command *command, const char *text)
{
  char *end;
  /* getopt_long() has refused the option without a value. NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
  double interval = strtod(text, &end);
  if (end != text && *end == '\0' && interval >= SHORTEST_INTERVAL && interval <= LONGEST_INTERVAL)
    return interval;
  cli_usage_error(command, "--interval: '%s' is not a number of seconds from 0.01 to 1000000", text);
  return 0;
}
