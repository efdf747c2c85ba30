/* Draws `callsig top` with ncurses, and hands it the keys that are pressed. */
#include "cli/top/screen.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/subcommand.h"
#include "cli/terminal/terminal.h"

enum { REDRAW = 'L' & 0x1F }; /* Control and L: what something else wrote on the terminal goes */

enum { ESCAPE_WAIT = 50 }; /* ms that what follows an escape may take */

/* What ends the command from outside, or by a key of the terminal's own. */
static const int end_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { END_SIGNALS = sizeof end_signals / sizeof *end_signals };

static volatile sig_atomic_t came; /* one of them; 0: none */

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

static void note_signal(int number)
{
  came = number;
}

/* Has signals end the screen first, whose terminal would stay as it is. Those that were ignored stay so. */
static void catch_signals(struct sigaction *before)
{
  struct sigaction action = {.sa_handler = note_signal};
  came = 0;
  for (int i = 0; i < END_SIGNALS; i++) {
    sigaction(end_signals[i], NULL, &before[i]);
    if (before[i].sa_handler == SIG_DFL)
      sigaction(end_signals[i], &action, NULL);
  }
}

/* Ctrl-C is one of the keys that quit. Of another signal the command dies, now that its terminal is as it was. */
static void release_signals(const struct sigaction *before)
{
  for (int i = 0; i < END_SIGNALS; i++)
    sigaction(end_signals[i], &before[i], NULL);
  if (came != 0 && came != SIGINT)
    raise(came);
}

/* Waits for a key, `ms` at most, or for a signal; ERR: there is none. */
static int next_key(int ms)
{
  timeout(0);
  const int key = getch();
  if (key != ERR || ms <= 0)
    return key;
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  sigset_t ends, mask;
  sigemptyset(&ends);
  for (int i = 0; i < END_SIGNALS; i++)
    sigaddset(&ends, end_signals[i]);
  sigprocmask(SIG_BLOCK, &ends, &mask);
  const struct timespec wait = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
  if (came == 0)
    ppoll(&input, 1, &wait, &mask);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  return getch();
}

static void follow(struct cli_top_session *session, double interval)
{
  double next = seconds() + interval;
  while (!session->quit && came == 0) {
    draw(session);
    const double left = next - seconds();
    const int key = next_key(left > 0 ? (int)(left * 1000) + 1 : 0);
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

/* Names in recordings are UTF-8, and are measured and drawn as such, as every report prints them. */
static void set_characters(void)
{
  if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
    setlocale(LC_CTYPE, "C.UTF-8");
}

int cli_top_screen(struct cli_top_session *session, double interval)
{
  struct sigaction before[END_SIGNALS];
  set_characters();
  catch_signals(before);
  /* Asked first: a screen that has begun has written to the terminal. Lines are drawn in any order. */
  SCREEN *screen = cli_terminal_moves(STDOUT_FILENO) ? newterm(NULL, stdout, stdin) : NULL;
  if (!screen) {
    const char *kind = cli_environment("TERM");
    release_signals(before);
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
  release_signals(before);
  return CLI_EXIT_OK;
}
