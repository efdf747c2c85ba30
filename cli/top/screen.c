/* Draws `callsig top` with ncurses, and hands it the keys that are pressed. */
#include "cli/top/screen.h"

#include <curses.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/subcommand.h"
#include "cli/terminal/terminal.h"

enum { REDRAW = 'L' & 0x1F }; /* Control and L: what something else wrote on the terminal goes */

enum { ESCAPE_WAIT = 50 }; /* ms that what follows an escape may take */

static attr_t attribute_of(enum cli_top_look look)
{
  switch (look) {
  case CLI_TOP_TITLE:
    return A_BOLD;
  case CLI_TOP_HEADING:
  case CLI_TOP_SELECTED:
    return A_REVERSE;
  case CLI_TOP_CALLER:
    return has_colors() ? (attr_t)COLOR_PAIR(1) : A_DIM;
  case CLI_TOP_MESSAGE:
    return A_BOLD;
  default:
    return A_NORMAL;
  }
}

static void draw(struct cli_top_session *session)
{
  struct base_vector lines = BASE_VECTOR_OF(struct cli_top_line);
  const int height = getmaxy(stdscr), width = getmaxx(stdscr);
  erase();
  if (height > 0 && width > 0 && cli_top_session_lines(session, (unsigned)width, (unsigned)height, &lines)) {
    for (uint32_t i = 0; i < lines.count && (int)i < height; i++) {
      const struct cli_top_line *line = base_vector_at(&lines, i);
      attrset((int)attribute_of(line->look));
      mvaddstr((int)i, 0, line->text);
      if (line->look == CLI_TOP_SELECTED || line->look == CLI_TOP_HEADING)
        chgat(-1, A_REVERSE, 0, NULL);
    }
  }
  attrset(A_NORMAL);
  cli_top_lines_free(&lines);
  refresh();
}

static int press_of(int key)
{
  switch (key) {
  case KEY_UP:
    return CLI_TOP_PRESS_UP;
  case KEY_DOWN:
    return CLI_TOP_PRESS_DOWN;
  case KEY_PPAGE:
    return CLI_TOP_PRESS_PAGE_UP;
  case KEY_NPAGE:
    return CLI_TOP_PRESS_PAGE_DOWN;
  case KEY_HOME:
    return CLI_TOP_PRESS_HOME;
  case KEY_ENTER:
  case '\n':
  case '\r':
    return CLI_TOP_PRESS_ENTER;
  case 27:
    return CLI_TOP_PRESS_ESCAPE;
  case KEY_BACKSPACE:
  case 127:
  case '\b':
    return CLI_TOP_PRESS_ERASE;
  default:
    return key;
  }
}

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* What the library says while the terminal is drawn on. */
static void keep_message(const char *line, void *data)
{
  struct cli_top_session *session = data;
  snprintf(session->message, sizeof session->message, "%s", line);
}

static void follow(struct cli_top_session *session, double interval)
{
  double next = seconds() + interval;
  while (!session->quit) {
    draw(session);
    const double left = next - seconds();
    timeout(left > 0 ? (int)(left * 1000) + 1 : 0);
    int key = getch();
    if (key == REDRAW)
      clearok(curscr, TRUE);
    else if (key != ERR && key != KEY_RESIZE)
      cli_top_session_press(session, press_of(key));
    /* The terminal is gone. */
    if (key == ERR && !isatty(STDIN_FILENO))
      break;
    if (seconds() >= next) {
      if (!session->frozen)
        cli_top_session_look(session);
      next = seconds() + interval;
    }
  }
}

int cli_top_screen(struct cli_top_session *session, double interval)
{
  setlocale(LC_CTYPE, "");
  SCREEN *screen = newterm(NULL, stdout, stdin);
  if (!screen) {
    const char *kind = cli_environment("TERM");
    cli_error("top: nothing can be drawn on a terminal of the kind '%s': set TERM, or use --batch", kind ? kind : "");
    return CLI_EXIT_FAILURE;
  }
  cbreak();
  noecho();
  keypad(stdscr, TRUE);
  set_escdelay(ESCAPE_WAIT);
  curs_set(0);
  if (cli_terminal_has_color(STDOUT_FILENO) && has_colors() && start_color() == OK) {
    use_default_colors();
    init_pair(1, COLOR_CYAN, -1);
  }
  callsig_stats_set_message(keep_message, session);
  follow(session, interval);
  callsig_stats_set_message(cli_error_line, NULL);
  endwin();
  delscreen(screen);
  return CLI_EXIT_OK;
}
