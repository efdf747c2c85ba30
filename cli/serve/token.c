/* Reads a token and compares it. */
#include "cli/serve/token.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/subcommand.h"

static int refuse(const char *path, const char *why)
{
  cli_error("--token-file: %s: %s", path, why);
  return CLI_EXIT_FAILURE;
}

int cli_token_read(const char *path, struct cli_token *token)
{
  char text[CLI_TOKEN_MOST + 2];
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return refuse(path, strerror(errno));
  ssize_t length = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? read(fd, text, sizeof text) : -1;
  close(fd);
  if (length < 0)
    return refuse(path, "is no file that can be read");
  if (status.st_mode & (S_IRWXG | S_IRWXO))
    return refuse(path, "others may read it: make it yours alone (chmod 600)");
  if (length > 0 && text[length - 1] == '\n')
    length--;
  if (length < CLI_TOKEN_LEAST || length > CLI_TOKEN_MOST)
    return refuse(path, "a token is one line of 16 to 1024 characters");
  for (ssize_t i = 0; i < length; i++)
    if (!isgraph((unsigned char)text[i]))
      return refuse(path, "a token has printing characters alone, and no spaces");
  memcpy(token->text, text, (size_t)length);
  token->text[length] = '\0';
  return CLI_EXIT_OK;
}

bool cli_token_fits(const struct cli_token *token, const char *authorization)
{
  static const char scheme[] = "Bearer ";
  if (!authorization || strncasecmp(authorization, scheme, sizeof scheme - 1) != 0)
    return false;
  const char *given = authorization + sizeof scheme - 1;
  const size_t known = strlen(token->text), length = strlen(given);
  /* All of the token is compared, with what was given or, behind its end, with its last byte, a NUL. */
  volatile unsigned differs = known != length;
  for (size_t i = 0; i < known; i++)
    differs |= (unsigned char)token->text[i] ^ (unsigned char)given[i < length ? i : length];
  return differs == 0;
}
