#include "names.h"

#include <string.h>

#include "callsig/stats.h"
#include "process.h"
#include "render.h"

const struct cs_known_function *cs_row_function(const struct cs_names *names, const struct cs_row_key *key)
{
  uint32_t function = key->what;
  if (key->what == CS_NONE)
    return NULL;
  if (names->by & CALLSIG_BY_SIGNATURE) {
    const struct cs_signature *signature = cs_profile_signature(names->profile, key->what);
    function = names->shown_function[cs_profile_layout(names->profile, signature->layout)->function];
  }
  return cs_profile_function(names->profile, function);
}

/* Recordings without signatures show functions alone, and actions have none. */
static bool shows_signature(const struct cs_names *names, const struct cs_known_function *function,
                            const struct cs_signature *signature)
{
  if (function->is_action || !signature->any)
    return !function->is_action;
  for (uint32_t i = 0; i < names->profile->recordings.count; i++) {
    if (cs_profile_recording(names->profile, i)->flags & CS_REC_SIGNATURES)
      return true;
  }
  return false;
}

/* The signature as text in parentheses. True when it has one. */
static bool put_arguments(const struct cs_names *names, const struct cs_known_function *function,
                          const struct cs_row_key *key, struct cs_arguments *scratch, struct cs_text *text)
{
  const struct cs_signature *signature =
      names->by & CALLSIG_BY_SIGNATURE ? cs_profile_signature(names->profile, key->what) : NULL;
  if (signature && signature->text)
    cs_text_printf(text, "(%s)", cs_profile_text(names->profile, signature));
  else if (signature && shows_signature(names, function, signature))
    cs_render_signature(names->profile, key->what, scratch, text);
  else
    return false;
  return true;
}

/* Appends the function's name, with its signature where rows are by signature and it has one. True when it has. */
static bool put_function(const struct cs_names *names, const struct cs_known_function *function,
                         const struct cs_row_key *key, struct cs_arguments *scratch, struct cs_text *text)
{
  const char *name = cs_profile_string(names->profile, function->name);
  size_t length = strlen(name), before = text->length;
  /* A task's arguments go inside of its braces: "{LABEL(width=640)}". */
  bool is_task =
      function->is_action && names->by & CALLSIG_BY_SIGNATURE && cs_profile_signature(names->profile, key->what)->text;
  cs_text_add(text, name, length - is_task);
  bool found = put_arguments(names, function, key, scratch, text);
  if (is_task)
    cs_text_putc(text, '}');
  return found && text->length > before;
}

void cs_row_function_text(const struct cs_names *names, const struct cs_row_key *key, struct cs_arguments *scratch,
                          struct cs_text *text)
{
  const struct cs_known_function *function = cs_row_function(names, key);
  if (function)
    put_function(names, function, key, scratch, text);
}

void cs_row_signature(const struct cs_names *names, const struct cs_row_key *key, struct cs_arguments *scratch,
                      struct cs_text *text)
{
  const struct cs_known_function *function = cs_row_function(names, key);
  size_t before = text->length;
  if (function && !put_function(names, function, key, scratch, text) && text->length > before) {
    text->length = before;
    text->data[before] = '\0';
  }
}

void cs_row_arguments(const struct cs_names *names, const struct cs_row_key *key, struct cs_arguments *scratch,
                      struct cs_text *text)
{
  const struct cs_known_function *function = cs_row_function(names, key);
  if (function)
    put_arguments(names, function, key, scratch, text);
}

/* "file:line(function)", or the name of an action. */
static void put_place(const struct cs_profile *profile, const struct cs_known_function *function, struct cs_text *text)
{
  const char *name = cs_profile_string(profile, function->name);
  if (function->is_action)
    cs_text_puts(text, name);
  else
    cs_text_printf(text, "%s:%u(%s)", cs_profile_string(profile, function->file), function->line, name);
}

bool cs_row_frame(const struct cs_names *names, const struct cs_row_key *key, uint32_t frame, struct cs_text *text)
{
  uint32_t stack = key->callstack;
  if (stack == CS_NONE)
    return false;
  for (; stack && frame > 0; frame--)
    stack = cs_callstack_at(names->callstacks, stack)->outer;
  if (!stack)
    return false;
  uint32_t function = cs_callstack_at(names->callstacks, stack)->function;
  put_place(names->profile, cs_profile_function(names->profile, function), text);
  return true;
}

static void put_callstack(const struct cs_names *names, const struct cs_row_key *key, const char *separator,
                          struct cs_text *text)
{
  cs_text_printf(text, "%s[called by", separator);
  for (uint32_t stack = key->callstack; stack; stack = cs_callstack_at(names->callstacks, stack)->outer) {
    uint32_t function = cs_callstack_at(names->callstacks, stack)->function;
    cs_text_puts(text, stack == key->callstack ? " " : " < ");
    put_place(names->profile, cs_profile_function(names->profile, function), text);
  }
  cs_text_puts(text, key->callstack ? "]" : " -]");
}

void cs_row_groups(const struct cs_names *names, const struct cs_row_key *key, const char *separator,
                   struct cs_text *text)
{
  if (key->stage != CS_NONE) {
    cs_text_printf(text, "%s[stage %s]", separator, cs_row_stage(names, key));
    separator = " ";
  }
  if (key->thread != CS_NONE) {
    cs_text_printf(text, "%s[thread %s]", separator, cs_profile_string(names->profile, key->thread));
    separator = " ";
  }
  if (key->module != CS_NONE) {
    const char *module = cs_profile_string(names->profile, key->module);
    cs_text_printf(text, "%s[module %s]", separator, *module ? module : "?");
    separator = " ";
  }
  if (key->process != CS_NONE) {
    cs_text_printf(text, "%s[process %s]", separator, cs_row_process(names, key));
    separator = " ";
  }
  if (key->rank != CS_NONE) {
    cs_text_printf(text, "%s[rank %s]", separator, cs_row_rank(names, key));
    separator = " ";
  }
  if (key->callstack != CS_NONE) {
    put_callstack(names, key, separator, text);
  }
}

void cs_row_name(const struct cs_names *names, const struct cs_row_key *key, struct cs_arguments *scratch,
                 struct cs_text *text)
{
  const struct cs_known_function *function = cs_row_function(names, key);
  if (function && function->is_action) {
    put_function(names, function, key, scratch, text);
  } else if (function) {
    cs_text_puts(text, cs_profile_string(names->profile, function->file));
    cs_text_putc(text, ':');
    cs_text_integer(text, function->line, 0);
    cs_text_putc(text, '(');
    put_function(names, function, key, scratch, text);
    cs_text_putc(text, ')');
  }
  cs_row_groups(names, key, function ? " " : "", text);
}

const char *cs_row_stage(const struct cs_names *names, const struct cs_row_key *key)
{
  if (key->stage == CS_NONE)
    return NULL;
  return key->stage ? cs_profile_string(names->profile, cs_profile_stage(names->profile, key->stage)->label) : "-";
}

const char *cs_row_process(const struct cs_names *names, const struct cs_row_key *key)
{
  if (key->process == CS_NONE)
    return NULL;
  return cs_profile_string(names->profile, cs_profile_recording(names->profile, key->process)->label);
}

const char *cs_row_rank(const struct cs_names *names, const struct cs_row_key *key)
{
  if (key->rank == CS_NONE)
    return NULL;
  const struct cs_recording_info *info = cs_profile_recording(names->profile, key->rank);
  return cs_profile_string(names->profile, info->rank_label);
}

static int compare_numbers(uint64_t left, uint64_t right)
{
  return left < right ? -1 : left > right;
}

static int compare_strings(const struct cs_profile *profile, uint32_t left, uint32_t right)
{
  return left == right ? 0 : strcmp(cs_profile_string(profile, left), cs_profile_string(profile, right));
}

static int compare_stages(const struct cs_profile *profile, uint32_t left, uint32_t right)
{
  const struct cs_known_stage *a = cs_profile_stage(profile, left), *b = cs_profile_stage(profile, right);
  int order = compare_numbers(left != 0, right != 0);
  if (order == 0)
    order = compare_numbers(a->pipeline, b->pipeline);
  if (order == 0)
    order = compare_numbers(a->index, b->index);
  return order ? order : compare_strings(profile, a->label, b->label);
}

static int compare_words(const struct cs_names *names, const struct cs_index *index, const struct cs_argument *left,
                         const struct cs_argument *right)
{
  const struct cs_index_type *type = &index->types[left->arg->type];
  if (left->arg->kind == CS_ARG_VALUE && left->state == CS_STATE_READ && type->kind == CS_TYPE_FUNCTION_POINTER)
    return compare_strings(names->profile, (uint32_t)left->words[0], (uint32_t)right->words[0]);
  if (left->arg->kind == CS_ARG_STRING && left->state == CS_STATE_READ && left->words[0] != UINT64_MAX &&
      right->words[0] != UINT64_MAX) {
    uint64_t left_size = left->words[0] & ~CS_CUT, right_size = right->words[0] & ~CS_CUT;
    int order = memcmp(left->words + 1, right->words + 1, left_size < right_size ? left_size : right_size);
    return order ? order : compare_numbers(left->words[0], right->words[0]);
  }
  bool is_unsigned = type->kind == CS_TYPE_UNSIGNED;
  for (uint32_t i = 0; i < left->word_count && i < right->word_count; i++) {
    uint64_t flip = is_unsigned ? 0 : UINT64_C(1) << 63; /* orders signed words as unsigned ones */
    int order = compare_numbers(left->words[i] ^ flip, right->words[i] ^ flip);
    if (order)
      return order;
  }
  return compare_numbers(left->word_count, right->word_count);
}

/* Signatures of parameters that were laid out differently. */
static int compare_rendered(const struct cs_names *names, uint32_t left, uint32_t right, struct cs_arguments scratch[2])
{
  struct cs_text a = {0}, b = {0};
  cs_render_signature(names->profile, left, &scratch[0], &a);
  cs_render_signature(names->profile, right, &scratch[1], &b);
  int order = strcmp(cs_text_string(&a), cs_text_string(&b));
  cs_text_free(&a);
  cs_text_free(&b);
  return order ? order : compare_numbers(left, right);
}

static int compare_signatures(const struct cs_names *names, uint32_t left, uint32_t right,
                              struct cs_arguments scratch[2])
{
  const struct cs_signature *a = cs_profile_signature(names->profile, left),
                            *b = cs_profile_signature(names->profile, right);
  if (a->any != b->any)
    return compare_numbers(a->any, b->any);
  if (a->layout != b->layout)
    return compare_rendered(names, left, right, scratch);
  if (a->text != b->text)
    return compare_numbers(a->text, b->text);
  if (a->text)
    return strcmp(cs_profile_text(names->profile, a), cs_profile_text(names->profile, b));
  const struct cs_index *index = cs_profile_layout(names->profile, a->layout)->index;
  if (a->any || cs_arguments_of(names->profile, left, &scratch[0]) < 0 ||
      cs_arguments_of(names->profile, right, &scratch[1]) < 0)
    return compare_numbers(left, right);
  for (uint32_t i = 0; i < scratch[0].count; i++) {
    const struct cs_argument *one = &scratch[0].list[i], *other = &scratch[1].list[i];
    int order = compare_numbers(one->state, other->state);
    if (order == 0 && one->word_count > 0)
      order = compare_words(names, index, one, other);
    if (order)
      return order;
  }
  return 0;
}

int cs_row_compare(const struct cs_names *names, const struct cs_row_key *left, const struct cs_row_key *right,
                   struct cs_arguments scratch[2])
{
  const struct cs_known_function *a = cs_row_function(names, left), *b = cs_row_function(names, right);
  int order = 0;
  if (a && b && a != b) {
    order = compare_strings(names->profile, a->file, b->file);
    if (order == 0)
      order = compare_numbers(a->line, b->line);
    if (order == 0)
      order = compare_strings(names->profile, a->name, b->name);
  }
  if (order == 0 && left->what != right->what && names->by & CALLSIG_BY_SIGNATURE)
    order = compare_signatures(names, left->what, right->what, scratch);
  if (order == 0 && left->stage != right->stage)
    order = compare_stages(names->profile, left->stage, right->stage);
  if (order == 0 && left->thread != right->thread)
    order = compare_strings(names->profile, left->thread, right->thread);
  if (order == 0 && left->module != right->module)
    order = compare_strings(names->profile, left->module, right->module);
  if (order == 0 && left->process != right->process)
    order = cs_process_compare(names->profile, left->process, right->process);
  if (order == 0 && left->rank != right->rank)
    order = cs_process_compare_ranks(names->profile, left->rank, right->rank);
  if (order == 0 && left->callstack != right->callstack)
    order = cs_callstack_compare(names->profile, names->callstacks, left->callstack, right->callstack);
  return order;
}
