/* The server of a build that has none. */
#include "cli/common/subcommand.h"
#include "cli/serve/server.h"

bool cli_server_is_there(const char *command)
{
  cli_error("%s: this callsig was built without libmicrohttpd: install libmicrohttpd-dev, and configure and build it "
            "again",
            command);
  return false;
}

int cli_server_run(const struct cli_server_options *options)
{
  (void)options;
  return CLI_EXIT_FAILURE;
}
