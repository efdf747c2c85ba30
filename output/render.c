#include "render.h"

#include <string.h>

#include "render_number.h"

/* What rendering one signature needs everywhere. */
struct render {
  const struct cs_profile *profile;
  const struct cs_index *index;
  const struct cs_arguments *arguments;
  struct cs_text *text;
  size_t limit; /* length of the text at which it is cut */
};

static void render_value(struct render *render, uint32_t number);

static void type_name(struct render *render, uint32_t type)
{
  const char *name = cs_index_string(render->index, render->index->types[type].name);
  cs_text_printable(render->text, *name ? name : "?", *name ? strlen(name) : 1);
}

/* The type that a pointer points to; the type itself when it is no pointer. */
static uint32_t pointed_to(const struct cs_index *index, uint32_t type)
{
  return index->types[type].target == CS_NONE ? type : index->types[type].target;
}

void cs_render_type_word(const struct cs_index *index, uint32_t type, struct cs_text *text)
{
  const struct cs_index_type *known = &index->types[type];
  if (known->kind == CS_TYPE_POINTER && known->target != CS_NONE)
    known = &index->types[known->target];
  const char *name = cs_index_string(index, known->name);
  static const char *const words[] = {"const ", "volatile ", "struct ", "union ", "class ", "enum "};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strncmp(name, words[i], strlen(words[i])) == 0)
      name += strlen(words[i]);
  }
  cs_text_printable(text, *name ? name : "?", *name ? strlen(name) : 1);
}

/* How many elements a joined array has: the value of the argument that says so, "?" when that was lost, its name when
 * it was widened away. */
static void join_value(struct render *render, uint32_t join)
{
  const struct cs_argument *length = &render->arguments->list[join];
  uint32_t kind = length->arg->kind;
  bool counts = kind == CS_ARG_VALUE || kind == CS_ARG_BUCKET_LOG2 || kind == CS_ARG_BUCKET_RANGE;
  if (length->state == CS_STATE_TYPE || kind == CS_ARG_IGNORED) {
    const char *name = cs_index_string(render->index, length->arg->name);
    cs_text_printable(render->text, name, strlen(name));
  } else if (counts && (length->state == CS_STATE_READ || length->state == CS_STATE_LOG2)) {
    render_value(render, join);
  } else {
    cs_text_putc(render->text, '?');
  }
}

static void render_pointer(struct render *render, const struct cs_argument *argument)
{
  const struct cs_index_arg *arg = argument->arg;
  if (argument->words[0] == 0) {
    cs_text_puts(render->text, "NULL");
  } else if (arg->flags & CS_ARG_THIS) {
    cs_render_type_word(render->index, arg->type, render->text);
  } else if (arg->join < render->arguments->count) {
    type_name(render, pointed_to(render->index, arg->type));
    cs_text_putc(render->text, '[');
    join_value(render, arg->join);
    cs_text_putc(render->text, ']');
  } else {
    type_name(render, arg->type);
  }
}

static void render_string(struct render *render, const struct cs_argument *argument)
{
  if (argument->words[0] == UINT64_MAX) {
    cs_text_puts(render->text, "NULL");
    return;
  }
  cs_text_quoted(render->text, (const char *)(argument->words + 1), argument->words[0] & ~CS_CUT, '"');
  if (argument->words[0] & CS_CUT)
    cs_text_puts(render->text, "...");
}

/* As Python prints a tuple: (16, 4), (16,). */
static void render_span(struct render *render, const struct cs_argument *argument)
{
  const struct cs_index_type *element = &render->index->types[pointed_to(render->index, argument->arg->type)];
  uint64_t count = argument->words[0] & ~CS_CUT;
  cs_text_putc(render->text, '(');
  for (uint64_t i = 0; i < count; i++) {
    cs_text_puts(render->text, i ? ", " : "");
    cs_render_number(render->index, element, argument->words[1 + i], render->text);
  }
  if (argument->words[0] & CS_CUT)
    cs_text_puts(render->text, ", ...");
  else if (count == 1)
    cs_text_putc(render->text, ',');
  cs_text_putc(render->text, ')');
}

/* The separator and the value that follow a name. */
static void render_named_value(struct render *render, uint32_t number)
{
  const struct cs_argument *argument = &render->arguments->list[number];
  uint32_t kind = argument->arg->kind;
  bool is_type = argument->state == CS_STATE_TYPE;
  if (argument->state == CS_STATE_READ) {
    is_type = kind == CS_ARG_TYPE || (kind == CS_ARG_NULLNESS && argument->words[0] != 0) ||
              (kind == CS_ARG_GROUP && !cs_group_is_null(render->arguments, number));
    /* The outermost ranges have one bound and say which: w<0, w>=1024. */
    if (kind == CS_ARG_BUCKET_RANGE && cs_render_range_is_open(render->index, argument)) {
      render_value(render, number);
      return;
    }
  }
  cs_text_putc(render->text, is_type ? ':' : '=');
  render_value(render, number);
}

static void render_child(struct render *render, uint32_t group, unsigned wanted)
{
  uint32_t child = cs_group_child(render->arguments, group, group);
  for (; child != CS_NONE && wanted > 0; wanted--)
    child = cs_group_child(render->arguments, group, child);
  if (child != CS_NONE)
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
      cs_text_printable(render->text, template, 1);
      template ++;
    }
  }
}

static void render_group(struct render *render, uint32_t group)
{
  const struct cs_index_arg *arg = render->arguments->list[group].arg;
  const char *template = cs_index_string(render->index, arg->text);
  if (cs_group_is_null(render->arguments, group)) {
    cs_text_puts(render->text, "NULL");
    return;
  }
  if (*template) {
    render_template(render, group, template);
    return;
  }
  cs_render_type_word(render->index, arg->type, render->text);
  cs_text_putc(render->text, '(');
  const char *separator = "";
  uint32_t child = cs_group_child(render->arguments, group, group);
  for (; child != CS_NONE; child = cs_group_child(render->arguments, group, child)) {
    const struct cs_index_arg *field = render->arguments->list[child].arg;
    if (field->kind == CS_ARG_IGNORED)
      continue;
    const char *name = cs_index_string(render->index, field->name);
    cs_text_puts(render->text, separator);
    cs_text_printable(render->text, name, strlen(name));
    render_named_value(render, child);
    separator = ", ";
  }
  cs_text_putc(render->text, ')');
}

static void render_read(struct render *render, uint32_t number)
{
  const struct cs_argument *argument = &render->arguments->list[number];
  const struct cs_index_type *type = &render->index->types[argument->arg->type];
  switch (argument->arg->kind) {
  case CS_ARG_VALUE:
    if (type->kind == CS_TYPE_FUNCTION_POINTER)
      cs_text_puts(render->text,
                   argument->words[0] ? cs_profile_string(render->profile, (uint32_t)argument->words[0]) : "NULL");
    else
      cs_render_number(render->index, type, argument->words[0], render->text);
    break;
  case CS_ARG_NULLNESS:
    render_pointer(render, argument);
    break;
  case CS_ARG_STRING:
    render_string(render, argument);
    break;
  case CS_ARG_BUCKET_LOG2:
    cs_render_log2((int64_t)argument->words[0], render->text);
    break;
  case CS_ARG_BUCKET_RANGE:
    cs_render_range(render->index, argument, render->text);
    break;
  case CS_ARG_FLOAT:
    cs_render_float(type, argument->words[0], render->text);
    break;
  case CS_ARG_SPAN:
    render_span(render, argument);
    break;
  case CS_ARG_GROUP:
    render_group(render, number);
    break;
  case CS_ARG_IGNORED:
    cs_text_putc(render->text, '_');
    break;
  default:
    if (argument->arg->flags & CS_ARG_THIS)
      cs_render_type_word(render->index, argument->arg->type, render->text);
    else
      type_name(render, argument->arg->type);
  }
}

/* Every value adds at least one byte, so the limit bounds the work whatever a damaged index nests. */
static void render_value(struct render *render, uint32_t number)
{
  const struct cs_argument *argument = &render->arguments->list[number];
  if (render->text->length >= render->limit) {
    cs_text_puts(render->text, "...");
    return;
  }
  switch (argument->state) {
  case CS_STATE_READ:
    render_read(render, number);
    break;
  case CS_STATE_LOST:
    cs_text_putc(render->text, '?');
    break;
  case CS_STATE_UNREADABLE:
    cs_text_puts(render->text, "<unreadable>");
    break;
  case CS_STATE_LOG2:
    cs_render_log2((int64_t)argument->words[0], render->text);
    break;
  default:
    type_name(render, argument->arg->type);
  }
}

void cs_render_value(const struct cs_profile *profile, const struct cs_index *index,
                     const struct cs_arguments *arguments, uint32_t number, struct cs_text *text)
{
  struct render render = {
      .profile = profile, .index = index, .arguments = arguments, .text = text, .limit = text->length + CS_RENDER_MAX};
  render_value(&render, number);
}

static void render_arguments(struct render *render)
{
  const char *separator = "";
  for (uint32_t i = 0; i < render->arguments->count; i = cs_argument_after(render->arguments, i)) {
    const struct cs_index_arg *arg = render->arguments->list[i].arg;
    if (arg->kind == CS_ARG_IGNORED)
      continue;
    cs_text_puts(render->text, separator);
    if (render->text->length >= render->limit) {
      cs_text_puts(render->text, "...");
      return;
    }
    const char *name = cs_index_string(render->index, arg->name);
    cs_text_printable(render->text, name, strlen(name));
    render_named_value(render, i);
    separator = ", ";
  }
}

void cs_render_signature(const struct cs_profile *profile, uint32_t signature, struct cs_arguments *scratch,
                         struct cs_text *text)
{
  const struct cs_signature *known = cs_profile_signature(profile, signature);
  const struct cs_layout *layout = cs_profile_layout(profile, known->layout);
  if (!layout->entry || layout->entry->flags & CS_FUNCTION_NO_DWARF) {
    cs_text_puts(text, "(?)");
  } else if (known->any) {
    cs_text_puts(text, "(...)");
  } else if (cs_arguments_of(profile, signature, scratch) < 0) {
    text->failed = true;
  } else {
    struct render render = {.profile = profile,
                            .index = layout->index,
                            .arguments = scratch,
                            .text = text,
                            .limit = text->length + CS_RENDER_MAX};
    cs_text_putc(text, '(');
    render_arguments(&render);
    if (layout->entry->flags & CS_FUNCTION_VARIADIC)
      cs_text_puts(text, scratch->count ? ", ..." : "...");
    cs_text_putc(text, ')');
  }
}
