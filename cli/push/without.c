/* The sender of a build that has none. */
#include "cli/common/subcommand.h"
#include "cli/push/sender.h"

struct cli_sender *cli_sender_new(const char *url, const char *token)
{
  (void)url;
  (void)token;
  cli_error("--push: this callsig was built without libcurl: install libcurl4-openssl-dev, and configure and build it "
            "again");
  return NULL;
}

void cli_sender_free(struct cli_sender *sender)
{
  (void)sender;
}

enum cli_sent cli_sender_send(struct cli_sender *sender, const void *data, size_t size, unsigned long long from,
                              unsigned long long until, char *why, size_t room)
{
  (void)sender;
  (void)data;
  (void)size;
  (void)from;
  (void)until;
  if (room > 0)
    *why = '\0';
  return CLI_SENT_REFUSED;
}
