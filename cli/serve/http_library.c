/* Loads libmicrohttpd. */
#include "cli/serve/http_library.h"

#include "cli/common/late_library.h"
#include "config.h"

#define FUNCTION(function) {"MHD_" #function, &http->function},

bool cli_http_load(struct cli_http *http)
{
  const struct cli_late_function functions[] = {CLI_HTTP_FUNCTIONS(FUNCTION)};
  return cli_late_library(CLI_HTTP_SONAME, functions, sizeof functions / sizeof functions[0]);
}
