/* Makes filters of what was asked for, and marks what each of them selects. */
#include "output/stats/filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "output/text/message.h"
#include "output/text/text.h"

void out_filter_free(struct out_filter *filter)
{
  out_regex_free(filter->function);
  out_regex_free(filter->below);
  out_expression_free(filter->signature);
  free(filter->stage);
  free(filter->thread);
  free(filter->module);
  *filter = (struct out_filter){0};
}

static int copy(const char *text, char **target)
{
  if (!text)
    return 0;
  *target = strdup(text);
  return *target ? 0 : out_stats_no_memory();
}

static int compile(const char *option, const char *text, struct out_regex **regex)
{
  char error[256];
  int result = text ? out_regex_compile(text, regex, error, sizeof error) : 0;
  if (result == -EINVAL)
    out_stats_message("%s '%s': %s", option, text, error);
  else if (result < 0)
    out_stats_no_memory();
  return result;
}

int out_filter_make(const struct callsig_stats_filter *wanted, struct out_filter *filter)
{
  *filter = (struct out_filter){.depth = wanted->depth > UINT32_MAX ? UINT32_MAX : (uint32_t)wanted->depth};
  int result = compile("--function", wanted->function, &filter->function);
  if (result == 0)
    result = compile("--below", wanted->below, &filter->below);
  if (result == 0 && wanted->signature)
    result = out_expression_parse(wanted->signature, &filter->signature);
  if (result == 0)
    result = copy(wanted->stage, &filter->stage);
  if (result == 0)
    result = copy(wanted->thread, &filter->thread);
  if (result == 0)
    result = copy(wanted->module, &filter->module);
  if (result < 0)
    out_filter_free(filter);
  return result;
}

void out_selection_free(struct out_selection *selection)
{
  free(selection->functions);
  free(selection->signatures);
  free(selection->contexts);
  free(selection->depths);
  free(selection->threads);
  free(selection->modules);
  *selection = (struct out_selection){0};
}

static int select_functions(const char *option, struct out_regex *regex, const struct out_profile *profile,
                            const uint32_t *shown_function, uint8_t **selected)
{
  struct out_text name = {0};
  *selected = calloc(profile->functions.count + 1u, 1);
  for (uint32_t i = 0; *selected && i < profile->functions.count; i++) {
    const struct out_known_function *function = out_profile_function(profile, shown_function[i]);
    const char *file = out_profile_string(profile, function->file), *text = out_profile_string(profile, function->name);
    out_text_clear(&name);
    if (function->is_action)
      out_text_puts(&name, text);
    else
      out_text_printf(&name, "%s:%u(%s)", file, function->line, text);
    (*selected)[i] = out_regex_search(regex, out_text_string(&name), name.length);
  }
  bool failed = name.failed || !*selected;
  out_text_free(&name);
  if (failed)
    return -ENOMEM;
  if (out_regex_failed(regex))
    return out_stats_fail(-EINVAL, "%s: the expression takes too long to search with: make it simpler", option);
  return 0;
}

/* Is the signature a row of its own, of a function that is selected? */
static bool is_asked_for(const struct out_profile *profile, uint32_t number, const uint32_t *row_of,
                         const struct out_selection *selection)
{
  const uint32_t layout = out_profile_signature(profile, number)->layout;
  return (!row_of || row_of[number] == number) &&
         (!selection->functions || selection->functions[out_profile_layout(profile, layout)->function]);
}

static int select_signatures(struct out_filter *filter, const struct out_profile *profile, const uint32_t *row_of,
                             struct out_selection *selection)
{
  struct out_arguments scratch = {0};
  selection->signatures = calloc(profile->signatures.count + 1u, 1);
  int result = selection->signatures ? out_expression_check(filter->signature, profile) : -ENOMEM;
  for (uint32_t i = 0; i < profile->signatures.count && result == 0; i++) {
    enum out_truth truth = OUT_FALSE;
    enum out_why why = OUT_WHY_DECIDED;
    result = out_expression_evaluate(filter->signature, profile, row_of ? row_of[i] : i, &scratch, &truth, &why);
    selection->signatures[i] = truth == OUT_TRUE;
    const bool is_told = why != OUT_WHY_DECIDED && is_asked_for(profile, i, row_of, selection);
    selection->undecided += is_told && why == OUT_WHY_MISSING;
    selection->incomparable += is_told && why == OUT_WHY_INCOMPARABLE;
  }
  out_arguments_free(&scratch);
  return result;
}

/* Labels have brackets, "0:1:decode[10]", which a glob reads as a set: a pattern that is the label means it, too. */
static bool matches(const char *pattern, const char *text)
{
  return strcmp(pattern, text) == 0 || fnmatch(pattern, text, 0) == 0;
}

/* In a context's byte, beside that its stage is selected. */
#define BELOW_ACTION 2u

/* Which functions are actions of such a name, which stands in braces. NULL when memory is short. */
static uint8_t *find_actions(const struct out_profile *profile, const char *pattern)
{
  struct out_text name = {0};
  uint8_t *found = calloc(profile->functions.count + 1u, 1);
  for (uint32_t i = 0; found && i < profile->functions.count; i++) {
    const struct out_known_function *function = out_profile_function(profile, i);
    const char *text = out_profile_string(profile, function->name);
    const size_t length = strlen(text);
    if (!function->is_action || length < 2)
      continue;
    out_text_clear(&name);
    out_text_add(&name, text + 1, length - 2);
    found[i] = matches(pattern, out_text_string(&name)) || matches(pattern, text);
  }
  if (name.failed) {
    free(found);
    found = NULL;
  }
  out_text_free(&name);
  return found;
}

/* Is the context's function an action that was found? A task has the flag, too, and a stage. */
static bool is_action_of(const struct out_profile *profile, const struct out_context *context, const uint8_t *actions)
{
  if (context->callable == FMT_NONE)
    return false;
  const struct out_callable *callable = out_profile_callable(profile, context->callable);
  return callable->stage == 0 && actions[callable->function];
}

/* A stage is known by its label or its name; "-" are the calls outside of any. A context is selected with its stage, or
 * below an action. */
static int select_stages(const struct out_filter *filter, const struct out_profile *profile,
                         struct out_selection *selection)
{
  uint8_t *stages = calloc(profile->stages.count + 1u, 1), *actions = find_actions(profile, filter->stage);
  uint8_t *selected = selection->contexts = calloc(profile->contexts.count + 1u, 1);
  if (!selected || !stages || !actions) {
    free(stages);
    free(actions);
    return -ENOMEM;
  }
  stages[0] = strcmp(filter->stage, "-") == 0;
  for (uint32_t i = 1; i < profile->stages.count; i++) {
    const struct out_known_stage *stage = out_profile_stage(profile, i);
    stages[i] = matches(filter->stage, out_profile_string(profile, stage->label)) ||
                matches(filter->stage, out_profile_string(profile, stage->name));
  }
  for (uint32_t i = 0; i < profile->contexts.count; i++)
    selected[i] = stages[out_profile_context(profile, i)->stage];
  for (uint32_t i = 0; i < profile->preorder.count; i++) {
    const uint32_t number = *(const uint32_t *)base_vector_at(&profile->preorder, i);
    const struct out_context *context = out_profile_context(profile, number);
    const bool is_below = context->parent != FMT_NONE && selected[context->parent] & BELOW_ACTION;
    if (is_below || is_action_of(profile, context, actions)) {
      selected[number] |= BELOW_ACTION;
      selection->actions = true;
    }
  }
  free(stages);
  free(actions);
  return 0;
}

/* Recursion is folded in contexts, so that a function that was entered again counts where it was entered first. */
static int find_depths(const struct out_filter *filter, const struct out_profile *profile,
                       const uint32_t *shown_function, struct out_selection *selection)
{
  uint8_t *tops = NULL;
  uint32_t *depths = selection->depths = calloc(profile->contexts.count + 1u, sizeof *depths);
  int result = depths ? 0 : -ENOMEM;
  if (result == 0 && filter->below)
    result = select_functions("--below", filter->below, profile, shown_function, &tops);
  for (uint32_t i = 0; i < profile->preorder.count && result == 0; i++) {
    const uint32_t number = *(const uint32_t *)base_vector_at(&profile->preorder, i);
    const struct out_context *context = out_profile_context(profile, number);
    if (context->callable == FMT_NONE)
      continue;
    const uint32_t around = context->parent == FMT_NONE ? 0 : depths[context->parent];
    if (around > 0 || !tops || tops[out_profile_callable(profile, context->callable)->function])
      depths[number] = around + 1;
  }
  free(tops);
  return result;
}

/* A thread is known by its name, its number, or both as they are printed. */
static int select_threads(const struct out_filter *filter, const struct out_profile *profile, uint8_t **selected)
{
  *selected = calloc(profile->threads.count + 1u, 1);
  for (uint32_t i = 0; *selected && i < profile->threads.count; i++) {
    const struct out_known_thread *thread = out_profile_thread(profile, i);
    char number[16];
    snprintf(number, sizeof number, "%u", thread->tid);
    (*selected)[i] = fnmatch(filter->thread, out_profile_string(profile, thread->name), 0) == 0 ||
                     fnmatch(filter->thread, number, 0) == 0 ||
                     fnmatch(filter->thread, out_profile_string(profile, thread->label), 0) == 0;
  }
  return *selected ? 0 : -ENOMEM;
}

/* A module is known by its path or its file name. */
static int select_modules(const struct out_filter *filter, const struct out_profile *profile, uint8_t **selected)
{
  *selected = calloc(profile->modules.count + 1u, 1);
  for (uint32_t i = 0; *selected && i < profile->modules.count; i++) {
    const char *path = out_profile_string(profile, out_profile_module(profile, i)->label);
    const char *slash = strrchr(path, '/');
    (*selected)[i] = fnmatch(filter->module, path, 0) == 0 || fnmatch(filter->module, slash ? slash + 1 : path, 0) == 0;
  }
  return *selected ? 0 : -ENOMEM;
}

int out_filter_select(struct out_filter *filter, const struct out_profile *profile, const uint32_t *shown_function,
                      const uint32_t *row_of, struct out_selection *selection)
{
  *selection = (struct out_selection){0};
  int result = 0;
  if (filter->function)
    result = select_functions("--function", filter->function, profile, shown_function, &selection->functions);
  if (result == 0 && filter->signature)
    result = select_signatures(filter, profile, row_of, selection);
  if (result == 0 && filter->stage)
    result = select_stages(filter, profile, selection);
  if (result == 0 && filter->thread)
    result = select_threads(filter, profile, &selection->threads);
  if (result == 0 && filter->module)
    result = select_modules(filter, profile, &selection->modules);
  if (result == 0 && (filter->below || filter->depth > 0))
    result = find_depths(filter, profile, shown_function, selection);
  return result;
}

int out_selection_of_process(const struct out_profile *profile, uint32_t process, struct out_selection *selection)
{
  if (!selection->threads) {
    selection->threads = malloc(profile->threads.count + 1u);
    if (!selection->threads)
      return -ENOMEM;
    memset(selection->threads, 1, profile->threads.count + 1u);
  }
  for (uint32_t i = 0; i < profile->threads.count; i++)
    selection->threads[i] &= out_profile_thread(profile, i)->recording == process;
  return 0;
}
