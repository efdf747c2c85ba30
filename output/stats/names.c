/* Writes the names of rows. */
#include "output/stats/names.h"

#include <string.h>

#include "callsig/stats.h"
#include "output/profile/process.h"
#include "output/stats/render.h"

const struct out_known_function *out_row_function(const struct out_names *names, const struct out_row_key *key)
{
  uint32_t function = key->what;
  if (key->what == FMT_NONE)
    return NULL;
  if (names->by & CALLSIG_BY_SIGNATURE) {
    const struct out_signature *signature = out_profile_signature(names->profile, key->what);
    function = names->shown_function[out_profile_layout(names->profile, signature->layout)->function];
  }
  return out_profile_function(names->profile, function);
}

/* Recordings without signatures show functions alone, and actions have none. */
static bool shows_signature(const struct out_names *names, const struct out_known_function *function,
                            const struct out_signature *signature)
{
  if (function->is_action || !signature->any)
    return !function->is_action;
  for (uint32_t i = 0; i < names->profile->recordings.count; i++) {
    if (out_profile_recording(names->profile, i)->flags & FMT_REC_SIGNATURES)
      return true;
  }
  return false;
}

/* The signature as text in parentheses. True when it has one. */
static bool put_arguments(const struct out_names *names, const struct out_known_function *function,
                          const struct out_row_key *key, struct out_arguments *scratch, struct out_text *text)
{
  const struct out_signature *signature =
      names->by & CALLSIG_BY_SIGNATURE ? out_profile_signature(names->profile, key->what) : NULL;
  if (signature && signature->text)
    out_text_printf(text, "(%s)", out_profile_text(names->profile, signature));
  else if (signature && shows_signature(names, function, signature))
    out_render_signature(names->profile, key->what, scratch, text);
  else
    return false;
  return true;
}

/* Appends the function's name, with its signature where rows are by signature and it has one. True when it has. */
static bool put_function(const struct out_names *names, const struct out_known_function *function,
                         const struct out_row_key *key, struct out_arguments *scratch, struct out_text *text)
{
  const char *name = out_profile_string(names->profile, function->name);
  size_t length = strlen(name), before = text->length;
  /* A task's arguments go inside of its braces: "{LABEL(width=640)}". */
  bool is_task =
      function->is_action && names->by & CALLSIG_BY_SIGNATURE && out_profile_signature(names->profile, key->what)->text;
  out_text_add(text, name, length - is_task);
  bool found = put_arguments(names, function, key, scratch, text);
  if (is_task)
    out_text_putc(text, '}');
  return found && text->length > before;
}

void out_row_function_text(const struct out_names *names, const struct out_row_key *key, struct out_arguments *scratch,
                           struct out_text *text)
{
  const struct out_known_function *function = out_row_function(names, key);
  if (function)
    put_function(names, function, key, scratch, text);
}

void out_row_signature(const struct out_names *names, const struct out_row_key *key, struct out_arguments *scratch,
                       struct out_text *text)
{
  const struct out_known_function *function = out_row_function(names, key);
  size_t before = text->length;
  if (function && !put_function(names, function, key, scratch, text) && text->length > before) {
    text->length = before;
    text->data[before] = '\0';
  }
}

void out_row_arguments(const struct out_names *names, const struct out_row_key *key, struct out_arguments *scratch,
                       struct out_text *text)
{
  const struct out_known_function *function = out_row_function(names, key);
  if (function)
    put_arguments(names, function, key, scratch, text);
}

/* "file:line(function)", or the name of an action. */
static void put_place(const struct out_profile *profile, const struct out_known_function *function,
                      struct out_text *text)
{
  const char *name = out_profile_string(profile, function->name);
  if (function->is_action)
    out_text_puts(text, name);
  else
    out_text_printf(text, "%s:%u(%s)", out_profile_string(profile, function->file), function->line, name);
}

bool out_row_frame(const struct out_names *names, const struct out_row_key *key, uint32_t frame, struct out_text *text)
{
  uint32_t stack = key->callstack;
  if (stack == FMT_NONE)
    return false;
  for (; stack && frame > 0; frame--)
    stack = out_callstack_at(names->callstacks, stack)->outer;
  if (!stack)
    return false;
  uint32_t function = out_callstack_at(names->callstacks, stack)->function;
  put_place(names->profile, out_profile_function(names->profile, function), text);
  return true;
}

static void put_callstack(const struct out_names *names, const struct out_row_key *key, const char *separator,
                          struct out_text *text)
{
  out_text_printf(text, "%s[called by", separator);
  for (uint32_t stack = key->callstack; stack; stack = out_callstack_at(names->callstacks, stack)->outer) {
    uint32_t function = out_callstack_at(names->callstacks, stack)->function;
    out_text_puts(text, stack == key->callstack ? " " : " < ");
    put_place(names->profile, out_profile_function(names->profile, function), text);
  }
  out_text_puts(text, key->callstack ? "]" : " -]");
}

static const char *file_name(const struct out_names *names, uint32_t string)
{
  const char *path = out_profile_string(names->profile, string), *slash = strrchr(path, '/');
  return names->strip_dirs && slash ? slash + 1 : path;
}

/* A place whose line is not known: where it lies in its module. */
static void put_address(const struct out_names *names, const struct out_call_place *place, struct out_text *text)
{
  if (place->module == FMT_NONE)
    out_text_putc(text, '?');
  else
    out_text_printf(text, "%s+%#llx", file_name(names, out_profile_module(names->profile, place->module)->label),
                    (unsigned long long)place->address);
}

bool out_row_site(const struct out_names *names, const struct out_row_key *key, struct out_text *text)
{
  if (key->place == FMT_NONE)
    return false;
  if (key->place == OUT_PLACE_UNKNOWN) {
    out_text_putc(text, '?');
    return true;
  }
  const struct out_call_place *place = out_profile_call_place(names->profile, key->place);
  const bool is_tail = place->flags & FMT_CALL_PLACE_TAIL;
  if (!place->line)
    put_address(names, place, text);
  else
    for (const char *before = "";; before = " < ") {
      out_text_printf(text, "%s%s:%u(%s)", before, file_name(names, place->file), place->line,
                      out_profile_string(names->profile, place->function));
      if (place->outer == FMT_NONE)
        break;
      place = out_profile_call_place(names->profile, place->outer);
    }
  out_text_puts(text, is_tail ? ", by a tail call" : "");
  return true;
}

void out_row_groups(const struct out_names *names, const struct out_row_key *key, const char *separator,
                    struct out_text *text)
{
  if (key->stage != FMT_NONE) {
    out_text_printf(text, "%s[stage %s]", separator, out_row_stage(names, key));
    separator = " ";
  }
  if (key->thread != FMT_NONE) {
    out_text_printf(text, "%s[thread %s]", separator, out_profile_string(names->profile, key->thread));
    separator = " ";
  }
  if (key->module != FMT_NONE) {
    const char *module = out_profile_string(names->profile, key->module);
    out_text_printf(text, "%s[module %s]", separator, *module ? module : "?");
    separator = " ";
  }
  if (key->process != FMT_NONE) {
    out_text_printf(text, "%s[process %s]", separator, out_row_process(names, key));
    separator = " ";
  }
  if (key->rank != FMT_NONE) {
    out_text_printf(text, "%s[rank %s]", separator, out_row_rank(names, key));
    separator = " ";
  }
  if (key->callstack != FMT_NONE) {
    put_callstack(names, key, separator, text);
    separator = " ";
  }
  if (key->place != FMT_NONE) {
    out_text_printf(text, "%s[at ", separator);
    out_row_site(names, key, text);
    out_text_putc(text, ']');
  }
}

void out_row_name(const struct out_names *names, const struct out_row_key *key, struct out_arguments *scratch,
                  struct out_text *text)
{
  const struct out_known_function *function = out_row_function(names, key);
  if (function && function->is_action) {
    put_function(names, function, key, scratch, text);
  } else if (function) {
    out_text_puts(text, out_profile_string(names->profile, function->file));
    out_text_putc(text, ':');
    out_text_integer(text, function->line, 0);
    out_text_putc(text, '(');
    put_function(names, function, key, scratch, text);
    out_text_putc(text, ')');
  }
  out_row_groups(names, key, function ? " " : "", text);
}

const char *out_row_stage(const struct out_names *names, const struct out_row_key *key)
{
  if (key->stage == FMT_NONE)
    return NULL;
  return key->stage ? out_profile_string(names->profile, out_profile_stage(names->profile, key->stage)->label) : "-";
}

const char *out_row_process(const struct out_names *names, const struct out_row_key *key)
{
  if (key->process == FMT_NONE)
    return NULL;
  return out_profile_string(names->profile, out_profile_recording(names->profile, key->process)->label);
}

const char *out_row_rank(const struct out_names *names, const struct out_row_key *key)
{
  if (key->rank == FMT_NONE)
    return NULL;
  const struct out_recording_info *info = out_profile_recording(names->profile, key->rank);
  return out_profile_string(names->profile, info->rank_label);
}

static int compare_numbers(uint64_t left, uint64_t right)
{
  return left < right ? -1 : left > right;
}

static int compare_strings(const struct out_profile *profile, uint32_t left, uint32_t right)
{
  return left == right ? 0 : strcmp(out_profile_string(profile, left), out_profile_string(profile, right));
}

static int compare_stages(const struct out_profile *profile, uint32_t left, uint32_t right)
{
  const struct out_known_stage *a = out_profile_stage(profile, left), *b = out_profile_stage(profile, right);
  int order = compare_numbers(left != 0, right != 0);
  if (order == 0)
    order = compare_numbers(a->pipeline, b->pipeline);
  if (order == 0)
    order = compare_numbers(a->index, b->index);
  return order ? order : compare_strings(profile, a->label, b->label);
}

static int compare_words(const struct out_names *names, const struct fmt_index *index, const struct out_argument *left,
                         const struct out_argument *right)
{
  const struct fmt_index_type *type = &index->types[left->arg->type];
  if (left->arg->kind == FMT_ARG_VALUE && left->state == FMT_STATE_READ && type->kind == FMT_TYPE_FUNCTION_POINTER)
    return compare_strings(names->profile, (uint32_t)left->words[0], (uint32_t)right->words[0]);
  if (left->arg->kind == FMT_ARG_STRING && left->state == FMT_STATE_READ && left->words[0] != UINT64_MAX &&
      right->words[0] != UINT64_MAX) {
    uint64_t left_size = left->words[0] & ~OUT_CUT, right_size = right->words[0] & ~OUT_CUT;
    int order = memcmp(left->words + 1, right->words + 1, left_size < right_size ? left_size : right_size);
    return order ? order : compare_numbers(left->words[0], right->words[0]);
  }
  bool is_unsigned = type->kind == FMT_TYPE_UNSIGNED;
  for (uint32_t i = 0; i < left->word_count && i < right->word_count; i++) {
    uint64_t flip = is_unsigned ? 0 : UINT64_C(1) << 63; /* orders signed words as unsigned ones */
    int order = compare_numbers(left->words[i] ^ flip, right->words[i] ^ flip);
    if (order)
      return order;
  }
  return compare_numbers(left->word_count, right->word_count);
}

/* Signatures of parameters that were laid out differently. */
static int compare_rendered(const struct out_names *names, uint32_t left, uint32_t right,
                            struct out_arguments scratch[2])
{
  struct out_text a = {0}, b = {0};
  out_render_signature(names->profile, left, &scratch[0], &a);
  out_render_signature(names->profile, right, &scratch[1], &b);
  int order = strcmp(out_text_string(&a), out_text_string(&b));
  out_text_free(&a);
  out_text_free(&b);
  return order ? order : compare_numbers(left, right);
}

static int compare_signatures(const struct out_names *names, uint32_t left, uint32_t right,
                              struct out_arguments scratch[2])
{
  const struct out_signature *a = out_profile_signature(names->profile, left),
                             *b = out_profile_signature(names->profile, right);
  if (a->any != b->any)
    return compare_numbers(a->any, b->any);
  if (a->layout != b->layout)
    return compare_rendered(names, left, right, scratch);
  if (a->text != b->text)
    return compare_numbers(a->text, b->text);
  if (a->text)
    return strcmp(out_profile_text(names->profile, a), out_profile_text(names->profile, b));
  const struct fmt_index *index = out_profile_layout(names->profile, a->layout)->index;
  if (a->any || out_arguments_of(names->profile, left, &scratch[0]) < 0 ||
      out_arguments_of(names->profile, right, &scratch[1]) < 0)
    return compare_numbers(left, right);
  for (uint32_t i = 0; i < scratch[0].count; i++) {
    const struct out_argument *one = &scratch[0].list[i], *other = &scratch[1].list[i];
    int order = compare_numbers(one->state, other->state);
    if (order == 0 && one->word_count > 0)
      order = compare_words(names, index, one, other);
    if (order)
      return order;
  }
  return 0;
}

static int compare_places(const struct out_profile *profile, uint32_t left, uint32_t right)
{
  while (left < OUT_PLACE_UNKNOWN && right < OUT_PLACE_UNKNOWN && left != right) {
    const struct out_call_place *a = out_profile_call_place(profile, left), *b = out_profile_call_place(profile, right);
    int order = compare_strings(profile, a->file, b->file);
    if (order == 0)
      order = compare_numbers(a->line, b->line);
    if (order == 0)
      order = compare_numbers(a->address, b->address);
    if (order != 0)
      return order;
    left = a->outer;
    right = b->outer;
  }
  return compare_numbers(left, right);
}

int out_row_compare(const struct out_names *names, const struct out_row_key *left, const struct out_row_key *right,
                    struct out_arguments scratch[2])
{
  const struct out_known_function *a = out_row_function(names, left), *b = out_row_function(names, right);
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
    order = out_process_compare(names->profile, left->process, right->process);
  if (order == 0 && left->rank != right->rank)
    order = out_process_compare_ranks(names->profile, left->rank, right->rank);
  if (order == 0 && left->callstack != right->callstack)
    order = out_callstack_compare(names->profile, names->callstacks, left->callstack, right->callstack);
  if (order == 0 && left->place != right->place)
    order = compare_places(names->profile, left->place, right->place);
  return order;
}
