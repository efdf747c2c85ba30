/* Compiles and searches regular expressions, by PCRE2. */
#include "output/text/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <errno.h>
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>

struct out_regex {
  pcre2_code *code;
  pcre2_match_data *match;
  bool failed;
};

int out_regex_compile(const char *pattern, struct out_regex **compiled, char *error, size_t error_size)
{
  *compiled = NULL;
  struct out_regex *regex = calloc(1, sizeof *regex);
  if (!regex)
    return -ENOMEM;
  int number;
  PCRE2_SIZE offset;
  regex->code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                              PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF, &number, &offset, NULL);
  if (!regex->code && number == PCRE2_ERROR_HEAP_FAILED) {
    free(regex);
    return -ENOMEM;
  }
  if (!regex->code) {
    PCRE2_UCHAR text[200];
    pcre2_get_error_message(number, text, sizeof text);
    snprintf(error, error_size, "%s at column %zu", (const char *)text, (size_t)offset + 1);
    free(regex);
    return -EINVAL;
  }
  /* Without the just-in-time compiler the interpreter runs the same pattern. */
  pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE);
  regex->match = pcre2_match_data_create_from_pattern(regex->code, NULL);
  if (!regex->match) {
    out_regex_free(regex);
    return -ENOMEM;
  }
  *compiled = regex;
  return 0;
}

void out_regex_free(struct out_regex *regex)
{
  if (!regex)
    return;
  pcre2_match_data_free(regex->match);
  pcre2_code_free(regex->code);
  free(regex);
}

bool out_regex_search(struct out_regex *regex, const char *text, size_t length)
{
  int found = pcre2_match(regex->code, (PCRE2_SPTR)text, length, 0, 0, regex->match, NULL);
  if (found < 0 && found != PCRE2_ERROR_NOMATCH)
    regex->failed = true;
  return found >= 0;
}

bool out_regex_failed(const struct out_regex *regex)
{
  return regex->failed;
}
