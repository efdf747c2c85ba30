/* Lays out what `callsig top` shows, line by line. */
#include "cli/top/view.h"

#include <stdlib.h>
#include <string.h>

#include "output/text/text.h"
#include "output/text/width.h"

/* Lines on the way, for a terminal of this size. */
struct layout {
  struct base_vector *lines;
  struct out_width cells;
  struct out_text text;
  unsigned width, height; /* 0: no terminal */
  bool failed;
};

static const char keys[] = "q quit  s sort  r reverse  g group  / filter  Enter callers  Space freeze  w write  ? help";

static const char *const help[] = {
    "Up, Down, Page Up, Page Down, Home   choose a row",
    "Enter   show who calls the function of the row, or hide it again",
    "s       sort by the next of: self time a second, calls a second, all self time, all calls, name",
    "r       turn the order around",
    "g       rows are by the next of: signature, function, stage, thread, module",
    "/       type what names must contain, and Enter; Escape shows all again",
    "Space   freeze: what is shown stays, until Space is pressed again",
    "w       write a snapshot: a recording of what the program did until now, for every other command",
    "q       quit, as Ctrl-C does; the program goes on",
    "self s/s is of all threads, those that wait included: report --columns +cpu,+wait tells that apart",
    "Any key ends this help.",
};

enum { TOP_LINES = 2, BOTTOM_LINES = 1, HEADING_LINES = 1 };

static bool has_room(const struct layout *layout, unsigned below)
{
  return layout->height == 0 || layout->lines->count + below < layout->height;
}

/* Ends a line with `below` lines to come that must be there. */
static void put_line(struct layout *layout, enum cli_top_look look, unsigned below)
{
  if (!has_room(layout, below)) {
    out_text_clear(&layout->text);
    return;
  }
  if (layout->width > 0)
    out_width_shorten(&layout->cells, &layout->text, layout->width);
  struct cli_top_line *line = layout->text.failed ? NULL : base_vector_add(layout->lines, 1);
  if (line) {
    line->text = strdup(out_text_string(&layout->text));
    line->look = look;
  }
  layout->failed |= !line || !line->text;
  out_text_clear(&layout->text);
}

/* Names are from the recording: what is no printable character is shown as such. */
static void put_name(struct layout *layout, const char *name)
{
  out_text_printable(&layout->text, name, strlen(name));
}

static void put_titles(struct layout *layout, const struct cli_top_model *model, const struct cli_top_state *state)
{
  struct out_text *text = &layout->text;
  out_text_puts(text, "callsig top: ");
  put_name(layout, state->program ? state->program : "?");
  out_text_printf(text, " (%u)", state->pid);
  if (state->others > 0)
    out_text_printf(text, " and %u process%s of it", state->others, state->others == 1 ? "" : "es");
  out_text_printf(text, ", %s%s %.1f s%s%s; by %s, sorted by %s%s", state->frozen ? "frozen, " : "",
                  state->ended ? "ended after" : "running", state->running, state->ended ? ": its last state" : "",
                  state->is_off && !state->ended ? ", recording off" : "", state->group, cli_top_key_name(model->key),
                  model->reversed ? ", reversed" : "");
  if (model->filter) {
    out_text_puts(text, ", names with ");
    put_name(layout, model->filter);
  }
  put_line(layout, CLI_TOP_TITLE, BOTTOM_LINES);
  out_text_printf(text,
                  "%.0f calls/s, %.3f s of self time a second, waiting included; %.0f calls, %.3f s in all; %u rows",
                  model->call_rate, model->own_rate, model->calls, model->own, model->names);
  put_line(layout, CLI_TOP_PLAIN, BOTTOM_LINES);
}

static void put_row(struct layout *layout, const struct cli_top_row *row, enum cli_top_look look)
{
  out_text_printf(&layout->text, "%11.1f %9.4f %6.1f %6.1f %12.0f %10.3f  ", row->call_rate, row->own_rate,
                  100 * row->share_now, 100 * row->share_all, row->calls, row->own);
  if (row->is_caller)
    out_text_puts(&layout->text, "  < ");
  put_name(layout, row->name);
  put_line(layout, look, layout->height > 0 ? BOTTOM_LINES : 0);
}

static void put_rows(struct layout *layout, const struct cli_top_model *model, const struct cli_top_state *state)
{
  const bool is_screen = layout->height > 0;
  out_text_printf(&layout->text, "%11s %9s %6s %6s %12s %10s  %s", "calls/s", "self s/s", "% now", "% all", "calls",
                  "self s", "name");
  put_line(layout, CLI_TOP_HEADING, BOTTOM_LINES);
  for (uint32_t i = is_screen ? state->first : 0; i < model->rows.count; i++) {
    if (!has_room(layout, is_screen ? BOTTOM_LINES : 0))
      break;
    const struct cli_top_row *row = base_vector_at(&model->rows, i);
    put_row(layout, row,
            is_screen && i == state->selected ? CLI_TOP_SELECTED
            : row->is_caller                  ? CLI_TOP_CALLER
                                              : CLI_TOP_PLAIN);
  }
}

static void put_help(struct layout *layout)
{
  for (size_t i = 0; i < sizeof help / sizeof *help; i++) {
    out_text_puts(&layout->text, help[i]);
    put_line(layout, CLI_TOP_PLAIN, BOTTOM_LINES);
  }
}

/* The last line of a terminal, whatever is above it. */
static void put_keys(struct layout *layout, const struct cli_top_state *state)
{
  while (layout->lines->count + BOTTOM_LINES < layout->height && !layout->failed)
    put_line(layout, CLI_TOP_PLAIN, BOTTOM_LINES);
  if (state->typed) {
    out_text_puts(&layout->text, "names with: ");
    put_name(layout, state->typed);
  } else {
    out_text_puts(&layout->text, state->message ? state->message : keys);
  }
  put_line(layout, state->typed || state->message ? CLI_TOP_MESSAGE : CLI_TOP_HEADING, 0);
}

/* Notes take at most a third of a terminal. */
static uint32_t shown_notes(const struct cli_top_state *state, unsigned height)
{
  return height == 0 || state->note_count < height / 3 ? state->note_count : height / 3;
}

uint32_t cli_top_view_rows(const struct cli_top_state *state, unsigned height)
{
  const unsigned others = TOP_LINES + HEADING_LINES + BOTTOM_LINES + shown_notes(state, height);
  return height > others ? height - others : 1;
}

bool cli_top_view(const struct cli_top_model *model, const struct cli_top_state *state, unsigned width, unsigned height,
                  struct base_vector *lines)
{
  struct layout layout = {.lines = lines, .width = width, .height = height};
  out_width_init(&layout.cells);
  put_titles(&layout, model, state);
  if (state->help && height > 0) {
    put_help(&layout);
  } else {
    for (uint32_t i = 0; i < shown_notes(state, height); i++) {
      put_name(&layout, state->notes[i]);
      put_line(&layout, CLI_TOP_PLAIN, BOTTOM_LINES);
    }
    put_rows(&layout, model, state);
  }
  if (height > 0)
    put_keys(&layout, state);
  out_width_free(&layout.cells);
  out_text_free(&layout.text);
  return !layout.failed;
}

void cli_top_lines_free(struct base_vector *lines)
{
  for (uint32_t i = 0; i < lines->count; i++)
    free(((struct cli_top_line *)base_vector_at(lines, i))->text);
  base_vector_free(lines);
}
