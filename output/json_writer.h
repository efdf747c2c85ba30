/*
 * JSON by yajl's generator, which gives each piece as it is made: a report is never in memory as a whole.
 *
 * After a failure everything is ignored; cs_json_end() returns it.
 */
#ifndef CALLSIG_OUTPUT_JSON_WRITER_H
#define CALLSIG_OUTPUT_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <yajl/yajl_gen.h>

#include "text.h"

struct cs_json {
  yajl_gen generator;
  FILE *out;
  struct cs_text pending; /* what yajl gave, a few bytes at a time, and was not written yet */
  bool failed, write_failed;
  char *reserve;     /* what the generator itself lies in: it does not check that there is memory for it. Owned */
  unsigned reserved; /* pieces of it that were given */
};

/* 0 or -ENOMEM. */
int cs_json_begin(struct cs_json *json, FILE *out);
/* Ends the text with a newline and frees the generator: 0, -EIO when something could not be written, or -ENOMEM. */
int cs_json_end(struct cs_json *json);

void cs_json_open_map(struct cs_json *json);
void cs_json_close_map(struct cs_json *json);
void cs_json_open_array(struct cs_json *json);
void cs_json_close_array(struct cs_json *json);

/* A string; bytes that are not UTF-8 become U+FFFD. */
void cs_json_string(struct cs_json *json, const char *bytes, size_t length);
void cs_json_integer(struct cs_json *json, uint64_t value);
void cs_json_signed(struct cs_json *json, int64_t value);
/* The shortest decimal that reads back as the same number; null for what JSON has no number for. */
void cs_json_number(struct cs_json *json, double value, bool single);
void cs_json_bool(struct cs_json *json, bool value);
void cs_json_null(struct cs_json *json);

void cs_json_key(struct cs_json *json, const char *key);
void cs_json_key_string(struct cs_json *json, const char *key, const char *value); /* NULL: null */
void cs_json_key_integer(struct cs_json *json, const char *key, uint64_t value);
void cs_json_key_number(struct cs_json *json, const char *key, double value);

#endif
