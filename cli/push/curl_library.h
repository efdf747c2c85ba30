/* The functions of libcurl that sender.c calls, found when the first sender is made. */
#ifndef CALLSIG_CLI_PUSH_CURL_LIBRARY_H
#define CALLSIG_CLI_PUSH_CURL_LIBRARY_H

#include <curl/curl.h>
#include <stdbool.h>

/* Their names, without "curl_". */
#define CLI_CURL_FUNCTIONS(F)                                                                                          \
  F(easy_cleanup)                                                                                                      \
  F(easy_getinfo)                                                                                                      \
  F(easy_init)                                                                                                         \
  F(easy_perform)                                                                                                      \
  F(easy_setopt)                                                                                                       \
  F(easy_strerror)                                                                                                     \
  F(free)                                                                                                              \
  F(global_init)                                                                                                       \
  F(slist_append)                                                                                                      \
  F(slist_free_all)                                                                                                    \
  F(url)                                                                                                               \
  F(url_cleanup)                                                                                                       \
  F(url_get)                                                                                                           \
  F(url_set)

#define CLI_CURL_MEMBER(function) __typeof__(curl_##function) *(function);
struct cli_curl {
  CLI_CURL_FUNCTIONS(CLI_CURL_MEMBER)
};

/* Loads libcurl and fills *curl. From one thread. False, after a message: it is not there, or lacks a function. */
bool cli_curl_load(struct cli_curl *curl);

#endif
