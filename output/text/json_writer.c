/* Writes JSON piece by piece, by yajl's generator. */
#include "output/text/json_writer.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PENDING_SIZE = 64 * 1024 };

static void write_pending(struct out_json *json)
{
  if (fwrite(out_text_string(&json->pending), 1, json->pending.length, json->out) != json->pending.length)
    json->failed = json->write_failed = true;
  json->failed |= json->pending.failed;
  out_text_clear(&json->pending);
}

static void take(void *data, const char *bytes, size_t length)
{
  struct out_json *json = data;
  out_text_add(&json->pending, bytes, length);
  if (json->pending.length >= PENDING_SIZE)
    write_pending(json);
}

static void check(struct out_json *json, yajl_gen_status status)
{
  if (status != yajl_gen_status_ok)
    json->failed = true;
}

enum { PIECE = 4096, PIECES = 2 };

static bool is_reserved(const struct out_json *json, const void *memory)
{
  uintptr_t at = (uintptr_t)memory, from = (uintptr_t)json->reserve;
  return at >= from && at < from + PIECE * PIECES;
}

static void *give(void *data, size_t size)
{
  struct out_json *json = data;
  if (size > PIECE || json->reserved == PIECES)
    return malloc(size);
  return json->reserve + PIECE * json->reserved++;
}

static void take_back(void *data, void *memory)
{
  if (!is_reserved(data, memory))
    free(memory);
}

static void *resize(void *data, void *memory, size_t size)
{
  if (!is_reserved(data, memory))
    return realloc(memory, size);
  void *larger = malloc(size);
  if (larger)
    memcpy(larger, memory, size < PIECE ? size : PIECE);
  return larger;
}

int out_json_begin(struct out_json *json, FILE *out)
{
  *json = (struct out_json){.out = out, .reserve = malloc(PIECE * PIECES)};
  if (!json->reserve)
    return -ENOMEM;
  const yajl_alloc_funcs functions = {.malloc = give, .realloc = resize, .free = take_back, .ctx = json};
  json->generator = yajl_gen_alloc(&functions);
  if (!json->generator) {
    free(json->reserve);
    return -ENOMEM;
  }
  yajl_gen_config(json->generator, yajl_gen_print_callback, take, json);
  yajl_gen_config(json->generator, yajl_gen_beautify, 1);
  yajl_gen_config(json->generator, yajl_gen_indent_string, " ");
  return 0;
}

int out_json_end(struct out_json *json)
{
  if (!json->generator)
    return -ENOMEM;
  yajl_gen_free(json->generator);
  free(json->reserve);
  if (!json->failed)
    write_pending(json);
  out_text_free(&json->pending);
  if (!json->failed && fflush(json->out) != 0)
    json->failed = json->write_failed = true;
  if (json->write_failed)
    return -EIO;
  return json->failed ? -ENOMEM : 0;
}

void out_json_open_map(struct out_json *json)
{
  if (!json->failed)
    check(json, yajl_gen_map_open(json->generator));
}

void out_json_close_map(struct out_json *json)
{
  if (!json->failed)
    check(json, yajl_gen_map_close(json->generator));
}

void out_json_open_array(struct out_json *json)
{
  if (!json->failed)
    check(json, yajl_gen_array_open(json->generator));
}

void out_json_close_array(struct out_json *json)
{
  if (!json->failed)
    check(json, yajl_gen_array_close(json->generator));
}

static void put_string(struct out_json *json, const char *bytes, size_t length)
{
  if (!json->failed)
    check(json, yajl_gen_string(json->generator, (const unsigned char *)bytes, length));
}

void out_json_string(struct out_json *json, const char *bytes, size_t length)
{
  size_t valid = 0, character;
  while (valid < length && (character = out_text_utf8(bytes + valid, length - valid)) > 0)
    valid += character;
  if (valid == length) {
    put_string(json, bytes, length);
    return;
  }
  struct out_text text = {0};
  for (size_t i = 0; i < length; i += character) {
    character = out_text_utf8(bytes + i, length - i);
    out_text_add(&text, character ? bytes + i : "\xEF\xBF\xBD", character ? character : 3);
    character += character == 0;
  }
  json->failed |= text.failed;
  put_string(json, out_text_string(&text), text.length);
  out_text_free(&text);
}

static void put_number(struct out_json *json, const char *digits)
{
  if (!json->failed)
    check(json, yajl_gen_number(json->generator, digits, strlen(digits)));
}

void out_json_integer(struct out_json *json, uint64_t value)
{
  char digits[24];
  snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
  put_number(json, digits);
}

void out_json_signed(struct out_json *json, int64_t value)
{
  char digits[24];
  snprintf(digits, sizeof digits, "%lld", (long long)value);
  put_number(json, digits);
}

void out_json_number(struct out_json *json, double value, bool single)
{
  if (isnan(value) || isinf(value)) {
    out_json_null(json);
    return;
  }
  struct out_text text = {0};
  out_text_double(&text, value, single);
  json->failed |= text.failed;
  put_number(json, out_text_string(&text));
  out_text_free(&text);
}

void out_json_bool(struct out_json *json, bool value)
{
  if (!json->failed)
    check(json, yajl_gen_bool(json->generator, value));
}

void out_json_null(struct out_json *json)
{
  if (!json->failed)
    check(json, yajl_gen_null(json->generator));
}

void out_json_key(struct out_json *json, const char *key)
{
  put_string(json, key, strlen(key));
}

void out_json_key_string(struct out_json *json, const char *key, const char *value)
{
  out_json_key(json, key);
  if (value)
    out_json_string(json, value, strlen(value));
  else
    out_json_null(json);
}

void out_json_key_integer(struct out_json *json, const char *key, uint64_t value)
{
  out_json_key(json, key);
  out_json_integer(json, value);
}

void out_json_key_number(struct out_json *json, const char *key, double value)
{
  out_json_key(json, key);
  out_json_number(json, value, false);
}
