/*
 * Regular expressions: PCRE2, whose syntax holds nearly everything of Python's `re`, which pstats searches with.
 */
#ifndef CALLSIG_OUTPUT_TEXT_REGEX_H
#define CALLSIG_OUTPUT_TEXT_REGEX_H

#include <stdbool.h>
#include <stddef.h>

struct out_regex;

/* Compiles a pattern. On -EINVAL, `error` (`error_size` bytes) says what is wrong and where. -ENOMEM. */
int out_regex_compile(const char *pattern, struct out_regex **regex, char *error, size_t error_size);
void out_regex_free(struct out_regex *regex);

/* Is it found anywhere in the text? A search that would run away counts as not found, and sets `failed` of the
 * expression. */
bool out_regex_search(struct out_regex *regex, const char *text, size_t length);

/* True when some search was given up. */
bool out_regex_failed(const struct out_regex *regex);

#endif
