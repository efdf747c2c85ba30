/*
 * `callsig export --to pprof --push URL`: what a program does, sent on, interval by interval.
 */
#ifndef CALLSIG_CLI_PUSH_PUSH_H
#define CALLSIG_CLI_PUSH_PUSH_H

#define CLI_PUSH_DEFAULT_INTERVAL 15.0

struct cli_push_options {
  const char *recording;
  const char *url;
  const char *spool;      /* a folder; NULL: the recording's path with ".push" behind it */
  const char *token_file; /* NULL: none */
  double interval;        /* seconds, at least 1 */
};

/* Sends what is added to the recording in each interval until its program has ended, or SIGINT or SIGTERM asks for the
 * end; then what was added last, once. What could not be sent by then stays in the spool, from which the next begins.
 * An exit status, after a message where it is not CLI_EXIT_OK. */
int cli_push(const struct cli_push_options *options);

#endif
