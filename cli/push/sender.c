/* Sends profiles by libcurl. */
#include "cli/push/sender.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/subcommand.h"
#include "cli/push/curl_library.h"

#define LONGEST_S 10L

enum { MOST_ANSWER = 65536 }; /* bytes of an answer that are read, so that its connection can be used again */

struct cli_sender {
  struct cli_curl curl;
  CURL *handle;
  size_t answered; /* bytes of the answer's body */
  char *url;       /* with what parameters begin with behind it */
  struct curl_slist *headers;
};

/* Is it one that libcurl can ask at all? What it cannot read it would find out at each profile. Behind a fragment,
 * which is not sent, no parameter can stand. */
static bool is_readable(const struct cli_curl *curl, const char *url)
{
  CURLU *parts = curl->url();
  char *fragment = NULL;
  const bool is = parts && curl->url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
                  curl->url_get(parts, CURLUPART_FRAGMENT, &fragment, 0) == CURLUE_NO_FRAGMENT;
  curl->free(fragment);
  curl->url_cleanup(parts);
  return is;
}

/* The URL with '?' or '&' behind it; NULL: it is none of http or https, or memory is short. */
static char *open_url(const struct cli_curl *curl, const char *url)
{
  char *open = NULL;
  if ((strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) || !is_readable(curl, url))
    return NULL;
  return asprintf(&open, "%s%c", url, strchr(url, '?') ? '&' : '?') < 0 ? NULL : open;
}

static bool add_header(struct cli_sender *sender, const char *header)
{
  struct curl_slist *longer = sender->curl.slist_append(sender->headers, header);
  if (longer)
    sender->headers = longer;
  return longer != NULL;
}

/* A CURLOPT_WRITEFUNCTION. What the answer says is its status; of one that does not end no more is read. */
static size_t drop(char *data, size_t size, size_t count, void *to)
{
  struct cli_sender *sender = to;
  (void)data;
  sender->answered += size * count;
  return sender->answered <= MOST_ANSWER ? size * count : CURL_WRITEFUNC_ERROR;
}

/* What does not change from one profile to the next. */
static bool set_up(struct cli_sender *sender, const char *token)
{
  char authorization[2048];
  snprintf(authorization, sizeof authorization, "Authorization: Bearer %s", token);
  const struct cli_curl *curl = &sender->curl;
  return add_header(sender, "Content-Type: application/octet-stream") && add_header(sender, "Expect:") &&
         (!*token || add_header(sender, authorization)) &&
         curl->easy_setopt(sender->handle, CURLOPT_HTTPHEADER, sender->headers) == CURLE_OK &&
         curl->easy_setopt(sender->handle, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
         curl->easy_setopt(sender->handle, CURLOPT_TIMEOUT, LONGEST_S) == CURLE_OK &&
         curl->easy_setopt(sender->handle, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
         curl->easy_setopt(sender->handle, CURLOPT_WRITEFUNCTION, drop) == CURLE_OK &&
         curl->easy_setopt(sender->handle, CURLOPT_WRITEDATA, sender) == CURLE_OK &&
         curl->easy_setopt(sender->handle, CURLOPT_USERAGENT, "callsig") == CURLE_OK;
}

struct cli_sender *cli_sender_new(const char *url, const char *token)
{
  struct cli_sender *sender = calloc(1, sizeof *sender);
  if (sender && !cli_curl_load(&sender->curl)) {
    free(sender);
    return NULL;
  }
  if (sender && sender->curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK) {
    sender->handle = sender->curl.easy_init();
    sender->url = open_url(&sender->curl, url);
    if (sender->handle && sender->url && set_up(sender, token))
      return sender;
  }
  cli_error("--push: %s: profiles cannot be sent there: give a URL of http or https, without a fragment", url);
  cli_sender_free(sender);
  return NULL;
}

void cli_sender_free(struct cli_sender *sender)
{
  if (!sender)
    return;
  if (sender->handle)
    sender->curl.easy_cleanup(sender->handle);
  sender->curl.slist_free_all(sender->headers);
  free(sender->url);
  free(sender);
}

enum cli_sent cli_sender_send(struct cli_sender *sender, const void *data, size_t size, unsigned long long from,
                              unsigned long long until, char *why, size_t room)
{
  const struct cli_curl *curl = &sender->curl;
  char *url = NULL;
  long status = 0;
  *why = '\0';
  if (asprintf(&url, "%sfrom=%llu&until=%llu", sender->url, from, until) < 0) {
    snprintf(why, room, "memory is short");
    return CLI_SENT_LATER;
  }
  curl->easy_setopt(sender->handle, CURLOPT_URL, url);
  curl->easy_setopt(sender->handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
  curl->easy_setopt(sender->handle, CURLOPT_POSTFIELDS, data);
  sender->answered = 0;
  CURLcode error = curl->easy_perform(sender->handle);
  curl->easy_setopt(sender->handle, CURLOPT_POSTFIELDS, NULL);
  free(url);
  /* Behind the begin of a body the status stands, whatever becomes of the rest: sent again, it would count twice. */
  if (error != CURLE_OK && sender->answered == 0) {
    snprintf(why, room, "%s", curl->easy_strerror(error));
    return CLI_SENT_LATER;
  }
  curl->easy_getinfo(sender->handle, CURLINFO_RESPONSE_CODE, &status);
  if (status >= 200 && status < 300)
    return CLI_SENT;
  snprintf(why, room, "status %ld", status);
  return status >= 500 || status == 408 || status == 429 ? CLI_SENT_LATER : CLI_SENT_REFUSED;
}
