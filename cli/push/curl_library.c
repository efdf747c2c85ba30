/* Loads libcurl. */
#include "cli/push/curl_library.h"

#include "cli/common/late_library.h"
#include "config.h"

#define FUNCTION(function) {"curl_" #function, &curl->function},

bool cli_curl_load(struct cli_curl *curl)
{
  const struct cli_late_function functions[] = {CLI_CURL_FUNCTIONS(FUNCTION)};
  return cli_late_library(CLI_CURL_SONAME, functions, sizeof functions / sizeof functions[0]);
}
