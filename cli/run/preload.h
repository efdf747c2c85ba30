/* LD_PRELOAD of what `callsig run` starts. */
#ifndef CALLSIG_CLI_RUN_PRELOAD_H
#define CALLSIG_CLI_RUN_PRELOAD_H

/* Puts the runtime before what is preloaded already, and after `first` (NULL: nothing). LD_PRELOAD has no way to quote.
 * 0, or a negative errno, which memory alone has no message for. */
int cli_preload(const char *first, const char *runtime);

#endif
