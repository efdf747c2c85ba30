/*
 * JSON by yajl's generator, which gives each piece as it is made: a report is never in memory as a whole.
 *
 * After a failure everything is ignored; out_json_end() returns it.
 */
#ifndef CALLSIG_OUTPUT_TEXT_JSON_WRITER_H
#define CALLSIG_OUTPUT_TEXT_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <yajl/yajl_gen.h>

#include "output/text/text.h"

struct out_json {
  yajl_gen generator;
  FILE *out;
  struct out_text pending; /* what yajl gave, a few bytes at a time, and was not written yet */
  bool failed, write_failed;
  char *reserve;     /* what the generator itself lies in: it does not check that there is memory for it. Owned */
  unsigned reserved; /* pieces of it that were given */
};

/* 0 or -ENOMEM. */
int out_json_begin(struct out_json *json, FILE *out);
/* Ends the text with a newline and frees the generator: 0, -EIO when something could not be written, or -ENOMEM. */
int out_json_end(struct out_json *json);

void out_json_open_map(struct out_json *json);
void out_json_close_map(struct out_json *json);
void out_json_open_array(struct out_json *json);
void out_json_close_array(struct out_json *json);

/* A string; bytes that are not UTF-8 become U+FFFD. */
void out_json_string(struct out_json *json, const char *bytes, size_t length);
void out_json_integer(struct out_json *json, uint64_t value);
void out_json_signed(struct out_json *json, int64_t value);
/* The shortest decimal that reads back as the same number; null for what JSON has no number for. */
void out_json_number(struct out_json *json, double value, bool single);
void out_json_bool(struct out_json *json, bool value);
void out_json_null(struct out_json *json);

void out_json_key(struct out_json *json, const char *key);
void out_json_key_string(struct out_json *json, const char *key, const char *value); /* NULL: null */
void out_json_key_integer(struct out_json *json, const char *key, uint64_t value);
void out_json_key_number(struct out_json *json, const char *key, double value);

#endif
