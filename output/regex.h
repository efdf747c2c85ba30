/*
 * Regular expressions: PCRE2, whose syntax holds nearly everything of Python's `re`, which pstats searches with.
 */
#ifndef CALLSIG_OUTPUT_REGEX_H
#define CALLSIG_OUTPUT_REGEX_H

#include <stdbool.h>
#include <stddef.h>

struct cs_regex;

/* Compiles a pattern. On -EINVAL, `error` (`error_size` bytes) says what is wrong and where. -ENOMEM. */
int cs_regex_compile(const char *pattern, struct cs_regex **regex, char *error, size_t error_size);
void cs_regex_free(struct cs_regex *regex);

/* Is it found anywhere in the text? A search that would run away counts as not found, and sets `failed` of the
 * expression. */
bool cs_regex_search(struct cs_regex *regex, const char *text, size_t length);

/* True when some search was given up. */
bool cs_regex_failed(const struct cs_regex *regex);

#endif
