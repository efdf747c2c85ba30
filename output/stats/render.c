/* Writes signatures as text. */
#include "output/stats/render.h"

#include <string.h>

#include "output/stats/render_number.h"

/* What rendering one signature needs everywhere. */
struct render {
  const struct out_profile *profile;
  const struct fmt_index *index;
  const struct out_arguments *arguments;
  struct out_text *text;
  size_t limit; /* length of the text at which it is cut */
};

static void render_value(struct render *render, uint32_t number);

static void type_name(struct render *render, uint32_t type)
{
  const char *name = fmt_index_string(render->index, render->index->types[type].name);
  out_text_printable(render->text, *name ? name : "?", *name ? strlen(name) : 1);
}

/* The type that a pointer points to; the type itself when it is no pointer. */
static uint32_t pointed_to(const struct fmt_index *index, uint32_t type)
{
  return index->types[type].target == FMT_NONE ? type : index->types[type].target;
}

/* The name of a type without "struct ", "union ", "class ", "enum " and cv: what a group is called. */
static void put_type_word(const struct fmt_index *index, uint32_t type, struct out_text *text)
{
  const struct fmt_index_type *known = &index->types[type];
  if (known->kind == FMT_TYPE_POINTER && known->target != FMT_NONE)
    known = &index->types[known->target];
  const char *name = fmt_index_string(index, known->name);
  static const char *const words[] = {"const ", "volatile ", "struct ", "union ", "class ", "enum "};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strncmp(name, words[i], strlen(words[i])) == 0)
      name += strlen(words[i]);
  }
  out_text_printable(text, *name ? name : "?", *name ? strlen(name) : 1);
}

/* How many elements a joined array has: the value of the argument that says so, "?" when that was lost, its name when
 * it was widened away. */
static void join_value(struct render *render, uint32_t join)
{
  const struct out_argument *length = &render->arguments->list[join];
  uint32_t kind = length->arg->kind;
  bool counts = kind == FMT_ARG_VALUE || kind == FMT_ARG_BUCKET_LOG2 || kind == FMT_ARG_BUCKET_RANGE;
  if (length->state == FMT_STATE_TYPE || kind == FMT_ARG_IGNORED) {
    const char *name = fmt_index_string(render->index, length->arg->name);
    out_text_printable(render->text, name, strlen(name));
  } else if (counts && (length->state == FMT_STATE_READ || length->state == FMT_STATE_LOG2)) {
    render_value(render, join);
  } else {
    out_text_putc(render->text, '?');
  }
}

/* A length that is none: of an address that is not NULL nothing of no elements is said, and the number that stands for
 * "unknown" or "all" (-1, SIZE_MAX) counts nothing. */
static bool is_no_length(const struct fmt_index *index, const struct out_argument *length)
{
  const struct fmt_index_type *type = &index->types[length->arg->type];
  if (length->arg->kind != FMT_ARG_VALUE || length->state != FMT_STATE_READ || !out_argument_is_number(index, length))
    return false;
  const uint64_t value = length->words[0];
  return value == 0 || value >> 63 || (!type->is_signed && type->size == 4 && value == UINT32_MAX);
}

static bool is_array(const struct render *render, const struct fmt_index_arg *arg)
{
  return arg->join < render->arguments->count && !is_no_length(render->index, &render->arguments->list[arg->join]);
}

static void render_pointer(struct render *render, const struct out_argument *argument)
{
  const struct fmt_index_arg *arg = argument->arg;
  if (argument->words[0] == 0) {
    out_text_puts(render->text, "NULL");
  } else if (arg->flags & FMT_ARG_THIS) {
    put_type_word(render->index, arg->type, render->text);
  } else if (is_array(render, arg)) {
    type_name(render, pointed_to(render->index, arg->type));
    out_text_putc(render->text, '[');
    join_value(render, arg->join);
    out_text_putc(render->text, ']');
  } else {
    type_name(render, arg->type);
  }
}

static void render_string(struct render *render, const struct out_argument *argument)
{
  if (argument->words[0] == UINT64_MAX) {
    out_text_puts(render->text, "NULL");
    return;
  }
  out_text_quoted(render->text, (const char *)(argument->words + 1), argument->words[0] & ~OUT_CUT, '"');
  if (argument->words[0] & OUT_CUT)
    out_text_puts(render->text, "...");
}

/* As Python prints a tuple: (16, 4), (16,). */
static void render_span(struct render *render, const struct out_argument *argument)
{
  const struct fmt_index_type *element = &render->index->types[pointed_to(render->index, argument->arg->type)];
  uint64_t count = argument->words[0] & ~OUT_CUT;
  out_text_putc(render->text, '(');
  for (uint64_t i = 0; i < count; i++) {
    out_text_puts(render->text, i ? ", " : "");
    out_render_number(render->index, element, argument->words[1 + i], render->text);
  }
  if (argument->words[0] & OUT_CUT)
    out_text_puts(render->text, ", ...");
  else if (count == 1)
    out_text_putc(render->text, ',');
  out_text_putc(render->text, ')');
}

/* The separator and the value that follow a name. */
static void render_named_value(struct render *render, uint32_t number)
{
  const struct out_argument *argument = &render->arguments->list[number];
  uint32_t kind = argument->arg->kind;
  bool is_type = argument->state == FMT_STATE_TYPE;
  if (argument->state == FMT_STATE_READ) {
    is_type = kind == FMT_ARG_TYPE || (kind == FMT_ARG_NULLNESS && argument->words[0] != 0) ||
              (kind == FMT_ARG_GROUP && !out_group_is_null(render->arguments, number));
    /* The outermost ranges have one bound and say which: w<0, w>=1024. */
    if (kind == FMT_ARG_BUCKET_RANGE && out_render_range_is_open(render->index, argument)) {
      render_value(render, number);
      return;
    }
  }
  out_text_putc(render->text, is_type ? ':' : '=');
  render_value(render, number);
}

static void render_child(struct render *render, uint32_t group, unsigned wanted)
{
  uint32_t child = out_group_child(render->arguments, group, group);
  for (; child != FMT_NONE && wanted > 0; wanted--)
    child = out_group_child(render->arguments, group, child);
  if (child != FMT_NONE)
    render_value(render, child);
}

/* A group's own text, with {0}, {1} replaced by its children's values. */
static void render_template(struct render *render, uint32_t group, const char *template)
{
  while (*template && render->text->length < render->limit) {
    unsigned wanted = 0;
    const char *digit = template + 1;
    for (; *template == '{' && *digit >= '0' && *digit <= '9' && wanted < 10000; digit++)
      wanted = wanted * 10 + (unsigned)(*digit - '0');
    if (*template == '{' && *digit == '}' && digit > template + 1) {
      render_child(render, group, wanted);
      template = digit + 1;
    } else {
      out_text_printable(render->text, template, 1);
      template ++;
    }
  }
}

static void render_group(struct render *render, uint32_t group)
{
  const struct fmt_index_arg *arg = render->arguments->list[group].arg;
  const char *template = fmt_index_string(render->index, arg->text);
  if (out_group_is_null(render->arguments, group)) {
    out_text_puts(render->text, "NULL");
    return;
  }
  if (*template) {
    render_template(render, group, template);
    return;
  }
  put_type_word(render->index, arg->type, render->text);
  out_text_putc(render->text, '(');
  const char *separator = "";
  uint32_t child = out_group_child(render->arguments, group, group);
  for (; child != FMT_NONE; child = out_group_child(render->arguments, group, child)) {
    const struct fmt_index_arg *field = render->arguments->list[child].arg;
    if (field->kind == FMT_ARG_IGNORED)
      continue;
    const char *name = fmt_index_string(render->index, field->name);
    out_text_puts(render->text, separator);
    out_text_printable(render->text, name, strlen(name));
    render_named_value(render, child);
    separator = ", ";
  }
  out_text_putc(render->text, ')');
}

static void render_read(struct render *render, uint32_t number)
{
  const struct out_argument *argument = &render->arguments->list[number];
  const struct fmt_index_type *type = &render->index->types[argument->arg->type];
  switch (argument->arg->kind) {
  case FMT_ARG_VALUE:
    if (type->kind == FMT_TYPE_FUNCTION_POINTER)
      out_text_puts(render->text,
                    argument->words[0] ? out_profile_string(render->profile, (uint32_t)argument->words[0]) : "NULL");
    else
      out_render_number(render->index, type, argument->words[0], render->text);
    break;
  case FMT_ARG_NULLNESS:
    render_pointer(render, argument);
    break;
  case FMT_ARG_STRING:
    render_string(render, argument);
    break;
  case FMT_ARG_BUCKET_LOG2:
    out_render_log2((int64_t)argument->words[0], render->text);
    break;
  case FMT_ARG_BUCKET_RANGE:
    out_render_range(render->index, argument, render->text);
    break;
  case FMT_ARG_FLOAT:
    out_render_float(type, argument->words[0], render->text);
    break;
  case FMT_ARG_SPAN:
    render_span(render, argument);
    break;
  case FMT_ARG_GROUP:
    render_group(render, number);
    break;
  case FMT_ARG_IGNORED:
    out_text_putc(render->text, '_');
    break;
  default:
    if (argument->arg->flags & FMT_ARG_THIS)
      put_type_word(render->index, argument->arg->type, render->text);
    else
      type_name(render, argument->arg->type);
  }
}

/* Every value adds at least one byte, so the limit bounds the work whatever a damaged index nests. */
static void render_value(struct render *render, uint32_t number)
{
  const struct out_argument *argument = &render->arguments->list[number];
  if (render->text->length >= render->limit) {
    out_text_puts(render->text, "...");
    return;
  }
  switch (argument->state) {
  case FMT_STATE_READ:
    render_read(render, number);
    break;
  case FMT_STATE_LOST:
    out_text_putc(render->text, '?');
    break;
  case FMT_STATE_UNREADABLE:
    out_text_puts(render->text, "<unreadable>");
    break;
  case FMT_STATE_LOG2:
    out_render_log2((int64_t)argument->words[0], render->text);
    break;
  default:
    type_name(render, argument->arg->type);
  }
}

void out_render_value(const struct out_profile *profile, const struct fmt_index *index,
                      const struct out_arguments *arguments, uint32_t number, struct out_text *text)
{
  struct render render = {
      .profile = profile, .index = index, .arguments = arguments, .text = text, .limit = text->length + OUT_RENDER_MAX};
  render_value(&render, number);
}

static void render_arguments(struct render *render)
{
  const char *separator = "";
  for (uint32_t i = 0; i < render->arguments->count; i = out_argument_after(render->arguments, i)) {
    const struct fmt_index_arg *arg = render->arguments->list[i].arg;
    if (arg->kind == FMT_ARG_IGNORED || arg->flags & FMT_ARG_RETURN)
      continue;
    out_text_puts(render->text, separator);
    if (render->text->length >= render->limit) {
      out_text_puts(render->text, "...");
      return;
    }
    const char *name = fmt_index_string(render->index, arg->name);
    out_text_printable(render->text, name, strlen(name));
    render_named_value(render, i);
    separator = ", ";
  }
}

static bool has_parameters(const struct out_arguments *arguments)
{
  return arguments->count > 0 && !(arguments->list[0].arg->flags & FMT_ARG_RETURN);
}

/* What the call returned, behind the arguments. */
static void render_returned(struct render *render)
{
  const uint32_t last = render->arguments->count - 1;
  if (render->arguments->count == 0 || !(render->arguments->list[last].arg->flags & FMT_ARG_RETURN))
    return;
  out_text_puts(render->text, " = ");
  render_value(render, last);
}

void out_render_signature(const struct out_profile *profile, uint32_t signature, struct out_arguments *scratch,
                          struct out_text *text)
{
  const struct out_signature *known = out_profile_signature(profile, signature);
  const struct out_layout *layout = out_profile_layout(profile, known->layout);
  if (!layout->entry || layout->entry->flags & FMT_FUNCTION_NO_DWARF) {
    out_text_puts(text, "(?)");
  } else if (known->any) {
    out_text_puts(text, "(...)");
  } else if (out_arguments_of(profile, signature, scratch) < 0) {
    text->failed = true;
  } else {
    struct render render = {.profile = profile,
                            .index = layout->index,
                            .arguments = scratch,
                            .text = text,
                            .limit = text->length + OUT_RENDER_MAX};
    out_text_putc(text, '(');
    render_arguments(&render);
    if (layout->entry->flags & FMT_FUNCTION_VARIADIC)
      out_text_puts(text, has_parameters(scratch) ? ", ..." : "...");
    out_text_putc(text, ')');
    render_returned(&render);
  }
}
