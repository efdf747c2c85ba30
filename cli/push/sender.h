/*
 * One profile to one HTTP endpoint. libcurl speaks HTTP; a build without it has a sender that says so.
 */
#ifndef CALLSIG_CLI_PUSH_SENDER_H
#define CALLSIG_CLI_PUSH_SENDER_H

#include <stdbool.h>
#include <stddef.h>

struct cli_sender;

enum cli_sent {
  CLI_SENT,         /* it was taken */
  CLI_SENT_LATER,   /* it may be taken later */
  CLI_SENT_REFUSED, /* it will never be */
};

/* What sends to `url` (http or https), with the token where that is no empty text. NULL after a message. */
struct cli_sender *cli_sender_new(const char *url, const char *token);
void cli_sender_free(struct cli_sender *sender);

/* POSTs the bytes, with the begin and the end of what they are of (seconds since 1970) as parameters from and until.
 * Waits for 10 s at most. `why` gets what was wrong, "" when nothing was. */
enum cli_sent cli_sender_send(struct cli_sender *sender, const void *data, size_t size, unsigned long long from,
                              unsigned long long until, char *why, size_t room);

#endif
