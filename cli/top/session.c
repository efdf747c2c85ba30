/* Keeps what `callsig top` shows, and does what keys say. */
#include "cli/top/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *name;
  unsigned by;
} groups[] = {{"signature", CALLSIG_BY_SIGNATURE},
              {"function", CALLSIG_BY_FUNCTION},
              {"stage", CALLSIG_BY_STAGE},
              {"thread", CALLSIG_BY_THREAD},
              {"module", CALLSIG_BY_MODULE}};
enum { GROUPS = sizeof groups / sizeof *groups };

bool cli_top_group_find(const char *name, unsigned *by)
{
  for (size_t i = 0; i < GROUPS; i++) {
    if (strcmp(groups[i].name, name) == 0) {
      *by = groups[i].by;
      return true;
    }
  }
  return false;
}

static size_t group_of(const struct cli_top_session *session)
{
  size_t i = 0;
  while (i < GROUPS - 1 && groups[i].by != session->source.by)
    i++;
  return i;
}

void cli_top_session_init(struct cli_top_session *session)
{
  *session = (struct cli_top_session){0};
  cli_top_model_init(&session->model);
}

void cli_top_session_free(struct cli_top_session *session)
{
  cli_top_model_free(&session->model);
  cli_top_source_free(&session->source);
}

static void say(struct cli_top_session *session, const char *text)
{
  snprintf(session->message, sizeof session->message, "%s", text);
}

static void arrange(struct cli_top_session *session)
{
  if (!cli_top_model_arrange(&session->model))
    say(session, "memory is short");
  if (session->selected >= session->model.rows.count)
    session->selected = session->model.rows.count > 0 ? session->model.rows.count - 1 : 0;
}

/* Has the model compare the readings that are there by the source's grouping, and by the names of the latest. */
static bool compare_again(struct cli_top_session *session)
{
  struct cli_top_reading before, now;
  unsigned count;
  if (cli_top_source_again(&session->source, &before, &now, &count) < 0)
    return false;
  cli_top_model_forget(&session->model);
  if (count > 1)
    cli_top_model_take(&session->model, &before);
  if (count > 0)
    cli_top_model_take(&session->model, &now);
  return true;
}

bool cli_top_session_look(struct cli_top_session *session)
{
  struct cli_top_reading reading;
  if (session->source.ended && session->model.has_now)
    return true;
  if (cli_top_source_read(&session->source, &reading) < 0)
    return false;
  cli_top_model_take(&session->model, &reading);
  /* What was counted under a name that is gone would be a rate of the name that it went to. */
  if (cli_top_model_lacks_names(&session->model) && !compare_again(session))
    return false;
  arrange(session);
  return true;
}

static void group_next(struct cli_top_session *session)
{
  session->source.by = groups[(group_of(session) + 1) % GROUPS].by;
  session->selected = session->first = 0;
  free(session->model.expanded);
  session->model.expanded = NULL;
  if (!compare_again(session))
    cli_top_model_forget(&session->model);
  arrange(session);
}

/* Shows the callers of the marked row, or hides those that are shown. */
static void expand(struct cli_top_session *session)
{
  if (session->selected >= session->model.rows.count)
    return;
  const struct cli_top_row *row = base_vector_at(&session->model.rows, session->selected);
  bool hides = row->is_caller || (session->model.expanded && strcmp(session->model.expanded, row->name) == 0);
  char *name = hides ? NULL : strdup(row->name);
  free(session->model.expanded);
  session->model.expanded = name;
  arrange(session);
}

/* A snapshot beside the terminal's folder, of a name that is not there yet. */
static void save(struct cli_top_session *session)
{
  char path[64];
  for (unsigned i = 1; i < 10000; i++) {
    snprintf(path, sizeof path, "callsig-top-%u.%u.out", session->source.pid, i);
    if (access(path, F_OK) != 0) {
      if (cli_top_source_save(&session->source, path) == 0)
        snprintf(session->message, sizeof session->message, "written: %s", path);
      return;
    }
  }
  say(session, "10,000 snapshots of this process are here already");
}

static void set_filter(struct cli_top_session *session, const char *text)
{
  free(session->model.filter);
  session->model.filter = *text ? strdup(text) : NULL;
  session->selected = session->first = 0;
  arrange(session);
}

/* Keys are the bytes of UTF-8 letters: those that follow a letter's first byte. */
static bool is_in_letter(int byte)
{
  return (byte & 0xC0) == 0x80;
}

static size_t letter_length(int first)
{
  return first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
}

/* Takes the last letter off, whole. */
static void erase_letter(char *typed, size_t length)
{
  while (length > 1 && is_in_letter(typed[length - 1]))
    length--;
  typed[length - 1] = '\0';
}

/* Is there room for the letter that the byte begins, or did its first byte find some? */
static bool has_room(const char *typed, size_t length, int byte)
{
  size_t first = length;
  if (!is_in_letter(byte))
    return length + letter_length(byte) <= CLI_TOP_MOST_TYPED;
  while (first > 0 && is_in_letter(typed[first - 1]))
    first--;
  return first > 0 && length - first + 1 < letter_length((unsigned char)typed[first - 1]);
}

static void type(struct cli_top_session *session, int key)
{
  size_t length = strlen(session->typed);
  if (key == CLI_TOP_PRESS_ENTER || key == CLI_TOP_PRESS_ESCAPE) {
    session->typing = false;
    set_filter(session, key == CLI_TOP_PRESS_ENTER ? session->typed : "");
  } else if (key == CLI_TOP_PRESS_ERASE && length > 0) {
    erase_letter(session->typed, length);
  } else if (key >= ' ' && key < 256 && key != 127 && has_room(session->typed, length, key)) {
    session->typed[length] = (char)key;
    session->typed[length + 1] = '\0';
  }
}

static void move(struct cli_top_session *session, int64_t by)
{
  int64_t to = (int64_t)session->selected + by, last = (int64_t)session->model.rows.count - 1;
  if (to > last)
    to = last;
  session->selected = to > 0 ? (uint32_t)to : 0;
}

static bool press_move(struct cli_top_session *session, int key)
{
  const int64_t page = session->page > 1 ? session->page - 1 : 1;
  switch (key) {
  case CLI_TOP_PRESS_UP:
    move(session, -1);
    return true;
  case CLI_TOP_PRESS_DOWN:
    move(session, 1);
    return true;
  case CLI_TOP_PRESS_PAGE_UP:
    move(session, -page);
    return true;
  case CLI_TOP_PRESS_PAGE_DOWN:
    move(session, page);
    return true;
  case CLI_TOP_PRESS_HOME:
    session->selected = 0;
    return true;
  default:
    return false;
  }
}

static void press_command(struct cli_top_session *session, int key)
{
  struct cli_top_model *model = &session->model;
  switch (key) {
  case 'q':
    session->quit = true;
    break;
  case 's':
    model->key = (enum cli_top_key)((model->key + 1) % CLI_TOP_KEYS);
    arrange(session);
    break;
  case 'r':
    model->reversed = !model->reversed;
    arrange(session);
    break;
  case 'g':
    group_next(session);
    break;
  case '/':
    session->typing = true;
    session->typed[0] = '\0';
    break;
  case ' ':
    session->frozen = !session->frozen;
    break;
  case 'w':
    save(session);
    break;
  case '?':
    session->help = true;
    break;
  case CLI_TOP_PRESS_ENTER:
    expand(session);
    break;
  case CLI_TOP_PRESS_ESCAPE:
    set_filter(session, "");
    break;
  default:
    break;
  }
}

void cli_top_session_press(struct cli_top_session *session, int key)
{
  session->message[0] = '\0';
  if (session->typing)
    type(session, key);
  else if (session->help)
    session->help = false;
  else if (!press_move(session, key))
    press_command(session, key);
}

bool cli_top_session_lines(struct cli_top_session *session, unsigned width, unsigned height, struct base_vector *lines)
{
  const struct cli_top_source *source = &session->source;
  struct cli_top_state state = {.program = source->name,
                                .group = groups[group_of(session)].name,
                                .pid = source->pid,
                                .others = source->others,
                                .running = source->elapsed,
                                .ended = source->ended,
                                .frozen = session->frozen,
                                .is_off = source->is_off,
                                .notes = source->notes.data,
                                .note_count = source->notes.count,
                                .message = session->message[0] ? session->message : NULL,
                                .help = session->help,
                                .typed = session->typing ? session->typed : NULL};
  session->page = cli_top_view_rows(&state, height);
  if (session->selected < session->first)
    session->first = session->selected;
  if (session->selected >= session->first + session->page)
    session->first = session->selected - session->page + 1;
  state.selected = session->selected;
  state.first = session->first;
  return cli_top_view(&session->model, &state, width, height, lines);
}
